"""What makes a finding the same finding tomorrow, for programs that track findings from run to run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a command loads only what it runs
    from collections.abc import Sequence

    from eccmem.finding import Finding


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """A fingerprint for each finding, in their order: no two are equal, and each stays when text moves down its file.

    It is made of the rule, the path, and which one of those with that rule and path it is, from the top of the file.
    Not of the line, which moves, nor of the message, whose words and counts change.
    """
    marks = [""] * len(findings)
    seen: Counter[tuple[str, str]] = Counter()
    for index in sorted(range(len(findings)), key=lambda index: _place(findings[index])):
        finding = findings[index]
        same = (finding.rule.id, finding.path)
        marks[index] = _hash(*same, seen[same])
        seen[same] += 1
    return marks


def _place(finding: Finding) -> tuple[str, str, int, str, str]:
    return finding.rule.id, finding.path, finding.line, finding.message, finding.remedy


def _hash(*parts: str | int) -> str:
    # JSON keeps the parts apart and has a form for every character, which a separator of our own would not.
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
