"""Reads the plain part of YAML that people write configuration of hook managers in, and refuses the rest.

A YAML package would be a dependency of every installation, for one command.
So this reads mappings and sequences in both their forms and scalars on one line; what a text in a block scalar says
is not read.
All else (anchors, tags, several documents, scalars over several lines) is :class:`Unclear`: never guessed.
A test compares it with PyYAML on texts of all sorts.
"""

import re
from dataclasses import dataclass

from eccmem import limits

Node = str | list["Node"] | dict[str, "Node"]
# Stands for a block scalar; no YAML holds this character.
BLOCK = "\0"

_UNREADABLE = re.compile("[\0\r\x85\u2028\u2029\ufeff]")
_DOCUMENT = re.compile(r"---|\.\.\.|%")
_KEY = re.compile(r"""([A-Za-z0-9_.][A-Za-z0-9_./-]*|"[^"\\]*"|'[^']*') *:(?: +(.*))?$""")
_DOUBLE = re.compile(r'"([^"\\]*)"(?: +#.*)?$')
_SINGLE = re.compile(r"'((?:[^']|'')*)'(?: +#.*)?$")
_BLOCK_HEAD = re.compile(r"[|>][-+]?(?: +#.*)?$")
# A character that means something at the beginning of a scalar; a dash does so only alone.
_INDICATOR = re.compile(r"""[]?:,[{}#&*!|>'"%@`]|-(?: |$)""")
_COMMENT = re.compile(r" +#.*$")
# In brackets, a scalar on one line; what follows it decides whether it was all.
_IN_FLOW = re.compile(
    r"""(?:"([^"\\\n]*)"|'((?:[^'\n]|'')*)'"""
    r"""|(-{0,2}[A-Za-z0-9_./](?:[A-Za-z0-9_./+=@~()-]| (?=[^ #\n])|:(?=[\w./]))*))"""
)
_PAIR = re.compile(r": +(?=[^ ])")


class Unclear(Exception):
    """This is more than plain YAML, or none."""


@dataclass(slots=True)
class _Line:
    indent: int
    text: str


def read(text: str) -> Node:
    """The value of a plain YAML text: scalars as they are written, nothing as the empty string.

    Raises:
        Unclear: when it is not all plain.
    """
    text = text.replace("\r\n", "\n")
    if _UNREADABLE.search(text):
        raise Unclear
    return _Reader(text.split("\n")).document()


class _Reader:
    """Goes down the lines; each method reads one thing and stops at the line after it."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = [_Line(len(line) - len(line.lstrip(" ")), line.strip(" ")) for line in lines]
        self.at = 0

    def document(self) -> Node:
        while self.lines[self.at].text[:1] in ("", "#") and self.at < len(self.lines) - 1:
            self.at += 1
        if self.lines[self.at] == _Line(0, "---"):
            self.at += 1
        first = self._peek()
        if first is None:
            return ""
        value = self._block(first.indent, 0)
        if self._peek() is not None:
            raise Unclear
        return value

    def _peek(self) -> _Line | None:
        """The next line that is neither blank nor a comment."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.text and not line.text.startswith("#"):
                if not line.text.isprintable() or (line.indent == 0 and _DOCUMENT.match(line.text)):
                    raise Unclear
                return line
            self.at += 1
        return None

    def _block(self, indent: int, depth: int) -> Node:
        line = self._peek()
        if line is None or line.indent != indent or depth > limits.YAML_DEPTH:
            raise Unclear
        return self._sequence(indent, depth) if _is_item(line.text) else self._mapping(indent, depth)

    def _mapping(self, indent: int, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while (line := self._peek()) and line.indent == indent:
            match = _KEY.match(line.text)
            if match is None:
                break  # an item of the sequence around it, or an error that the caller sees
            key = match[1][1:-1] if match[1][0] in "'\"" else match[1]
            if key in found:
                raise Unclear
            self.at += 1
            found[key] = self._value(match[2] or "", indent, depth, in_mapping=True)
        return found or _unclear()

    def _sequence(self, indent: int, depth: int) -> list[Node]:
        found: list[Node] = []
        while (line := self._peek()) and line.indent == indent and _is_item(line.text):
            rest = line.text[1:].lstrip(" ")
            if _KEY.match(rest):
                # A mapping that begins on the line of its dash is as far in as its first key.
                inner = indent + len(line.text) - len(rest)
                self.lines[self.at] = _Line(inner, rest)
                found.append(self._block(inner, depth + 1))
            else:
                self.at += 1
                found.append(self._value(rest, indent, depth, in_mapping=False))
        return found

    def _value(self, text: str, indent: int, depth: int, *, in_mapping: bool) -> Node:
        """What follows a key or a dash, on its line or below it."""
        if not text or text.startswith("#"):
            line = self._peek()
            beside = in_mapping and line is not None and line.indent == indent and _is_item(line.text)
            if line is not None and (line.indent > indent or beside):
                return self._block(line.indent, depth + 1)
            return ""
        if _BLOCK_HEAD.match(text):
            return self._block_scalar(indent)
        # Where it goes on below, no block has a line so far in, and the document is not read to its end.
        return self._flow(text, depth + 1) if text[0] in "[{" else _scalar(text)

    def _block_scalar(self, indent: int) -> str:
        inside = -1
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.text:
                if line.indent <= indent:
                    break
                if inside < 0:
                    inside = line.indent
                if line.indent < inside:
                    raise Unclear
            elif inside < 0 and line.indent > indent:
                raise Unclear  # blanks before the text can decide how far in it is
            self.at += 1
        return BLOCK

    def _flow(self, text: str, depth: int) -> Node:
        """A list in brackets or a mapping in braces, which may go over several lines."""
        flow = _Flow(text, self)
        value = flow.value(depth)
        if not re.fullmatch(r" *(?: #.*)?", flow.text[flow.at :]):
            raise Unclear
        return value

    def next_line(self) -> str:
        """The next line, as one within brackets."""
        if self.at >= len(self.lines):
            raise Unclear
        line = self.lines[self.at]
        if not line.text.isprintable() or (line.indent == 0 and _DOCUMENT.match(line.text)):
            raise Unclear
        self.at += 1
        return line.text


class _Flow:
    """Goes over what is in brackets, a line at a time."""

    def __init__(self, text: str, reader: _Reader) -> None:
        self.text = text
        self.at = 0
        self.reader = reader

    def _peek(self) -> str:
        """The next character that is no blank; lines are fetched for it."""
        while True:
            while self.at < len(self.text) and self.text[self.at] == " ":
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            self.text, self.at = self.reader.next_line(), 0

    def value(self, depth: int) -> Node:
        """A scalar, a list or a mapping."""
        if depth > limits.YAML_DEPTH:
            raise Unclear
        opening = self._peek()
        if opening not in "[{":
            return self._scalar()
        self.at += 1
        return self._list(depth) if opening == "[" else self._mapping(depth)

    def _list(self, depth: int) -> list[Node]:
        found: list[Node] = []
        while self._peek() != "]":
            found.append(self.value(depth + 1))
            self._separator("]")
        self.at += 1
        return found

    def _mapping(self, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while self._peek() != "}":
            key = self._scalar()
            pair = _PAIR.match(self.text, self.at)
            if pair is None or key in found:
                raise Unclear
            self.at = pair.end()
            found[key] = self.value(depth + 1)
            self._separator("}")
        self.at += 1
        return found

    def _separator(self, closing: str) -> None:
        if self._peek() == ",":
            self.at += 1
        elif self._peek() != closing:
            raise Unclear

    def _scalar(self) -> str:
        match = _IN_FLOW.match(self.text, self.at)
        if match is None:
            raise Unclear
        self.at = match.end()
        double, single, plain = match.groups()
        return str(double if double is not None else plain if plain is not None else single.replace("''", "'"))


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _scalar(text: str) -> str:
    if match := _DOUBLE.match(text):
        return match[1]
    if match := _SINGLE.match(text):
        return match[1].replace("''", "'")
    plain = _COMMENT.sub("", text)
    if _INDICATOR.match(plain) or ": " in plain or plain.endswith(":"):
        raise Unclear
    return plain


def _unclear() -> dict[str, Node]:
    raise Unclear
