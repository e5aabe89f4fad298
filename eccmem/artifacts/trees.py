"""A whole tree of a repository, of a revision, of the index, or as it is on disk: its entries, and contents of some."""

import os
import stat
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from eccmem import limits, revisions
from eccmem.files import FileProblem, reading
from eccmem.repo import FILE_MODES, Repo, Tracked
from eccmem.tree import FOLDER

# Which side of an unresolved merge stands for the path: ours, else theirs, else what both began with.
_SIDES = (0, 2, 3, 1)
SYMLINK, SUBMODULE = "120000", "160000"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a path is: its mode as in Git, and its object id, with filters applied."""

    mode: str
    oid: str

    @property
    def is_file(self) -> bool:
        """Whether it is a file, and neither a symlink nor a submodule."""
        return self.mode in FILE_MODES


class Tree(Protocol):
    """Everything that is tracked, at one moment."""

    entries: Mapping[str, Entry]

    @abstractmethod
    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield each file with its content, in any order; not what is too large, gone, or no file.

        Raises:
            EccmemError: when Git cannot give a content.
        """


class _Blobs:
    """A tree whose contents Git has."""

    def __init__(self, repo: Repo, entries: Mapping[str, Entry]) -> None:
        self.entries = entries
        self._repo = repo

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        wanted: dict[str, list[str]] = {}
        for path in dict.fromkeys(paths):
            entry = self.entries.get(path)
            if entry is not None and entry.is_file:
                wanted.setdefault(entry.oid, []).append(path)
        for oid, data in self._repo.blobs(wanted, limits.ARTIFACT_BYTES):
            if data is not None:
                for path in wanted[oid]:
                    yield path, data


class _Disk(_Blobs):
    """A tree some of whose files on disk differ from the index; what does not differ is read from Git all the same."""

    def __init__(self, repo: Repo, entries: Mapping[str, Entry], edited: frozenset[str]) -> None:
        super().__init__(repo, entries)
        self._edited = edited

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        chosen = list(paths)
        yield from super().read(path for path in chosen if path not in self._edited)
        for path in dict.fromkeys(chosen):
            if path in self._edited and self.entries[path].is_file:
                data = _on_disk(self._repo, path)
                if data is not None:
                    yield path, data


def at(repo: Repo, revision: str | None) -> Tree:
    """The tree of a commit that was named; else what is on disk, or of a bare repository what HEAD has."""
    if revision is None and not repo.bare:
        return of_worktree(repo)
    return of_revision(repo, revision or "HEAD")


def of_revision(repo: Repo, revision: str) -> Tree:
    """The tree of a commit, by any name that Git knows.

    Raises:
        EccmemError: ``unknown-revision``, or ``ambiguous-revision``.
    """
    commit = revisions.resolve(repo, revision)
    return _Blobs(repo, {found.path: Entry(found.mode, found.blob) for found in revisions.tree(repo, commit)})


def of_index(repo: Repo) -> Tree:
    """What the next commit would hold."""
    entries = {path: Entry(found.mode, found.blob) for path, found in _indexed(repo).items()}
    # What is only intended to be added has the id of nothing, as an empty file has.
    if any(entry.oid in revisions.EMPTY_BLOBS for entry in entries.values()):
        for path in revisions.intended(repo):
            entries.pop(path, None)
    return _Blobs(repo, entries)


def _indexed(repo: Repo) -> dict[str, Tracked]:
    chosen: dict[str, Tracked] = {}
    for found in repo.tracked():
        other = chosen.get(found.path)
        if other is None or _SIDES.index(found.stage) < _SIDES.index(other.stage):
            chosen[found.path] = found
    return chosen


def of_worktree(repo: Repo) -> Tree:
    """What is tracked, as it is on disk; what of it is gone is left out.

    Raises:
        EccmemError: ``git-failed`` in a bare repository, or for a file that cannot be read.
    """
    indexed = _indexed(repo)
    entries = {path: Entry(found.mode, found.blob) for path, found in indexed.items()}
    modes = {change.path: change.new.mode if change.new else None for change in revisions.unstaged(repo)}
    # Git compares an unresolved path with one side of the merge, and not at all where our side has none.
    modes |= {path: _mode(repo, path) for path, found in indexed.items() if found.stage and path not in modes}
    for path, mode in modes.items():
        if mode is None:
            entries.pop(path, None)
        else:
            entries[path] = Entry(mode, entries[path].oid)
    files = [path for path in modes if path in entries and entries[path].is_file]
    for path, oid in zip(files, repo.hashed(files), strict=True):
        entries[path] = Entry(entries[path].mode, oid)
    return _Disk(repo, entries, frozenset(modes))


def _mode(repo: Repo, path: str) -> str | None:
    """What a path is on disk, as Git says it; None when it is not there."""
    try:
        mode = os.lstat(repo.checkout / path).st_mode
    except OSError:
        return None
    if stat.S_ISLNK(mode):
        return SYMLINK
    return "100644" if stat.S_ISREG(mode) else None


def _on_disk(repo: Repo, path: str) -> bytes | None:
    """The content of a file of the working tree; None when it is gone, too large, or lies behind a link."""
    *folders, name = path.split("/")
    try:
        with reading():
            folder = FOLDER.open_base(os.fspath(repo.checkout))
            for part in folders:
                with folder:
                    folder = folder.folder(part)
        with folder:
            return folder.read(name, limits.ARTIFACT_BYTES)
    except FileProblem:
        return None
