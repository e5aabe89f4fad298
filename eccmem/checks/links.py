"""Do links lead somewhere, and were supersessions carried out?"""

from collections.abc import Collection, Iterator

from eccmem.finding import Finding, Rule, Severity
from eccmem.model import Scope, Status, supersedes
from eccmem.roots import PROJECT_OVERRIDE, USER_OVERRIDE, VAULT
from eccmem.vault import Place, Snapshot, Stored

BROKEN = Rule("broken-link", Severity.ERROR, "A memory links to an id that is in none of the scanned scopes.")
SELF = Rule("self-link", Severity.WARNING, "A memory links to itself.")
UNAPPLIED = Rule(
    "supersession-not-applied",
    Severity.WARNING,
    "A superseded memory is still active, so search returns both.",
)
RULES = (BROKEN, SELF, UNAPPLIED)


def broken_links(snapshot: Snapshot) -> list[tuple[Stored, str]]:
    """The links that lead nowhere, in scan order: the memory, and the id that it links to."""
    known = {stored.memory.id for stored in snapshot.stored} | {item.id for item in snapshot.known} | snapshot.elsewhere
    return [(stored, link) for stored in snapshot.stored for link in stored.memory.links if link not in known]


def check(snapshot: Snapshot) -> Iterator[Finding]:
    """Findings about links between memories."""
    for stored, link in broken_links(snapshot):
        yield _broken(stored.place, stored.memory.id, link, stored.lines["links"])
    active = {stored.memory.id: stored for stored in snapshot.stored if stored.memory.status is Status.ACTIVE}
    for stored in snapshot.stored:
        if stored.memory.id in stored.memory.links:
            yield Finding(
                rule=SELF,
                path=stored.place.shown,
                line=stored.lines["links"],
                message=f"{stored.memory.id} links to itself",
                remedy="remove the link by hand",
            )
        if stored.memory.status is not Status.ACTIVE:
            continue
        for item in supersedes(stored.memory):
            if (old := active.get(item)) and item != stored.memory.id:
                yield _unapplied(stored, old)


def orphans(snapshot: Snapshot, gone: Collection[str]) -> Iterator[Finding]:
    """A finding for each link of a memory that is judged no more to one of the ids that are gone."""
    for item in snapshot.known:
        for link in item.links:
            if link in gone:
                yield _broken(item.place, item.id, link, 1)


def _broken(place: Place, source: str, target: str, line: int) -> Finding:
    return Finding(
        rule=BROKEN,
        path=place.shown,
        line=line,
        message=f"{source} links to {target}, which is not in the scanned scopes",
        remedy="bring that memory back, or correct the link by hand",
    )


def _unapplied(new: Stored, old: Stored) -> Finding:
    moved = old.place.root.parts[: len(VAULT)] != VAULT and old.place.root.shown.endswith(":")
    if old.memory.scope is Scope.USER:
        apply = f"--scope user | patch -p1 -d {f'${USER_OVERRIDE}' if moved else '~'}"
    else:
        apply = f"| patch -p1 -d ${PROJECT_OVERRIDE}" if moved else "| git apply"
    return Finding(
        rule=UNAPPLIED,
        path=old.place.shown,
        line=old.lines["status"],
        message=f"{old.memory.id} is superseded by {new.memory.id} and still active",
        remedy=f"eccmem retire {old.memory.id} --as superseded {apply}",
    )
