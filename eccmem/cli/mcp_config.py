"""``eccmem mcp-config``."""

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

from eccmem import gitdir
from eccmem.cli import console
from eccmem.cli.context import here, refuse_dry_run, required
from eccmem.cli.options import Argument, Json, Option, Values
from eccmem.errors import EccmemError, UsageProblem
from eccmem.mcpconfig import write
from eccmem.mcpconfig.harness import BY_NAME, HARNESSES, Entry, Harness
from eccmem.mcpconfig.write import Outcome

NAMES = "|".join(harness.name for harness in HARNESSES)
# The console script that pyproject.toml declares; pip puts it beside the interpreter of the same environment.
PROGRAM = "eccmem-mcp"
SCHEMA = "eccmem.mcp-config.v1"
Named = Annotated[Values, Argument("HARNESS", f"One of {NAMES.replace('|', ', ')}.")]
Write = Annotated[bool, Option("--write", "Put it into the harness's file of this checkout.")]
Remove = Annotated[bool, Option("--remove", "Take it out of that file again.")]


def mcp_config(harness: Named = None, to_file: Write = False, remove: Remove = False, json: Json = False) -> int:
    """Print how a harness is told of the MCP server, and where that goes.

    With --write, a file of this checkout that is plain JSON or TOML gets the entry, and nothing else in it changes;
    --remove takes it out again, to the byte. Files of the person are never written.
    """
    name = required(f"HARNESS ({NAMES})", harness)
    if name not in BY_NAME:
        raise UsageProblem("usage", f"HARNESS must be one of {NAMES.replace('|', ', ')}", "see --help")
    if to_file and remove:
        raise UsageProblem("usage", "--write and --remove do the opposite", "keep one of them")
    asked, program = BY_NAME[name], _program()
    entry = asked.entry(str(program), asked.name)
    there = program.is_file() and os.access(program, os.X_OK)
    outcome = None
    if to_file or remove:
        refuse_dry_run(f"mcp-config --{'write' if to_file else 'remove'}")
        if to_file and not there:
            raise EccmemError("no-mcp-program", _missing(), "pip install 'eccmem[mcp]'")
        checkout, _ = gitdir.checkout_of(Path(os.path.realpath(here())))
        outcome = write.add(checkout, asked, entry) if to_file else write.remove(checkout, asked)
    notes = (
        []
        if remove
        else [*asked.notes, *([_personal(asked)] if asked.project else []), *([] if there else [_missing()])]
    )
    console.warn_all(notes)
    if json:
        action = "write" if to_file else "remove" if remove else "print"
        return console.emit_json(_payload(asked, entry, action, outcome, notes))
    return console.emit(_text(asked, entry, outcome))


def _program() -> Path:
    name = f"{PROGRAM}.exe" if os.name == "nt" else PROGRAM
    # Not resolved: the interpreter of a virtual environment is a link, and its scripts are beside the link.
    return Path(os.path.abspath(sys.executable)).parent / name  # noqa: PTH100


def _missing() -> str:
    return f"{PROGRAM} is not beside this Python, so no harness could start it: install eccmem with its extra mcp"


def _personal(asked: Harness) -> str:
    return f"the command is a path of this machine: keep {write.shown(asked)} out of commits, or agree on one path"


def _command(asked: Harness, entry: Entry) -> str:
    """The harness's own command, to be pasted into a shell."""
    return asked.command.format(shlex.quote(str(entry["command"]))) if asked.command else ""


def _text(asked: Harness, entry: Entry, outcome: Outcome | None) -> str:
    if outcome is not None:
        return f"{write.shown(asked)}: {outcome}\n"
    lines = [f"In the checkout: {write.shown(asked)}"] if asked.project else []
    lines.append(f"{'For yourself alone' if asked.project else 'For yourself'}: {asked.personal}")
    if command := _command(asked, entry):
        lines.append(f"Or run: {command}")
    lines.append(f"Source: {asked.source}")
    return "".join(f"{line}\n" for line in lines) + f"\n{write.snippet(asked, entry)}"


def _payload(asked: Harness, entry: Entry, action: str, outcome: Outcome | None, notes: list[str]) -> dict[str, object]:
    return {
        "schemaVersion": SCHEMA,
        "action": action,
        "harness": asked.name,
        "file": write.shown(asked) or None,
        "personalFile": asked.personal,
        "form": asked.form,
        "container": asked.container,
        "entry": dict(entry),
        "snippet": write.snippet(asked, entry),
        "command": _command(asked, entry) or None,
        "source": asked.source,
        "outcome": outcome,
        "notes": notes,
    }
