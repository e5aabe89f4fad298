"""Where a document says its status: in frontmatter, a line at the top, a table, or a section of its own."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eccmem.artifacts.page import Heading, Page
from eccmem.artifacts.values import StatusSource
from eccmem.artifacts.words import KEYS

_BULLET = re.compile(r"[\s>]*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_EMPHASIS = re.compile(r"[*_`]{1,3}")
_COLON = re.compile(r"\s*(?:::|[:\uff1a=])\s*")
_DASH = re.compile(r"\s+[-\u2013\u2014]\s+")
_RULE_CELLS = re.compile(r"[|\s:+=-]*")


@dataclass(frozen=True, slots=True)
class Field:
    """The words of a status, as they stand, and where."""

    source: StatusSource
    lines: tuple[str, ...]


def statuses(page: Page) -> Iterator[Field]:
    """The places where a document may say its status, the best first."""
    matter = page.matter.get("status", page.matter.get("state"))
    if (text := _scalar(matter)) is not None:
        yield Field(StatusSource.FRONTMATTER, (text,))
    head = page.head
    yield from _in_lines(head)
    yield from _in_tables(head)
    for heading in page.headings:
        yield from _in_section(page, heading)


def _scalar(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 1:
        return _scalar(value[0])
    return None if value is None or isinstance(value, dict | list) else str(value)


def is_key(text: str) -> bool:
    """Whether words name a status."""
    plain = unicodedata.normalize("NFKD", _EMPHASIS.sub("", text).strip(" \t:.?!·").casefold())
    return "".join(char for char in plain if not unicodedata.combining(char)) in _PLAIN_KEYS


_PLAIN_KEYS = frozenset(
    "".join(char for char in unicodedata.normalize("NFKD", key.casefold()) if not unicodedata.combining(char))
    for key in KEYS
)


def _in_lines(head: Sequence[str]) -> Iterator[Field]:
    """``* Status: …``, ``**Status**: …``, ``Status: …`` as in the header of a mail, ``:Status: …``."""
    for number, line in enumerate(head):
        if "|" in line[:3]:
            continue
        bare = line[_indent(line) :].lstrip(":#= ")
        plain = bare.replace("**", "").replace("__", "").replace("`", "")
        split = _COLON.search(plain[:60]) or _DASH.search(plain[:60])
        if split and is_key(plain[: split.start()]):
            value = bare if split.end() >= len(plain) else _after(bare, plain[: split.start()].strip())
            if value.strip(" *_`"):
                header = line[:1].isalpha() or line.startswith("  ")
                yield Field(StatusSource.HEADER if header else StatusSource.LINE, (value, *_more(head, number)))
            elif following := next((text for text in head[number + 1 : number + 3] if text.strip()), ""):
                yield Field(StatusSource.LINE, (following,))


def _indent(line: str) -> int:
    """Where the words of a line begin, after signs of quotes and lists."""
    match = _BULLET.match(line)
    return match.end() if match else 0


def _after(bare: str, key: str) -> str:
    """What follows a key and its colon, with its own markup."""
    at = bare.casefold().find(key.casefold()) + len(key)
    return bare[at:].lstrip("*_` \t").lstrip(":\uff1a=\u2013\u2014-").lstrip("*_` \t") if at >= len(key) else ""


def _more(head: Sequence[str], number: int) -> Iterator[str]:
    """The lines that continue a field: indented under it."""
    for line in head[number + 1 : number + 4]:
        if not line.strip() or not line[0].isspace() or _indent(line) > len(line) - len(line.lstrip()):
            return
        yield line


def cells(line: str) -> list[str] | None:
    """The cells of a row of a table, or None for another line."""
    bare = line.lstrip(" >\t").rstrip()
    if not bare.startswith("|") and bare.count("|") < 1:
        return None
    return [cell.strip() for cell in bare.strip("|").split("|")][:20]


def _in_tables(head: Sequence[str]) -> Iterator[Field]:
    """A row whose first cell is the key, or a column below it; in RST and AsciiDoc also cells on lines of their own."""
    for number, line in enumerate(head):
        row = cells(line)
        if row and len(row) > 1:
            for at, cell in enumerate(row):
                if not is_key(cell):
                    continue
                below = _column(head, number, at)
                if below:
                    yield Field(StatusSource.TABLE, (below,))
                elif at + 1 < len(row) and row[at + 1].strip("-: "):
                    yield Field(StatusSource.TABLE, (row[at + 1],))
        elif (bare := line.strip()).startswith(("| ", "* - ")) and is_key(bare.lstrip("|*- ")):
            following = head[number + 1].strip() if number + 1 < len(head) else ""
            if following.startswith(("|", "-")):
                yield Field(StatusSource.TABLE, (following.lstrip("|- "),))


def _column(head: Sequence[str], number: int, at: int) -> str:
    """The cell below a cell of a header."""
    after = head[number + 1 : number + 3]
    if len(after) < 2 or not after[0].strip() or not _RULE_CELLS.fullmatch(after[0].lstrip(" >")):  # noqa: PLR2004
        return ""
    row = cells(after[1])
    return row[at] if row and at < len(row) else ""


def _in_section(page: Page, heading: Heading) -> Iterator[Field]:
    """``## Status`` and what is below it, or ``## Status: …`` alone."""
    text = _EMPHASIS.sub("", heading.text)
    text = re.sub(r"^[\d.]{1,8}\s+", "", text)
    split = _COLON.search(text[:60])
    if split and is_key(text[: split.start()]) and text[split.end() :].strip():
        yield Field(StatusSource.SECTION, (text[split.end() :],))
    elif is_key(text):
        found = tuple(line for line in page.below(heading) if line.strip())
        if found:
            yield Field(StatusSource.SECTION, found[:40])
