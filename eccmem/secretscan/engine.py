"""The search: literals first, then the pattern of each rule whose literal is there."""

import re
from dataclasses import dataclass

from eccmem.secretscan.rules import RULES


@dataclass(frozen=True, slots=True)
class Match:
    """A credential in a text: which rule, and where; the text itself is not kept, so it cannot leak.

    ``start`` and ``end`` are character offsets into the scanned text.
    """

    rule: str
    label: str
    tier: str
    start: int
    end: int


def scan(text: str) -> list[Match]:
    """Return every credential in a text, in the order in which they begin."""
    matches = [
        Match(rule.id, rule.label, rule.tier, *found.span())
        for rule in RULES
        if any(literal in text for literal in rule.literals)
        for found in re.finditer(rule.pattern, text, re.ASCII)
    ]
    return sorted(matches, key=lambda match: (match.start, match.end))
