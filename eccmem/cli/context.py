"""What a command knows of its surroundings: the working directory, the environment, the home folder."""

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from eccmem import roots
from eccmem.errors import EccmemError, UsageProblem
from eccmem.model import DEFAULT_SCOPES, Scope
from eccmem.roots import PROJECT_OVERRIDE, VAULT, VaultRoots

if TYPE_CHECKING:  # most commands ask Git nothing
    from eccmem.repo import Repo

Choice = TypeVar("Choice", bound=StrEnum)

DRY_RUN = "ECC_DRY_RUN"
HARNESS = "ECC_MEMORY_HARNESS"


def vault_roots() -> VaultRoots:
    """The scopes as seen from the working directory.

    Raises:
        EccmemError: when the working directory is gone.
    """
    return roots.resolve(here(), os.environ, home())


def here() -> Path:
    """The working directory.

    Raises:
        EccmemError: when it is gone.
    """
    try:
        return Path.cwd()
    except OSError:
        raise EccmemError("no-directory", "the working directory no longer exists", "cd to one that does") from None


def repository_here(*, in_hook: bool = False) -> "Repo":
    """The repository that the working directory belongs to.

    Raises:
        EccmemError: when there is none, or the directory is gone.
    """
    from eccmem import repo  # noqa: PLC0415 - see above

    return repo.locate(Path(os.path.realpath(here())), os.environ, in_hook=in_hook)


def moved_vault(roots: VaultRoots, repository: "Repo") -> str | None:
    """The folder in a repository to which an override moved the vault, with a final slash; None where none did."""
    if not os.environ.get(PROJECT_OVERRIDE):
        return None
    inside = repository.inside(roots.project.real_path.parent)
    if inside is None or inside == "/".join(VAULT):
        return None
    return "" if inside == "." else f"{inside}/"


def home() -> Path | None:
    """The person's home folder, or None where there is none."""
    # As the reference: HOME, USERPROFILE, else what the system's user database says.
    named = os.environ.get("HOME") or os.environ.get("USERPROFILE")
    try:
        return Path(named) if named else Path.home()
    except RuntimeError:
        return None


def refuse_dry_run(command: str) -> None:
    """Refuse a command that writes when ``ECC_DRY_RUN=1``.

    Raises:
        EccmemError: then.
    """
    if os.environ.get(DRY_RUN) == "1":
        raise EccmemError("dry-run", f"{command} is disabled by {DRY_RUN}=1: nothing was written", f"unset {DRY_RUN}")


def scopes_or_default(names: Sequence[str] | None) -> tuple[Scope, ...]:
    """The scopes that were named, each once, else project and team: the user scope is recalled only by name.

    Raises:
        UsageProblem: for a name that is no scope.
    """
    return tuple(dict.fromkeys(choices("--scope", Scope, names))) or DEFAULT_SCOPES


def choices(option: str, allowed: type[Choice], values: Sequence[str] | None) -> list[Choice]:
    """The values of an option that takes only some words.

    Raises:
        UsageProblem: for another word.
    """
    try:
        return [allowed(value) for value in values or ()]
    except ValueError:
        raise UsageProblem("usage", f"{option} must be one of {', '.join(allowed)}", "see --help") from None


def one(option: str, values: Sequence[str] | None) -> str | None:
    """The value of an option that may be given once.

    Raises:
        UsageProblem: when it was given more often.
    """
    if values and len(values) > 1:
        raise UsageProblem("usage", f"{option} may be given only once", f"keep one {option}")
    return values[0] if values else None


def required(option: str, values: Sequence[str] | None) -> str:
    """The value of an option that must be given once.

    Raises:
        UsageProblem: when it was not, or more often.
    """
    value = one(option, values)
    if value is None:
        raise UsageProblem("usage", f"{option} is required", "see --help")
    return value
