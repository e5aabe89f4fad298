"""Bytes to a memory and back: what is wrong is said by line, whole, and without a word of the document."""

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from builders import MEMORY
from eccmem import limits
from eccmem.document import InvalidDocument, load, parse, serialize
from eccmem.model import FRONTMATTER_KEYS, Kind, Memory, Scope, Status
from eccmem.text import trim

LINES = serialize(MEMORY).decode().split("\n")  # an opening, 13 fields, a closing, a blank line, a body
CLOSING = LINES.index("---", 1) + 1
BODY = LINES.index(MEMORY.body) + 1


def where(key: str) -> int:
    """The line of a field in the canonical form, counted from 1."""
    return FRONTMATTER_KEYS.index(key) + 2


def document(*changes: tuple[int, str | list[str] | None], newline: str = "\n") -> bytes:
    """The canonical form with lines replaced (by several, or by none); lines are counted from 1."""
    lines: list[str | list[str] | None] = [*LINES]
    for number, new in changes:
        lines[number - 1] = new
    flat = [each for line in lines for each in (line if isinstance(line, list) else [line]) if each is not None]
    return newline.join(flat).encode()


def problems(data: bytes) -> list[str]:
    """What is said about a document that is no memory, as ``line N: …``."""
    with pytest.raises(InvalidDocument) as caught:
        parse(data)
    found = [f"line {problem.line}: {problem.message}" for problem in caught.value.problems]
    assert str(caught.value) == found[0]
    return found


# --- What is said about a document that is no memory ----------------------------------------------------------

TITLE, TAGS, KIND = where("title"), where("tags"), where("kind")
CONFLICT = ["<<<<<<< ours", 'title: "Ours"', "=======", 'title: "Theirs"', ">>>>>>> theirs"]
DIFF3 = [
    "<<<<<<< ours",
    'title: "Ours"',
    "||||||| base",
    'title: "Base"',
    "=======",
    'title: "Theirs"',
    ">>>>>>> theirs",
]

# The document, and how each thing that is said about it starts.
SAID: dict[str, tuple[bytes, list[str]]] = {
    "nothing": (b"", ["line 1: the file is empty"]),
    "a BOM alone": (b"\xef\xbb\xbf", ["line 1: the file is empty"]),
    "two BOMs": (b"\xef\xbb\xbf" * 2 + document(), ["line 1: the file starts with two byte order marks"]),
    "UTF-16 LE": (b"\xff\xfe" + document().decode().encode("utf-16-le"), ["line 1: the file is UTF-16"]),
    "UTF-16 BE": (b"\xfe\xff" + document().decode().encode("utf-16-be"), ["line 1: the file is UTF-16"]),
    "UTF-16 LE, no BOM": (document().decode().encode("utf-16-le"), ["line 1: the file is UTF-16"]),
    "UTF-16 BE, no BOM": (document().decode().encode("utf-16-be"), ["line 1: the file is UTF-16"]),
    "Latin-1 in the body": (document() + b"\ncaf\xe9\n", ["line 19: the file is not valid UTF-8"]),
    "Latin-1 in the title": (document((TITLE, 'title: "x"')).replace(b'"x"', b'"\xe9"'), ["line 4: the file is not v"]),
    "half a pair as UTF-8": (
        document() + "\ud83d".encode("utf-8", "surrogatepass"),
        ["line 18: the file is not valid"],
    ),
    "too large": (document() + b" " * limits.DOCUMENT_BYTES, ["line 1: the file is too large: at most 131072 bytes"]),
    "no frontmatter": (b"# Notes\n\nSome text.\n", ["line 1: a memory starts with a line that is exactly ---"]),
    "a blank line at the top": (b"\n" + document(), ["line 1: a memory starts with a line that is exactly ---"]),
    "an opening with a space": (document((1, "--- ")), ["line 1: a memory starts with a line that is exactly ---"]),
    "a conflict at the top": (document((1, ["<<<<<<< HEAD", "---"])), ["line 1: merge conflict marker"]),
    "a conflict in a field": (
        document((TITLE, CONFLICT)),
        [
            "line 4: merge conflict marker: resolve the conflict",
            "line 6: merge conflict marker",
            "line 7: title is given twice, first on line 5: keep one",
            "line 8: merge conflict marker",
        ],
    ),
    "a conflict with its base": (
        document((TITLE, DIFF3)),
        [
            "line 4: merge conflict marker",
            "line 6: merge conflict marker",
            "line 7: title is given twice, first on line 5",
            "line 8: merge conflict marker",
            "line 9: title is given twice, first on line 5",
            "line 10: merge conflict marker",
        ],
    ),
    "no end": (document((CLOSING, None)), ["line 1: the frontmatter has no end: put a line ---"]),
    "no end at all": (b"---\n", ["line 1: the frontmatter has no end"]),
    "an end with a space": (
        document((CLOSING, "--- ")),
        ["line 15: the frontmatter ends with a line that is exac"],
    ),
    "an end in dots": (
        document((CLOSING, "...")),
        ["line 15: the frontmatter ends with a line that is exactly ---"],
    ),
    "four dashes at the end": (document((CLOSING, "----")), ["line 1: the frontmatter has no end"]),
    "the same field twice": (
        document((where("links"), ["links: []", "links: []"])),
        ["line 13: links is given twice, first on line 12: keep one"],
    ),
    "a YAML list": (
        document((TAGS, ["tags:", "  - auth", "-"])),
        [
            "line 11: tags has no value: write it as JSON on the same line",
            "line 12: a YAML list: write the list on the line of its field, as JSON",
            "line 13: a YAML list",
        ],
    ),
    "a YAML flow list": (document((TAGS, "tags: [auth, x]")), ["line 11: tags must be a JSON list: put each item in"]),
    "a comma too much": (document((TAGS, 'tags: ["a",]')), ["line 11: tags must be a JSON list"]),
    "no quotes": (document((KIND, "kind: note")), ["line 5: a value must be JSON: put it in double quotes"]),
    "single quotes": (document((KIND, "kind: 'note'")), ["line 5: the value of kind must be JSON: use double quotes"]),
    "an open quote": (
        document((KIND, 'kind: "note')),
        ["line 5: the value of kind is not valid JSON: check its quotes"],
    ),
    "an escape that is none": (document((TITLE, 'title: "a\\x41"')), ["line 4: the value of title is not valid JSON"]),
    "a comment after a value": (
        document((KIND, 'kind: "note" # why')),
        ["line 5: the value of kind is not valid JSON"],
    ),
    "NaN": (document((TITLE, "title: NaN")), ["line 4: a value must be JSON"]),
    "a comment": (document((TITLE, ["# why", 'title: "x"'])), ["line 4: a comment in the frontmatter: remove it"]),
    "a blank line": (document((TITLE, ['title: "x"', ""])), ["line 5: a blank line in the frontmatter: remove it"]),
    "a line that is no field": (document((TITLE, ['title: "x"', "and more"])), ["line 5: not a field: each line of"]),
    "camelCase": (
        document((where("source_harness"), 'sourceHarness: "codex"')),
        ["line 9: unknown field: write it as source_harness"],
    ),
    "hyphens and capitals": (
        document((where("created_at"), 'Created-At: ""')),
        ["line 13: unknown field: write it as c"],
    ),
    "a field of another format": (
        document((TITLE, ['title: "x"', 'owner: "me"'])),
        ["line 5: unknown field: remove it"],
    ),
    "one field missing": (document((KIND, None)), ["line 1: missing field: kind"]),
    "fields missing": (
        document((KIND, None), (TITLE, None), (TAGS, None)),
        ["line 1: missing fields: title, kind, tags"],
    ),
    "an empty body": (document((BODY, None)), ["line 15: body must not be empty"]),
    "no field at all": (b"---\n---\n\nA body.\n", ["line 2: the frontmatter is empty"]),
    "a quoted key": (document((TITLE, '"title": "x"')), ["line 4: unknown field: write it as title"]),
    "a control character far below": (
        document((BODY, ["", "one", "two", "three \x1b"])),
        ["line 20: body must not contain control"],
    ),
    "a control character first of all": (document((BODY - 1, "\x85")), ["line 16: body must not contain control"]),
    "a wrong value": (
        document((KIND, 'kind: "memo"')),
        ["line 5: kind must be one of context, decision, fact, handoff"],
    ),
    "a number": (document((TITLE, "title: 7")), ["line 4: title must be text in double quotes"]),
    "text as tags": (document((TAGS, 'tags: "a"')), ["line 11: tags must be a JSON list, such as"]),
    "another trust": (document((where("trust"), 'trust: "trusted"')), ["line 7: trust must be unreviewed"]),
    "another version": (document((2, 'schema: "ecc.memory.v2"')), ['line 2: schema must be exactly "ecc.memory.v1"']),
    "a control in the body": (document((BODY, "a\x1b[0m")), ["line 17: body must not contain control"]),
}


@pytest.mark.parametrize(("data", "expected"), SAID.values(), ids=SAID)
def test_what_is_wrong_is_said_by_line(data, expected):
    """Each mistake that people and merges make is named, on its line, and nothing else is said."""
    found = problems(data)
    assert len(found) == len(expected), found
    for message, start in zip(found, expected, strict=True):
        assert message.startswith(start)


def test_every_wrong_line_is_reported():
    """One look is enough to mend the frontmatter: all lines that cannot be read are named at once."""
    data = document((TITLE, "title: 'x'"), (KIND, "kind: note"), (TAGS, ["tags: []", "# why", "owner: 1"]))
    assert [said.split(":")[0] for said in problems(data)] == ["line 4", "line 5", "line 12", "line 13"]


def test_every_wrong_value_is_reported():
    """One look is enough to mend the values too, the body's included."""
    fields = (
        (KIND, 'kind: "x"'),
        (TAGS, 'tags: ["A"]'),
        (where("updated_at"), 'updated_at: "2026-02-30T00:00:00.000Z"'),
    )
    data = document(*fields, (BODY, "\x00"))
    assert [said.split(":")[0] for said in problems(data)] == ["line 5", "line 11", "line 14", "line 17"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_each_field_has_its_line(newline, mark):
    """Lines are right with LF and CRLF, with and without a byte order mark; the body's is that of its first word."""
    lines = load(mark + document((CLOSING + 1, ["", "", ""]), newline=newline)).lines
    assert lines == {key: number for number, key in enumerate(FRONTMATTER_KEYS, 2)} | {"body": 19}


def test_a_problem_has_its_line_with_crlf():
    """The line of a mistake is right in a file from Windows too."""
    assert problems(document((TAGS, ["tags: []", "# why"]), newline="\r\n"))[0].startswith("line 12: a comment")
    assert problems(document((KIND, 'kind: "x"'), newline="\r\n"))[0].startswith("line 5: kind must be")


def test_fields_in_another_order_have_their_lines():
    """A line belongs to a field and not to a place."""
    lines = load(document((TITLE, LINES[KIND - 1]), (KIND, LINES[TITLE - 1]))).lines
    assert (lines["kind"], lines["title"]) == (TITLE, KIND)


# --- No message repeats the document --------------------------------------------------------------------------

MARK = "zqxjk"
KEYS = st.sampled_from(
    [*FRONTMATTER_KEYS, MARK, f"title{MARK}", f"{MARK}_at", f"# {MARK}", f"- {MARK}", "sourceHarness"]
)
VALUES = st.one_of(
    st.sampled_from([MARK, f"'{MARK}'", f'"{MARK}', f"[{MARK}]", f'["{MARK}",]', f'{{"{MARK}": 1}}', "", f"NaN{MARK}"]),
    st.sampled_from([MARK, MARK.upper(), f"{MARK}\u202e", f"a\n{MARK}", f"{MARK} " * 60, [MARK], [[MARK]]]).map(
        json.dumps
    ),
    st.sampled_from(["7", "null", "[]", '"x"']),
)
MARKED_LINES = st.one_of(
    st.builds("{}:{}".format, KEYS, VALUES),
    st.sampled_from([MARK, "", f"<<<<<<< {MARK}", "=======", f">>>>>>> {MARK}", f"--- {MARK}", "...", f"  - {MARK}"]),
)
ENDS = st.sampled_from(["---", "--- ", f"---{MARK}", "...", MARK, ""])
BODIES = st.sampled_from(["", MARK, f"{MARK}\x00", f"\x1b{MARK}", f"{MARK}\u2066", MARK * 14_000])


@settings(max_examples=1000, deadline=None, derandomize=True, database=None)
@given(
    st.sampled_from(["---", f"--- {MARK}", MARK, f"<<<<<<< {MARK}"]),
    st.lists(st.tuples(st.integers(1, CLOSING - 2), MARKED_LINES), max_size=4),
    ENDS,
    BODIES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16", "latin-1"]),
)
@example("---", [(3, f'title: "{MARK}"'), (4, f"kind: {MARK}")], "---", MARK, "\n", "utf-8")
def test_no_message_repeats_the_document(opening, changes, end, body, newline, encoding):
    """Text put into keys, values, markers, comments or the body never comes back in a message: it may be the secret."""
    lines = [opening, *LINES[1 : CLOSING - 1], end, "", body]
    for number, new in changes:
        lines[number] = new
    data = newline.join(lines).encode(encoding, "replace")
    said = ()
    try:
        parse(data)
    except InvalidDocument as error:
        said = (str(error), *(problem.message for problem in error.problems))
        numbers = {problem.line for problem in error.problems}
        assert numbers <= set(range(1, data.count(b"\n") + 2))
    assert not any(MARK in message.lower() for message in said)


# --- There and back -------------------------------------------------------------------------------------------

SLUGS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True)
IDS = st.from_regex(r"mem_[a-z0-9][a-z0-9_-]{2,127}", fullmatch=True)
UNSAFE = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
TITLES = st.text(st.characters(codec="utf-8", exclude_characters=UNSAFE), min_size=1, max_size=100)
CONTENTS = st.lists(st.one_of(TITLES, st.sampled_from(["\n", "\r", "\r\n", "\t", "---", "\n---\n"])), min_size=1).map(
    "".join
)
TIMES = st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z".rjust(24, "0"))


def several(values: st.SearchStrategy[str], least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(values, unique=True, min_size=least, max_size=5).map(tuple)


MEMORIES = st.builds(
    Memory,
    id=IDS,
    title=TITLES.map(trim).filter(bool),
    kind=st.sampled_from(Kind),
    scope=st.sampled_from(Scope),
    status=st.sampled_from(Status),
    source_harness=SLUGS,
    target_harnesses=several(SLUGS, 1),
    tags=several(SLUGS),
    links=several(IDS),
    created_at=TIMES,
    updated_at=TIMES,
    body=CONTENTS.map(trim).filter(bool),
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(MEMORIES)
def test_what_is_written_is_read_back(memory):
    """Writing a memory and reading it gives the same memory, whatever its texts hold."""
    data = serialize(memory)
    assert parse(data) == memory
    assert serialize(parse(data)) == data
    assert load(data).lines["body"] == len(FRONTMATTER_KEYS) + 4


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(MEMORIES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.permutations(range(1, CLOSING - 1)))
def test_another_form_is_read_as_the_canonical_one(memory, newline, escaped, order):
    """Order, line ends, escapes and space do not change what a document says, and the canonical form comes of it."""
    lines = serialize(memory).decode().split("\n")
    fields = [lines[number] for number in order]
    if escaped:
        pairs = (field.split(": ", 1) for field in fields)
        fields = [f"\u00a0{key}\t:\u3000{json.dumps(json.loads(value))} " for key, value in pairs]
    source = newline.join(["---", *fields, "---", f"\n \n{memory.body}\t\n\n"])
    assert serialize(parse(b"\xef\xbb\xbf" + source.encode())) == serialize(memory)


def test_the_canonical_form_is_bare():
    """LF, no byte order mark, no space at the ends of lines, one newline at the end, and text as it is, not escaped."""
    data = serialize(parse(document((TITLE, 'title: "caf\\u00e9 \\ud83d\\ude80"'), newline="\r\n")))
    assert not re.search(rb"\r|^\xef\xbb\xbf|[ \t]\n|\n\n\Z", data)
    assert 'title: "café 🚀"\n'.encode() in data
    assert data.endswith(b".\n")
