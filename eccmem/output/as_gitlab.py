"""GitLab's code quality report: an array of what was found, for the widget of a merge request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eccmem.finding import Severity
from eccmem.output.common import (
    SECURITY,
    Entry,
    fitting,
    in_repository,
    left_out,
    stand_in,
    to_json,
    visible,
    whole_message,
    worst_first,
)
from eccmem.output.fingerprint import fingerprints

if TYPE_CHECKING:  # a command loads only what it runs
    from collections.abc import Sequence

    from eccmem.finding import Finding

_SEVERITIES = {Severity.NOTE: "info", Severity.WARNING: "minor", Severity.ERROR: "major"}
_CUT_SHORT = "report-cut-short"


def report(findings: Sequence[Finding]) -> str:
    """The report; worst first, and with an entry of its own for those that are left out, if any."""
    ordered = worst_first(findings)
    marked = zip(ordered, fingerprints(ordered), strict=True)
    entries = fitting(_entry(finding, mark) for finding, mark in marked)
    if missing := len(ordered) - len(entries):
        entries.append(_cut_short(missing))
    return to_json(entries)


def _entry(finding: Finding, mark: str) -> Entry:
    rule = finding.rule
    path = in_repository(finding.path)
    return {
        "description": whole_message(finding, with_path=path is None),
        "check_name": rule.id,
        "fingerprint": mark,
        "severity": "critical" if rule.id in SECURITY else _SEVERITIES[rule.severity],
        "location": _location(stand_in(finding.path) if path is None else visible(path), finding.line),
    }


def _cut_short(missing: int) -> Entry:
    """An entry, because the format has no other room for it."""
    return {
        "description": left_out(missing),
        "check_name": _CUT_SHORT,
        "fingerprint": _CUT_SHORT,
        "severity": "info",
        "location": _location(stand_in("")),
    }


def _location(path: str, line: int = 1) -> Entry:
    return {"path": path, "lines": {"begin": max(line, 1)}}
