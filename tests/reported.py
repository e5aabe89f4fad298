"""Findings that the reports are made of in tests, and the text that others would like to get into them.

Run as a program it writes the golden files anew: read the difference before it is committed.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from eccmem.finding import Finding, Rule, Severity
from eccmem.output import as_github, as_gitlab, as_sarif

GOLDEN = Path(__file__).parent / "data/reports"

# Made up, so that the golden files do not change with the rules of the doctor.
SECRET = Rule("secret-in-memory", Severity.ERROR, "A memory holds a suspected credential; it is quarantined.")
BROKEN = Rule("broken-link", Severity.ERROR, "A memory links to an id that is nowhere.")
SYMLINK = Rule("symlink-in-vault", Severity.ERROR, "A symlink lies in the vault.")
ODD = Rule("odd-name", Severity.WARNING, "A file has an odd name.")
HINT = Rule("hint", Severity.NOTE, "Something could be better.")
SILENT = Rule("silent", Severity.NOTE, "Nothing was found by this rule.")
RULES = (SECRET, BROKEN, SYMLINK, ODD, HINT, SILENT)

NOTES = ".ecc/memory/team/notes/"
HOSTILE_NAMES = (
    "two words.md",
    "100%.md",
    "%0A::error::x.md",
    "a#b?c=d&e.md",
    "a:b,c.md",
    "line\nend.md",
    "line\r::stop-commands::x.md",
    "\x1b[31mred\x07.md",
    "\u2028::error::x\u0085\x0b.md",
    "\u202egnp.md",
    "##[add-mask]e.md",
    "[click](https:evil.example).md",
    "{0}.md",
    "<img src=x onerror=alert(1)>.md",
    "</code></td></table>.md",
    "a|b`c`*d*_e_.md",
    "@octocat.md",
    r"not utf-8 \xff.md",
    "\udcff\ud800.md",
    "文字 e\u0301 😀.md",
    "back\\slash.md",
    "..two dots.md",
)
ELSEWHERE = ("", ".git", ".git/config", "../side", "..\\side", "user:", "user:notes/x.md", "team:", "project:a b/c.md")


def finding(rule: Rule = ODD, path: str = f"{NOTES}mem_one.md", line: int = 1, **words: str) -> Finding:
    """A finding, with words of its own or with harmless ones."""
    return Finding(rule=rule, path=path, line=line, **({"message": "it is odd", "remedy": "rename it"} | words))


FINDINGS = (
    finding(HINT, "", message="this machine is odd", remedy="take another"),
    finding(HINT, ".git", message="Git cannot be asked", remedy="run `git status`"),
    finding(HINT, "../side"),
    finding(HINT, "user:notes/x y.md"),
    *(finding(ODD, f"{NOTES}{name}", line=number) for number, name in enumerate(HOSTILE_NAMES, 1)),
    finding(SYMLINK, f"{NOTES}linked.md", message="a symlink", remedy="remove it"),
    finding(BROKEN, line=9, message="mem_one links to mem_b, which is nowhere", remedy="correct the link"),
    finding(BROKEN, line=9, message="mem_one links to mem_a, which is nowhere", remedy="correct the link"),
    finding(SECRET, line=12, message="shape aws-access-key at column 3", remedy="revoke it"),
)


def many(count: int) -> list[Finding]:
    """So many findings, the worst last."""
    rules = (HINT, ODD, BROKEN)
    return [
        finding(rules[number * 3 // count], f"{NOTES}mem_{number:06}.md", line=number % 90) for number in range(count)
    ]


def moved(found: Finding, lines: int) -> Finding:
    """The same finding after lines were put in above it."""
    return replace(found, line=found.line + lines)


# Any text, with what the formats give a meaning to more often than chance would.
PIECES = st.one_of(
    st.text(st.characters(), max_size=8),
    st.sampled_from(
        ("::", "::error::", "##[", "##[stop-commands]x", "]", "](", "[a", "{0}", "%0A", "%0D", "%25", "%3A")
    ),
    st.sampled_from(
        ("\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029", "|", "`", "\\", "<b>", "&lt;", "@a", "/")
    ),
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)
ANY_FINDINGS = st.lists(
    st.builds(
        finding,
        st.sampled_from(RULES),
        st.one_of(TEXTS, TEXTS.map(NOTES.__add__), st.sampled_from(ELSEWHERE)),
        st.integers(0, 20),  # a line counts from 1, and a report must not say 0 whatever it is given
        message=TEXTS,
        remedy=TEXTS,
    ),
    max_size=12,
)

FILES: dict[str, Callable[[], str]] = {
    "findings.sarif": lambda: as_sarif.report(FINDINGS, RULES, "1.2.3"),
    "nothing.sarif": lambda: as_sarif.report((), RULES, "1.2.3"),
    "commands.txt": lambda: as_github.commands(FINDINGS),
    "summary.md": lambda: as_github.summary(FINDINGS),
    "nothing.md": lambda: as_github.summary(()),
    "gitlab.json": lambda: as_gitlab.report(FINDINGS),
    "nothing.json": lambda: as_gitlab.report(()),
}


def golden(name: str) -> str:
    """What a report looked like when somebody last read it."""
    return (GOLDEN / name).read_bytes().decode()


if __name__ == "__main__":
    for file, made in FILES.items():
        (GOLDEN / file).write_bytes(made().encode())
