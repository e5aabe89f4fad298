"""Where the disposable search cache lives, and whether it may be used.

The cache is a convenience that anybody may delete, and a place that nobody else may write to: a cache that another
user planted would decide what an agent is told.
So every folder and file is looked at before it is used, and what does not fit is treated as if it were not there;
the search then scans. Nothing that comes from here is ever an input of a save.
"""

import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from eccmem import limits
from eccmem.model import Scope
from eccmem.roots import Root, VaultRoots, nearest_checkout

OWN_FOLDER = "eccmem"
SUFFIX = ".sqlite"
_TEMPORARY = ".tmp"
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_DAY = 24 * 3600


class NoCache(Exception):
    """There is no cache to use, and why; the work is done without one."""


@dataclass(frozen=True, slots=True)
class CacheHome:
    """The folder of caches, found to be a fit place; it may not be there yet."""

    folder: Path

    def file_of(self, root: Root) -> Path:
        """Where the cache of a scope is: named by what the folder is, so that a moved vault gets another.

        Raises:
            NoCache: when there is no such folder.
        """
        try:
            status = os.lstat(root.real_path)
        except OSError:
            raise NoCache("the scope has no folder yet") from None
        identity = f"{root.real_path}\0{status.st_dev}\0{status.st_ino}"
        return self.folder / (blake2b(os.fsencode(identity), digest_size=16).hexdigest() + SUFFIX)

    def present(self, file: Path) -> int:
        """The size of a cache that may be used.

        Raises:
            NoCache: when it is not there, or is not ours alone.
        """
        _check_folder(self.folder.parent)
        _check_folder(self.folder)
        try:
            fd = os.open(file, _READ)
        except FileNotFoundError:
            raise NoCache("there is none yet") from None
        except OSError:
            raise NoCache("the cache file cannot be opened, or is a symlink") from None
        try:
            status = os.fstat(fd)
        finally:
            os.close(fd)
        if not stat.S_ISREG(status.st_mode) or not _is_ours_alone(status):
            raise NoCache("the cache file is not ours alone")
        if status.st_size > limits.INDEX_BYTES:
            raise NoCache("the cache file is too large")
        return status.st_size

    @contextmanager
    def replacing(self, file: Path) -> Iterator[Path]:
        """Give an empty file to write; when that went well, it takes the place of the cache, else it is removed.

        Raises:
            NoCache: when the folder cannot be made or is not ours alone.
            OSError: when the disk is full and the like.
        """
        self._make()
        temporary = self.folder / f"{os.urandom(8).hex()}{_TEMPORARY}"
        try:
            os.close(os.open(temporary, _CREATE, 0o600))
            yield temporary
            fd = os.open(temporary, os.O_RDWR)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
            temporary.replace(file)
        finally:
            with suppress(OSError):
                temporary.unlink()
        self._tidy()

    def drop(self, file: Path) -> bool:
        """Delete a cache; return whether there was one. What is not ours alone is left where it is."""
        try:
            self.present(file)
            file.unlink()
        except (NoCache, OSError):
            return False
        return True

    def _make(self) -> None:
        for folder in (self.folder.parent, self.folder):
            try:
                folder.mkdir(mode=0o700, parents=folder == self.folder.parent)
            except FileExistsError:
                pass
            except OSError:
                raise NoCache("the cache folder cannot be made") from None
            _check_folder(folder)

    def _tidy(self) -> None:
        """Delete what killed builds left, and caches of vaults that are long gone."""
        now = time.time()
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                age = now - entry.stat(follow_symlinks=False).st_mtime
                old = (entry.name.endswith(_TEMPORARY) and age > _DAY) or (
                    entry.name.endswith(SUFFIX) and age > limits.INDEX_DAYS * _DAY
                )
                if old and entry.is_file(follow_symlinks=False):
                    Path(entry.path).unlink()


def find(roots: VaultRoots, env: Mapping[str, str], home: Path | None) -> CacheHome:
    """Return the place of the caches.

    Args:
        roots: the vault, in which no cache may lie.
        env: only ``XDG_CACHE_HOME`` and, on Windows, ``LOCALAPPDATA`` are looked at.
        home: the home folder, or None where there is none.

    Raises:
        NoCache: when there is no fit place.
    """
    base = _base(env, home)
    resolved = Path(os.path.realpath(base / OWN_FOLDER))
    for folder in (base, base / OWN_FOLDER):
        if os.path.lexists(folder):
            _check_folder(folder)
    if os.path.lexists(nearest_checkout(resolved) / ".git"):
        raise NoCache("the cache folder lies in a Git repository")
    for scope in Scope:
        if (scope is not Scope.USER or roots.user) and resolved.is_relative_to(roots.of(scope).real_path):
            raise NoCache("the cache folder lies in the vault")
    return CacheHome(base / OWN_FOLDER)


def _base(env: Mapping[str, str], home: Path | None) -> Path:
    named = env.get("XDG_CACHE_HOME", "")
    if named and Path(named).is_absolute():
        return Path(named)
    local = env.get("LOCALAPPDATA", "")
    if sys.platform == "win32" and local and Path(local).is_absolute():
        return Path(local)
    if home is None or not home.is_absolute():
        raise NoCache("there is no home folder")
    return home / "Library/Caches" if sys.platform == "darwin" else home / ".cache"


def _check_folder(folder: Path) -> None:
    try:
        status = os.lstat(folder)
    except OSError:
        raise NoCache("there is none yet") from None
    if not stat.S_ISDIR(status.st_mode):
        raise NoCache("the cache folder is a symlink, or no folder")
    if not _is_ours_alone(status):
        raise NoCache("the cache folder belongs to another user, or others may write to it")


def _is_ours_alone(status: os.stat_result) -> bool:
    """Whether only we may write there; Windows has no such owner and mode, and keeps profiles apart itself."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_MAY_WRITE
