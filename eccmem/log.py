"""What all commits that lead to HEAD tell of one memory of the team scope."""

from collections.abc import Mapping
from dataclasses import dataclass

from eccmem import claims, document, gitdir, history, limits
from eccmem.claims import Claim
from eccmem.document import InvalidDocument
from eccmem.errors import EccmemError, Refused
from eccmem.history import Commits
from eccmem.lineage import Lineage, Step
from eccmem.model import Memory, Scope
from eccmem.read import refuse_incomplete
from eccmem.roots import Root
from eccmem.vault import Snapshot


@dataclass(frozen=True, slots=True)
class Log:
    """The life of one memory.

    ``claims`` has what the commit of each event claims; ``shallow`` says that the clone ends at some commits, so that
    what was before them is not known.
    """

    wanted: str
    root: Root
    lineage: Lineage
    claims: Mapping[str, Claim]
    shallow: bool


def of(root: Root, wanted: str) -> Log:
    """Follow one memory through the commits.

    Args:
        root: the team scope.
        wanted: an id, as :func:`eccmem.read.check_id` returned it.

    Raises:
        EccmemError: ``not-a-repository``, or as :mod:`eccmem.history`.
    """
    checkout, _ = gitdir.checkout_of(root.real_path)
    folder = root.real_path.relative_to(checkout).as_posix()
    with history.opened(checkout) as commits:
        head = commits.head()
        parents = commits.parents(head) if head else {}
        changes = commits.changes(parents, folder)
        first = [commit for commit, above in parents.items() if not above]
        shallow = commits.is_shallow()
        cut = commits.cut(first) if shallow and first else frozenset()
        memories, paths = _memories(commits, changes, wanted)
        lineage = Lineage(wanted, memories)
        for commit in reversed(parents):
            here = {path: blob for path, blob in changes.get(commit, {}).items() if path in paths}
            lineage.follow(Step(commit, parents[commit], here, commit in cut))
        raw = commits.contents((event.commit for event in lineage.events), limits.COMMIT_BYTES)
        return Log(wanted, root, lineage, {oid: claims.parse(data or b"") for oid, data in raw}, shallow)


def nothing(log: Log, snapshot: Snapshot) -> EccmemError:
    """The error for a memory that no commit tells of: why that is so.

    Args:
        log: what was found.
        snapshot: the scopes of the working tree, where it may be.

    Raises:
        EccmemError: as :func:`eccmem.read.read`, when the snapshot is not whole and it is not seen there.
    """
    scopes = {stored.memory.scope for stored in snapshot.stored if stored.memory.id == log.wanted}
    if Scope.TEAM in scopes:
        return Refused(
            "not-committed",
            f"memory {log.wanted} is not committed, so Git knows nothing about it",
            "commit it: its history begins there",
        )
    if scopes:
        return Refused(
            "private-memory",
            f"memory {log.wanted} is private and never committed, so Git knows nothing about it",
            "eccmem read shows it",
        )
    refuse_incomplete(snapshot)
    known = "the commits of this shallow clone" if log.shallow else "the commits that lead to HEAD"
    return Refused(
        "memory-not-found",
        f"memory {log.wanted} is not in these scopes: {', '.join(snapshot.scopes)}, nor in {known}",
        "git fetch --unshallow brings the rest" if log.shallow else "try eccmem search",
    )


def _memories(
    commits: Commits, changes: Mapping[str, Mapping[str, str | None]], wanted: str
) -> tuple[dict[str, Memory | None], frozenset[str]]:
    """Every blob that is the memory (None where it cannot be read as one), and the paths at which it ever was."""
    at = {
        (path, blob)
        for files in changes.values()
        for path, blob in files.items()
        if blob is not None and _is_memory_file(path)
    }
    memories: dict[str, Memory | None] = {}
    for blob, data in commits.contents((blob for _, blob in at if _is_file(blob)), limits.DOCUMENT_BYTES):
        # Cheap to tell of nearly all: the id is there as it is, or there is an escape of JSON.
        if data and (wanted.encode() in data or b"\\u00" in data):
            memory = _memory(data)
            if memory is not None and memory.id == wanted:
                memories[blob] = memory
    paths = frozenset(path for path, blob in at if blob in memories or path.rpartition("/")[2] == f"{wanted}.md")
    others = {blob for path, blob in at if path in paths and blob not in memories}
    memories |= dict.fromkeys(blob for blob in others if not _is_file(blob))
    for blob, data in commits.contents(filter(_is_file, others), limits.DOCUMENT_BYTES):
        if data is None or _memory(data) is None:
            memories[blob] = None
    return memories, paths


def _is_memory_file(path: str) -> bool:
    """As a walk over the working tree takes it."""
    return path.endswith(".md") and not any(part.startswith(".") for part in path.split("/"))


def _is_file(blob: str) -> bool:
    return " " not in blob


def _memory(data: bytes) -> Memory | None:
    try:
        return document.parse(data)
    except InvalidDocument:
        return None
