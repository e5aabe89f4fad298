"""What is judged: every rule, and the checks that need nothing but a Snapshot."""

from collections.abc import Iterable

from eccmem.checks import contract, guard, history, layout, links, machine, review, secrets, text
from eccmem.finding import Finding, Rule, by_place
from eccmem.vault import Snapshot

_BY_SUBJECT: dict[str, tuple[Rule, ...]] = {
    "contract": contract.RULES,
    "layout": layout.RULES,
    "secrets": secrets.RULES,
    "links": links.RULES,
    "text": text.RULES,
    "history": history.RULES,
    "review": review.RULES,
    "guard": guard.RULES,
    "machine": machine.RULES,
}
RULES: tuple[Rule, ...] = tuple(rule for rules in _BY_SUBJECT.values() for rule in rules)
_OF_SNAPSHOT = (contract.check, layout.check, secrets.check, links.check, text.check)


def run(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Every finding that the memories themselves cause, sorted by place."""
    return by_place(finding for check in _OF_SNAPSHOT for finding in check(snapshot))


def rules_of(subjects: Iterable[str]) -> frozenset[Rule]:
    """The rules of some subjects, each the name of a module here."""
    return frozenset(rule for subject in subjects for rule in _BY_SUBJECT[subject])
