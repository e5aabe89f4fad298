"""What waits for a harness, for people and for programs: never a body."""

from collections.abc import Sequence

from eccmem import limits
from eccmem.inbox import Waiting, age, seconds_between
from eccmem.model import TRUST
from eccmem.output import as_json
from eccmem.output.terminal import line
from eccmem.vault import Snapshot


def text(harness: str, found: Sequence[Waiting], now: str) -> str:
    """Each hand-off on two lines: its title; who wrote it, how long ago, and where the repository stood."""
    if not found:
        return f"Nothing waits for {harness}.\n"
    lines = [text for item in found[: limits.RESULTS] for text in _lines(item, now)]
    more = len(found) - limits.RESULTS
    lines += [f"… and {more} more"] if more > 0 else []
    return "".join(f"{text}\n" for text in lines)


def _lines(item: Waiting, now: str) -> tuple[str, str]:
    memory = item.memory
    where = f", at {line(item.written_at.shown)}" if item.written_at.shown else ""
    return (
        f"[{TRUST}] {memory.id} — {line(memory.title)}",
        f"  from {memory.source_harness}, {age(seconds_between(memory.created_at, now))}{where}",
    )


def payload(harness: str, found: Sequence[Waiting], snapshot: Snapshot, now: str) -> dict[str, object]:
    """The same as a payload, with what could not be looked at."""
    return {
        "schemaVersion": "eccmem.inbox.v1",
        "harness": harness,
        "handoffs": [
            {
                "memory": as_json.summary(item.memory),
                "ageSeconds": seconds_between(item.memory.created_at, now),
                "branch": item.written_at.branch or None,
                "head": item.written_at.head or None,
            }
            for item in found[: limits.RESULTS]
        ],
        "handoffCount": len(found),
        "diagnostics": as_json.diagnostics(snapshot),
    }
