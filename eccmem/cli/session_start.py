"""``eccmem-hook session-start``: tells a harness that starts which hand-offs wait for it.

A harness waits for this, and may refuse to start after a hook that failed: whatever happens, it ends with 0 and prints
what the harness can read.
Standard input, on which a harness tells of its start, is not read: nothing in it changes what waits.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress

from eccmem import inbox, limits, lowered, vault
from eccmem.artifacts import pointers, survey, trees
from eccmem.artifacts.pointers import Pointer
from eccmem.cli import console
from eccmem.cli.context import HARNESS, repository_here, vault_roots
from eccmem.errors import Bug, EccmemError, ExitCode, UsageProblem
from eccmem.model import DEFAULT_SCOPES, slug
from eccmem.output import as_text, briefing

NAME = "session-start"
# Each form with the harness that takes it; a text may be for any.
FORMATS = {"claude": "claude", "codex": "codex", "gemini": "gemini", "copilot": "copilot", "text": ""}
USAGE = f"usage: eccmem-hook {NAME} --format {'|'.join(FORMATS)} [--harness NAME]"
HELP = f"""{USAGE}

Print the hand-offs that wait for a harness, titles and ids alone, and in which folders governed documents are, in the
form that its hook takes. The harness is that of --harness, of {HARNESS}, or of the format. Always ends with 0.
"""
# The switches of the JavaScript tool's hook of the same job, under the same names.
_OFF = frozenset({"0", "false", "off", "none", "disabled"})
_HOOK_ID = "session:start"
_MINIMAL = "minimal"


def main(argv: Sequence[str]) -> int:
    """Print what a hook of session start prints, and return 0."""
    form = ""
    try:
        if list(argv) in (["--help"], ["-h"]):
            return console.emit(HELP)
        form, harness = _parse(argv)
        lowered.lower(os.environ)
        _emit(form, "" if _is_off() else _told(harness))
    except EccmemError as error:
        _give_up(form, error)
    except KeyboardInterrupt:
        _give_up(form, None)
    except Exception as error:  # noqa: BLE001 - see above
        if os.environ.get(console.DEBUG) == "1":
            import traceback  # noqa: PLC0415 - only then

            traceback.print_exception(error)
        _give_up(form, Bug(error))
    return ExitCode.OK


def _parse(argv: Sequence[str]) -> tuple[str, str]:
    """The format, and the harness that it is for.

    Raises:
        UsageProblem: when it says neither.
    """
    words = [part for word in argv for part in (word.split("=", 1) if word.startswith("--") else [word])]
    given = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or len(given) * 2 != len(words) or set(given) - {"--format", "--harness"}:
        raise UsageProblem("usage", USAGE, "name one format")
    form = given.get("--format", "")
    if form not in FORMATS:
        raise UsageProblem("usage", USAGE, "name one format")
    harness = given.get("--harness") or os.environ.get(HARNESS) or FORMATS[form] or "unknown"
    try:
        return form, slug(harness, "the harness")
    except ValueError as error:
        raise UsageProblem("usage", str(error), USAGE) from None


def _is_off() -> bool:
    wanted = os.environ.get("ECC_SESSION_START_CONTEXT") or ""
    profile = os.environ.get("ECC_HOOK_PROFILE") or ""
    disabled = os.environ.get("ECC_DISABLED_HOOKS") or ""
    return (
        wanted.strip().lower() in _OFF
        or profile.strip().lower() == _MINIMAL
        or _HOOK_ID in (item.strip().lower() for item in disabled.split(","))
    )


def _most() -> int:
    """How many characters may be told; what is no number means as many as we ever tell."""
    named = (os.environ.get("ECC_SESSION_START_MAX_CHARS") or "").strip()
    if not (named.isascii() and named.isdigit()):
        return limits.BRIEFING_CHARS
    # A number of a million digits is not worth converting.
    return min(int(named.lstrip("0")[:9] or "0"), limits.BRIEFING_CHARS)


def _told(harness: str) -> str:
    most = _most()
    if not most:
        return ""
    snapshot = vault.worktree(vault_roots(), DEFAULT_SCOPES, wanted=inbox.concerns)
    waiting = inbox.waiting(snapshot, harness)
    return briefing.text(waiting, _pointers(), complete=snapshot.complete, most=most)


def _pointers() -> tuple[Pointer, ...]:
    """Where the governed documents are; none where Git cannot say, which is for others to complain about."""
    try:
        tree = trees.of_index(repository_here())
        return pointers.pointers(tree.entries, survey.config_of(tree))
    except EccmemError:
        return ()


def _emit(form: str, told: str) -> None:
    # ASCII and UTF-8 whatever the locale is: an escape in the place of a character would break the bound on the size.
    output = f"{told}\n" if told else ""
    if form != "text":
        output = json.dumps(briefing.payload(form, told)) + "\n"
    console.emit_bytes(output.encode())


def _give_up(form: str, error: EccmemError | None) -> None:
    """Say on standard error why nothing is told, and print what every harness takes for nothing."""
    if error:
        console.warn(as_text.error(error))
    if form != "text":
        with suppress(EccmemError):  # where nothing can be written, there is nobody to tell
            console.emit_bytes(b"{}\n")
