"""Writes an entry into a project's file of a harness, and takes it out again: whole or not at all, no link followed.

These are files of others: only what can be undone to the byte is written, and all else is refused.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from eccmem import limits
from eccmem.errors import Refused
from eccmem.files import SHARED, FileProblem, writing
from eccmem.finding import SkipReason
from eccmem.mcpconfig import as_json, as_toml
from eccmem.mcpconfig.harness import SERVER, Entry, Foreign, Harness, yaml_snippet
from eccmem.tree import FOLDER, AnyFolder

_BOM = "\ufeff"
# What the program of an entry of ours is called; the last two are what older and other set-ups name.
_PROGRAMS = frozenset({"eccmem-mcp", "eccmem-mcp.exe", "eccmem", "eccmem.exe"})


class Outcome(StrEnum):
    """What became of the file."""

    MADE = "made"
    ADDED = "added"
    THERE = "there already"
    REMOVED = "removed"
    DELETED = "deleted, it held nothing else"
    ABSENT = "there was none"


@dataclass(frozen=True, slots=True)
class _Text:
    """A configuration as text, with the byte order mark that it may begin with."""

    text: str
    bom: str = ""

    @property
    def data(self) -> bytes:
        return f"{self.bom}{self.text}".encode()


def shown(harness: Harness) -> str:
    """The project's file, relative to the checkout; nothing where the harness reads none."""
    return "/".join(harness.project)


def add(checkout: Path, harness: Harness, entry: Entry) -> Outcome:
    """Put an entry into the project's file of a harness.

    Args:
        checkout: the top of the working tree.
        harness: whose file.
        entry: as :attr:`Harness.entry` makes it.

    Raises:
        Refused: ``foreign-config`` when the file is not one that this can be done to; nothing was written.
        EccmemError: when the machine does not let us, or ``unsafe-path`` for a link.
    """
    _refuse_without_file(checkout, harness)
    with writing(shown(harness)):
        data = _read(checkout, harness)
        if data is None:
            with _open(checkout, harness, make=True) as folder:
                try:
                    folder.create(harness.project[-1], snippet(harness, entry).encode(), 0o666)
                except FileExistsError:
                    raise _refused(harness, "it was made by another program just now") from None
            return Outcome.MADE
        before = _decoded(harness, data)
        with _refusing(harness):
            after = _with(harness, before, entry)
        if after == before:
            return Outcome.THERE
        with _open(checkout, harness) as folder:
            folder.swap(harness.project[-1], data, after.data)
    return Outcome.ADDED


def _with(harness: Harness, before: _Text, entry: Entry) -> _Text:
    there = _found(harness, before.text)
    if there == dict(entry):
        return before
    if there is not None:
        raise Foreign(f"it has another entry called {SERVER}, which --remove would take out")
    after = _Text(_added(harness, before.text, entry), before.bom)
    if _removed(harness, after.text, entry) != before.text:
        raise Foreign("the entry could not be taken out again to the byte")
    return after


def remove(checkout: Path, harness: Harness) -> Outcome:
    """Take our entry out of the project's file of a harness, and the file away where it held nothing else.

    Raises:
        Refused: ``foreign-config`` as :func:`add`, or when the entry is not one of ours.
        EccmemError: as :func:`add`.
    """
    _refuse_without_file(checkout, harness)
    with writing(shown(harness)):
        data = _read(checkout, harness)
        if data is None:
            return Outcome.ABSENT
        before = _decoded(harness, data)
        with _refusing(harness):
            if (entry := _found(harness, before.text)) is None:
                return Outcome.ABSENT
            after = _without(harness, before, entry)
        with _open(checkout, harness) as folder:
            folder.swap(harness.project[-1], data, after.data if after else None)
    return Outcome.REMOVED if after else Outcome.DELETED


def _without(harness: Harness, before: _Text, entry: object) -> _Text | None:
    """The text without an entry; None where there is nothing else, and we made the file."""
    if not isinstance(entry, dict) or not _is_ours(entry):
        raise Foreign(f"its entry {SERVER} does not start our program")
    if before == _Text(snippet(harness, entry)):
        return None
    return _Text(_removed(harness, before.text, entry), before.bom)


def _is_ours(entry: Entry) -> bool:
    command = entry.get("command")
    program = command[0] if isinstance(command, list) and command else command
    return isinstance(program, str) and program.replace("\\", "/").rpartition("/")[2] in _PROGRAMS


def _refuse_without_file(checkout: Path, harness: Harness) -> None:
    if not harness.project or harness.form not in ("json", "toml"):
        raise Refused(
            "no-project-file",
            f"{harness.title} reads no file of a project, and the person's own is not ours to write",
            f"put the snippet into {harness.personal}",
        )
    for name in harness.also:
        if os.path.lexists(checkout / name):
            raise _refused(harness, f"{harness.title} is configured in {name} there")


def _refused(harness: Harness, why: str) -> Refused:
    hint = f"eccmem mcp-config {harness.name} prints what to put in by hand"
    return Refused("foreign-config", f"{shown(harness)} stays as it is: {why}", hint)


# --- The two forms --------------------------------------------------------------------------------------------


@contextmanager
def _refusing(harness: Harness) -> Iterator[None]:
    try:
        yield
    except Foreign as why:
        raise _refused(harness, str(why)) from None


def snippet(harness: Harness, entry: Entry) -> str:
    """An entry in its container, as a whole text of the harness's form."""
    if harness.form == "yaml":
        return yaml_snippet(harness, entry)
    form = as_toml.snippet if harness.form == "toml" else as_json.snippet
    return form(harness.container, SERVER, entry)


def _found(harness: Harness, text: str) -> object:
    form = as_toml.found if harness.form == "toml" else as_json.found
    return form(text, harness.container, SERVER)


def _added(harness: Harness, text: str, entry: Entry) -> str:
    form = as_toml.added if harness.form == "toml" else as_json.added
    return form(text, harness.container, SERVER, entry)


def _removed(harness: Harness, text: str, entry: Entry) -> str:
    if harness.form == "toml":
        return as_toml.removed(text, harness.container, SERVER, entry)
    return as_json.removed(text, harness.container, SERVER)


# --- The file -------------------------------------------------------------------------------------------------


def _open(checkout: Path, harness: Harness, *, make: bool = False) -> AnyFolder:
    folder: AnyFolder = FOLDER.open_base(checkout)
    for name in harness.project[:-1]:
        with folder:
            folder = folder.make(name, SHARED) if make else folder.folder(name)
    return folder


def _read(checkout: Path, harness: Harness) -> bytes | None:
    """The content of the file; None where there is none.

    Raises:
        FileProblem: for a link, and for what is no file.
        Refused: for one that is too large.
    """
    with suppress(FileNotFoundError), _open(checkout, harness) as folder:
        try:
            return folder.read(harness.project[-1], limits.CONFIG_BYTES)
        except FileProblem as problem:
            if problem.reason is SkipReason.TOO_LARGE:
                raise _refused(harness, f"it has more than {limits.CONFIG_BYTES} bytes") from None
            if problem.reason is not SkipReason.VANISHED:
                raise
    return None


def _decoded(harness: Harness, data: bytes) -> _Text:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise _refused(harness, "it is not UTF-8") from None
    return _Text(text.removeprefix(_BOM), _BOM if text.startswith(_BOM) else "")
