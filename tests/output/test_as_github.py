"""GitHub Actions: a runner and a page must take names of files as text, whatever they are."""

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings

from eccmem import checks, limits
from eccmem.output import as_github
from eccmem.output.common import in_repository, visible
from reported import (
    ANY_FINDINGS,
    BROKEN,
    ELSEWHERE,
    FINDINGS,
    HINT,
    HOSTILE_NAMES,
    NOTES,
    ODD,
    RULES,
    SECRET,
    finding,
    golden,
    many,
)

# --- What a runner does with output -----------------------------------------------------------------------------

COMMANDS = (
    "error|warning|notice|debug|group|endgroup|add-mask|add-path|set-env|set-output|save-state|stop-commands|echo"
)


def obeyed(output: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands that a runner finds in output: their names, properties and data.

    It reads lines that end with CR, LF or both; trims white space in front; takes ``::name a=b,c=d::data``, and else
    ``##[name a=b;c=d]data`` from anywhere in the line; then resolves the escapes.
    """
    found = []
    for text in re.split(r"\r\n|\r|\n", output):
        if new := re.match(rf"\s*::({COMMANDS})(?: ([^\n]*?))?::(.*)", text, re.IGNORECASE | re.DOTALL):
            properties = dict(pair.split("=", 1) for pair in (new[2] or "").split(",") if "=" in pair)
            found.append((new[1], {name: unescaped(value) for name, value in properties.items()}, unescaped(new[3])))
        elif old := re.search(rf"##\[({COMMANDS})[ \]](.*)", text, re.IGNORECASE | re.DOTALL):
            found.append((old[1], {}, old[2]))
    return found


def unescaped(text: str) -> str:
    """As the runner does it, one escape after the other."""
    for escape, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, char)
    return text


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("::error::x", ["error"]),
        ("  ::error file=a,line=1::x", ["error"]),
        ("a ::error::x", []),
        ("a\r::add-mask::x", ["add-mask"]),
        ("\u2028::add-mask::x", ["add-mask"]),
        ("a ##[stop-commands]x", ["stop-commands"]),
        ("a ##[unknown]x", []),
    ],
)
def test_the_runner_of_these_tests_obeys(output, names):
    """Else the tests below could not fail."""
    assert [name for name, _, _ in obeyed(output)] == names


# --- Commands ---------------------------------------------------------------------------------------------------


def test_commands_are_as_they_were_read():
    """Byte for byte, in whatever order they were found."""
    assert as_github.commands(FINDINGS) == golden("commands.txt")
    assert as_github.commands(FINDINGS[::-1]) == golden("commands.txt")


def test_nothing_found_gives_no_commands():
    """And no line at all."""
    assert as_github.commands(()) == ""


@settings(max_examples=250, deadline=None)
@given(ANY_FINDINGS)
@example([finding(path="##[stop-commands]x\n::add-mask::e", message="\r::error::x", remedy="##[add-mask]e")])
def test_a_runner_obeys_our_commands_alone(findings):
    """One for each of the worst, with what the finding says; whatever a name is, it commands nothing."""
    output = as_github.commands(findings)
    lines = output.split("\n")[:-1]
    commands = obeyed(output)

    assert len(lines) == min(len(findings), limits.GITHUB_ANNOTATIONS + 1)
    assert "##[" not in output
    assert "".join(lines).isprintable()
    assert (
        len(commands) == sum(line.startswith("::") for line in lines) == min(len(findings), limits.GITHUB_ANNOTATIONS)
    )
    titles = {f"eccmem: {rule.id}" for rule in RULES}
    for name, properties, _ in commands:
        assert name in {"error", "warning", "notice"}
        assert properties["title"] in titles
        assert properties.keys() in ({"title"}, {"title", "file", "line"})
        assert int(properties.get("line", "1")) >= 1


@pytest.mark.parametrize("name", [name for name in HOSTILE_NAMES if "##[" not in name])
def test_a_runner_gets_the_path_back(name):
    """As it is, but for characters that do not print, which have become visible."""
    ((_, properties, data),) = obeyed(as_github.commands([finding(path=NOTES + name, line=3)]))

    assert properties == {"file": visible(NOTES + name), "line": "3", "title": "eccmem: odd-name"}
    assert data == "it is odd. What to do: rename it"


@settings(max_examples=100, deadline=None)
@given(ANY_FINDINGS)
def test_a_runner_gets_the_words_back(findings):
    """The same, for all texts; only the start of an old command has one character of it written as an escape."""
    for one in findings:
        ((_, properties, data),) = obeyed(as_github.commands([one]))
        path = in_repository(one.path)
        wanted = [visible(one.message), visible(one.remedy)] + ([] if path is None else [visible(path)])
        if all(len(text) <= limits.EXCERPT_CHARS and "##[" not in text for text in wanted):
            assert wanted[0] in data
            assert data.endswith(f"What to do: {wanted[1]}")
            assert path is None or properties.get("file") == visible(path)


@pytest.mark.parametrize("path", ELSEWHERE)
def test_what_is_no_path_of_the_repository_is_in_the_message(path):
    """The annotation is one of the run, not of a file that is not there."""
    ((_, properties, data),) = obeyed(as_github.commands([finding(path=path)]))

    assert properties == {"title": "eccmem: odd-name"}
    assert path in data


@pytest.mark.parametrize(("rule", "command"), [(HINT, "notice"), (ODD, "warning"), (SECRET, "error")], ids=repr)
def test_severities(rule, command):
    """In GitHub's words."""
    assert obeyed(as_github.commands([finding(rule)]))[0][0] == command


@pytest.mark.parametrize(
    ("more", "last"),
    [
        (0, "::"),
        (1, "eccmem: 1 more finding: see the summary of this step\n"),
        (2, "eccmem: 2 more findings: see the summary of this step\n"),
    ],
)
def test_the_worst_are_annotated(more, last):
    """As many as GitHub shows; what comes after is counted."""
    lines = as_github.commands(many(limits.GITHUB_ANNOTATIONS + more)).splitlines(keepends=True)

    assert len(lines) == limits.GITHUB_ANNOTATIONS + bool(more)
    assert lines[0].startswith("::error ")
    assert lines[-1].startswith(last)


# --- The summary ------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The cells of a page, and every tag that is in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert attrs == []
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1] in {"td", "code"} and not data.isspace():
            self.cells[-1] += data


def test_the_summary_is_as_it_was_read():
    """Byte for byte, in whatever order they were found."""
    assert as_github.summary(FINDINGS) == golden("summary.md")
    assert as_github.summary(FINDINGS[::-1]) == golden("summary.md")
    assert as_github.summary(()) == golden("nothing.md")


@settings(max_examples=150, deadline=None)
@given(ANY_FINDINGS)
def test_the_table_has_our_tags_alone(findings):
    """No Markdown is read before the empty line that ends it, and every text of others stands in `code`."""
    text = as_github.summary(findings)
    lines = text.split("\n")

    assert obeyed(text) == []
    assert "".join(lines).isprintable()
    if not findings:
        return
    assert lines[1:3] == ["", "<table>"]
    assert lines[-3:] == ["</table>", "", ""]
    assert all(re.fullmatch(r"(?:<tr>.*</tr>|</?table>)", line) for line in lines[2:-2])
    row = ["tr", *["td"], *["td", "code"] * 4]
    assert Page(text).tags == ["table", "tr", *["th"] * 5, *row * len(findings)]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_page_shows_the_name(name):
    """Letter for letter, but for characters that do not print."""
    words = {"message": f"about {name}", "remedy": f"rename {name}"}

    assert Page(as_github.summary([finding(BROKEN, NOTES + name, line=4, **words)])).cells == [
        "error",
        "broken-link",
        f"{visible(NOTES + name)}:4",
        f"about {visible(name)}",
        f"rename {visible(name)}",
    ]


def test_a_finding_without_a_place_says_so():
    """Instead of a lonely line number."""
    assert Page(as_github.summary([finding(path="")])).cells[2] == "no file"


@pytest.mark.parametrize("more", [0, 1])
def test_the_summary_has_the_worst(more):
    """At the bound all; above it, it says how many are not there."""
    text = as_github.summary(many(limits.SUMMARY_FINDINGS + more))

    assert text.count("<tr><td>") == limits.SUMMARY_FINDINGS
    assert text.index("<td>error</td>") < text.index("<td>warning</td>") < text.index("<td>note</td>")
    assert text.endswith("\n\n1 more finding is not shown here: run eccmem doctor\n" if more else "</table>\n\n")


def test_every_rule_of_the_doctor():
    """One finding of each is in the summary."""
    text = as_github.summary([finding(rule) for rule in checks.RULES])

    assert all(f"<code>{rule.id}</code>" in text for rule in checks.RULES)


@pytest.mark.parametrize("char", ["'", "[", "\x00", "文", "\U0001f600", "\U000e0041", "%", ":"])
def test_ten_thousand_findings_of_huge_texts_stay_bounded(char):
    """In bytes, half of what a summary may have at most, and in time; the paths are just short enough to be given."""
    huge = char * 4_000
    findings = [finding(path=f"{NOTES}{number}{huge}", message=huge, remedy=huge) for number in range(10_000)]
    start = time.perf_counter()

    commands, summary = as_github.commands(findings), as_github.summary(findings)

    assert time.perf_counter() - start < 10
    assert len(commands.encode()) < 512 * 1024
    assert len(summary.encode()) < 512 * 1024
