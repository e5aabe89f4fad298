"""What is searched for secrets: files on disk, the index, a tree, or what commits bring; each content once."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eccmem import limits, revisions, secretscan
from eccmem.errors import EccmemError
from eccmem.files import FileProblem, read_regular_path
from eccmem.repo import Repo, Tracked

_GIT_FOLDER = ".git"
# What Git tells of the wanted blobs: the path, and the commit that brought it.
_Places = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Text:
    """A file to search: its name, the commit that brought it, its bytes; None when it is too large or unreadable."""

    name: str
    commit: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Source:
    """Files to search.

    Attributes:
        total: how many there are.
        texts: gives them, once.
    """

    total: int
    texts: Callable[[], Iterator[Text]] = field(repr=False)


def of_paths(paths: Sequence[str], folder: Path) -> Source:
    """Files, and all files in folders but those of Git itself; names stay as they were typed.

    Raises:
        EccmemError: ``no-such-file`` for a path that is not there.
    """
    names = [name for path in paths for name in _named(path, folder)]
    return Source(len(names), lambda: (Text(name, "", _on_disk(folder / name)) for name in names))


def _named(path: str, folder: Path) -> Iterator[str]:
    place = folder / path
    if not place.exists():
        raise EccmemError("no-such-file", f"{secretscan.masked(path) or path} is not there", "check the spelling")
    if not place.is_dir():
        yield path
        return
    for here, folders, files in os.walk(place):
        folders[:] = sorted(name for name in folders if name != _GIT_FOLDER)
        inside = os.path.relpath(here, place)
        for name in sorted(files):
            joined = os.path.normpath(os.path.join(path, inside, name))  # noqa: PTH118 - as it was typed
            if not os.path.islink(folder / joined):  # noqa: PTH114 - what it leads to is searched where it is
                yield joined


def of_worktree(repo: Repo) -> Source:
    """What is tracked and what could be added, as it is on disk.

    Raises:
        EccmemError: ``bare-repository`` where there is nothing on disk.
    """
    _refuse_bare(repo)
    _, out = repo.run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = sorted({os.fsdecode(name) for name in out.split(b"\0") if name})
    places = {name: repo.checkout / name for name in names}
    there = [name for name, place in places.items() if place.is_file() and not place.is_symlink()]
    return Source(len(there), lambda: (Text(name, "", _on_disk(places[name])) for name in there))


def of_index(repo: Repo) -> Source:
    """What the index has that HEAD does not.

    Raises:
        EccmemError: ``bare-repository`` where there is no index, in which nothing would be found.
    """
    _refuse_bare(repo)
    head = revisions.head(repo)
    changes = revisions.staged(repo, head or revisions.empty_tree(repo))
    return _of_blobs(repo, _placed((change.new, "") for change in changes if change.new))


def _refuse_bare(repo: Repo) -> None:
    if repo.bare:
        remedy = "search commits: --rev, --range or --history"
        raise EccmemError("bare-repository", "a bare repository has no index and no files on disk", remedy)


def of_revision(repo: Repo, name: str) -> Source:
    """The whole tree of a commit."""
    tip = revisions.resolve(repo, name)
    return _of_blobs(repo, _placed((entry, "") for entry in revisions.tree(repo, tip)))


def of_commits(repo: Repo, tip: str, without: Sequence[str]) -> Source:
    """What each commit brings that leads to one and to none of some others.

    Args:
        repo: the repository.
        tip: a commit.
        without: commits; none for the whole history.
    """
    brought = revisions.added(repo, revisions.commits(repo, tip, without), ())
    return _of_blobs(repo, _placed((item.entry, item.commit) for item in brought))


def _placed(entries: Iterable[tuple[Tracked, str]]) -> _Places:
    found: _Places = {}
    for entry, commit in entries:
        if entry.is_file:
            places = found.setdefault(entry.blob, [])
            if all(path != entry.path for path, _ in places):
                places.append((entry.path, commit))
    return found


def _of_blobs(repo: Repo, places: Mapping[str, list[tuple[str, str]]]) -> Source:
    def texts() -> Iterator[Text]:
        for oid, data in repo.blobs(places, limits.SEARCHED_FILE_BYTES):
            for path, commit in places[oid]:
                yield Text(path, commit, data)

    return Source(sum(map(len, places.values())), texts)


def _on_disk(path: Path) -> bytes | None:
    try:
        return read_regular_path(os.fspath(path), limits.SEARCHED_FILE_BYTES)
    except (FileProblem, ValueError):
        return None
