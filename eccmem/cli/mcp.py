"""``eccmem mcp``, and the program ``eccmem-mcp``: the memory tools for harnesses, over standard input and output.

A harness waits a second for the first answer, so this is read before anything else is imported.
"""

from __future__ import annotations

import os
import signal

from eccmem import limits, lowered
from eccmem.errors import EccmemError, ExitCode, UsageProblem

TYPE_CHECKING = False  # what typing has under this name costs as much as reading ten frames
if TYPE_CHECKING:
    from typing import Never

    from eccmem.mcp.tools import Tools

_HARNESS = "ECC_MEMORY_HARNESS"
_USER_SCOPE = "ECC_MEMORY_ALLOW_USER_SCOPE"
_SDK = "mcp"
_INSTALL = "install it with: pip install 'eccmem[mcp]'"


def mcp() -> int:
    """Serve the four memory tools to a harness over standard input and output.

    ECC_MEMORY_HARNESS says for which one; it comes from the harness's configuration.
    """
    lowered.lower(os.environ)
    harness = _harness()
    _find_sdk()
    from eccmem.mcp.transport import Transport  # noqa: PLC0415 - not before it is known that it can work
    from eccmem.mcp.wire import Gone, Wire  # noqa: PLC0415

    try:
        wire = Wire.claim()
    except Gone:
        return ExitCode.OK
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, _interrupted)
    served = Transport(wire, lambda: _tools(harness), _complain).run()
    # Threads may still be at work; whatever they write is whole or not there.
    os._exit(ExitCode.OK if served else ExitCode.CANNOT_RUN)


def _interrupted(_signal: int, _frame: object) -> Never:
    os._exit(ExitCode.INTERRUPTED)


def _harness() -> str:
    """Who the server speaks for."""
    name = os.environ.get(_HARNESS, "")
    if _is_plain(name):
        return name
    from eccmem.model import slug  # noqa: PLC0415 - says what is wrong, and costs as much as all else here

    try:
        return slug(name, _HARNESS)
    except ValueError as error:
        remedy = f"set {_HARNESS} in the harness's configuration, such as codex or claude"
        raise UsageProblem("no-harness", f"{error}" if name else f"{_HARNESS} is not set", remedy) from None


def _is_plain(name: str) -> bool:
    """Whether a name is a slug at first sight; the model decides about the others."""
    plain = (
        name.isascii() and name == name.lower() and name.replace(".", "").replace("_", "").replace("-", "").isalnum()
    )
    return plain and name[0].isalnum() and len(name) <= limits.SLUG_CHARS


def _find_sdk() -> None:
    from importlib.machinery import PathFinder  # noqa: PLC0415 - a look, not an import

    if PathFinder.find_spec(_SDK) is None:
        raise EccmemError("no-mcp", "the MCP server needs the package mcp, which is not installed", _INSTALL)


def _tools(harness: str) -> Tools:
    """In the thread of the SDK, which has time."""
    from eccmem.cli.context import DRY_RUN, here, home  # noqa: PLC0415 - as said above
    from eccmem.mcp.indexing import Builder  # noqa: PLC0415
    from eccmem.mcp.place import Surroundings  # noqa: PLC0415
    from eccmem.mcp.tools import Tools  # noqa: PLC0415
    from eccmem.shelf import Shelf  # noqa: PLC0415

    return Tools(
        harness=harness,
        user_scope=os.environ.get(_USER_SCOPE) == "1",
        dry_run=os.environ.get(DRY_RUN) == "1",
        around=Surroundings(here=here, env=os.environ, home=home()),
        shelf=Shelf(),
        builds=Builder(),
    )


def _complain(error: BaseException) -> str:
    """Say on standard error, and to the client, why no tool can be called."""
    from eccmem.cli.console import warn  # noqa: PLC0415 - nothing else prints
    from eccmem.output import as_text  # noqa: PLC0415

    kind = type(error).__name__
    problem = EccmemError("no-mcp", f"the package mcp cannot be used ({kind}); it has to be mcp>=2.3,<3", _INSTALL)
    warn(as_text.error(problem))
    return f"{problem.message}; {problem.hint}"
