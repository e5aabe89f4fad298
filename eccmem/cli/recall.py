"""Search as commands do it: with the person's own cache, which is brought up to date when the answer is out."""

import os
from collections.abc import Iterable

from eccmem import cache
from eccmem import recall as recalling
from eccmem.cache import CacheHome, NoCache
from eccmem.cli import console
from eccmem.cli.context import DRY_RUN, home
from eccmem.model import Scope
from eccmem.recall import Recalled
from eccmem.roots import VaultRoots
from eccmem.search import Filters


def cache_home(roots: VaultRoots) -> CacheHome:
    """The place of the person's caches; raises NoCache where there is no fit one."""
    return cache.find(roots, os.environ, home())


def recall(roots: VaultRoots, scopes: Iterable[Scope], query: str, filters: Filters, limit: int) -> Recalled:
    """See :func:`eccmem.recall.recall`."""
    try:
        place = cache_home(roots)
    except NoCache:
        place = None
    return recalling.recall(roots, scopes, query, filters, limit, cache=place)


def build_wanted(roots: VaultRoots, recalled: Recalled) -> None:
    """Build the indexes that the next search wants; call it when the answer is out."""
    if recalled.wants and os.environ.get(DRY_RUN) != "1":
        build(roots, recalled.wants)


def build(roots: VaultRoots, scopes: Iterable[Scope]) -> str:
    """Build indexes; return why one could not be built, or nothing. A terminal shows how far it is."""
    with console.progress("indexing memories") as progress:
        try:
            return recalling.build(roots, scopes, cache_home(roots), progress)
        except NoCache as reason:
            return str(reason)
