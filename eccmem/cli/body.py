"""A memory's body: from standard input or a regular file, never from an argument (process lists show those)."""

import os
import sys
import time

from eccmem import limits
from eccmem.errors import EccmemError, Refused, UsageProblem
from eccmem.files import FileProblem, read_regular_path
from eccmem.finding import SkipReason
from eccmem.output.terminal import line

# A body may be padded with white space that is trimmed, so more than its own limit is read before it is judged.
_MOST = limits.DOCUMENT_BYTES
_CHUNK = 64 * 1024
_RETRY_SECONDS = 0.01
_BOM = "\ufeff"


def read_body(stdin: bool, body_file: str | None) -> str:
    """Return the body as text.

    Raises:
        UsageProblem: unless exactly one source is named.
        Refused: when it is too large, or not UTF-8.
        EccmemError: when the source cannot be read.
    """
    if stdin == (body_file is not None):
        raise UsageProblem("usage", "choose exactly one source of the body: --stdin or --body-file FILE", "see --help")
    if body_file is None:
        return _decode(_read_body(), "standard input")
    return read_file(body_file, f"--body-file {line(body_file)}")


def read_file(path: str, shown: str) -> str:
    """Return the text of a regular file; errors name it as ``shown`` says.

    Raises:
        Refused: when it cannot be read, is too large, or not UTF-8.
    """
    try:
        return _decode(read_regular_path(path, _MOST), shown)
    except (FileProblem, ValueError) as problem:
        why = f"it is {problem}" if isinstance(problem, FileProblem) else "it is no file name"
        if isinstance(problem, FileProblem) and problem.reason is SkipReason.VANISHED:
            why = "it is not there"
        raise Refused("bad-body", f"{shown} cannot be read: {why}", "name a regular file with the body") from None


def read_env_file(path: str) -> dict[str, str]:
    """The variables of a file that was named.

    Raises:
        Refused: ``bad-env-file`` when it cannot be read: its values would pass unseen.
    """
    from eccmem import envfile  # noqa: PLC0415 - few name one

    try:
        return envfile.parse(read_regular_path(path, limits.CONFIG_BYTES).decode("utf-8", "surrogateescape"))
    except FileProblem as problem:
        why = "it is not there" if problem.reason is SkipReason.VANISHED else f"it is {problem}"
    except ValueError:
        why = "it is no file name"
    raise Refused("bad-env-file", f"--env-file {line(path)} cannot be read: {why}", "name a regular file")


def _read_body() -> bytes:
    data = read_stdin(_MOST, "pipe the body in")
    if data is None:
        why = f"the body is too large: at most {limits.BODY_BYTES} bytes"
        raise Refused("bad-body", why, "split it in two memories")
    return data


def read_stdin(most: int, remedy: str) -> bytes | None:
    """Read standard input to its end; None when there is more of it than ``most`` bytes.

    Raises:
        UsageProblem: when it is closed.
        EccmemError: ``no-input`` when it cannot be read, or gives nothing.
    """
    if sys.stdin is None:
        raise UsageProblem("usage", "standard input is closed", remedy)
    data = bytearray()
    patience = limits.STDIN_RETRY_SECONDS
    while len(data) <= most:
        try:
            chunk = os.read(sys.stdin.fileno(), _CHUNK)
        except BlockingIOError:
            # Some harnesses hand on a non-blocking pipe, empty for a moment.
            if patience <= 0:
                raise EccmemError(
                    "no-input",
                    f"standard input gave nothing for {limits.STDIN_RETRY_SECONDS:g} s",
                    remedy,
                ) from None
            time.sleep(_RETRY_SECONDS)
            patience -= _RETRY_SECONDS
            continue
        except OSError:
            raise EccmemError("no-input", "standard input cannot be read", remedy) from None
        if not chunk:
            return bytes(data)
        data += chunk
    return None


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        kind = "UTF-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else f"not UTF-8 (at byte {error.start + 1})"
        raise Refused("bad-body", f"the body from {source} is {kind}", "convert it to UTF-8") from None
