"""Copies a hand-off into ``.context/`` of a worktree, for tools that look there and know no vault.

The copy is the memory byte for byte, so that where the memory lies, the check of commits knows a private one again.
In the other worktree nothing knows it: there, only that Git ignores it keeps it out of commits.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eccmem import adopt, document, guard
from eccmem.errors import EccmemError, Refused
from eccmem.files import PRIVATE, SHARED, writing
from eccmem.model import Memory, Scope
from eccmem.repo import Repo
from eccmem.tree import FOLDER, AnyFolder

FOLDER_NAME = ".context"
_PROBE = f"{FOLDER_NAME}/mem_probe.md"


@dataclass(frozen=True, slots=True)
class Target:
    """A worktree that may get a copy of a memory of one scope."""

    checkout: Path
    scope: Scope


def target(path: Path, scope: Scope, start: Path, env: Mapping[str, str]) -> Target:
    """Find the worktree, before anything is saved.

    Args:
        path: a folder of it.
        scope: of the memory; what is not the team's must not be committed there.
        start: a folder of a worktree of the same repository, links resolved; not that of the vault, which may lie
            elsewhere.
        env: the environment for Git.

    Raises:
        Refused: ``not-a-worktree``, or ``not-ignored`` when the copy of a private memory could be committed.
        EccmemError: ``unsafe-path`` for a link, or when Git cannot say.
    """
    checkout = adopt.worktree_of(path, start)
    if (checkout / FOLDER_NAME).is_symlink():
        raise EccmemError(
            "unsafe-path", f"{FOLDER_NAME} in that worktree is a symlink", "replace it with a real folder"
        )
    # A folder that we make guards itself; what another program keeps there is not ours to hide.
    private = scope is not Scope.TEAM and os.path.lexists(checkout / FOLDER_NAME)
    if private and Repo(checkout, env).why_ignored([_PROBE]) == [None]:
        raise Refused(
            "not-ignored",
            f"Git does not ignore {FOLDER_NAME}/ in that worktree, so a private hand-off could be committed from there",
            f"add the line /{FOLDER_NAME}/ to .git/info/exclude",
        )
    return Target(checkout, scope)


def lay(where: Target, memory: Memory) -> str:
    """Create the copy and return its path below the worktree.

    Raises:
        EccmemError: when it cannot be written; the memory itself is saved by then.
    """
    shown = f"{FOLDER_NAME}/{memory.id}.md"
    private = where.scope is not Scope.TEAM
    with writing(shown), FOLDER.open_base(where.checkout) as top:
        made = private and top.size(FOLDER_NAME) < 0
        with top.make(FOLDER_NAME, PRIVATE if private else SHARED) as folder:
            if made:
                _guard(folder)
            try:
                folder.create(f"{memory.id}.md", document.serialize(memory), 0o600 if private else 0o666)
            except FileExistsError:
                raise EccmemError("cannot-write", f"cannot write {shown}: a file is there already", "move it") from None
    return shown


def _guard(folder: AnyFolder) -> None:
    folder.create(guard.NAME, guard.SHIELD, 0o600)
