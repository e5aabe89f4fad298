"""Standard output and standard error, whatever they are connected to."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from eccmem import limits
from eccmem.errors import EccmemError, ExitCode
from eccmem.output.terminal import line


def emit(text: str, code: int = ExitCode.OK) -> int:
    """Write a command's whole output at once and return its exit code.

    A reader that has seen enough (``| head -1``) is no error.

    Raises:
        EccmemError: when the output cannot be written, say on a full disk.
    """
    return emit_bytes(text.encode(_encoding(), "backslashreplace"), code)


def emit_bytes(data: bytes, code: int = ExitCode.OK) -> int:
    """As :func:`emit`, for bytes that must arrive as they are (a patch)."""
    if sys.stdout is None:
        return code
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        silence()
    except OSError:
        silence()
        raise EccmemError("cannot-write-output", "standard output cannot be written", "is the disk full?") from None
    return code


def warn(text: str) -> None:
    """Write one line to standard error; nobody listening is no error."""
    if sys.stderr is None:
        return
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()
    except OSError:
        return


def warn_all(warnings: Iterable[str]) -> None:
    """Write each warning that says something as a line of its own."""
    for text in filter(None, warnings):
        warn(f"warning: {line(text, limits.ROOT_OVERRIDE_CHARS)}\n")


DEBUG = "ECCMEM_DEBUG"

_BAR = 24
_QUIET_SECONDS = 1.0
_REDRAW_SECONDS = 0.1


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how far a long work is, as ``done`` of ``total``: only at a terminal, and only after a second."""
    drawn = 0
    due = time.monotonic() + _QUIET_SECONDS

    def show(done: int, total: int) -> None:
        nonlocal drawn, due
        if time.monotonic() < due:
            return
        due = time.monotonic() + _REDRAW_SECONDS
        full = _BAR * done // max(total, 1)
        text = f"{what} [{'#' * full}{'.' * (_BAR - full)}] {done} of {total}"
        warn(f"\r{text.ljust(drawn)}")
        drawn = max(drawn, len(text))

    try:
        yield show if sys.stderr is not None and sys.stderr.isatty() else _show_nothing
    finally:
        if drawn:
            warn(f"\r{' ' * drawn}\r")


def _show_nothing(_done: int, _total: int) -> None:
    return


def emit_json(payload: Mapping[str, object], code: int = ExitCode.OK) -> int:
    """As :func:`emit`, for a payload; escaped where the output cannot hold the text as it is."""
    return emit(json_text(payload), code)


def json_text(payload: Mapping[str, object]) -> str:
    """A payload as standard output can hold it; the same values, without what a CI runner takes for a command."""
    text = json.dumps(payload, ensure_ascii=not _is_unicode(), indent=2) + "\n"
    return text.replace("##[", "#\\u0023[")


def _is_unicode() -> bool:
    return _encoding().lower().replace("-", "") in ("utf8", "utf16", "utf32")


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def silence() -> None:
    """Give up standard output: Python flushes it once more at exit, and would complain there."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - pathlib would be imported for this alone
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
