"""What is judged: every rule, and the checks that need nothing but a Snapshot."""

from eccmem.checks import contract, guard, layout, links, machine, secrets, text
from eccmem.finding import Finding, Rule, by_place
from eccmem.vault import Snapshot

RULES: tuple[Rule, ...] = (
    *contract.RULES,
    *layout.RULES,
    *secrets.RULES,
    *links.RULES,
    *text.RULES,
    *guard.RULES,
    *machine.RULES,
)
_OF_SNAPSHOT = (contract.check, layout.check, secrets.check, links.check, text.check)


def run(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Every finding that the memories themselves cause, sorted by place."""
    return by_place(finding for check in _OF_SNAPSHOT for finding in check(snapshot))
