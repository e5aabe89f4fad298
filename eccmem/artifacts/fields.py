"""Where a document says its status: in frontmatter, a line at the top, a table, or a section of its own."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from eccmem import limits
from eccmem.artifacts.markup import folded, plain, units
from eccmem.artifacts.page import Page
from eccmem.artifacts.values import StatusSource
from eccmem.artifacts.words import BY_KEYS, KEYS, OF_KEYS, is_placeholder

_BULLET = re.compile(r"[\s>]*(?:[-*+\u2022]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
# Signs around a name: emphasis, a picture, what is left of a table.
_OUTSIDE = re.compile(r"\A[\W_]+|[\W_]+\Z")
_HTML_CELL = re.compile(r"(?:</?t[dhr][^<>]{0,100}>\s*)+", re.IGNORECASE)
_COLON = re.compile(r"\s*(?:::|[:\uff1a=])\s*")
_DASH = re.compile(r"\s+[-\u2013\u2014]\s+")
_RULE = re.compile(r"[|\s:+=-]*")
_KEY_CHARS = 60
_CELLS = 20
# Sections of these names are about the subject of the document.
_OF_OTHERS = frozenset({"state", "current status", "current state"})
_SECTION_LINES = 200
_NOTE_LINES = 25


class Says(Enum):
    """What the words of a field are about."""

    STATUS = "status"
    BY = "by"
    OF = "of"


@dataclass(frozen=True, slots=True)
class Field:
    """The words of a field, as they stand, what they are about, and where they stand."""

    says: Says
    source: StatusSource
    lines: tuple[str, ...]


_SAYS = {
    folded(key): says for says, keys in ((Says.STATUS, KEYS), (Says.BY, BY_KEYS), (Says.OF, OF_KEYS)) for key in keys
}


def key(text: str) -> Says | None:
    """What a field of this name is about; None for any other."""
    return _SAYS.get(folded(_OUTSIDE.sub("", text[: 2 * _KEY_CHARS])))


def fields(page: Page) -> Iterator[Field]:
    """The fields of a document, those first that count most where several say a status."""
    for name, value in page.matter.items():
        says = key(name.replace("_", " ")) or key(name)
        if says is not None:
            yield from (Field(says, StatusSource.FRONTMATTER, (text,)) for text in texts(value))
    yield from _in_lines(page.head)
    yield from _in_tables(page.head)
    for number in range(len(page.headings)):
        yield from _in_section(page, number)


def texts(value: object) -> list[str]:
    """The texts of a value of YAML: itself, or those in a list or right below a key."""
    if isinstance(value, dict):  # also what braces without quotes come to: ``{proposed}``
        value = [item for pair in value.items() for item in pair if item is not None]
    flat = value if isinstance(value, list) else [value]
    return [str(item) for item in flat[: limits.ARTIFACT_SUCCESSORS] if isinstance(item, str | int)]


def _in_lines(head: Sequence[str]) -> Iterator[Field]:
    """``* Status: …``, ``**Status**: …``, ``Status: …`` as in the header of a mail, ``:Status: …``."""
    for number, line in enumerate(head):
        if line.lstrip(" >")[:1] == "|" or not line.strip():
            continue
        split = split_line(line)
        if split is None and head[number + 1 : number + 2] and head[number + 1].startswith(":"):
            split = split_line(f"{line.strip()}{head[number + 1]}")  # a list of definitions
        if split is None:
            continue
        says, value = split
        if value:
            header = line[:1].isalpha() or line.startswith("  ")
            source = StatusSource.HEADER if header else StatusSource.LINE
            yield Field(says, source, (value, *_more(head, number)))
            continue
        following = next((text for text in head[number + 1 : number + 3] if text.strip()), "")
        if following and split_line(following) is None and not _COLON.search(plain(following)[:20]):
            yield Field(says, StatusSource.LINE, (following,))


def split_line(line: str) -> tuple[Says, str] | None:
    """What a line of a key and a value is about, and the value with its markup; None for another line."""
    match = _BULLET.match(line)
    bare = line[match.end() if match else 0 :].lstrip(":#= ")
    short = bare[: 2 * _KEY_CHARS]
    for pattern in (_COLON, _DASH):
        for split in list(pattern.finditer(short))[:2]:
            says = key(short[: split.start()])
            if says is not None:
                return says, bare[split.end() :].lstrip("*_` \t:\uff1a").strip()
    return None


def _more(head: Sequence[str], number: int) -> Iterator[str]:
    """The lines that continue a field: indented under it, and no items or fields of their own."""
    for line in head[number + 1 : number + 5]:
        if not line.strip() or not line[0].isspace() or split_line(line) or line.lstrip()[:2] in ("- ", "* ", "+ "):
            return
        if _COLON.search(line[:30]):
            return
        yield line


def cells(line: str) -> list[str] | None:
    """The cells of a row of a table, or None for another line."""
    bare = line.lstrip(" >\t").rstrip()
    if bare[:2].lower() == "<t":
        bare = _HTML_CELL.sub("|", bare)
    if bare.count("|") < 1 + bare.startswith("|"):
        return None
    return [cell.strip() for cell in bare.strip("|").split("|", _CELLS)[:_CELLS]]


def _in_tables(head: Sequence[str]) -> Iterator[Field]:
    """A row whose first cell is the key, or a column below it; in RST and AsciiDoc also cells on lines of their own."""
    for number, line in enumerate(head):
        row = cells(line)
        if row and len(row) > 1:
            for at, cell in enumerate(row):
                says = key(cell)
                if says is None:
                    continue
                for value in (_column(head, number, at), row[at + 1] if at + 1 < len(row) else ""):
                    if value.strip("-: ") and key(value) is None:
                        yield Field(says, StatusSource.TABLE, (value,))
        elif (bare := line.strip()).startswith(("|", "* -")) and (says := key(bare.lstrip("|*- "))):
            following = head[number + 1].strip() if number + 1 < len(head) else ""
            if following.startswith(("|", "-")) and following.strip("|- "):
                yield Field(says, StatusSource.TABLE, (following.lstrip("|- "),))


def _column(head: Sequence[str], number: int, at: int) -> str:
    """The cell below a cell of a header."""
    after = head[number + 1 : number + 3]
    if len(after) < 2 or not after[0].strip() or not _RULE.fullmatch(after[0].lstrip(" >")):  # noqa: PLR2004
        return ""
    row = cells(after[1])
    return row[at] if row and at < len(row) else ""


def _in_section(page: Page, number: int) -> Iterator[Field]:
    """``## Status`` and what is below it, or ``## Status: …`` alone."""
    text = re.sub(r"^[\d.]{1,8}\s+", "", page.headings[number].text)
    split = split_line(text)
    if split and split[1]:
        yield Field(split[0], StatusSource.SECTION, (split[1],))
    elif (says := split[0] if split else key(text)) is not None and folded(text) not in _OF_OTHERS:
        found = page.below(number, _SECTION_LINES)
        if any(line.strip() for line in found):
            yield Field(says, StatusSource.SECTION, found)


def head_notes(page: Page) -> Iterator[Field]:
    """The paragraphs at the top, each by itself, in the box or quotation that it may stand in."""
    for unit in units(line.lstrip("!") for line in page.head[:_NOTE_LINES]):
        if not is_placeholder(unit) and split_line(unit) is None:
            yield Field(Says.STATUS, StatusSource.HEAD_NOTE, (unit,))
