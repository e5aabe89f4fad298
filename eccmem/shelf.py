"""Indexes that stay open from one search to the next, in a process that lives longer than one."""

import os
from contextlib import suppress
from pathlib import Path

from eccmem import limits
from eccmem.cache import CacheHome, NoCache
from eccmem.index import Index
from eccmem.roots import Root

_Identity = tuple[int, int, int, int]


class Shelf:
    """Open indexes by their files; for one thread.

    An index file never changes, a new one takes its place: so an open index is the file's as long as the file is the
    same one. Whether it still fits the vault is asked at every search all the same.
    """

    def __init__(self) -> None:
        self._open: dict[Path, tuple[_Identity, Index]] = {}

    def take(self, root: Root, home: CacheHome) -> Index:
        """The index of a scope.

        Raises:
            NoCache: when there is none that may be used.
            Damaged: when it is not what was written, or of another version.
        """
        file = home.file_of(root)
        try:
            home.present(file)
            identity = _identity(file)
        except (NoCache, OSError):
            self._drop(file)
            raise
        known = self._open.get(file)
        if known is not None and known[0] == identity:
            return known[1]
        self._drop(file)
        if len(self._open) >= limits.OPEN_INDEXES:
            self._drop(next(iter(self._open)))
        found = Index(root, file)
        self._open[file] = (identity, found)
        return found

    def clear(self) -> None:
        """Close all."""
        for file in list(self._open):
            self._drop(file)

    def _drop(self, file: Path) -> None:
        if file in self._open:
            with suppress(OSError):
                self._open.pop(file)[1].close()


def _identity(file: Path) -> _Identity:
    status = os.lstat(file)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
