"""For GitHub Actions: workflow commands, which become annotations, and Markdown for the summary of a step.

A runner obeys a line of output that starts with ``::``, and one that has ``##[`` anywhere; names of files must reach
it as text alone.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from eccmem import limits
from eccmem.finding import Severity
from eccmem.output.common import in_repository, shown, totals, visible, whole_message, worst_first

if TYPE_CHECKING:  # a command loads only what it runs
    from collections.abc import Sequence

    from eccmem.finding import Finding

_COMMANDS = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}
_COLUMNS = ("severity", "rule", "place", "what is wrong", "what to do")


def commands(findings: Sequence[Finding]) -> str:
    """An annotation for each of the worst, then a line that says how many more there are; nothing for none."""
    ordered = worst_first(findings)
    lines = [_command(finding) for finding in ordered[: limits.GITHUB_ANNOTATIONS]]
    if more := len(ordered) - len(lines):
        lines.append(f"eccmem: {more} more {'finding' if more == 1 else 'findings'}: see the summary of this step")
    return "".join(f"{text}\n" for text in lines)


def _command(finding: Finding) -> str:
    path = in_repository(finding.path)
    file = "" if path is None else f"file={_property(path)},line={max(finding.line, 1)},"
    title = f"title={_property(f'eccmem: {finding.rule.id}')}"
    message = _data(whole_message(finding, with_path=path is None))
    return f"::{_COMMANDS[finding.rule.severity]} {file}{title}::{message}"


def _data(text: str) -> str:
    # Visible text has no line ends that would need an escape; `##[` would be a command where a line does not start
    # with `::` because an earlier program left its last line open.
    return visible(text).replace("##[", "#\\x23[").replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(findings: Sequence[Finding]) -> str:
    """Markdown: how many there are of each severity, and a table of the worst.

    The table is HTML, as GitHub's own toolkit makes it: no Markdown is read inside.
    What others wrote stands in ``code``, where GitHub makes no link, reference or mention of anything.
    """
    if not findings:
        return "## eccmem: nothing found\n"
    ordered = worst_first(findings)
    rows = [_row(finding) for finding in ordered[: limits.SUMMARY_FINDINGS]]
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    # The empty line ends the table: what is appended after it is Markdown again.
    lines = [f"## eccmem: {totals(ordered)}", "", "<table>", f"<tr>{head}</tr>", *rows, "</table>", ""]
    if more := len(ordered) - len(rows):
        lines.append(f"{more} more {'finding is' if more == 1 else 'findings are'} not shown here: run eccmem doctor")
    return "".join(f"{text}\n" for text in lines)


def _row(finding: Finding) -> str:
    place = f"{shown(finding.path)}:{finding.line}" if finding.path else "no file"
    said = (shown(text, limits.EXCERPT_CHARS) for text in (finding.message, finding.remedy))
    texts = (finding.rule.id, place, *said)
    cells = "".join(f"<td><code>{_text(text)}</code></td>" for text in texts)
    return f"<tr><td>{finding.rule.severity.word}</td>{cells}</tr>"


def _text(text: str) -> str:
    # `[` as well, for whoever prints the summary: see `##[` above.
    return escape(text).replace("[", "&#91;")
