"""Puts the shims where Git looks for its hooks: all of them or none, and never over what is there."""

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from eccmem.errors import EccmemError
from eccmem.files import writing
from eccmem.githooks import place as places
from eccmem.githooks import shim
from eccmem.githooks.chain import lines_to_add
from eccmem.githooks.place import HookFile, Kind, Place
from eccmem.repo import Repo
from eccmem.tree import FOLDER, AnyFolder

_MODE = 0o755


class Outcome(StrEnum):
    """What became of one hook."""

    MADE = "made"
    THERE = "there already"
    TAKEN = "taken"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Planned:
    """One hook, what became of it, and what to add by hand where nothing could be written."""

    hook: HookFile
    outcome: Outcome
    why: str = ""
    add: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Installed:
    """All hooks, and why nothing was written; empty when it was, or had been."""

    hooks: tuple[Planned, ...]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class _Target:
    """A folder to write to: a trusted one, and the way down from it, on which no link is followed."""

    base: Path
    parts: tuple[str, ...]


def install(repository: Repo, program: Path) -> Installed:
    """Write the shims that are missing.

    Args:
        repository: the checkout.
        program: the eccmem-hook that the shims try first.

    Raises:
        EccmemError: when Git cannot say where its hooks are, or they cannot be written.
    """
    place = places.locate(repository)
    found = [places.look(repository, place, name) for name in shim.NAMES]
    planned = [_plan(hook) for hook in found]
    missing = [item.hook for item in planned if item.outcome is Outcome.MADE]
    target = _target(repository, place)
    taken = any(item.outcome is Outcome.TAKEN for item in planned)
    if not missing and not taken:
        return Installed(tuple(planned))
    if taken or isinstance(target, str):
        why = "a hook is there already that is not ours" if taken else str(target)
        kinds = {item.hook.kind for item in planned}
        manager = next((kind for kind in (Kind.PRE_COMMIT, Kind.PREK) if kind in kinds), None)
        return Installed(tuple(_by_hand(item, manager) for item in planned), why)
    # A shim in the working tree may be committed one day, and the path of a program is personal.
    _write(target, place, missing, program if target.base == place.common else None)
    return Installed(tuple(planned))


def _plan(hook: HookFile) -> Planned:
    if hook.kind in (Kind.NONE, Kind.SAMPLE):
        return Planned(hook, Outcome.MADE)
    if hook.kind is not Kind.SHIM:
        what = "a hook of another origin" if hook.kind is Kind.FOREIGN else f"made by {hook.kind}"
        return Planned(hook, Outcome.TAKEN, what)
    if hook.link is not None:
        return Planned(hook, Outcome.TAKEN, "a link to a shim")
    if not hook.executable:
        return Planned(hook, Outcome.TAKEN, f"a shim that is not executable: chmod +x {hook.shown}")
    return Planned(hook, Outcome.THERE)


def _by_hand(item: Planned, manager: Kind | None) -> Planned:
    """The same hook when nothing is written: what is missing is left out, and what is to be added is said."""
    if item.outcome is Outcome.THERE or item.hook.kind is Kind.SHIM:
        return item
    outcome = Outcome.LEFT_OUT if item.outcome is Outcome.MADE else item.outcome
    return Planned(item.hook, outcome, item.why, lines_to_add(item.hook, manager))


def _target(repository: Repo, place: Place) -> _Target | str:
    """Where the shims may be written, or why not.

    Only below the repository's own folder, or in an untracked folder of the working tree: a folder elsewhere may
    serve all repositories of the person, and a tracked one belongs to the team.
    """
    folder, real = place.folder, Path(os.path.realpath(place.folder))
    if real.is_relative_to(place.common):
        return _Target(place.common, real.relative_to(place.common).parts)
    if not (folder.is_relative_to(place.common) or folder.is_relative_to(place.checkout)):
        return "core.hooksPath leads out of the repository, to hooks that others may share"
    if real != folder:
        return "the folder of the hooks is reached through a link"
    relative = folder.relative_to(place.checkout)
    _, tracked = repository.run("--literal-pathspecs", "ls-files", "-z", "--", relative.as_posix())
    if tracked:
        return "core.hooksPath names a folder that is tracked: what is in it belongs to the team"
    return _Target(place.checkout, relative.parts)


def _write(target: _Target, place: Place, missing: list[HookFile], program: Path | None) -> None:
    shown = place.show(place.folder)
    with writing(shown):
        folder = _open(target)
    with folder:
        for hook in missing:
            try:
                with writing(hook.shown):
                    folder.create(hook.name, shim.text(hook.name, program), _MODE)
            except FileExistsError:
                raise EccmemError(
                    "changed-meanwhile", f"{hook.shown} was made by another program just now", "run the command again"
                ) from None


def _open(target: _Target) -> AnyFolder:
    folder: AnyFolder = FOLDER.open_base(target.base)
    for name in target.parts:
        with folder:
            folder = folder.make(name, 0o777)
    return folder
