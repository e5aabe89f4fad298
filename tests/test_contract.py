"""The schemas and the code say the same: about memories by a property, about words by comparing the enums."""

import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from eccmem import contract, document, limits, model
from eccmem.finding import Severity, SkipReason
from eccmem.output import as_json
from eccmem.vault import BrokenCode

CAMEL = {
    "source_harness": "sourceHarness",
    "target_harnesses": "targetHarnesses",
    "created_at": "createdAt",
    "updated_at": "updatedAt",
}
VALID = {
    "schema": "ecc.memory.v1",
    "id": "mem_20260726_01k123example",
    "title": "Authentication moves to the gateway",
    "kind": "decision",
    "scope": "team",
    "trust": "unreviewed",
    "status": "active",
    "source_harness": "codex",
    "target_harnesses": ["claude"],
    "tags": ["auth", "migration"],
    "links": ["mem_20260725_01kolder"],
    "created_at": "2026-07-26T20:00:00.000Z",
    "updated_at": "2026-07-26T20:00:00.000Z",
    "body": "One line.\n\tAnother, indented.",
}


# --- What the documents are made of ---------------------------------------------------------------------------

# Found anew and not imported: white space as ECMA-262 defines it. A form feed cannot be in a body, not even at
# its ends, so there it is not trimmed.
SPACE = "\t\n\v\f\r\u2028\u2029\ufeff" + "".join(c for c in map(chr, range(0x10000)) if unicodedata.category(c) == "Zs")
SPACE_OF_BODY = SPACE.replace("\v", "").replace("\f", "")

# What looks like space and is none; controls and formats, some allowed; halves of pairs; what is just not ASCII.
ODD = "\x1c\x1d\x1e\x85\u180e\u200b\u2060\x00\x07\x08\x0e\x1b\x1f\x7f\x80\x9f\u061c\u200d\u200e\ufffe"
ODD += "\u202a\u202c\u202e\u2066\u2067\u2069\ud800\udbff\udfffé文🚀"
WRONG_TYPES = (None, True, False, 0, 1, -1, 2.5, 10**20, "", " ", "X", {}, {"a": "b"}, [], [[]], [["all"]], [None], [1])
UNITS = ("a", "é", "文", "🚀")


def sized(unit: str, size: int, weight: int) -> str:
    """Text of a wanted size, of one character as far as it goes."""
    return unit * (size // weight) + "a" * (size % weight)


def utf16(unit: str) -> int:
    return 2 if ord(unit) > 0xFFFF else 1


FULL_WIDTH = {ord(digit): ord(digit) - ord("0") + 0xFF10 for digit in "0123456789"}
IDS = (
    *("mem_" + "a" * n for n in (0, 1, 2, 3, 4, 127, 128, 129)),
    *("mem_a" + last * n for n in (2, 127) for last in "-_9z"),
    *["mem__ab", "mem_-ab", "mem_a.b", "mem_ABC", "MEM_abc", "memabc", "mem_../x", "mem_é12", "mem_a\u212a"],
    "mem_012".translate(FULL_WIDTH),
)
SLUGS = (
    *("a" * n for n in (1, 63, 64, 65)),
    *["all", "9", "a.b", "a_b", "a-b", "-a", ".a", "_a", "A", "a/b", "c++", "c#", "a:b", "@x"],
    *["a b", "a\xa0b", "a\xad", "é", "\uff41"],
)
DAYS = (
    *((2, 28), (2, 29), (2, 30), (4, 30), (4, 31), (12, 31), (12, 32), (1, 31), (1, 0), (0, 1), (13, 1)),
    *((3, 31), (5, 31), (6, 30), (6, 31), (7, 31), (8, 31), (9, 30), (9, 31), (10, 31), (11, 30), (11, 31)),
)
TIMES = (
    *(
        f"{year:04}-{month:02}-{day:02}T00:00:00.000Z"
        for year in (0, 1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999)
        for month, day in DAYS
    ),
    *(f"2026-07-26T{time}" for time in ("23:59:59.999Z", "24:00:00.000Z", "23:60:00.000Z", "23:59:60.000Z")),
    *(f"2026-07-26T20:00:00{end}" for end in ("Z", ".00Z", ".0000Z", ".000", ".000z", ",000Z", ".000+00:00")),
    *("", "now", "2026-07-26", "+02026-07-26T20:00:00.000Z", "2026-07-26 20:00:00.000Z"),
    "2026-07-26T20:00:00.000Z".translate(FULL_WIDTH),
)
WORDS = (*map(str, [*model.Kind, *model.Scope, *model.Status]), "trusted", "all", "Note", "notes", "ecc.memory.v2")
TITLES = tuple(sized(unit, n, utf16(unit)) for unit in UNITS for n in (199, 200, 201))
BODIES = (
    *(sized(unit, n, len(unit.encode())) for unit in UNITS for n in (65_535, 65_536, 65_537)),
    *("", " ", "\n\n", "---", "a\rb", "a\r\n---\r\nb", "\fx", "x \v", " \f ", "x\n\u2028", "a\tb"),
)
LISTS = {"target_harnesses": ("a", 32, SLUGS), "tags": ("a", 32, SLUGS), "links": ("mem_abc", 64, IDS)}
EDGES: dict[str, Sequence[object]] = {
    **dict.fromkeys(("schema", "kind", "scope", "trust", "status"), WORDS),
    **dict.fromkeys(("created_at", "updated_at"), TIMES),
    "id": IDS,
    "title": TITLES,
    "source_harness": SLUGS,
    "body": BODIES,
    **{
        name: [
            *([f"{stem}{i}" for i in range(size)] for size in (0, 1, most - 1, most, most + 1)),
            *([stem, item] for item in (*items, stem)),
        ]
        for name, (stem, most, items) in LISTS.items()
    },
}


def odd_texts(value: str) -> Iterator[str]:
    """A text with each odd character before, in and after it, and with each kind of space around it."""
    for char in SPACE + ODD:
        yield from (char + value, value + char, value[:1] + char + value[1:], f" {char} {value}")
    yield value.upper()


def odd_lists(name: str) -> Iterator[object]:
    """Lists with an odd item, with the same item twice but for its padding, and what is no list."""
    stem = LISTS[name][0]
    yield from ([stem, item] for item in (*WRONG_TYPES, *odd_texts(stem), *odd_texts(f"{stem}z")))
    yield stem


def odd_values() -> Iterator[tuple[str, object]]:
    """Each field with each odd value; DROP takes it away, and a name that is no field's adds one."""
    for name, value in VALID.items():
        odd_ones = odd_lists(name) if name in LISTS else odd_texts(str(value))
        yield from ((name, odd) for odd in (*EDGES[name], *odd_ones))
        if name != "body":  # which is always there and always text
            yield from ((name, odd) for odd in (*WRONG_TYPES, DROP))
    yield from ((name, "x") for name in ("owner", "sourceHarness", "Title", "ID"))


def harmless_changes() -> Iterator[tuple[str, object]]:
    """Changes that leave a memory a memory, so that not all is refused where several come together."""
    for name, value in VALID.items():
        if isinstance(value, str) and name not in {"schema", "body"}:
            yield from ((name, f"{char}{value}{char}") for char in SPACE)
    yield from (("created_at", time) for time in ("0000-02-29T00:00:00.000Z", "9999-12-31T23:59:59.999Z"))
    yield from (("title", title) for title in ("a", "🚀" * 100, "a\u2028b", "\u200b", "a\u200eb", '"\\'))
    yield from (("body", body) for body in ("---", "\n\nx\n", "a\r\nb", "文" * 21_845, "a\u2028", "\ufeffx"))
    yield from (("tags", tags) for tags in ([], [" a\n", "b"], ["all"]))


DROP = object()
ODD_VALUES = tuple(odd_values())


class Case:
    """Values, and a document that says them."""

    def __init__(self, changes: list[tuple[str, object]], newline: str = "\n", *, escaped: bool = True) -> None:
        merged = VALID | dict(changes)
        self.values = {name: value for name, value in merged.items() if value is not DROP}
        self.data = render(self.values, newline, escaped=escaped)

    def __repr__(self) -> str:  # short, because a body at its limit is not
        changed = {name: value for name, value in self.values.items() if VALID.get(name) != value}
        return f"{changed!a:.400}, without {VALID.keys() - self.values.keys()}"


def render(values: dict[str, object], newline: str, *, escaped: bool) -> bytes:
    """A document that says what the values are; halves of pairs are always escaped, but in a body."""
    escaped = escaped or any("\ud800" <= char <= "\udfff" for char in json.dumps(values, ensure_ascii=False))
    fields = (f"{k}: {json.dumps(v, ensure_ascii=escaped)}" for k, v in values.items() if k != "body")
    source = newline.join(["---", *fields, "---", "", str(values["body"])])
    return source.encode("utf-8", "surrogatepass")


def trimmed(values: dict[str, object]) -> dict[str, object]:
    """The values as the schema wants them, trimmed by a trimming of the test's own."""

    def trim(value: object) -> object:
        if isinstance(value, list):
            return [item.strip(SPACE) if isinstance(item, str) else item for item in value]
        return value.strip(SPACE) if isinstance(value, str) else value

    clean = {name: value if name == "schema" else trim(value) for name, value in values.items()}
    clean["body"] = str(values["body"]).strip(SPACE_OF_BODY)
    # A key of the document that is already in camelCase is none of the format's, and must not pass for one.
    return {CAMEL.get(name, name if name in VALID else f"{name}?"): value for name, value in clean.items()}


# --- The property ---------------------------------------------------------------------------------------------


def compare(case: Case) -> bool:
    """Ask the code and the schema about one document; say whether both take it."""
    instance = trimmed(case.values)
    broken = contract.violations("memory", instance)
    try:
        memory = document.parse(case.data)
    except document.InvalidDocument as error:
        if broken:
            return False
        raise AssertionError(f"only the code refuses: {error} of {case}") from error
    assert not broken, f"only the schema refuses: {broken} of {case}"
    assert as_json.whole(memory) == instance
    return True


def compare_all(odd_ones: Iterable[tuple[str, object]]) -> Counter[bool]:
    """Compare the documents that have one odd value each."""
    return Counter(compare(Case([odd])) for odd in odd_ones)


def test_code_and_schema_agree_on_each_odd_value():
    """Every edge and every odd character, alone in every field, is taken or refused by both."""
    verdicts = compare_all(ODD_VALUES)
    assert min(verdicts[True], verdicts[False]) > 300, verdicts


HARMLESS = st.sampled_from(tuple(harmless_changes()))
TEXT_FIELDS = st.sampled_from([name for name in VALID if name not in LISTS])
CHANGES = st.one_of(
    st.sampled_from([*EDGES]).flatmap(lambda name: st.tuples(st.just(name), st.sampled_from(EDGES[name]))),
    st.sampled_from(ODD_VALUES),
    st.tuples(TEXT_FIELDS, st.text(max_size=5)),
    st.tuples(st.sampled_from([*LISTS]), st.lists(st.text("aA9.-é \n", max_size=2), max_size=3)),
)


@settings(
    max_examples=3000, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(st.lists(HARMLESS, max_size=2), st.lists(CHANGES, max_size=1), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_code_and_schema_take_the_same_memories(harmless, changes, newline, escaped):
    """The fast validator and the published schema agree on thousands of documents with up to three changes."""
    compare(Case([*harmless, *changes], newline, escaped=escaped))


def _rule(name: str, rule):
    return lambda patch: patch.setitem(model._RULES, name, rule)


def _limit(name: str, value: int):
    return lambda patch: patch.setattr(limits, name, value)


def _model(name: str, value: object):
    return lambda patch: patch.setattr(model, name, value, raising=name != "set")


def _pattern(name: str, pattern: str):
    return _model(name, re.compile(pattern))


def _without(name: str, old: str, new: str = ""):
    return _pattern(name, getattr(model, name).pattern.replace(old, new))


is_a_moment = model._is_a_moment
# What is broken, the field in which it shows, and how to break it.
BROKEN_RULES = [
    ("any schema", "schema", _rule("schema", lambda value, name: model._line(value, name, 64))),
    ("a padded schema", "schema", _rule("schema", lambda value, name: model._choice(value, name, (model.SCHEMA,)))),
    ("an id with a dot", "id", _without("_ID", "z0-9_-", "z0-9._-")),
    ("a short id", "id", _without("_ID", "{2,127}", "{1,127}")),
    ("an id of one character less", "id", _without("_ID", "{2,127}", "{2,126}")),
    ("no short id", "id", _without("_ID", "{2,127}", "{3,127}")),
    ("a link of one character less", "links", _without("_ID", "{2,127}", "{2,126}")),
    ("a title of 201", "title", _limit("TITLE_UNITS", 201)),
    ("a title of 199", "title", _limit("TITLE_UNITS", 199)),
    ("a title counted in characters", "title", _model("utf16_length", len)),
    ("an empty title", "title", _rule("title", lambda value, name: value and model._line(value, name, 200))),
    ("a number as a title", "title", _rule("title", lambda value, name: model._line(f"{value}", name, 200))),
    ("trimming as Python does", "title", _model("trim", str.strip)),
    ("trimming of spaces alone", "body", _model("trim", lambda value: value.strip(" \n"))),
    ("NEL in a title", "title", _without("UNSAFE_IN_LINE", "\x7f-\x9f", "\x7f-\x84\x86-\x9f")),
    ("an isolate in a title", "title", _without("UNSAFE_IN_LINE", "\u2066-\u2069")),
    ("half a pair in a title", "title", _without("UNSAFE_IN_LINE", "\ud800-\udfff")),
    ("any kind of trust", "trust", _rule("trust", lambda value, name: model._line(value, name, 64))),
    ("a harness that starts with a dot", "source_harness", _without("_SLUG", "[a-z0-9][", "[a-z0-9.][")),
    ("a harness with a plus sign", "target_harnesses", _without("_SLUG", "._-", "._+-")),
    ("a tag of one character less", "tags", _without("_SLUG", "63", "62")),
    ("the same tag twice", "tags", _model("set", list)),
    ("one tag more", "tags", _limit("TAGS", 33)),
    ("one link more", "links", _limit("LINKS", 65)),
    ("one target less", "target_harnesses", _limit("TARGETS", 31)),
    ("no target", "target_harnesses", _rule("target_harnesses", lambda v, name: model._many(v, name, 32, model.slug))),
    ("digits of any script", "created_at", _pattern("_TIMESTAMP", model._TIMESTAMP.pattern.replace("[0-9]", r"\d"))),
    ("any day", "updated_at", _model("_is_a_moment", lambda *_: True)),
    ("a short December", "updated_at", _model("_MONTH_DAYS", (*model._MONTH_DAYS[:-1], 30))),
    ("no year 0", "created_at", _model("_is_a_moment", lambda y, *rest: y > 0 and is_a_moment(y, *rest))),
    ("no centuries", "created_at", _model("_is_a_moment", lambda y, *rest: is_a_moment(y % 4 or 4, *rest))),
    ("a body of one byte more", "body", _limit("BODY_BYTES", 65_537)),
    ("a body of one byte less", "body", _limit("BODY_BYTES", 65_535)),
    ("a form feed in a body", "body", _without("UNSAFE_IN_BODY", "\x0c")),
    ("no tab in a body", "body", _without("UNSAFE_IN_BODY", "\x08", "\x09")),
]


@pytest.mark.parametrize(("field", "break_it"), [row[1:] for row in BROKEN_RULES], ids=[row[0] for row in BROKEN_RULES])
def test_a_broken_rule_is_noticed(field, break_it, monkeypatch):
    """The comparison has teeth: with any one rule of the code bent, some document tells the two apart."""
    break_it(monkeypatch)
    with pytest.raises(AssertionError, match=r"only the|=="):
        compare_all(odd for odd in ODD_VALUES if odd[0] == field)


# --- The schemas themselves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", contract.names())
def test_a_schema_is_one(name):
    """Each file is a valid schema of the draft that it names, in ASCII, so that no character in it is unseen."""
    loaded = contract.schema(name)
    assert loaded["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(loaded)
    assert (contract.SCHEMAS / f"{name}.schema.json").read_bytes().isascii()


def test_the_schemas_are_these():
    """There is a schema for each answer that is promised to programs."""
    assert set(contract.names()) >= {"doctor", "error", "init", "memory", "read", "search", "write"}


def subschemas(node: object) -> Iterator[dict[str, object]]:
    """Every object in a schema."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from subschemas(value)
    elif isinstance(node, list):
        for value in node:
            yield from subschemas(value)


@pytest.mark.parametrize("name", contract.names())
def test_patterns_mean_the_same_everywhere(name):
    """Patterns use what all dialects share, and one that ends in $ comes with a refusal of newlines.

    Python's $ also matches before a newline at the end, and there is no other anchor that ECMA-262 knows too.
    """
    for node in subschemas(contract.schema(name)):
        pattern = node.get("pattern")
        if not isinstance(pattern, str):
            continue
        assert not re.search(r"\\|\(\?", pattern)
        re.compile(pattern)
        if pattern.startswith("^") and pattern.endswith("$") and "|" not in pattern:
            assert node["not"] == {"pattern": "\n"}


def test_words_are_those_of_the_code():
    """What a schema lists is what the code knows: a new kind or code cannot be forgotten in either."""
    fields = contract.schema("memory")["$defs"]["fields"]
    assert [*fields["properties"]] == [CAMEL.get(name, name) for name in (*model.FRONTMATTER_KEYS, "body")]
    assert fields["required"] == [*fields["properties"]][:-1]
    definitions = contract.schema("memory")["$defs"]
    assert definitions["kind"]["enum"] == [*model.Kind]
    assert definitions["scope"]["enum"] == [*model.Scope]
    assert fields["properties"]["status"]["enum"] == [*model.Status]
    assert fields["properties"]["schema"]["const"] == model.SCHEMA
    assert fields["properties"]["trust"]["const"] == model.TRUST
    lengths = [fields["properties"][name]["maxItems"] for name in ("targetHarnesses", "tags", "links")]
    assert lengths == [limits.TARGETS, limits.TAGS, limits.LINKS]


def test_words_of_the_answers_are_those_of_the_code():
    """The same for what search and doctor print: an unreadable file has no word of its own in the reference."""
    diagnostics = contract.schema("search")["$defs"]["diagnostics"]["properties"]
    codes = diagnostics["invalidFiles"]["items"]["properties"]["code"]["enum"]
    assert codes == [code for code in BrokenCode if code is not BrokenCode.UNREADABLE]
    assert diagnostics["skipped"]["items"]["properties"]["reason"]["enum"] == [*SkipReason]
    doctor = contract.schema("doctor")["properties"]
    assert set(doctor["findings"]["items"]["properties"]["severity"]["enum"]) == {level.word for level in Severity}
    lists = [
        node for node in (*diagnostics.values(), *doctor.values()) if "items" in node and node is not doctor["cutShort"]
    ]
    assert {node["maxItems"] for node in lists} == {limits.DIAGNOSTICS}
    answers = [contract.schema("search")["properties"]["results"], contract.schema("read")["properties"]["backlinks"]]
    assert [node["maxItems"] for node in answers] == [limits.RESULTS] * 2
    results = contract.schema("search")["properties"]["results"]["items"]["properties"]
    assert results["excerpt"]["maxLength"] == limits.EXCERPT_CHARS
    assert contract.schema("search")["properties"]["query"]["maxLength"] == limits.QUERY_CHARS


# --- What violations() says -----------------------------------------------------------------------------------

MEMORY = trimmed(VALID)
SUMMARY = {name: value for name, value in MEMORY.items() if name != "body"}
DIAGNOSTICS = {
    "invalidFiles": [{"path": "team:notes/x.md", "code": "invalid-document", "message": "line 1: no end"}],
    "invalidFileCount": 1,
    "skippedSymlinks": ["project:notes"],
    "skippedSymlinkCount": 1,
    "scannedBytes": 377,
    "truncated": False,
    "diagnosticsTruncated": False,
}
ANSWERS = {
    "memory": MEMORY,
    "init": {
        "schemaVersion": "ecc.memory.init.v1",
        "scopes": ["project", "team"],
        "roots": {"project": "/r/.ecc/memory/project", "team": "/r/.ecc/memory/team"},
        "directories": ["project:notes"],
        "created": [],
        "warnings": [],
    },
    "write": {
        "schemaVersion": "ecc.memory.write.v1",
        "memory": SUMMARY,
        "path": "team:decisions/mem_20260726_01k123example.md",
        "warnings": [],
    },
    "search": {
        "schemaVersion": "ecc.memory.search.v1",
        "query": "gateway",
        "results": [{"memory": SUMMARY, "score": 8, "excerpt": "One line."}],
        "diagnostics": DIAGNOSTICS,
    },
    "read": {
        "schemaVersion": "ecc.memory.read.v1",
        "memory": MEMORY,
        "path": "team:decisions/mem_20260726_01k123example.md",
        "backlinks": [SUMMARY],
        "backlinksTruncated": False,
    },
    "doctor": {
        "schemaVersion": "ecc.memory.doctor.v1",
        "ok": False,
        "memoryCount": 2,
        **DIAGNOSTICS,
        "duplicateIds": [{"id": "mem_abc", "paths": ["team:notes/a.md", "team:notes/b.md"]}],
        "duplicateIdCount": 1,
        "brokenLinks": [{"sourceId": "mem_abc", "targetId": "mem_def", "path": "team:notes/a.md"}],
        "brokenLinkCount": 1,
        "findings": [
            {
                "rule": "broken-link",
                "severity": "error",
                "path": ".ecc/memory/team/notes/a.md",
                "line": 12,
                "message": "a link leads nowhere",
                "remedy": "",
            }
        ],
        "findingCount": 1,
        "skipped": [{"path": ".ecc/memory/project/notes", "reason": "symlink"}],
        "skippedCount": 1,
    },
    "error": {"error": {"code": "memory-not-found", "message": "memory mem_abc is not there", "hint": ""}},
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_keeps_to_its_schema(name):
    """A hand-written example of each answer is valid, also with a field more, where that is allowed."""
    assert contract.violations(name, ANSWERS[name]) == []
    more = ["the whole: additionalProperties"] if name == "memory" else []
    assert contract.violations(name, {**ANSWERS[name], "later": 1}) == more


@pytest.mark.parametrize("name", ANSWERS)
def test_every_field_of_an_answer_is_required(name):
    """A field that the reference has cannot get lost, at the top or within."""
    for field in ANSWERS[name]:
        rest = {key: value for key, value in ANSWERS[name].items() if key != field}
        assert f"{field}: required" in contract.violations(name, rest)
    within = [field for field, value in ANSWERS[name].items() if isinstance(value, dict)]
    for field in within:
        assert contract.violations(name, ANSWERS[name] | {field: {}})


def test_the_report_of_the_reference_has_all_but_our_additions():
    """What the reference printed for each recorded vault has the fields that our schema asks for, in the same form."""
    recorded = (Path(__file__).parent / "data" / "conformance" / "vault.jsonl").read_bytes().split(b"\n")
    reports = [json.loads(line)["doctor"] for line in recorded if line]
    additions = ["findings", "findingCount", "skipped", "skippedCount"]
    assert reports
    for report in reports:
        assert contract.violations("doctor", report) == [f"{name}: required" for name in additions]


def test_a_memory_in_a_list_has_no_body():
    """Search results and backlinks hold no bodies, and a read memory does."""
    found = ANSWERS["search"] | {"results": [{"memory": MEMORY, "score": 0, "excerpt": ""}]}
    assert contract.violations("search", found) == ["results[0].memory: not"]
    assert contract.violations("read", ANSWERS["read"] | {"memory": SUMMARY}) == ["memory.body: required"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"id": "mem_abc\n"}, ["id: not"]),
        ({"createdAt": "2026-07-26T20:00:00.000Z\n"}, ["createdAt: not"]),
        ({"tags": ["a\n"]}, ["tags[0]: not"]),
        ({"body": "x\n"}, ["body: not"]),
        ({"title": ""}, ["title: minLength"]),
        ({"title": "🚀" * 101}, ["title: format"]),
        ({"body": "\udfff"}, ["body: format"]),
        ({"updatedAt": "2026-02-29T00:00:00.000Z"}, ["updatedAt: format"]),
        ({"trust": "trusted"}, ["trust: const"]),
        ({"tags": [True, "B"]}, ["tags[0]: type", "tags[0]: not", "tags[1]: pattern"]),
    ],
)
def test_a_violation_has_the_field_and_the_keyword(change, expected):
    """What is said is where, and which keyword of the schema: enough to find it, too little to leak it."""
    assert contract.violations("memory", MEMORY | change) == expected


@pytest.mark.parametrize("field", ["title", "body"])
def test_the_schema_wants_trimmed_text(field):
    """What is not trimmed is no normalised memory, whichever of the 25 spaces it is and whichever end."""
    for char in SPACE:
        for text in (f"{char}x", f"x{char}", char):
            assert f"{field}: not" in contract.violations("memory", MEMORY | {field: text})
    assert contract.violations("memory", MEMORY | {field: "\u200bx x\u180e"}) == []


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("instance", [None, True, 1, "x", [], [{}]])
def test_what_is_no_object_is_refused(name, instance):
    """Every answer is an object."""
    assert contract.violations(name, instance) == ["the whole: type"]


MARK = "zqxjk"
JSON = st.recursive(
    st.sampled_from([MARK, MARK.upper(), f"{MARK}\n", None, True, 7]),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from([MARK, "id", "body"]), inner)),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(sorted(ANSWERS)), st.data())
def test_a_violation_never_repeats_a_value(name, data):
    """A value, and a key that the schema does not know, may be the secret: neither is ever in a message."""
    answer = ANSWERS[name]
    changed = data.draw(st.lists(st.sampled_from([*answer, MARK]), min_size=1, max_size=3))
    instance = data.draw(st.sampled_from([0, 1])) or answer | {field: data.draw(JSON) for field in changed}
    assert MARK not in "".join(contract.violations(name, instance)).lower()


def test_other_commands_start_without_jsonschema():
    """Importing the module imports nothing heavy: only asking for violations does."""
    code = "import sys, eccmem.contract; print(sorted({'jsonschema', 'referencing', 'rpds'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"
