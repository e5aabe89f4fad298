"""Copies the private memories of another worktree, which would die with it, into this one."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eccmem import gitdir, intake, limits, listing, vault
from eccmem.errors import Refused
from eccmem.files import FileProblem
from eccmem.finding import SkipReason
from eccmem.model import DEFAULT_SCOPES, Scope
from eccmem.roots import VAULT, Root, VaultRoots
from eccmem.text import printable_name
from eccmem.tree import Walk
from eccmem.vault import Place, Stored


@dataclass(frozen=True, slots=True)
class Left:
    """A file of the other worktree that was not copied, and why; the path is below its private scope."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Adopted:
    """What came of it: the vault paths of the copies, how many were here already, and what was left."""

    copied: tuple[str, ...]
    here: int
    left: tuple[Left, ...]
    warnings: tuple[str, ...] = ()


_WORKTREES = "`git worktree list` shows those that there are, and `git worktree repair` finds one that was moved"


def source_of(path: Path, roots: VaultRoots) -> Root:
    """The private scope of the worktree that a path lies in.

    Raises:
        Refused: when that is no other worktree of the same repository.
        EccmemError: ``not-a-repository``, when there is none here.
    """
    ours = roots.project.real_base
    theirs = worktree_of(path, ours)
    if theirs == gitdir.checkout_of(ours)[0]:
        raise Refused("not-a-worktree", "that is this worktree itself", "name another one, or run it in another one")
    return private_scope(theirs)


def worktree_of(path: Path, start: Path) -> Path:
    """The top folder of the worktree that a path lies in.

    Args:
        path: a folder of it.
        start: a folder of a worktree of the same repository, links resolved.

    Raises:
        Refused: when that is no worktree of the same repository.
        EccmemError: ``not-a-repository``, when there is none here.
    """
    ours = gitdir.checkout_of(start)
    # Not Path.is_dir: that raises where a name is too long or a folder may not be searched.
    if not os.path.isdir(path):  # noqa: PTH112
        raise Refused("not-a-worktree", "there is no such folder", _WORKTREES)
    theirs = gitdir.enclosing(Path(os.path.realpath(path)))
    if theirs is None or theirs[1] != ours[1]:
        raise Refused("not-a-worktree", "that is no worktree of this repository", _WORKTREES)
    return theirs[0]


def private_scope(checkout: Path) -> Root:
    """The private scope of a checkout."""
    shown = "/".join((*VAULT, Scope.PROJECT.value))
    return Root(Scope.PROJECT, checkout, (*VAULT, Scope.PROJECT.value), f"{shown}/")


def named(checkout: str | Path, start: str | Path) -> str:
    """A worktree as it is named from a folder, both with their links followed: no personal path leads to it."""
    try:
        return printable_name(os.path.relpath(checkout, start))
    except ValueError:  # another drive
        return printable_name(Path(checkout).name)


def adopt(source: Root, roots: VaultRoots) -> Adopted:
    """Copy every valid memory of a private scope into that of this checkout: byte for byte, never over another file.

    Nor beside a team memory of the same id: `read` refuses an id that two files of these scopes have.

    Raises:
        EccmemError: when this checkout cannot be written, or its guard is not the right one; what was copied by then
            stays, and is found to be here the next time.
    """
    known = {stored.memory.id: stored.place for stored in reversed(vault.worktree(roots, DEFAULT_SCOPES).stored)}
    copied: list[str] = []
    warnings: dict[str, None] = {}
    left: list[Left] = []
    here = 0
    for found in _memories(source):
        if isinstance(found, Left):
            left.append(found)
            continue
        stored, data = found
        if stored.memory.id in known or not (made := _copy(stored, data, roots, warnings)):
            if _is_here(known.get(stored.memory.id), stored, data, roots):
                here += 1
            else:
                left.append(Left(stored.place.relative, "another memory with its id is here"))
            continue
        known[stored.memory.id] = Place(roots.project, made)
        copied.append(roots.project.vault_path(made))
    return Adopted(tuple(copied), here, tuple(left), tuple(warnings))


def digests(root: Root) -> Iterator[str | None]:
    """The digest of each file of a scope that is named like a memory, None for one that cannot be read."""
    for _, folder, name in Walk().files(root):
        try:
            yield listing.digest(folder.read(name, limits.DOCUMENT_BYTES))
        except FileProblem:
            yield None


def _memories(source: Root) -> Iterator[tuple[Stored, bytes] | Left]:
    """The valid memories of a private scope with their bytes, and what is none."""
    walk = Walk()
    for relative, folder, name in walk.files(source):
        place = Place(source, relative)
        try:
            data = folder.read(name, limits.DOCUMENT_BYTES)
        except FileProblem as problem:
            gone = problem.reason is SkipReason.VANISHED
            why = problem.reason if gone else vault.unreadable(place, problem.reason).problems[0].message
            yield Left(relative, why)
            continue
        entry = vault.judge(place, data)
        if isinstance(entry, Stored):
            yield entry, data
        else:
            yield Left(relative, f"line {entry.problems[0].line}: {entry.problems[0].message}")
    for skipped in walk.skipped:
        yield Left(skipped.vault_path.partition(":")[2], skipped.reason)
    for why in walk.cut_short:
        yield Left("", why)


def _copy(stored: Stored, data: bytes, roots: VaultRoots, warnings: dict[str, None]) -> str:
    """Create the file, and return its path below the scope; nothing when a file is there already."""
    try:
        said = intake.lay(stored.memory, data, roots)
    except Refused:
        return ""
    warnings.update(dict.fromkeys(said))
    return intake.relative_path(stored.memory)


def _is_here(place: Place | None, stored: Stored, data: bytes, roots: VaultRoots) -> bool:
    relative = place.relative if place else intake.relative_path(stored.memory)
    try:
        return listing.read_at(place.root if place else roots.project, relative)[1] == data
    except FileProblem:
        return False
