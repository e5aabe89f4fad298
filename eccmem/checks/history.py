"""Is what was published still what it was?

A published memory may change in one way: its status goes from active to superseded or rejected, with ``updated_at``.
Whoever read the old text cannot know that it is another one now; a new memory that supersedes it can be found.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from eccmem.finding import Finding, Rule, Severity
from eccmem.model import Memory, Status

MODIFIED = Rule("memory-modified", Severity.ERROR, "A published memory says something else than when it was published.")
DELETED = Rule("memory-deleted", Severity.ERROR, "A published memory is gone.")
REOPENED = Rule("status-reopened", Severity.ERROR, "A memory that was superseded or rejected is active again.")
RULES = (MODIFIED, DELETED, REOPENED)

_MAY_CHANGE = ("status", "updated_at")
_REGULAR = "100644"


@dataclass(frozen=True, slots=True)
class Published:
    """A published memory and what became of it.

    ``path`` is where it is now, else where it was; ``now`` is None when the file is gone or no memory any more
    (``mode`` tells which: it is empty when the file is gone).
    """

    path: str
    was: Memory
    was_mode: str
    now: Memory | None
    mode: str


def check(found: Published) -> Iterator[Finding]:
    """What happened to a published memory that may not."""
    if not found.mode:
        yield _finding(DELETED, found, "is deleted", "bring it back; to retire it: eccmem retire {id} --as rejected")
        return
    restore = "take this change back, and save what is new with eccmem save --supersedes {id}"
    if found.now is None or found.mode not in (_REGULAR, found.was_mode):
        what = "is no valid memory any more" if found.now is None else f"has the file mode {found.mode}"
        yield _finding(MODIFIED, found, what, restore)
        return
    fields = changed(found.was, found.now)
    was, now = found.was.status, found.now.status
    if was is not Status.ACTIVE and now is Status.ACTIVE:
        yield _finding(
            REOPENED, found, f"goes from {was} back to {now}", "save it as a new memory: eccmem save --link {id}"
        )
    elif was is not now and was is not Status.ACTIVE:
        fields.append("status")
    if fields:
        yield _finding(MODIFIED, found, f"changes its {', '.join(fields)}", restore)


def changed(was: Memory, now: Memory) -> list[str]:
    """The fields that differ, besides those that may."""
    return [name for name in Memory.__slots__ if _differs(was, now, name)]


def _differs(was: Memory, now: Memory, name: str) -> bool:
    if name == "body":  # `git add --renormalize` changes line ends, which say nothing
        return was.body.replace("\r\n", "\n") != now.body.replace("\r\n", "\n")
    return name not in _MAY_CHANGE and getattr(was, name) != getattr(now, name)


def _finding(rule: Rule, found: Published, what: str, remedy: str) -> Finding:
    return Finding(
        rule=rule,
        path=found.path,
        message=f"the published memory {found.was.id} {what}",
        remedy=remedy.format(id=found.was.id),
    )
