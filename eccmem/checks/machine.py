"""What around the vault puts it in danger: worktrees that die, folders that others can write, a Git that fails."""

import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from eccmem import adopt
from eccmem.files import HAS_DESCRIPTORS
from eccmem.finding import Finding, Rule, Severity
from eccmem.model import Kind, Scope
from eccmem.repo import Repo, Tracked
from eccmem.roots import VAULT, Root, VaultRoots
from eccmem.text import printable_name
from eccmem.tree import Walk

GIT = Rule("git-unusable", Severity.WARNING, "Git cannot say what is tracked or ignored here.")
WORKTREE = Rule(
    "private-memories-in-worktree", Severity.WARNING, "`git worktree remove` would delete private memories."
)
SUBMODULE = Rule("vault-in-submodule", Severity.NOTE, "A submodule has a vault of its own, which is not searched here.")
WRITABLE = Rule("writable-by-others", Severity.WARNING, "Other users of this machine can change a vault folder.")
PORTABLE = Rule("checked-by-path", Severity.NOTE, "This platform cannot open files by folder descriptor.")
RULES = (GIT, WORKTREE, SUBMODULE, WRITABLE, PORTABLE)


def git_unusable(why: str) -> Finding:
    """The finding for a repository that Git cannot read, or a machine without Git."""
    return Finding(
        rule=GIT,
        path=".git",
        message=f"{why}: nothing can be said about what is committed or ignored",
        remedy="run `git status` here, and mend what it says",
    )


def worktrees(repository: Repo, roots: VaultRoots) -> Iterator[Finding]:
    """A finding for each linked worktree that holds private memories: they are ignored files, so they die with it.

    Those that were adopted here are counted no more.
    """
    here = os.path.realpath(repository.checkout)
    linked = repository.worktrees()[1:]
    # Read once, and only where there is another worktree to compare with.
    others = any(os.path.realpath(path) != here for path in linked)
    adopted = set(adopt.digests(roots.project)) - {None} if others else set()
    for path in linked:
        root, real = adopt.private_scope(path), os.path.realpath(path)
        is_here = real == here
        if is_here:
            count = sum(1 for _ in Walk().files(root))
        else:
            count = sum(digest not in adopted for digest in adopt.digests(root))
        if not count:
            continue
        relative = _relative(real, here)
        name = "this worktree" if is_here else f"the worktree {relative}"
        yield Finding(
            rule=WORKTREE,
            path=root.show("") if is_here else relative,
            message=f"{name} holds {count} private {'memory' if count == 1 else 'memories'}, "
            "which `git worktree remove` deletes without asking",
            remedy="before removing it, run eccmem adopt with its path in another worktree"
            if is_here
            else f"eccmem adopt {shlex.quote(relative)}",
        )


def _relative(path: str, start: str) -> str:
    try:
        return printable_name(os.path.relpath(path, start))
    except ValueError:  # another drive
        return printable_name(Path(path).name)


def submodules(checkout: Path, tracked: Iterable[Tracked]) -> Iterator[Finding]:
    """A note for each submodule with a vault: a search in the superproject does not see it."""
    for entry in tracked:
        if entry.mode == "160000" and checkout.joinpath(entry.path, *VAULT).is_dir():
            yield Finding(
                rule=SUBMODULE,
                path=printable_name(entry.path),
                message="this submodule has a vault of its own, which is searched only from inside it",
                remedy="run eccmem there to see it",
            )


def writable(roots: VaultRoots, scopes: Iterable[Scope]) -> Iterator[Finding]:
    """A finding for each vault folder that other users can write: they could swap memories, or read new ones."""
    if not hasattr(os, "getuid"):
        return
    seen = set()
    for scope in scopes:
        root = roots.of(scope)
        chain = [root.base.joinpath(*root.parts[:index]) for index in range(1, len(root.parts) + 1)]
        folders = [*chain, *(root.path / kind.folder for kind in Kind)]
        for folder in folders:
            private = scope is not Scope.TEAM and folder.is_relative_to(root.path)
            others = stat.S_IWGRP | stat.S_IWOTH if private else stat.S_IWOTH
            if folder not in seen and _mode(folder) & others:
                yield Finding(
                    rule=WRITABLE,
                    path=_shown(root, folder),
                    message="other users of this machine can write to this folder",
                    remedy="chmod go-w it" if private else "chmod o-w it",
                )
            seen.add(folder)


def _mode(folder: Path) -> int:
    try:
        status = folder.lstat()
    except OSError:
        return 0
    sticky = status.st_mode & stat.S_ISVTX
    return 0 if sticky or not stat.S_ISDIR(status.st_mode) else status.st_mode


def _shown(root: Root, folder: Path) -> str:
    if folder.is_relative_to(root.path):
        below = folder.relative_to(root.path).as_posix()
        return root.show("" if below == "." else f"{below}/")
    return f"{folder.relative_to(root.base).as_posix()}/" if root.scope is not Scope.USER else root.shown


def portable() -> Iterator[Finding]:
    """A note where files can only be checked by path, before and after."""
    if not HAS_DESCRIPTORS:
        yield Finding(
            rule=PORTABLE,
            path="",
            message="this platform has no folder descriptors: a folder swapped for a link during a write is "
            "detected, but only afterwards",
            remedy="keep the vault where only you can write",
        )
