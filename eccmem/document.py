"""Bytes of a memory file to a Memory, and back.

The form is strict: a frontmatter of thirteen lines ``key: JSON value`` between two lines ``---``, then the body.
It looks like YAML and is not: a YAML reader would turn ``no`` into false and ``1.10`` into 1.1.
What :func:`serialize` writes is byte for byte what the reference implementation writes.
"""

import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from eccmem import limits
from eccmem.model import FRONTMATTER_KEYS, SCHEMA, TRUST, InvalidMemory, Memory, normalise
from eccmem.text import leading_space, trim

_OPENING = re.compile(r"---\r?\n")
_CLOSING = re.compile(r"\r?\n---(?=\r?\n|\Z)")
_LINE_END = re.compile(r"\r?\n")
_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)")
IN_CONFLICT = "merge conflict marker: resolve the conflict, keeping one side"
# What `git lfs` commits in the place of a file (its specification, version 1).
_LFS = "version https://git-lfs.github.com/spec/"
_KNOWN_LOOSELY = {key.replace("_", ""): key for key in FRONTMATTER_KEYS}
_NOT_LETTERS = re.compile("[^a-z]+")
_LISTS = ("target_harnesses", "tags", "links")
_BOM = "\ufeff"
# As everybody writes them: no space or escape where JSON would allow one.
_USUAL_ID = re.compile(rb'\nid: "(mem_[a-z0-9_-]+)"\r?\n')
_USUAL_LINKS = re.compile(rb'\nlinks: (\[\]|\["mem_[a-z0-9_-]+"(?:, ?"mem_[a-z0-9_-]+")*\])\r?\n')
_ANY_ID = re.compile("mem_[a-z0-9_-]+")


def _refuse_constant(_name: str) -> object:
    raise ValueError  # Python's reader takes NaN and Infinity; JSON has neither


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a document: the line, what is wrong, how to mend it; never text of the document."""

    line: int
    message: str
    field: str = dataclasses.field(default="", compare=False)  # the index does not keep it


class InvalidDocument(ValueError):
    """A file that is no memory, with every problem found."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(f"line {problems[0].line}: {problems[0].message}")
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Document:
    """A memory with the line of each frontmatter key and of ``body``, for findings."""

    memory: Memory
    lines: Mapping[str, int]


def parse(data: bytes) -> Memory:
    """Return the memory that a file holds.

    Raises:
        InvalidDocument: with the line of every problem.
    """
    return load(data).memory


def load(data: bytes) -> Document:
    """As :func:`parse`, with the line of each field."""
    source = _decode(data)
    opening = _OPENING.match(source)
    if not opening:
        raise InvalidDocument(Problem(1, _why_no_opening(source)))
    start = opening.end()
    closing = _CLOSING.search(source, start)
    if not closing:
        raise InvalidDocument(_why_no_closing(source[start:]))
    values, lines = _frontmatter(source[start : closing.start()])
    body = source[closing.end() :]
    values["body"] = body
    blank = leading_space(body) if trim(body) else 0
    lines["body"] = source.count("\n", 0, closing.end() + blank) + 1
    try:
        return Document(normalise(values), lines)
    except InvalidMemory as error:
        problems = (
            Problem(lines[problem.field] + problem.below, problem.message, problem.field) for problem in error.problems
        )
        raise InvalidDocument(*problems) from None


def glance(data: bytes) -> tuple[str, tuple[str, ...]] | None:
    """The id and the links of a document in the usual form, unjudged; None where only :func:`load` can say.

    For a vault of thousands of which a commit touches one: this takes a tenth of the time.
    """
    head = data[: data.find(b"\n---", 4) + 1]
    found, links = _USUAL_ID.search(head), _USUAL_LINKS.search(head)
    if not found or not links:
        return None
    return found[1].decode(), tuple(_ANY_ID.findall(links[1].decode()))


def serialize(memory: Memory) -> bytes:
    """Return the one canonical form of a memory: LF, no byte order mark, a newline at the end."""
    values: dict[str, object] = {name: getattr(memory, name, None) for name in FRONTMATTER_KEYS}
    values |= {"schema": SCHEMA, "trust": TRUST}
    metadata = "\n".join(f"{key}: {_json(value)}" for key, value in values.items())
    return f"---\n{metadata}\n---\n\n{memory.body}\n".encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _decode(data: bytes) -> str:
    if len(data) > limits.DOCUMENT_BYTES:
        raise InvalidDocument(
            Problem(1, f"the file is too large: at most {limits.DOCUMENT_BYTES} bytes; split the memory in two")
        )
    try:
        return data.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InvalidDocument(Problem(1, "the file is UTF-16: save it as UTF-8")) from None
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidDocument(Problem(line, "the file is not valid UTF-8: save it as UTF-8")) from None


def _why_no_opening(source: str) -> str:
    if not source:
        return "the file is empty: a memory starts with a line ---"
    if source.startswith(_BOM):
        return "the file starts with two byte order marks: remove them"
    if _CONFLICT.match(source):
        return IN_CONFLICT
    if source.startswith(_LFS):
        return "a Git LFS pointer instead of the memory: take the vault out of LFS, and add the file again"
    if "\0" in source[:4]:
        return "the file is UTF-16 or binary: save it as UTF-8"
    return "a memory starts with a line that is exactly ---"


def _why_no_closing(rest: str) -> Problem:
    lines = _LINE_END.split(rest)
    if lines[0] == "---":
        return Problem(2, "the frontmatter is empty: it has thirteen fields")
    for number, line in enumerate(lines, 2):
        if line.rstrip() in {"---", "..."}:
            return Problem(number, "the frontmatter ends with a line that is exactly ---, without spaces")
    return Problem(1, "the frontmatter has no end: put a line --- between the last field and the body")


def _frontmatter(source: str) -> tuple[dict[str, object], dict[str, int]]:
    values: dict[str, object] = {}
    lines: dict[str, int] = {}
    problems = []
    for number, line in enumerate(_LINE_END.split(source), 2):
        key, colon, raw = line.partition(":")
        key = trim(key)
        if not colon or key not in FRONTMATTER_KEYS:
            problems.append(Problem(number, _why_no_field(line, key, colon)))
        elif key in lines:
            problems.append(Problem(number, f"{key} is given twice, first on line {lines[key]}: keep one"))
        else:
            lines[key] = number
            try:
                values[key] = _DECODER.decode(trim(raw))
            except (ValueError, RecursionError):
                problems.append(Problem(number, _why_no_value(key, trim(raw))))
    missing = [key for key in FRONTMATTER_KEYS if key not in lines]
    if missing and not problems:
        problems.append(Problem(1, f"missing {'field' if len(missing) == 1 else 'fields'}: {', '.join(missing)}"))
    if problems:
        raise InvalidDocument(*problems)
    return values, lines


def _why_no_field(line: str, key: str, colon: str) -> str:  # noqa: PLR0911 - one return for each reason
    stripped = trim(line)
    if _CONFLICT.match(line):
        return IN_CONFLICT
    if not stripped:
        return "a blank line in the frontmatter: remove it"
    if stripped.startswith("#"):
        return "a comment in the frontmatter: remove it"
    if stripped.startswith("- ") or stripped == "-":
        return 'a YAML list: write the list on the line of its field, as JSON, such as ["a","b"]'
    if not colon:
        return "not a field: each line of the frontmatter is key: value"
    if known := _KNOWN_LOOSELY.get(_NOT_LETTERS.sub("", key.lower())):
        return f"unknown field: write it as {known}"
    return "unknown field: remove it, a memory has only the fields of the format"


def _why_no_value(key: str, raw: str) -> str:
    if not raw:
        return f"{key} has no value: write it as JSON on the same line"
    if raw.startswith("[") and key in _LISTS:
        return f'{key} must be a JSON list: put each item in double quotes, such as ["a","b"]'
    if raw.startswith("'"):
        return f"the value of {key} must be JSON: use double quotes instead of single ones"
    if raw.startswith('"'):
        return f"the value of {key} is not valid JSON: check its quotes and backslashes"
    return "a value must be JSON: put it in double quotes"
