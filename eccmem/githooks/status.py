"""For each hook of Git: what it is, whether it comes to eccmem-hook, and what to do if not."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

from eccmem.githooks import configuration, managed
from eccmem.githooks import place as places
from eccmem.githooks.managed import Unclear
from eccmem.githooks.place import HookFile, Kind, Place
from eccmem.githooks.probe import Ran
from eccmem.githooks.script import Reach, Verdict, judge
from eccmem.githooks.shim import NAMES, PROGRAM
from eccmem.repo import Repo

_MANAGERS = (Kind.PRE_COMMIT, Kind.PREK)
_CONFIG = ".pre-commit-config.yaml"
INSTALL = "eccmem hooks install"
PROVE = "eccmem hooks status --run"


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of one hook.

    Attributes:
        hook: what Git finds.
        verdict: what its text, and that of its manager's files, prove; after a run, what the run proves.
        remedy: what to do, as a command where one does it; empty where nothing is to be done.
        ran: what came of running it, if it was run.
    """

    hook: HookFile
    verdict: Verdict
    remedy: str
    ran: Ran | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """All hooks, and whether the program is where Git's hooks look for it."""

    hooks: tuple[Status, ...]
    program_on_path: bool


def overview(repository: Repo, env: Mapping[str, str]) -> Overview:
    """Look at every hook; nothing is run and nothing is changed.

    Raises:
        EccmemError: when Git cannot say where its hooks are.
    """
    place = places.locate(repository)
    search = search_path(repository, env)
    hooks = [places.look(repository, place, name) for name in NAMES]
    manager = next((hook.kind for hook in hooks if hook.kind in _MANAGERS), None)
    events = _events(repository)
    found = []
    for hook in hooks:
        verdict = judged(hook, place, search)
        if verdict.reaches is Reach.NO and hook.name in events:
            verdict = Verdict(Reach.UNKNOWN, "Git's configuration has a hook for it too, which a Git of 2026 runs")
        found.append(Status(hook, verdict, _remedy(hook, verdict, place, manager)))
    return Overview(tuple(found), which(PROGRAM, path=search) is not None)


def search_path(repository: Repo, env: Mapping[str, str]) -> str:
    """Where Git's hooks find programs: Git puts its own folder before the others."""
    _, out = repository.run("--exec-path")
    return os.pathsep.join((os.fsdecode(out.removesuffix(b"\n")), env.get("PATH", os.defpath)))


def _events(repository: Repo) -> set[str]:
    """The hooks for which ``hook.<name>.event`` of Git's configuration has a command."""
    _, out = repository.run("config", "-z", "--get-regexp", r"^hook\..*\.event$", ok=(0, 1))
    return {os.fsdecode(pair.partition(b"\n")[2]) for pair in out.split(b"\0")[:-1]}


def judged(hook: HookFile, place: Place, search: str) -> Verdict:
    """What the texts prove about one hook."""
    if why := _not_run(hook):
        return Verdict(Reach.NO, why)
    if hook.data is None:
        return Verdict(Reach.UNKNOWN, "it cannot be read here")
    if hook.kind in (Kind.SHIM, Kind.FOREIGN):
        return _found(judge(hook.data, hook.name), place, search)
    return _found(managed.verdict(hook, place.checkout, search), place, search)


def _not_run(hook: HookFile) -> str:
    """Why Git does not run it, whatever is in it; empty where it does."""
    if hook.kind is Kind.NONE:
        return "there is no such hook"
    if hook.kind is Kind.SAMPLE:
        return "there is only Git's sample, which does nothing"
    if not hook.path.is_file():
        return "it is a link that leads nowhere" if hook.link else "it is no file"
    return "" if hook.executable else "it is not executable, so Git passes it over"


def _found(verdict: Verdict, place: Place, search: str) -> Verdict:
    """A verdict, with the program that it rests on looked for."""
    if verdict.reaches is not Reach.YES or not verdict.programs:
        return verdict
    if any(_runs(program, place.checkout, search) for program in verdict.programs):
        return verdict
    return replace(verdict, reaches=Reach.NO, why=f"{PROGRAM} is not where it looks for it, so it stops everything")


def _runs(program: str, checkout: Path, search: str) -> bool:
    if "/" in program:
        path = checkout / program
        return path.name.startswith(PROGRAM) and path.is_file() and os.access(path, os.X_OK)
    return which(program, path=search) is not None


def after(status: Status, ran: Ran) -> Status:
    """What is known once the hook was run."""
    before = status.verdict
    if ran.checks and not before.ignored:
        verdict = Verdict(Reach.YES, f"it was run, and came to {PROGRAM}", ran.checks)
        return replace(status, verdict=verdict, remedy="", ran=ran)
    if ran.checks:
        return replace(status, ran=ran)
    if ran.code is None:
        return replace(
            status, verdict=replace(before, why=f"{before.why}; running it proved nothing: {ran.why}"), ran=ran
        )
    if before.reaches is Reach.NO and not status.hook.executable:
        return replace(status, ran=ran)  # nothing was there to be run
    if status.hook.kind is Kind.LEFTHOOK and ran.code == 0 and before.reaches is not Reach.NO:
        verdict = Verdict(Reach.UNKNOWN, "lefthook left it out, as it does while nothing is staged or to be pushed")
    else:
        verdict = Verdict(Reach.NO, f"it was run, ended with {ran.code}, and did not come to {PROGRAM}")
    remedy = f"{INSTALL} shows what to add" if status.remedy in ("", PROVE) else status.remedy
    return replace(status, verdict=verdict, remedy=remedy, ran=ran)


def _remedy(hook: HookFile, verdict: Verdict, place: Place, manager: Kind | None) -> str:
    if verdict.reaches is not Reach.NO:
        return PROVE if verdict.reaches is Reach.UNKNOWN else ""
    if hook.kind in (Kind.NONE, Kind.SAMPLE):
        return _manager_install(manager, hook.name, place) if manager else INSTALL
    if not hook.executable and hook.path.is_file():
        return f"chmod +x {hook.shown}"
    if verdict.programs:
        return f"put {PROGRAM} on the PATH that Git has, or delete the hook and run {INSTALL}"
    return f"{INSTALL} shows what to add"


def _manager_install(manager: Kind, name: str, place: Place) -> str:
    """How pre-commit and prek install a hook that they have not installed."""
    command = f"{manager} install --hook-type {name}"
    try:
        types = configuration.install_types(managed.parsed(place.checkout / _CONFIG))
    except Unclear:
        return command
    return command if name in types else f"{command}, and name it in default_install_hook_types"
