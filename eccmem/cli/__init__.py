"""The command line: arguments in, one exit code out. Only this package prints and reads the environment."""

import sys
from collections.abc import Sequence

from eccmem import __version__
from eccmem.errors import EccmemError, ExitCode


def run() -> None:
    """The console script."""
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:  # while our modules are imported; later it is dispatch's
        code = ExitCode.INTERRUPTED
    sys.exit(code)


def run_mcp() -> None:
    """The console script ``eccmem-mcp``: the same as ``eccmem mcp``."""
    sys.argv[1:1] = ["mcp"]
    run()


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    if list(argv) == ["--version"]:
        return say_version("eccmem")
    if list(argv) == ["mcp"]:
        return _serve()
    from eccmem.cli.dispatch import dispatch  # noqa: PLC0415 - --version needs nothing else

    return dispatch(list(argv))


def _serve() -> int:
    """``eccmem mcp`` without the table of commands, which costs half of its start-up time."""
    from eccmem.cli.mcp import mcp  # noqa: PLC0415 - as small as it can be

    try:
        return mcp()
    except EccmemError as error:
        from eccmem.cli import console  # noqa: PLC0415 - as below
        from eccmem.output import as_text  # noqa: PLC0415

        console.warn(as_text.error(error))
        return error.exit_code


def say_version(program: str) -> int:
    """Print the version of a program."""
    from eccmem.cli import console  # noqa: PLC0415 - console is of this package

    try:
        return console.emit(f"{program} {__version__}\n")
    except EccmemError as error:
        from eccmem.output import as_text  # noqa: PLC0415 - only here

        console.warn(as_text.error(error))
        return error.exit_code
