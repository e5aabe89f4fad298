"""A report in a file that the person names."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from eccmem.errors import EccmemError, UsageProblem
from eccmem.roots import VAULT

_MODE = 0o666


def write(path: Path, text: str) -> None:
    """Write a report, whole or not at all; one of an earlier run is replaced, a link is never followed.

    Raises:
        UsageProblem: for a file in a vault, where reports have no business.
        EccmemError: when it cannot be written.
    """
    real = Path(os.path.realpath(path.parent)) / path.name
    if "/".join(VAULT) in real.as_posix().lower():
        raise UsageProblem("usage", "--output must not name a file in a vault", "write the report elsewhere")
    try:
        if real.exists() and not real.is_file():
            _pour(real, text)  # a pipe, /dev/stdout
        else:
            _replace(real, text)
    except OSError:
        raise EccmemError(
            "cannot-write-output", "the file of --output cannot be written", "see whether its folder is there"
        ) from None


def append(path: Path, text: str) -> None:
    """Add text to a file that another program made.

    Raises:
        EccmemError: when it cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        raise EccmemError(
            "cannot-write-output", "the file of GITHUB_STEP_SUMMARY cannot be written", "unset it, or mend its folder"
        ) from None


def _pour(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _mode() -> int:
    """The mode that a file of this process gets, where it makes one the usual way."""
    os.umask(mask := os.umask(0o077))  # it can only be read by setting it
    return _MODE & ~mask


def _replace(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".eccmem-")
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
            file.write(text)
        Path(name).chmod(_mode())
        Path(name).replace(path)
    finally:
        with suppress(OSError):  # it is gone when all went well
            Path(name).unlink()
