"""Reading one memory by its id, and saying so when that cannot be done honestly."""

from dataclasses import dataclass

from eccmem import limits
from eccmem.errors import EccmemError, Refused
from eccmem.model import Memory, Status, memory_id
from eccmem.vault import Snapshot, Stored

INCOMPLETE = "ECC_MEMORY_INCOMPLETE"


@dataclass(frozen=True, slots=True)
class Reading:
    """A memory with the active memories that link to it, at most 100 of them."""

    stored: Stored
    backlinks: tuple[Memory, ...]
    backlinks_truncated: bool


def check_id(value: str) -> str:
    """Return a memory id, trimmed.

    Raises:
        Refused: when it cannot be one.
    """
    try:
        return memory_id(value, "the memory id")
    except ValueError as error:
        raise Refused("bad-id", str(error), "find it with: eccmem search") from None


def read(snapshot: Snapshot, wanted: str, harness: str | None = None) -> Reading:
    """Find one memory.

    Args:
        snapshot: the scopes to look in.
        wanted: as :func:`check_id` returned it.
        harness: only what is addressed to it is seen, if given.

    Raises:
        EccmemError: ``ECC_MEMORY_INCOMPLETE`` when the snapshot is not whole: what was not seen could be the
            memory, its twin or a link to it.
        Refused: ``memory-not-found`` or ``duplicate-id``.
    """
    refuse_incomplete(snapshot)
    visible = [stored for stored in snapshot.stored if stored.memory.is_for(harness)]
    matches = [stored for stored in visible if stored.memory.id == wanted]
    if not matches:
        scopes = ", ".join(snapshot.scopes)
        raise Refused("memory-not-found", f"memory {wanted} is not in these scopes: {scopes}", "try eccmem search")
    if len(matches) > 1:
        raise Refused(
            "duplicate-id",
            f"memory {wanted} is in {len(matches)} files",
            "eccmem doctor names them; keep one",
        )
    links = sorted(
        (
            stored.memory
            for stored in visible
            if wanted in stored.memory.links and stored.memory.status is Status.ACTIVE
        ),
        key=lambda memory: memory.id,
    )
    return Reading(matches[0], tuple(links[: limits.RESULTS]), len(links) > limits.RESULTS)


def refuse_incomplete(snapshot: Snapshot) -> None:
    """Raise ``ECC_MEMORY_INCOMPLETE`` unless all that could be a memory was seen and is valid."""
    if snapshot.complete:
        return
    bad = [broken.place.shown for broken in snapshot.broken] + [skipped.path for skipped in snapshot.skipped]
    named = ", ".join(sorted(bad)[: limits.NAMED_PATHS]) + (
        f" and {len(bad) - limits.NAMED_PATHS} more" if len(bad) > limits.NAMED_PATHS else ""
    )
    why = "; ".join([*snapshot.cut_short, *([f"cannot be used: {named}"] if bad else [])])
    raise EccmemError(
        INCOMPLETE,
        f"the vault cannot be read whole ({why}), so nothing is claimed about it",
        "run eccmem doctor",
    )
