"""SARIF 2.1.0, as GitHub's code scanning takes it.

One location that it cannot take, and it refuses the whole file: an empty one, one with a scheme (``user:…``), one
with a colon in its first part.
So each path is percent-encoded, and what is no path of the repository gets a stand-in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from eccmem.output.common import (
    SECURITY,
    Entry,
    fitting,
    in_repository,
    left_out,
    stand_in,
    to_json,
    whole_message,
    worst_first,
)
from eccmem.output.fingerprint import fingerprints

if TYPE_CHECKING:  # a command loads only what it runs
    from collections.abc import Sequence

    from eccmem.finding import Finding, Rule

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT = "eccmemFinding/v1"
# What these rules look for has a shape that other text can have too; the others see a fact.
_PRECISION = {"secret-in-memory": "high", "invisible-text": "high"}
# Code scanning hides a result whose path is a symlink; without a file to match it is shown.
_ABOUT_SYMLINKS = "symlink-in-vault"
# In a message, a link is [text](target) and a placeholder is {0}; written like this, neither is.
_LIVE = re.compile(r"(?<=\])\(|[{}]")


def report(findings: Sequence[Finding], rules: Sequence[Rule], version: str) -> str:
    """The report of one run, worst first, with a notification when some are left out.

    Args:
        findings: in any order.
        rules: every rule that was looked at, also those that found nothing.
        version: that of eccmem.
    """
    ordered = worst_first(findings)
    known = {rule.id: rule for rule in (*rules, *(finding.rule for finding in ordered))}
    index = {rule_id: number for number, rule_id in enumerate(known)}
    marked = zip(ordered, fingerprints(ordered), strict=True)
    results = fitting(_result(finding, mark, index[finding.rule.id]) for finding, mark in marked)
    driver = {"name": "eccmem", "version": version, "rules": [_rule(rule) for rule in known.values()]}
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(len(ordered) - len(results))],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return to_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> Entry:
    where = f"docs/reference/rules.md#{rule.id}"
    properties: Entry = {"precision": _PRECISION.get(rule.id, "very-high"), "tags": ["agent-memory"]}
    if rule.id in SECURITY:
        properties = properties | {"tags": ["agent-memory", "security"], "security-severity": SECURITY[rule.id]}
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary} The documentation of eccmem explains it: {where}"},
        "help": {"text": f"What it means and how to mend it: {where} in the documentation of eccmem."},
        "defaultConfiguration": {"level": rule.severity.word},
        "properties": properties,
    }


def _result(finding: Finding, mark: str, rule_index: int) -> Entry:
    path = None if finding.rule.id == _ABOUT_SYMLINKS else in_repository(finding.path)
    place = stand_in(finding.path) if path is None else path
    first = max(finding.line, 1)
    region = {"startLine": first, "startColumn": 1, "endLine": first, "endColumn": 1}
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": finding.rule.severity.word,
        "message": {"text": _LIVE.sub(_escape, whole_message(finding, with_path=path is None))},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(place)}, "region": region}}],
        "partialFingerprints": {_FINGERPRINT: mark},
    }


def _uri(path: str) -> str:
    return quote(path, safe="/", errors="backslashreplace")


def _escape(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def _invocation(missing: int) -> Entry:
    done: Entry = {"executionSuccessful": True}
    if missing:
        done["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": left_out(missing)}}]
    return done
