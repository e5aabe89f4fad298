"""The patch that retires a memory: eccmem never edits one, so a person applies it."""

import difflib
import re

from eccmem import document, listing
from eccmem.document import Document, InvalidDocument
from eccmem.errors import EccmemError, Refused
from eccmem.files import FileProblem
from eccmem.model import Status
from eccmem.vault import Stored

_NO_NEWLINE = b"\n\\ No newline at end of file\n"
# The value of a field on its line: the key, the colon and all white space around stay as they are.
_VALUE = re.compile(rb'^([^:]*:[^"]*)"[^"]*"')
_QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def patch(stored: Stored, status: Status, now: str) -> bytes:
    """Return a unified diff that changes ``status`` and ``updated_at`` of one memory, and nothing else.

    It applies with ``git apply`` at the top of the checkout (project and team scope), or with ``patch -p1`` in the
    home folder (user scope).

    Args:
        stored: the memory, in its place.
        status: what it becomes.
        now: the new ``updated_at``.

    Raises:
        Refused: when the memory is retired already.
        EccmemError: when the file changed or vanished meanwhile.
    """
    if stored.memory.status is not Status.ACTIVE:
        raise Refused(
            "already-retired",
            f"memory {stored.memory.id} is {stored.memory.status} already",
            "save a new memory if it is true again",
        )
    before = _reread(stored).split(b"\n")
    after = list(before)
    for field, value in (("status", status.value), ("updated_at", now)):
        index = stored.lines[field] - 1
        after[index] = _VALUE.sub(rb'\g<1>"' + value.encode() + b'"', before[index])
    path = patch_path(stored)
    header = f"--- {_sided('a', path)}\n+++ {_sided('b', path)}\n"
    return header.encode() + _hunks(before, after)


def patch_path(stored: Stored) -> str:
    """The path of a memory as its patch names it: from the checkout, the home folder, or the override."""
    root = stored.place.root
    if root.shown.endswith(":"):
        return "/".join((*root.parts, stored.place.relative))
    return f"{root.shown}{stored.place.relative}"


def _reread(stored: Stored) -> bytes:
    """The bytes of the file, if they still hold the same memory."""
    try:
        _, data = listing.read_at(stored.place.root, stored.place.relative)
        if document.load(data) == Document(stored.memory, stored.lines):
            return data
    except (FileProblem, InvalidDocument):
        pass
    raise EccmemError("changed-meanwhile", f"{stored.place.shown} changed meanwhile", "run the command again")


def _hunks(before: list[bytes], after: list[bytes]) -> bytes:
    """The hunks of a diff of two texts that were split at LF alone, so that each has an unended last line."""
    left, right = ([*(line + b"\n" for line in text[:-1]), *filter(None, text[-1:])] for text in (before, after))
    lines = difflib.diff_bytes(difflib.unified_diff, left, right, b"", b"", lineterm=b"\n")
    header_lines = 2
    return b"".join(line if line.endswith(b"\n") else line + _NO_NEWLINE for line in list(lines)[header_lines:])


def _sided(side: str, path: str) -> str:
    """A path as Git writes it in a patch: in double quotes, escaped, when it holds odd characters."""
    full = f"{side}/{path}"
    if full.isascii() and full.isprintable() and not set(full) & {'"', "\\", " "}:
        return full
    return '"' + "".join(_octal(byte) for byte in full.encode("utf-8", "surrogateescape")) + '"'


def _octal(byte: int) -> str:
    character = chr(byte)
    if character in _QUOTED:
        return _QUOTED[character]
    return character if 0x20 <= byte < 0x7F else f"\\{byte:03o}"  # noqa: PLR2004 - printable ASCII
