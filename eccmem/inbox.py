"""Which hand-offs wait for a harness: active, addressed to it, and not answered."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from eccmem import standing
from eccmem.model import ANSWERS, Kind, Memory, Status, answers
from eccmem.standing import Standing
from eccmem.vault import Snapshot

_FOLDER = f"{Kind.HANDOFF.folder}/"
_ANSWER = f"{ANSWERS}: ".encode()
_NUMBERS = re.compile("[0-9]+")
# The calendar repeats itself after so many years, and Python's has no year 0.
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
_DAY, _HOUR, _MINUTE = 86_400, 3600, 60


@dataclass(frozen=True, slots=True)
class Waiting:
    """A hand-off, and where the repository stood when it was written."""

    memory: Memory
    written_at: Standing


def waiting(snapshot: Snapshot, harness: str) -> tuple[Waiting, ...]:
    """The hand-offs that wait for a harness, the oldest first.

    An answer counts whoever gave it, unless it was rejected; a private one counts where it lies, and nowhere else.
    """
    memories = [stored.memory for stored in snapshot.stored]
    answered = _answered(memories)
    found = (
        memory
        for memory in memories
        if memory.kind is Kind.HANDOFF
        and memory.status is Status.ACTIVE
        and memory.is_for(harness)
        and memory.id not in answered
    )
    oldest_first = sorted(found, key=lambda memory: (memory.created_at, memory.id))
    return tuple(Waiting(memory, standing.of(memory.body)) for memory in oldest_first)


def concerns(relative: str, data: bytes) -> bool:
    """Whether a document could say that a hand-off waits, or that one is answered; seen without judging it.

    Args:
        relative: its path within its scope: a hand-off that lies elsewhere than in its folder is not valid.
        data: its bytes.
    """
    return relative.startswith(_FOLDER) or _ANSWER in data


def _answered(memories: Iterable[Memory]) -> frozenset[str]:
    given = (memory for memory in memories if memory.links and memory.status is not Status.REJECTED)
    # No memory answers itself.
    return frozenset(item for memory in given for item in answers(memory) if item != memory.id)


def seconds_between(earlier: str, later: str) -> int:
    """Whole seconds from one time to another, as memories write them; negative when they are the other way round."""
    return _seconds(later) - _seconds(earlier)


def _seconds(moment: str) -> int:
    from datetime import date  # noqa: PLC0415 - 2 ms that only those who look into an inbox need

    year, month, day, hour, minute, second, _ = map(int, _NUMBERS.findall(moment))
    days = date(year or _CYCLE_YEARS, month, day).toordinal() - (0 if year else _CYCLE_DAYS)
    return days * _DAY + hour * _HOUR + minute * _MINUTE + second


def age(seconds: int) -> str:
    """An age as people say it, in its largest unit."""
    if seconds < 0:
        return "dated in the future"
    for size, word in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if count := seconds // size:
            return f"{count} {word}{'s' * (count > 1)} old"
    return "just now"
