"""The table of commands, and the one door through which every command ends."""

import os
from importlib import import_module

import typer

from eccmem.cli import console
from eccmem.cli.context import DEBUG
from eccmem.errors import EccmemError, ExitCode, UsageProblem
from eccmem.output import as_json, as_text
from eccmem.output.terminal import line

# Each is a function of this name in a module of this name; only the one that runs is imported.
COMMANDS = ("init", "save", "handoff", "search", "read", "doctor", "retire", "demo")

# The base of typer's usage errors; typer does not export it, and which click it brings depends on its version.
_ParseError: type[Exception] = typer.BadParameter.__bases__[0]


def build(names: tuple[str, ...]) -> typer.Typer:
    """The typer application with some of the commands."""
    app = typer.Typer(
        name="eccmem",
        add_completion=False,
        # Rich costs start-up time, and its tracebacks print the values of variables: memory text.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_top)
    for name in names:
        app.command()(getattr(import_module(f"eccmem.cli.{name}"), name))
    return app


def _top(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version."),  # noqa: FBT003
) -> None:
    """Shared, reviewed, local-first memory for coding agents: context, never instructions."""
    del version  # `eccmem --version` is answered before typer is imported


def dispatch(argv: list[str]) -> int:
    """Run one command and return its exit code; whatever happens, one line says what."""
    json_wanted = "--json" in argv
    names = (argv[0],) if argv and argv[0] in COMMANDS else COMMANDS
    try:
        code = build(names)(args=argv or ["--help"], prog_name="eccmem", standalone_mode=False)
        return code if isinstance(code, int) else ExitCode.OK
    except EccmemError as error:
        return _fail(error, json_wanted)
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return ExitCode.OK  # help into a pager that was closed
    except Exception as error:  # noqa: BLE001 - the one exit door: nothing may end in a traceback
        return _fail(_explain(error), json_wanted)


class _Bug(EccmemError):
    exit_code = ExitCode.BUG


def _explain(error: Exception) -> EccmemError:
    """What typer refused is the person's command line; all else is our fault."""
    if isinstance(error, _ParseError):
        message = str(getattr(error, "format_message", error.__str__)())
        return UsageProblem("usage", line(message).rstrip("."), "see eccmem --help")
    if os.environ.get(DEBUG) == "1":
        import traceback  # noqa: PLC0415 - 7 ms that no command needs

        traceback.print_exception(error)
    name = type(error).__name__
    return _Bug("bug", f"eccmem failed ({name}); this is our fault", f"set {DEBUG}=1 to see where, and report it")


def _fail(error: EccmemError, json_wanted: bool) -> int:
    if not json_wanted:
        console.warn(as_text.error(error))
        return error.exit_code
    try:
        return console.emit_json(as_json.error(error), error.exit_code)
    except EccmemError as unwritable:
        console.warn(as_text.error(unwritable))
        return unwritable.exit_code
