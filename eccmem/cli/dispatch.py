"""The table of commands, and the one door through which every command ends."""

import os
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise

from eccmem import lowered
from eccmem.cli import console, plain
from eccmem.cli.console import DEBUG
from eccmem.errors import Bug, EccmemError, ExitCode

# Each is a function of this name in a module of this name; only the one that runs is imported.
COMMANDS = (
    "init",
    "save",
    "handoff",
    "inbox",
    "search",
    "read",
    "log",
    "doctor",
    "secrets",
    "retire",
    "adopt",
    "artifacts",
    "index",
    "hooks",
    "mcp",
    "mcp-config",
    "skill",
    "demo",
)


def load(name: str) -> Callable[..., int]:
    """The function of a command."""
    module = name.replace("-", "_")
    command: Callable[..., int] = getattr(import_module(f"eccmem.cli.{module}"), module)
    return command


def dispatch(argv: list[str]) -> int:
    """Run one command and return its exit code; whatever happens, one line says what."""
    json_wanted = "--json" in argv or "--format=json" in argv or ("--format", "json") in pairwise(argv)
    try:
        return _run(argv)
    except EccmemError as error:
        return _fail(error, json_wanted)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one exit door: nothing may end in a traceback
        return _fail(_bug(error), json_wanted)


def _run(argv: list[str]) -> int:
    lowered.lower(os.environ)
    name = argv[0] if argv else ""
    if name in COMMANDS:
        command = load(name)
        values = plain.parse(command, argv[1:])
        if values is not None:
            return command(**values)
    from eccmem.cli import app  # noqa: PLC0415 - typer costs more than a whole save without it

    commands = {name: load(name)} if name in COMMANDS else {each: load(each) for each in COMMANDS}
    return app.run(commands, argv or ["--help"])


def _bug(error: Exception) -> Bug:
    if os.environ.get(DEBUG) == "1":
        import traceback  # noqa: PLC0415 - 7 ms that no command needs

        traceback.print_exception(error)
    return Bug(error)


def _fail(error: EccmemError, json_wanted: bool) -> int:
    from eccmem.output import as_json, as_text  # noqa: PLC0415 - a command that works has its own

    if not json_wanted:
        console.warn(as_text.error(error))
        return error.exit_code
    try:
        return console.emit_json(as_json.error(error), error.exit_code)
    except EccmemError as unwritable:
        console.warn(as_text.error(unwritable))
        return unwritable.exit_code
