"""Would a reviewer see a team memory, and does a checkout give what was reviewed?"""

from collections.abc import Iterable, Iterator

from eccmem.finding import Finding, Rule, Severity
from eccmem.text import printable_name
from eccmem.treefiles import Attribute

HIDDEN = Rule(
    "hidden-from-review", Severity.ERROR, "An attribute hides a team memory from diffs and from those who review them."
)
ALTERED = Rule(
    "altered-by-attributes", Severity.ERROR, "An attribute makes a checked-out memory another one than was reviewed."
)
RULES = (HIDDEN, ALTERED)

_OFF = ("unset", "false")


def check(attributes: Iterable[Attribute]) -> Iterator[Finding]:
    """A finding for each attribute of a team memory that is against it."""
    for found in attributes:
        if (rule := _broken_rule(found)) is not None:
            yield Finding(
                rule=rule,
                path=printable_name(found.path),
                message=f"the attribute {found.name} is {found.value if found.value in _KNOWN else 'a driver'} here",
                remedy="remove that rule, or commit the .ecc/.gitattributes that eccmem init --scope team writes",
            )


_KNOWN = ("set", "unset", "true", "union", "ours", "binary")


def _broken_rule(found: Attribute) -> Rule | None:
    name, value = found.name, found.value
    if name == "diff":
        return HIDDEN if value == "unset" else None
    if name in ("linguist-generated", "gitlab-generated"):
        return None if value in _OFF else HIDDEN
    if name == "merge":
        return None if value in ("set", "text", "unset", "binary") else ALTERED
    return None if value == "unset" else ALTERED
