"""Documents arrive by ``git pull``: whatever they are, reading them ends, soon, and gives a value within its bounds."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eccmem import limits
from eccmem.artifacts import yamltext
from eccmem.artifacts.config import OURS, TOOLS, Config, read_config
from eccmem.artifacts.describe import describe
from eccmem.artifacts.values import Artifact, ArtifactStatus
from eccmem.text import UNSAFE_IN_LINE

PATHS = ("docs/adr/0001-a.md", "docs/adr/0001-a.rst", "docs/adr/0001-a.adoc", "adr/0001-a.org", "peps/pep-0001.rst",
         "bips/bip-1.mediawiki", "keps/a/0001-b/README.md", "runbooks/Down.md", "AGENTS.md")  # fmt: skip
# What readers look for, so that chance finds its way behind their first line.
PIECES = st.sampled_from(
    ["---\n", "status: ", "# Status\n", "## Status\n\n", "Accepted", "Superseded by ", "[ADR-1](0001-b.md)", "[", "](",
     ")", "| Status |", "|---|\n", "```\n", "~~~\n", "<!--", "-->", "* Status: ", "Status\n======\n", ":Status: ", "\n",
     "\r\n", "\r", "> ", "~~", "**", "`", "<", ">", "&a ", "*a ", "!!python/object:os.system ", "{", "}", "- ", "\t",
     "\x00", "\x1b[2J", "\u202e", "\ud83d\ude00", "\u72b6\u6001", "\u5df2\u63a5\u53d7", "2020-01-01 ", "not ",
     "part of ", "Supersedes #1",
     "a", " ", ". ", "= A\n", "+---+\n", "* - Status\n  - Accepted\n", "||", "//", "----\n", "1. "]
)  # fmt: skip
BYTES = st.one_of(
    st.binary(max_size=400),
    st.lists(PIECES, max_size=60).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass")),
    st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=40).map(
        lambda parts: "".join(parts).encode("utf-8", "surrogatepass")
    ),
)
QUICK = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def safe(text: str) -> bool:
    """On one line, without control and bidirectional characters."""
    return UNSAFE_IN_LINE.search(text) is None


def bounded(found: Artifact) -> None:
    assert safe(found.title)
    assert 0 < len(found.title) <= limits.ARTIFACT_TITLE_CHARS
    assert len(found.raw) <= limits.ARTIFACT_RAW_CHARS
    assert safe(found.raw)
    for items in (found.by, found.supersedes):
        assert len(items) <= 2 * limits.ARTIFACT_SUCCESSORS
        assert all(item and safe(item) and len(item) <= limits.ARTIFACT_RAW_CHARS for item in items)
    assert found.status is ArtifactStatus.UNKNOWN or found.raw


@QUICK
@given(data=BYTES, path=st.sampled_from(PATHS), sidecar=st.one_of(st.none(), BYTES))
def test_any_bytes_are_described(data: bytes, path: str, sidecar: bytes | None) -> None:
    """Without an error, as printable values within their bounds; a status never stands without its words."""
    found = describe(path, data, Config(), sidecar)

    assert found is not None
    bounded(found)


@QUICK
@given(data=BYTES, path=st.sampled_from((*OURS, *TOOLS)))
def test_any_configuration_is_read(data: bytes, path: str) -> None:
    """Or named as a problem, on one printable line that repeats nothing long."""
    found = read_config({path: data}.get)

    for problem in found.problems:
        assert problem.path == path
        assert safe(problem.message)
        assert len(problem.message) < 200
    for folders in found.folders.values():
        assert all(not folder.startswith(("/", "..")) for folder in folders)


WORST = {
    "line ends": "\n" * 1_000_000,
    "headings": "# Status\n" * 100_000,
    "headings with words": "## Status\n\nmaybe\n\n" * 60_000,
    "one line": "Status: " + "maybe " * 160_000,
    "sentences": "## Status\n\n" + "It is so. " * 90_000,
    "brackets": "## Status\n\n" + "[" * 1_000_000,
    "links": "## Status\n\nSuperseded by " + "[a](b) " * 140_000,
    "half links": "## Status\n\nSuperseded by " + "[a](" * 250_000,
    "dots": "## Status\n\nSuperseded by " + "a." * 500_000,
    "slashes": "## Status\n\nSuperseded by " + "a/" * 500_000,
    "digits": "## Status\n\nSuperseded by " + "1 and " * 160_000,
    "cells": "|" * 1_000_000,
    "rows": "| a | b |\n" * 100_000,
    "ticks": "`" * 1_000_000,
    "fences": "```\n" * 250_000,
    "comments": "<!--" * 250_000,
    "comments that end": "<!-- -->" * 125_000,
    "emphasis": "*" * 1_000_000,
    "low lines": "_" * 1_000_000,
    "struck": "~~" * 500_000,
    "tags": "<a " * 330_000,
    "quotes": "> " * 500_000,
    "spaces": " " * 1_000_000,
    "dashes": "-" * 1_000_000,
    "rules": "---\n" * 250_000,
    "spaced rules": ("---" + " " * 50 + "x\n") * 18_000,
    "underlines": "a\n---\n" * 160_000,
    "labels": "[a]: b\n" * 140_000,
    "superseded": "## Status\n\n" + "superseded " * 90_000,
    "replaced": "## Status\n\n" + "replaced " * 110_000,
    "passive": "## Status\n\n" + "\u88ab" * 330_000,
    "colons": "a:" * 500_000,
    "frontmatter": "---\n" + "- " * 16_000 + "\n---\n",
    "keys": "---\n" + "".join(f"k{number}: v\n" for number in range(3000)) + "---\n",
}


@pytest.mark.parametrize("name", WORST)
@pytest.mark.parametrize("path", ["docs/adr/0001-a.md", "docs/adr/0001-a.rst", "docs/adr/0001-a.adoc"])
def test_the_worst_texts_take_no_longer_for_their_size(name: str, path: str) -> None:
    """A document of a megabyte is done in seconds on any machine; a quadratic reader would take minutes."""
    start = time.process_time()

    found = describe(path, WORST[name].encode()[: limits.ARTIFACT_BYTES], Config())

    assert time.process_time() - start < 4
    assert found is not None
    bounded(found)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "a: &a\n  b: *a\n",
        "a: &a {x: 1}\nb:\n  <<: *a\n",
        "a: !!python/object/apply:os.system ['true']\n",
        "a: !!python/name:os.system\n",
        "a: !!float ''\n",
        "a: !!int ''\n",
        "a: !!bool x\n",
        "a: !!timestamp x\n",
        "a: !mine x\n",
        "a: 2024-13-45\n",
        f"a: {'1:' * 300}1.5\n",
        f"a: {'9' * 5000}\n",
        "[" * 2000,
        "- " * 10_000,
        "{a: " * 5000,
        f"a: {'x' * limits.FRONTMATTER_CHARS}",
        "\n".join("- x" for _ in range(limits.YAML_EVENTS)),
        "a: [\n",
        "? [a]\n: b\n",
        "- a\n- b\n",
        "just words",
        "a: b: c",
        "\x00",
    ],
)
def test_hostile_yaml_is_not_read(text: str) -> None:
    """Aliases, tags, depth, size, values that cannot be: each is refused before anything grows."""
    start = time.process_time()

    with pytest.raises(yamltext.NotRead):
        yamltext.mapping(text)
    assert time.process_time() - start < 2


def test_hostile_frontmatter_still_says_its_status() -> None:
    """By its lines, when its YAML is not read."""
    found = describe("docs/adr/0001-a.md", f"---\n{BOMB}status: rejected\n---\n# A\n".encode(), Config())

    assert found is not None
    assert found.status is ArtifactStatus.REJECTED


@pytest.mark.parametrize(("depth", "is_one"), [(limits.ARTIFACT_DEPTH, True), (limits.ARTIFACT_DEPTH + 1, False)])
def test_depth(depth: int, is_one: bool) -> None:
    """What lies deeper than any document does is none."""
    path = "a/" * (depth - 1) + "adr/0001-a.md"

    assert (describe(path, b"# A\n", Config()) is not None) is is_one


def test_bounds_of_a_page() -> None:
    """A status below the last line that is looked at is not seen, one above it is."""
    for lines, status in ((limits.ARTIFACT_LINES - 3, "accepted"), (limits.ARTIFACT_LINES, "unknown")):
        text = "\n" * lines + "## Status\n\nAccepted\n"
        found = describe("docs/adr/0001-a.md", text.encode(), Config())

        assert found is not None
        assert found.status == status
