"""Builds search indexes beside the calls: the search that wanted one has its answer by then."""

import threading

from eccmem import recall
from eccmem.cache import CacheHome
from eccmem.model import Scope
from eccmem.roots import VaultRoots


class Builder:
    """Builds one index after the other; what is wanted while it does, the next search wants again."""

    def __init__(self) -> None:
        self._working = threading.Lock()

    def __call__(self, roots: VaultRoots, scopes: tuple[Scope, ...], home: CacheHome) -> None:
        """Begin to build, unless that is going on."""
        if self._working.acquire(blocking=False):
            threading.Thread(target=self._build, args=(roots, scopes, home), daemon=True).start()

    def _build(self, roots: VaultRoots, scopes: tuple[Scope, ...], home: CacheHome) -> None:
        try:
            recall.build(roots, scopes, home)
        finally:
            self._working.release()
