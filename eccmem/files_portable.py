"""The same folder for platforms without ``dir_fd`` (Windows): identities are checked before and after.

This narrows the window in which a folder could be swapped for a link, and detects a swap afterwards, but it cannot
close the window as descriptors do; ``eccmem doctor`` says so where this class is in use.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from errno import ELOOP, ENOTDIR
from types import TracebackType
from typing import Self

from eccmem.files import TEMPORARY, FileProblem, append_all, read_regular, reading, refuse_changed, write_all
from eccmem.finding import SkipReason

_WINDOWS = os.name == "nt"
_REPARSE_POINT = 0x400  # a junction: Windows' other kind of link
_BINARY = getattr(os, "O_BINARY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)


def _is_link(status: os.stat_result) -> bool:
    attributes: int = getattr(status, "st_file_attributes", 0)
    return stat.S_ISLNK(status.st_mode) or bool(attributes & _REPARSE_POINT)


def _same(left: os.stat_result, right: os.stat_result) -> bool:
    return (left.st_ino, left.st_dev) == (right.st_ino, right.st_dev)


class PortableFolder:
    """A folder by path, with the identity that it and its parents had when they were opened."""

    __slots__ = ("parent", "path", "seen")

    def __init__(self, path: str, parent: Self | None = None) -> None:
        self.path = path
        self.parent = parent
        self.seen = os.stat(path) if parent is None else os.lstat(path)
        if parent is not None and _is_link(self.seen):
            raise OSError(ELOOP, os.strerror(ELOOP))
        if not stat.S_ISDIR(self.seen.st_mode):
            raise OSError(ENOTDIR, os.strerror(ENOTDIR))

    @classmethod
    def open_base(cls, path: str | os.PathLike[str]) -> Self:
        """Open a trusted folder by its path; raises OSError."""
        return cls(os.path.realpath(path))

    def _check(self) -> None:
        if self.parent is not None:
            self.parent._check()  # noqa: SLF001 - the same class
        now = os.lstat(self.path)
        if _is_link(now) or not _same(now, self.seen):
            raise OSError(ELOOP, os.strerror(ELOOP))

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def folder(self, name: str) -> Self:
        """Open a folder in this one; raises OSError, ELOOP for a link."""
        self._check()
        return type(self)(self._at(name), self)

    def make(self, name: str, mode: int) -> Self:
        """Open a folder in this one, after making it if it is not there; raises OSError."""
        self._check()
        with suppress(FileExistsError):
            os.mkdir(self._at(name), mode)
        return self.folder(name)

    def read(self, name: str, most: int) -> bytes:
        """Read a regular file of at most ``most`` bytes; raises FileProblem."""
        with reading():
            self._check()
            before = os.lstat(self._at(name))
            if _is_link(before):
                raise FileProblem(SkipReason.SYMLINK)
            if not stat.S_ISREG(before.st_mode):
                raise FileProblem(SkipReason.NOT_REGULAR)
            fd = os.open(self._at(name), os.O_RDONLY | _BINARY | _NONBLOCK)
            try:
                if not _same(before, os.fstat(fd)):
                    raise FileProblem(SkipReason.SYMLINK)
                data = read_regular(fd, most)
            finally:
                os.close(fd)
            self._check()
            return data

    def size(self, name: str) -> int:
        """The size of an entry in bytes, links not followed; -1 when it vanished."""
        try:
            return os.lstat(self._at(name)).st_size
        except OSError:
            return -1

    def create(self, name: str, data: bytes, mode: int) -> None:
        """Create a file whole or not at all; raises FileExistsError if the name is taken, or OSError."""
        self._check()
        temporary = self._at(f"{TEMPORARY}{os.urandom(8).hex()}.tmp")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        try:
            try:
                write_all(fd, data)
                os.fsync(fd)
                written = os.fstat(fd)
            finally:
                os.close(fd)
            self._check()
            if _WINDOWS:
                os.rename(temporary, self._at(name))
            else:
                os.link(temporary, self._at(name))
            if not _same(os.lstat(self._at(name)), written):
                raise OSError(ELOOP, os.strerror(ELOOP))
            self._check()
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)

    def append(self, name: str, data: bytes) -> None:
        """Add to a file, which is made if it is not there; raises OSError. Not for memories."""
        self._check()
        with suppress(FileNotFoundError):
            if _is_link(os.lstat(self._at(name))):
                raise OSError(ELOOP, os.strerror(ELOOP))
        fd = os.open(self._at(name), os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NONBLOCK | _BINARY, 0o666)
        try:
            append_all(fd, data)
        finally:
            os.close(fd)

    def swap(self, name: str, before: bytes, after: bytes | None) -> None:
        """Put other content in the place of a file's, or delete it for None; as in :class:`~eccmem.files.Folder`."""
        temporary = f"{TEMPORARY}{os.urandom(8).hex()}.tmp"
        try:
            if after is not None:
                mode = os.lstat(self._at(name)).st_mode
                self.create(temporary, after, 0o600)
                os.chmod(self._at(temporary), stat.S_IMODE(mode))
            refuse_changed(self.read, name, before)
            self._check()
            if after is None:
                os.unlink(self._at(name))
            else:
                os.replace(self._at(temporary), self._at(name))
        finally:
            with suppress(FileNotFoundError):
                os.unlink(self._at(temporary))

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """The folder's entries, in the system's order; raises OSError."""
        self._check()
        with os.scandir(self.path) as listing:
            yield from listing
        self._check()

    def status(self) -> os.stat_result:
        """The folder's own ``stat``."""
        return os.lstat(self.path)

    def close(self) -> None:
        """Nothing is held open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
