"""The command line: arguments in, one exit code out. Only this package prints and reads the environment."""

import sys
from collections.abc import Sequence

from eccmem import __version__


def run() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    if list(argv) == ["--version"]:
        from eccmem.cli import console  # noqa: PLC0415 - --version needs nothing else

        return console.emit(f"eccmem {__version__}\n")
    from eccmem.cli.dispatch import dispatch  # noqa: PLC0415 - as above

    return dispatch(list(argv))
