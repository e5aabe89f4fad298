"""Where each scope lives, and the boundary below which no link is followed."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eccmem import limits
from eccmem.errors import EccmemError, UsageProblem
from eccmem.model import Scope
from eccmem.text import UNSAFE_IN_LINE, printable_name, trim

PROJECT_OVERRIDE = "ECC_MEMORY_PROJECT_ROOT"
USER_OVERRIDE = "ECC_MEMORY_USER_ROOT"
VAULT = (".ecc", "memory")


@dataclass(frozen=True, slots=True)
class Root:
    """The folder of one scope.

    ``base`` is trusted and may be reached through links (it is where the person works, or what they named);
    from there down, every component of ``parts`` is opened without following one.
    ``shown`` is how paths below are written for people and programs: relative to the repository, or, outside
    of it, the scope and a colon, so that no personal path is printed.
    """

    scope: Scope
    base: Path
    parts: tuple[str, ...]
    shown: str

    @property
    def path(self) -> Path:
        """The folder as one path, for what needs to name it whole (``init``, Git)."""
        return self.base.joinpath(*self.parts)

    @property
    def real_base(self) -> Path:
        """The trusted part as Git sees it, its links followed."""
        return Path(os.path.realpath(self.base))

    @property
    def real_path(self) -> Path:
        """The folder as Git sees it: links in the trusted part are followed, those below never."""
        return self.real_base.joinpath(*self.parts)

    def show(self, relative: str) -> str:
        r"""How a path below this root is written; bytes of a name that are not UTF-8 become ``\xNN``."""
        return f"{self.shown}{printable_name(relative)}"

    def vault_path(self, relative: str) -> str:
        """The path as the reference's JSON has it: the scope, a colon, the path below the scope."""
        return f"{self.scope}:{printable_name(relative)}"


@dataclass(frozen=True, slots=True)
class VaultRoots:
    """The three scopes of one working directory."""

    checkout: Path
    project: Root
    team: Root
    user: Root | None

    def of(self, scope: Scope) -> Root:
        """The root of a scope.

        Raises:
            EccmemError: for the user scope, when there is no home folder.
        """
        if scope is Scope.USER:
            if self.user is None:
                raise EccmemError(
                    "no-home", "there is no home folder for the user scope", f"set HOME or {USER_OVERRIDE}"
                )
            return self.user
        return self.project if scope is Scope.PROJECT else self.team

    @property
    def user_holds_vault(self) -> bool:
        """Whether the checkout is the home folder, so that ``~/.ecc/memory`` holds all three scopes."""
        return self.user is not None and self.user.path == self.project.path.parent


def resolve(cwd: Path, env: Mapping[str, str], home: Path | None) -> VaultRoots:
    """Find the scopes as seen from a working directory.

    Args:
        cwd: an absolute path.
        env: only :data:`PROJECT_OVERRIDE` and :data:`USER_OVERRIDE` are looked at.
        home: the home folder, or None where there is none.

    Raises:
        UsageProblem: for an override that cannot be a path.
    """
    checkout = nearest_checkout(cwd)
    vault = _override(env, PROJECT_OVERRIDE, cwd)
    if vault is None:
        base, prefix = checkout, f"{'/'.join(VAULT)}/"
        parts: tuple[str, ...] = VAULT
    else:
        base, parts = _nearest_existing(vault)
        inside = vault.is_relative_to(checkout) and vault != checkout
        prefix = f"{vault.relative_to(checkout).as_posix()}/" if inside else ""
    project, team = (
        Root(scope, base, (*parts, scope.value), f"{prefix}{scope}/" if prefix else f"{scope}:")
        for scope in (Scope.PROJECT, Scope.TEAM)
    )
    user = None
    if (own := _override(env, USER_OVERRIDE, cwd)) is not None:
        user = Root(Scope.USER, *_nearest_existing(own), shown=f"{Scope.USER}:")
    elif home is not None:
        user = Root(Scope.USER, cwd / home, VAULT, f"{Scope.USER}:")
    return VaultRoots(checkout, project, team, user)


def nearest_checkout(start: Path) -> Path:
    """The nearest folder with a ``.git`` folder or file (a linked worktree, a submodule), else ``start``."""
    for folder in (start, *start.parents):
        if os.path.exists(folder / ".git"):  # noqa: PTH110 - Path.exists raises where a folder is not searchable
            return folder
    return start


def _override(env: Mapping[str, str], name: str, cwd: Path) -> Path | None:
    value = env.get(name, "")
    if not value:
        return None
    text = trim(value)
    if not text or len(text) > limits.ROOT_OVERRIDE_CHARS or UNSAFE_IN_LINE.search(text):
        raise UsageProblem("bad-override", f"{name} is not a usable path", f"unset {name}, or set it to a folder")
    return Path(*(cwd / text).parts)


def _nearest_existing(path: Path) -> tuple[Path, tuple[str, ...]]:
    """Split a path into the part that is there and the part that a first write has to make."""
    missing: list[str] = []
    while not os.path.exists(path) and path != path.parent:  # noqa: PTH110 - as above
        missing.insert(0, path.name)
        path = path.parent
    return path, tuple(missing)
