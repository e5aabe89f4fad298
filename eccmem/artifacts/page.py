"""A document as the readers of statuses see it: its lines without code and comments, its headings, its frontmatter."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eccmem import limits
from eccmem.artifacts import yamltext

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LINE_END = re.compile("\r\n?|[\u0085\u2028\u2029\v\f]")
_ASCII_ENDS = "\r\v\f"
# What begins code or a comment; most documents have neither.
_HIDING = ("```", "~~~", "<!--")
_ADORNMENT = re.compile(r"([=\-~^\"'`+*#.:_])\1+\Z")
# A line of frontmatter: a key, a colon, the rest.
_KEY_LINE = re.compile(r"([A-Za-z][\w-]{0,40})[ \t]*:(?:[ \t]+|\Z)(.*)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1, its text, and the numbers of its first line and of the first line below it."""

    level: int
    text: str
    line: int
    below: int


@dataclass(frozen=True, slots=True)
class Page:
    """A document.

    Attributes:
        lines: its text, without frontmatter; code and comments are blank lines.
        headings: in order.
        matter: its frontmatter, with lower case keys; a text for what is no YAML.
    """

    lines: tuple[str, ...]
    headings: tuple[Heading, ...]
    matter: Mapping[str, Any]

    def below(self, number: int, most: int) -> tuple[str, ...]:
        """The lines from the heading of a number to the next one, so many at most."""
        following = self.headings[number + 1 : number + 2]
        start, end = self.headings[number].below, following[0].line if following else len(self.lines)
        return self.lines[start : min(end, start + most)]

    @property
    def head(self) -> tuple[str, ...]:
        """The lines before the second heading, or before the first when that comes late."""
        ends = [heading.line for heading in self.headings[1:2]]
        return self.lines[: min([*ends, limits.ARTIFACT_HEAD_LINES])]


def page(path: str, data: bytes) -> Page:
    """Take a document apart."""
    text = decode(data)
    if not text.isascii() or any(end in text for end in _ASCII_ENDS):
        text = _LINE_END.sub("\n", text)
    matter, rest = _matter(text)
    ending = path.rpartition(".")[2].lower()
    lines = rest.split("\n", limits.ARTIFACT_LINES)[: limits.ARTIFACT_LINES]
    if ending in ("adoc", "asciidoc"):
        lines = list(_asciidoc(lines))
    elif any(mark in rest for mark in _HIDING):
        lines = list(_visible(lines))
    shown = tuple(line[: limits.ARTIFACT_LINE_CHARS] for line in lines)
    return Page(shown, tuple(_headings(shown, ending)), matter)


def decode(data: bytes) -> str:
    """The text of a document, whatever its bytes are."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    return data.decode("utf-8", "replace")


def _matter(text: str) -> tuple[Mapping[str, Any], str]:
    start = text.lstrip()
    first, _, after = start.partition("\n")
    fence = first.rstrip()
    if fence not in ("---", "+++"):
        return {}, text
    end = re.search(rf"^{re.escape(fence)}[ \t]*$", after[: limits.FRONTMATTER_CHARS], re.MULTILINE)
    if end is None:
        return {}, text
    block, rest = after[: end.start()], after[end.end() :]
    try:
        values = tomllib.loads(block) if fence == "+++" else yamltext.frontmatter(f"---\n{block}---\n")[0]
    except (yamltext.NotRead, ValueError, RecursionError):
        values = _by_line(block)
    return {key.strip().lower(): value for key, value in values.items()}, rest


def _by_line(block: str) -> dict[str, Any]:
    """The keys at the margin of what is no YAML, such as a link without quotes (MADR 3); the first of a name counts."""
    found: dict[str, Any] = {}
    for line in block.split("\n"):
        match = _KEY_LINE.match(line)
        if match:
            found.setdefault(match[1], match[2].strip().strip("\"'"))
    return found


def _visible(lines: Sequence[str]) -> Iterator[str]:
    """The lines, blank where they are code between fences or a comment of HTML."""
    fence = ""
    hidden = False
    for line in lines:
        bare = line.lstrip(" >\t")
        if fence:
            if bare.startswith(fence) and not bare.strip().strip(fence[0]):
                fence = ""
            yield ""
        elif not hidden and bare.startswith(("```", "~~~")) and "`" not in bare.lstrip(bare[0]):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            yield ""
        else:
            shown, hidden = _uncommented(line, hidden=hidden)
            yield shown


def _uncommented(line: str, *, hidden: bool) -> tuple[str, bool]:
    parts = []
    at = 0
    while True:
        mark = "-->" if hidden else "<!--"
        end = line.find(mark, at)
        if not hidden:
            parts.append(line[at:] if end < 0 else line[at:end])
        if end < 0:
            return "".join(parts), hidden
        hidden = not hidden
        at = end + len(mark)


def _asciidoc(lines: Sequence[str]) -> Iterator[str]:
    block = ""
    for line in lines:
        bare = line.rstrip()
        if block:
            if bare == block:
                block = ""
            yield ""
        elif re.fullmatch(r"(?:/{4,}|-{4,}|\.{4,})", bare):
            block = bare
            yield ""
        else:
            yield "" if bare.startswith("//") else line


def _headings(lines: Sequence[str], ending: str) -> Iterator[Heading]:
    levels: list[str] = []
    sign = {"adoc": "=", "asciidoc": "=", "mediawiki": "=", "org": "*", "rst": ""}.get(ending, "#")
    for number, line in enumerate(lines):
        first = line.lstrip()[:1]
        if not first or first.isalnum():
            continue
        marked = _marked(line, sign) if first == sign else None
        if marked:
            yield Heading(marked[0], marked[1], number, number + 1)
            continue
        level = _underlined(lines, number, ending, levels)
        if level:
            yield Heading(level, lines[number - 1].strip(), number - 1, number + 1)


def _marked(line: str, sign: str) -> tuple[int, str] | None:
    """The level and text of a heading with signs before it."""
    bare = line.strip()
    text = bare.lstrip(sign)
    level = len(bare) - len(text)
    if level > 6 or not text[:1].isspace():  # noqa: PLR2004
        return None
    return level, text.rstrip(f"{sign} \t").strip()


def _underlined(lines: Sequence[str], number: int, ending: str, levels: list[str]) -> int:
    """The level of the heading whose underline a line is, or 0."""
    line = lines[number].rstrip()
    if not number or not _ADORNMENT.match(line) or (ending != "rst" and line[0] not in "=-"):
        return 0
    above = lines[number - 1].strip()
    if (
        not above
        or _ADORNMENT.match(above)
        or above[0] in "|>-*+#"
        or (ending != "rst" and _is_paragraph(lines, number))
    ):
        return 0
    if ending == "rst":
        if len(line) < min(len(above), 4):
            return 0
        if line[0] not in levels:
            levels.append(line[0])
        return levels.index(line[0]) + 1
    return 1 if line[0] == "=" else 2


def _is_paragraph(lines: Sequence[str], number: int) -> bool:
    """Whether what is underlined has more than one line: then the line is a rule, or ends something."""
    return number > 1 and bool(lines[number - 2].strip())
