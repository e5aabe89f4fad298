"""The one door to vault files: bounded reads, create-only writes, bounded walks, no link ever followed.

A folder is held open as a descriptor and everything below it is opened relative to that descriptor with
``O_NOFOLLOW``, one component at a time.
A folder that is swapped for a symlink while we work can therefore lead nowhere: what we hold is the folder itself.
A check of the path before or after the call cannot give this (the reference's checks let dozens of writes escape
in such a race).
Where the platform has no ``dir_fd``, :mod:`eccmem.files_portable` checks identities instead.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EDQUOT, EFBIG, EINVAL, EISDIR, ELOOP, ENOENT, ENOSPC, ENOTDIR, ENXIO, EOPNOTSUPP, EPERM, EROFS
from types import TracebackType
from typing import Self

from eccmem.errors import EccmemError
from eccmem.finding import SkipReason

HAS_DESCRIPTORS = (
    hasattr(os, "O_NOFOLLOW")
    and {os.open, os.mkdir, os.link, os.unlink} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
)

# What a crash can leave where the system has no unnamed files; walks pass it over.
TEMPORARY = ".eccmem-"
PRIVATE = 0o700
SHARED = 0o777  # less the umask: a team folder is the repository's, with the rights that its other folders have

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOEXEC
# O_NONBLOCK: opening a FIFO that was swapped in must not wait for its writer.
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_READ = os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _CLOEXEC | getattr(os, "O_BINARY", 0)
_UNNAMED = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = (EOPNOTSUPP, EISDIR, ENOENT, EPERM)  # ext4 says EPERM in a folder that was removed
_CHUNK = 64 * 1024


class FileProblem(Exception):
    """A file or folder of the vault that cannot be used, and why."""

    def __init__(self, reason: SkipReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


@contextmanager
def reading() -> Iterator[None]:
    """Turn the operating system's refusals into a :class:`FileProblem`."""
    try:
        yield
    except OSError as error:
        if error.errno == ELOOP:
            raise FileProblem(SkipReason.SYMLINK) from None
        if error.errno in (ENOTDIR, ENXIO):  # a socket cannot be opened at all
            raise FileProblem(SkipReason.NOT_REGULAR) from None
        gone = error.errno == ENOENT
        raise FileProblem(SkipReason.VANISHED if gone else SkipReason.UNREADABLE) from None


_WRITE_FAILURES = {
    ENOSPC: ("the disk is full", "free some space and save again"),
    EDQUOT: ("the disk quota is used up", "free some space and save again"),
    EFBIG: ("a file size limit stops the write", "raise the limit (ulimit -f) and save again"),
    EROFS: ("the file system is read-only", "save to another scope, or remount it"),
    EACCES: ("there is no permission to write there", "check who owns the folder"),
    EPERM: ("the file system does not allow it", "check who owns the folder, and that it allows hard links"),
    EOPNOTSUPP: ("the file system cannot create a file without replacing another", "use one with hard links"),
    ENOENT: ("the folder vanished meanwhile", "run the command again"),
    ENOTDIR: ("a file is where a folder should be", "move it away"),
    ELOOP: ("a symlink is where a folder of the vault should be", "replace the link with a real folder"),
}


@contextmanager
def writing(shown: str) -> Iterator[None]:
    """Turn the operating system's refusals into an :class:`EccmemError` that names the vault path."""
    try:
        yield
    except FileExistsError:
        raise
    except FileProblem as problem:
        if problem.reason is SkipReason.SYMLINK:
            reason, hint = _WRITE_FAILURES[ELOOP]
            raise EccmemError("unsafe-path", f"cannot write {shown}: {reason}", hint) from None
        raise EccmemError("cannot-write", f"cannot write {shown}: it is {problem.reason}", "check it") from None
    except OSError as error:
        reason, hint = _WRITE_FAILURES.get(error.errno or 0, ("the system refused", "check the folder"))
        slug = "unsafe-path" if error.errno == ELOOP else "cannot-write"
        raise EccmemError(slug, f"cannot write {shown}: {reason}", hint) from None


class Folder:
    """An open folder. Close it, or use it in a ``with``."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def open_base(cls, path: str | os.PathLike[str]) -> Self:
        """Open a trusted folder by its path; raises OSError."""
        return cls(os.open(path, _FOLDER))

    def folder(self, name: str) -> Self:
        """Open a folder in this one; raises OSError, ELOOP or ENOTDIR for a symlink."""
        try:
            return type(self)(os.open(name, _FOLDER | _NOFOLLOW, dir_fd=self.fd))
        except NotADirectoryError:
            # Linux says ENOTDIR for a symlink too, with O_DIRECTORY: tell the two apart for the message.
            # What is a folder by now was a link a moment ago.
            mode = os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode) or stat.S_ISDIR(mode):
                raise OSError(ELOOP, os.strerror(ELOOP)) from None
            raise

    def make(self, name: str, mode: int) -> Self:
        """Open a folder in this one, after making it if it is not there; raises OSError."""
        with suppress(FileExistsError):
            os.mkdir(name, mode, dir_fd=self.fd)
            os.fsync(self.fd)
        return self.folder(name)

    def read(self, name: str, most: int) -> bytes:
        """Read a regular file of at most ``most`` bytes; raises FileProblem."""
        with reading():
            fd = os.open(name, _READ, dir_fd=self.fd)
            try:
                return read_regular(fd, most)
            finally:
                os.close(fd)

    def size(self, name: str) -> int:
        """The size of an entry in bytes, links not followed; -1 when it vanished."""
        try:
            return os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_size
        except OSError:
            return -1

    def create(self, name: str, data: bytes, mode: int) -> None:
        """Create a file whole or not at all; raises FileExistsError if the name is taken, or OSError.

        The data is on the disk before the name is: a crash at any instant leaves the file or nothing.
        """
        fd, temporary = self._unnamed(mode)
        try:
            write_all(fd, data)
            os.fsync(fd)
            source = temporary or f"/proc/self/fd/{fd}"
            source_fd = self.fd if temporary else None
            os.link(source, name, src_dir_fd=source_fd, dst_dir_fd=self.fd, follow_symlinks=not temporary)
        finally:
            os.close(fd)
            if temporary:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=self.fd)
        os.fsync(self.fd)

    def _unnamed(self, mode: int) -> tuple[int, str]:
        """Open a new file without a name, or with one that walks skip where the system has no such files."""
        if _UNNAMED and os.path.exists("/proc/self/fd"):
            try:
                return os.open(".", os.O_WRONLY | _UNNAMED | _CLOEXEC, mode, dir_fd=self.fd), ""
            except OSError as error:
                if error.errno not in _NO_UNNAMED:
                    raise
        name = f"{TEMPORARY}{os.urandom(8).hex()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
        return os.open(name, flags, mode, dir_fd=self.fd), name

    def append(self, name: str, data: bytes) -> None:
        """Add to a file, which is made if it is not there; raises OSError. Not for memories."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NOFOLLOW | _NONBLOCK | _CLOEXEC
        fd = os.open(name, flags, 0o666, dir_fd=self.fd)
        try:
            append_all(fd, data)
        finally:
            os.close(fd)

    def swap(self, name: str, before: bytes, after: bytes | None) -> None:
        """Put other content in the place of a file's, whole or not at all, or delete it for None. Not for memories.

        Raises:
            EccmemError: ``changed-meanwhile`` when the file does not hold ``before`` any more.
            OSError: when it cannot be done.
        """
        temporary = f"{TEMPORARY}{os.urandom(8).hex()}.tmp"
        try:
            if after is not None:
                mode = os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode
                self.create(temporary, after, PRIVATE)
                os.chmod(temporary, stat.S_IMODE(mode), dir_fd=self.fd)
            refuse_changed(self.read, name, before)
            if after is None:
                os.unlink(name, dir_fd=self.fd)
            else:
                os.replace(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=self.fd)
        os.fsync(self.fd)

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """The folder's entries, in the system's order; raises OSError."""
        with os.scandir(self.fd) as listing:
            yield from listing

    def status(self) -> os.stat_result:
        """The folder's own ``stat``."""
        return os.fstat(self.fd)

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self.fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def refuse_changed(read: Callable[[str, int], bytes], name: str, before: bytes) -> None:
    """Raise ``changed-meanwhile`` unless a file holds what it held before."""
    try:
        if read(name, max(len(before), 1)) == before:
            return
    except FileProblem:
        pass
    raise EccmemError("changed-meanwhile", "the file was changed by another program just now", "run the command again")


def read_regular_path(path: str, most: int) -> bytes:
    """Read a file that the person named, which must be regular and no symlink; raises FileProblem, ValueError."""
    with reading():
        fd = os.open(path, _READ)
        try:
            return read_regular(fd, most)
        finally:
            os.close(fd)


def read_regular(fd: int, most: int) -> bytes:
    """Read an open regular file of at most ``most`` bytes; raises FileProblem, OSError."""
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem(SkipReason.NOT_REGULAR)
    if status.st_size > most:
        raise FileProblem(SkipReason.TOO_LARGE)
    # One more than the size: a regular file that gives exactly its size has ended.
    data = os.read(fd, status.st_size + 1)
    if len(data) != status.st_size:
        while len(data) <= most and (chunk := os.read(fd, _CHUNK)):
            data += chunk
    if len(data) > most:  # it grew between the two calls
        raise FileProblem(SkipReason.TOO_LARGE)
    return data


def write_all(fd: int, data: bytes) -> None:
    """Write all of it, however much the system takes at a time; raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def append_all(fd: int, data: bytes) -> None:
    """Add all of it to a regular file, or take back what was added of it; raises OSError.

    On a full disk, half of a pattern in ``info/exclude`` would ignore something else.
    """
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(EINVAL, os.strerror(EINVAL))
    try:
        write_all(fd, data)
    except OSError:
        os.ftruncate(fd, status.st_size)
        raise
