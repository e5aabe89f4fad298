"""What around the vault puts it in danger: worktrees that die, folders that others can write, a Git that fails."""

import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from eccmem import gitdir
from eccmem.files import HAS_DESCRIPTORS
from eccmem.finding import Finding, Rule, Severity
from eccmem.model import Kind, Scope
from eccmem.repo import Repo, Tracked
from eccmem.roots import PROJECT_OVERRIDE, VAULT, Root, VaultRoots
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

    Seen from another worktree, those that are in this one too are counted no more.
    """
    from eccmem import adopt  # noqa: PLC0415 - it can write, for which a hook pays with 20 ms

    here, common = os.path.realpath(repository.checkout), gitdir.common_dir(repository.checkout)
    ours = adopt.private_scope(repository.checkout)
    ours_too: set[str | None] | None = None
    for path in repository.worktrees()[1:]:
        root, real = adopt.private_scope(path), os.path.realpath(path)
        if real == here:
            if count := sum(1 for _ in Walk().files(root)):
                yield _dying("this worktree", root.show(""), count, _ELSEWHERE)
        elif gitdir.common_dir(path) == common and (theirs := list(adopt.digests(root))):
            if ours_too is None:  # read once, and only if there is something to compare
                ours_too = set(adopt.digests(ours))
            relative = adopt.named(real, here)
            # An override hides what lies in the worktrees, so adopt refuses to work with one.
            remedy = _adopt(relative) if roots.project.real_path == ours.real_path else _WITHOUT_OVERRIDE
            if count := sum(1 for digest in theirs if digest is None or digest not in ours_too):
                yield _dying(f"the worktree {relative}", relative, count, remedy)


_ELSEWHERE = "before removing it, run eccmem adopt with its path in another worktree"
_WITHOUT_OVERRIDE = f"{_ELSEWHERE}, without {PROJECT_OVERRIDE}"


def _dying(name: str, path: str, count: int, remedy: str) -> Finding:
    return Finding(
        rule=WORKTREE,
        path=path,
        message=f"{name} holds {count} private {'memory' if count == 1 else 'memories'}, "
        "which `git worktree remove` deletes without asking",
        remedy=remedy,
    )


def _adopt(relative: str) -> str:
    # A name that begins like an option would be taken for one.
    return f"eccmem adopt {shlex.quote(f'./{relative}' if relative.startswith('-') else relative)}"


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
