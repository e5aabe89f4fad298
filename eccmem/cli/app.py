"""The commands as a typer application: for help, and to explain a command line that is not plain."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from eccmem.cli import console
from eccmem.cli.options import Argument, Option
from eccmem.errors import EccmemError, ExitCode, UsageProblem
from eccmem.output.terminal import line

Command = Callable[..., int]

# The base of typer's usage errors; typer does not export it, and which click it brings depends on its version.
_ParseError: type[Exception] = typer.BadParameter.__bases__[0]


def run(commands: Mapping[str, Command], argv: list[str]) -> int:
    """Parse and run a command line, or print its help; return the exit code.

    Raises:
        UsageProblem: when it says nothing that can be done.
        KeyboardInterrupt: when the person stopped it.
    """
    app = typer.Typer(
        name="eccmem",
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        # Rich costs start-up time, and its tracebacks print the values of variables: memory text.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_top)
    for name, command in commands.items():
        app.command(name)(_for_typer(command))
    try:
        code = app(args=argv, prog_name="eccmem", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except BrokenPipeError:
        console.silence()
        return ExitCode.OK  # help into a pager that was closed
    except OSError:
        if not {"-h", "--help"} & set(argv):
            raise
        console.silence()
        raise EccmemError("cannot-write-output", "standard output cannot be written", "is the disk full?") from None
    except _ParseError as error:
        message = str(getattr(error, "format_message", error.__str__)())
        raise UsageProblem("usage", line(message).rstrip("."), "see eccmem --help") from None
    return code if isinstance(code, int) else ExitCode.OK


def _top(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version."),  # noqa: FBT003
) -> None:
    """Shared, reviewed, local-first memory for coding agents: context, never instructions."""
    del version  # `eccmem --version` is answered before typer is imported


def _for_typer(command: Command) -> Command:
    """The same command with typer's description of its parameters in place of ours."""

    @functools.wraps(command)
    def same(**values: object) -> int:
        return command(**values)

    # typer looks at both: at the signature for the descriptions, at the annotations for the types.
    same.__annotations__ = {name: _described(hint) for name, hint in command.__annotations__.items()}
    signature = inspect.signature(command)
    parameters = [
        parameter.replace(annotation=same.__annotations__[name]) for name, parameter in signature.parameters.items()
    ]
    vars(same)["__signature__"] = signature.replace(parameters=parameters)
    return same


def _described(hint: object) -> object:
    for item in getattr(hint, "__metadata__", ()):
        origin = getattr(hint, "__origin__", None)
        if isinstance(item, Option):
            return Annotated[origin, typer.Option(item.name, help=item.help, metavar=item.metavar or None)]
        if isinstance(item, Argument):
            return Annotated[origin, typer.Argument(help=item.help, metavar=item.metavar, show_default=False)]
    return hint
