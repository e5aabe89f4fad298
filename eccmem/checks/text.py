"""Does a memory say things that its reader cannot see?"""

from collections.abc import Iterator

from eccmem.finding import Finding, Rule, Severity
from eccmem.invisible import invisible
from eccmem.vault import Snapshot

INVISIBLE = Rule(
    "invisible-text", Severity.WARNING, "A memory holds text that an agent reads and a reviewer cannot see."
)
RULES = (INVISIBLE,)


def check(snapshot: Snapshot) -> Iterator[Finding]:
    """A finding for each stretch of invisible text in a title or a body."""
    for stored in snapshot.stored:
        for field, content in (("title", stored.memory.title), ("body", stored.memory.body)):
            for found in invisible(content):
                yield Finding(
                    rule=INVISIBLE,
                    path=stored.place.shown,
                    line=stored.lines[field] + content.count("\n", 0, found.start),
                    message=f"invisible text in the {field}: {found.end - found.start} "
                    f"characters from {found.code_point} on",
                    remedy="look at it with `cat -A`, and remove it",
                )
