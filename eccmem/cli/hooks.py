"""``eccmem hooks``."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Annotated

from eccmem.cli import console
from eccmem.cli.context import refuse_dry_run, repository_here, required
from eccmem.cli.options import Argument, Json, Prove, Values
from eccmem.errors import EccmemError, ExitCode, UsageProblem
from eccmem.githooks import install as installing
from eccmem.githooks import probe
from eccmem.githooks import status as looking
from eccmem.githooks.install import Installed, Outcome, Planned
from eccmem.githooks.script import Reach
from eccmem.githooks.shim import PROGRAM
from eccmem.githooks.status import Overview, Status
from eccmem.output.terminal import line
from eccmem.repo import Repo

VERBS = ("status", "install")
Verb = Annotated[Values, Argument("|".join(VERBS), "Say whether Git runs eccmem-hook, or make it do so.")]
SCHEMA = "eccmem.hooks.v1"


def hooks(verb: Verb = None, run: Prove = False, json: Json = False) -> int:
    """Look after Git's hooks, so that commits, merges and pushes are judged.

    Install writes the hooks that are missing, all or none, and never over another: then it shows what to add to it.

    Status asks Git where its hooks are and reads them; with --run it runs ALL hooks of these types, others' too,
    as a commit, a merge and a push would, and sees whether eccmem-hook is reached.
    """
    asked = required("status or install", verb)
    if asked not in VERBS:
        raise UsageProblem("usage", f"say what to do with the hooks: {' or '.join(VERBS)}", "see --help")
    if run and asked != "status":
        raise UsageProblem("usage", "--run belongs to status", "run eccmem hooks status --run")
    if asked == "install" or run:
        refuse_dry_run(f"hooks {asked}{' --run' * run}")
    repository = repository_here()
    if asked == "install":
        done = installing.install(repository, _program())
        code = ExitCode.FINDINGS if done.refused else ExitCode.OK
        return console.emit_json(_installed_json(done), code) if json else console.emit(_installed_text(done), code)
    found = looking.overview(repository, os.environ)
    if run:
        found = _proved(repository, found)
    code = _code(found)
    return console.emit_json(_status_json(found), code) if json else console.emit(_status_text(found), code)


def _program() -> Path:
    """The eccmem-hook that belongs to this program: beside it, beside the interpreter, or the one on PATH.

    Raises:
        EccmemError: where there is none, and hooks would stop everything.
    """
    name = f"{PROGRAM}.exe" if os.name == "nt" else PROGRAM
    places = [Path(os.path.abspath(path)).parent / name for path in (sys.argv[0], sys.executable) if path]  # noqa: PTH100
    found = next((path for path in places if path.is_file() and os.access(path, os.X_OK)), None) or which(PROGRAM)
    if found is None:
        raise EccmemError("no-hook-program", f"{PROGRAM} is not installed beside eccmem", "install eccmem with pip")
    return Path(found)


def _proved(repository: Repo, found: Overview) -> Overview:
    if os.environ.get(probe.PROBE):
        raise UsageProblem("usage", "--run was called by a hook that --run runs", "take it out of the hook")
    ran = tuple(looking.after(item, probe.run(repository, os.environ, item.hook)) for item in found.hooks)
    return Overview(ran, found.program_on_path)


def _code(found: Overview) -> ExitCode:
    """One that does not come to us is certain; one that cannot be told is not."""
    known = {item.verdict.reaches for item in found.hooks}
    if Reach.NO in known:
        return ExitCode.FINDINGS
    return ExitCode.CANNOT_RUN if Reach.UNKNOWN in known else ExitCode.OK


# --- What is printed ------------------------------------------------------------------------------------------


def _status_text(found: Overview) -> str:
    lines = [text for item in found.hooks for text in _status_lines(item)]
    if not found.program_on_path:
        lines.append(f"note: {PROGRAM} is not on the PATH of Git's hooks, where a script of your own would look for it")
    return "".join(f"{text}\n" for text in lines)


def _status_lines(item: Status) -> Iterator[str]:
    hook, verdict = item.hook, item.verdict
    leads = f", a link to {line(hook.link)}" if hook.link else ""
    checks = f" ({', '.join(verdict.checks)})" if verdict.checks else ""
    yield f"{hook.name}: {verdict.reaches}, {line(hook.shown)}{leads}: {line(verdict.why)}{checks}"
    if item.remedy:
        yield f"    {line(item.remedy)}"


def _status_json(found: Overview) -> dict[str, object]:
    rows = [
        {
            "name": item.hook.name,
            "file": item.hook.shown,
            "kind": item.hook.kind,
            "link": item.hook.link,
            "executable": item.hook.executable,
            "reaches": item.verdict.reaches,
            "checks": list(item.verdict.checks),
            "why": item.verdict.why,
            "remedy": item.remedy,
            "ran": item.ran and {"reached": bool(item.ran.checks), "code": item.ran.code},
        }
        for item in found.hooks
    ]
    return {
        "schemaVersion": SCHEMA,
        "action": "status",
        "ok": _code(found) is ExitCode.OK,
        "programOnPath": found.program_on_path,
        "hooks": rows,
    }


def _installed_text(done: Installed) -> str:
    lines = [f"Nothing was written: {done.refused}."] if done.refused else []
    lines += [text for item in done.hooks for text in _installed_lines(item)]
    return "".join(f"{text}\n" for text in lines)


def _installed_lines(item: Planned) -> Iterator[str]:
    if item.outcome is Outcome.MADE:
        yield f"Made {line(item.hook.shown)}"
        return
    yield f"{line(item.hook.shown)}: {item.outcome}{f', {line(item.why)}' if item.why else ''}"
    if item.add:
        yield f"  {line(item.add[0])}"
        yield from (f"    {text}" for text in item.add[1:])


def _installed_json(done: Installed) -> dict[str, object]:
    rows = [
        {
            "name": item.hook.name,
            "file": item.hook.shown,
            "kind": item.hook.kind,
            "outcome": item.outcome,
            "why": item.why,
            "add": list(item.add),
        }
        for item in done.hooks
    ]
    return {
        "schemaVersion": SCHEMA,
        "action": "install",
        "ok": not done.refused,
        "refused": done.refused,
        "hooks": rows,
    }
