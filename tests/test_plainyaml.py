"""The plain part of YAML is read as PyYAML reads it, and the rest is refused."""

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eccmem import limits
from eccmem.githooks import plainyaml
from eccmem.githooks.plainyaml import BLOCK, Unclear

CONFIG = """\
# A comment
default_install_hook_types: [pre-commit, pre-push]   # another
exclude: |
  (?x)^(
    docs/  # not a comment

  )$
repos:
- repo: https://example.invalid/tools
  rev: 'v1.0'
  hooks:
  - id: one
    args: [--fix,
      "--name=it's", 'it''s',
    ]
    additional_dependencies: []
    also: [{id: one, args: [a b, "c"]}, {id: two, url: https://example.invalid/x},
       {}, [],]  # and so on
  - id: two
    description: >-
      folded
      text
    stages:
      - pre-commit

- repo: local
  hooks:
    -   id: three
        entry: run --this "quoted" # comment
        always_run: true
        files:
"""


def reference(text: str) -> object:
    """What PyYAML has, scalars as they are written."""
    value = yaml.load(text, Loader=yaml.BaseLoader)
    return "" if value is None else value


def same(ours: object, theirs: object) -> bool:
    """Equal, but for the text of block scalars, which is not read."""
    if ours == BLOCK:
        return isinstance(theirs, str)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


def test_a_configuration_as_people_write_it() -> None:
    """Comments, quotes, lists of both forms, block scalars, dashes with and without indentation."""
    value = plainyaml.read(CONFIG)

    assert same(value, reference(CONFIG))
    assert value["repos"][0]["hooks"][0]["args"] == ["--fix", "--name=it's", "it's"]
    assert value["exclude"] == value["repos"][0]["hooks"][1]["description"] == BLOCK
    assert plainyaml.read(CONFIG.replace("\n", "\r\n")) == value
    assert plainyaml.read("---\n" + CONFIG) == value


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n"])
def test_nothing_is_nothing(text: str) -> None:
    assert plainyaml.read(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "a: {b}\n",
        "a: {b:c}\n",
        "a: {b: }\n",
        "a: {b: c, b: d}\n",
        "a: [b: c]\n",
        "a: [b]]\n",
        "a: [b\n...\n]\n",
        "a: [b, c: d]\n",
        "a: 1\na: 2\n",
        "a: b\n  c\n",
        "a: 'b\n  c'\n",
        'a: "b\\n"\n',
        "- - a\n",
        "? a\n: b\n",
        "a: 1\n---\na: 2\n",
        "%YAML 1.1\n---\na: 1\n",
        "a:\tb\n",
        "\ta: b\n",
        "a: |2\n    b\n",
        "a: b: c\n",
        "a: b:\n",
        "a:\n  b: 1\n c: 2\n",
        "text\n",
        "a: @b\n",
        "<<: a\n",
        "a: [b\n",
        "a: b\x85c: d\n",
        "a: 1\rb: 2\n",
        "\ufeffa: 1\n",
        "a: \0\n",
        "a: 1\nb\n",
    ],
)
def test_what_is_not_plain_is_refused(text: str) -> None:
    """Rather than guessed."""
    with pytest.raises(Unclear):
        plainyaml.read(text)


def test_brackets_are_bounded_too() -> None:
    """As deep as the rest."""
    deep = limits.YAML_DEPTH
    assert same(plainyaml.read(f"a: {'[' * deep}{']' * deep}\n"), reference(f"a: {'[' * deep}{']' * deep}\n"))
    for levels in (deep + 1, 100_000):
        for opening, closing in ("[]", ("{a: ", "}")):
            with pytest.raises(Unclear):
                plainyaml.read(f"a: {opening * levels}{closing * levels}\n")


def test_depth_is_bounded() -> None:
    """Far from what Python's own stack takes; one level less is read."""

    def nested(levels: int) -> str:
        return "".join(f"{' ' * level}a:\n" for level in range(levels)) + " " * levels + "a: b\n"

    assert same(plainyaml.read(nested(limits.YAML_DEPTH)), reference(nested(limits.YAML_DEPTH)))
    for levels in (limits.YAML_DEPTH + 1, 1400):
        with pytest.raises(Unclear):
            plainyaml.read(nested(levels))


COMMON = ("a: ", "b: ", "- ", "c", "c:", "- a: ", "[a, b]", "[a,", "b]", "|", "# x", " # x", "'x'", "d: e")
MARKS = ("-", ": ", "a b: ", "'q': ", '"q": ', "'it''s'", '"x"', "[", "]", ",", " #", ">", ">-", "|-", "  ", "{a: 1}")
ODD = ("&x ", "*x", "!t ", "---", "...", "--fix", "-x", "?", "? ", "@", "`", "%", "1.0", "true", "x://y", "^a$", "\\")
FLOW = ("{a: b}", "{", "}", "{a: ", "c d", "e: ", "x://y", "{}", "b, ", "[a, {", "(f)", "- g")
RARE = ("\t", "é", "“", ", ", "a:b", "[]", "[a,]", "['x', \"y\"]", "<<: ", "~", "=")
PIECES = st.sampled_from(COMMON) | st.sampled_from(COMMON) | st.sampled_from(MARKS + ODD + RARE + FLOW)
LINES = st.builds(
    lambda indent, pieces: " " * indent + "".join(pieces), st.integers(0, 4), st.lists(PIECES, max_size=3)
)


@given(st.lists(LINES, max_size=9).map("\n".join))
@settings(max_examples=1500, deadline=None)
@example("a: |\n\n   b\n  c\n")
@example("- a: |\n  b\n")
@example("a:\n- b\nc: [d,\n]\n")
@example("a: [b, #]\n c]\n")
@example("a: |\n b\n# c\nd: e")
def test_never_another_answer_than_pyyaml(text: str) -> None:
    """Whatever is thrown at it, it has PyYAML's answer or none; and none where PyYAML sees an error."""
    try:
        ours = plainyaml.read(text)
    except Unclear:
        return
    assert same(ours, reference(text))
