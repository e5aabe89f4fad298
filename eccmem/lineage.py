"""What happened to one memory from commit to commit: a pure function of what each commit did to its files.

A memory is found by its id, never by Git's rename detection: memories of one template are so alike that Git takes one
for the other.
Branches are followed side by side, so that what a merge itself did can be told from what it brought.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum

from eccmem.model import Memory

STATUS = "status"
NAMES = tuple(each.name for each in fields(Memory))


class What(StrEnum):
    """What a commit did to the memory."""

    ADDED = "added"
    PRESENT = "present"
    RESTORED = "restored"
    DELETED = "deleted"
    MOVED = "moved"
    COPIED = "copied"
    STATUS = "status"
    CHANGED = "changed"
    REWRITTEN = "rewritten"
    INVALID = "invalid"
    REPAIRED = "repaired"
    COMBINED = "combined"
    KEPT_ONE_SIDE = "kept-one-side"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a commit did.

    ``old`` and ``new`` are paths below the scope, or statuses; ``names`` are fields, never with their values;
    ``commits`` are those whose changes a merge left out.
    """

    what: What
    old: str = ""
    new: str = ""
    names: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


# Path below the scope, and the blob there that is this memory, readable or not.
Files = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A commit: how the files differ from those of its first parent (None for a path that it removes).

    ``cut`` says that it has parents which are not here (a shallow clone).
    """

    commit: str
    parents: tuple[str, ...]
    changes: Mapping[str, str | None]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """A commit that did something to the memory.

    ``files`` is how the memory stands then, and ``bases`` are the events, by number, that had made what the parents
    hold.
    """

    commit: str
    changes: tuple[Change, ...]
    files: Files
    bases: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Node:
    """How the memory stands after a commit, and the last event that made it so.

    ``seen`` has a bit for each event that the commit's history knows.
    """

    files: Files = field(default_factory=dict)
    seen: int = 0
    origin: int | None = None


class Lineage:
    """The life of one memory.

    Args:
        wanted: the memory's id.
        memories: by blob, the memory of that id, or None where the blob cannot be read as a memory. A blob that is
            not in it is something else.
    """

    def __init__(self, wanted: str, memories: Mapping[str, Memory | None]) -> None:
        self.events: list[Event] = []
        self._name = f"{wanted}.md"
        self._memories = memories
        self._nodes: dict[str, _Node] = {}
        self._last = _Node()
        self._cut = 0  # the events at which the history that is here begins
        self._standing: dict[int, Files] = {0: {}}  # how it stood when so many events were known

    def follow(self, step: Step) -> None:
        """Take one more commit; parents come before children, and the last one is where the history stands."""
        parents = [self._nodes[each] for each in step.parents] or [_Node()]
        if step.changes or len(parents) > 1 or step.cut:
            self._last = self._after(step, parents)
        else:
            self._last = parents[0]
        self._nodes[step.commit] = self._last

    @property
    def files(self) -> Files:
        """Where the memory is after the last commit."""
        return self._last.files

    @property
    def origin(self) -> int | None:
        """The last event that had a part in how it is there."""
        return self._last.origin

    def memory(self, files: Files) -> Memory | None:
        """The memory in the first of some files; None where it is not readable, or nowhere."""
        return next((self._memories[files[path]] for path in sorted(files)), None)

    # --- One commit -------------------------------------------------------------------------------------------

    def _after(self, step: Step, parents: Sequence[_Node]) -> _Node:
        files = self._files(step, parents)
        seen = 0
        for parent in parents:
            seen |= parent.seen
        if (same := self._settled(files, parents)) is not None:
            origin = same.origin
        else:
            changes = self._present(files) if step.cut else self._merged(files, parents)
            origin = len(self.events)
            seen |= 1 << origin
            self._cut |= step.cut << origin
            bases = dict.fromkeys(parent.origin for parent in parents if parent.origin is not None)
            self.events.append(Event(step.commit, tuple(dict.fromkeys(changes)), files, tuple(bases)))
        self._standing[seen] = files
        return _Node(files, seen, origin)

    def _files(self, step: Step, parents: Sequence[_Node]) -> Files:
        """A file that cannot be read is this memory where it has its name, or was this memory before."""
        files = dict(parents[0].files)
        for path, blob in step.changes.items():
            files.pop(path, None)
            if blob is None or blob not in self._memories:
                continue
            is_named = path.rpartition("/")[2] == self._name
            if self._memories[blob] is not None or is_named or any(path in parent.files for parent in parents):
                files[path] = blob
        return files

    # --- Merges -----------------------------------------------------------------------------------------------

    def _settled(self, files: Files, parents: Sequence[_Node]) -> _Node | None:
        """The parent whose files a commit has, unless another parent had changes that are lost by that."""
        for parent in parents:
            if parent.files == files and all(self._is_behind(other, parent) for other in parents):
                return parent
        return None

    def _is_behind(self, other: _Node, parent: _Node) -> bool:
        """Whether a merge of two may take the files of one: the other has the same, or nothing that is newer.

        Where the history is cut between them, it cannot be told which is newer, and nothing is claimed.
        """
        common = other.seen & parent.seen
        if other.files == parent.files or (other.seen ^ parent.seen) & self._cut:
            return True
        return self._standing.get(common) == other.files  # as where the two parted

    def _merged(self, files: Files, parents: Sequence[_Node]) -> Iterator[Change]:
        """What a commit did, of one parent or of several."""
        if len(parents) == 1:
            yield from self._differences(parents[0], files)
        elif (taken := next((parent for parent in parents if parent.files == files), None)) is not None:
            yield from self._kept(taken, [other for other in parents if not self._is_behind(other, taken)])
        else:
            # A parent without the memory says nothing about it.
            yield from self._made_by_merge(files, [parent for parent in parents if parent.files] or parents)

    def _kept(self, taken: _Node, left_out: Sequence[_Node]) -> Iterator[Change]:
        lost = 0
        for other in left_out:
            lost |= other.seen & ~taken.seen
        found = [change for other in left_out for change in self._differences(other, taken.files)]
        commits = tuple(event.commit for index, event in enumerate(self.events) if lost >> index & 1)
        yield Change(What.KEPT_ONE_SIDE, names=_in_order(_named(found)), commits=commits)
        yield from (change for change in found if change.what is not What.CHANGED)

    def _made_by_merge(self, files: Files, parents: Sequence[_Node]) -> Iterator[Change]:
        """What differs from every parent is the merge's own; else it put together what they had."""
        each = [list(self._differences(parent, files)) for parent in parents]
        rest = (change for change in each[0] if change.what is not What.CHANGED)
        own = [change for change in rest if all(_has(change, others) for others in each[1:])]
        names = set.intersection(*(_named(found) for found in each))
        yield from own
        if names:
            yield Change(What.CHANGED, names=_in_order(names))
        elif not own:
            # A status that came from one side is among them.
            found = [change for changes in each for change in changes]
            status = {STATUS} & {change.what.value for change in found}
            yield Change(What.COMBINED, names=_in_order(_named(found) | status))

    # --- What differs -----------------------------------------------------------------------------------------

    def _present(self, files: Files) -> Iterator[Change]:
        yield from (Change(What.PRESENT, new=path) for path in sorted(files))
        if self.memory(files) is None:
            yield Change(What.INVALID)

    def _differences(self, before: _Node, files: Files) -> Iterator[Change]:
        old, new = before.files, files
        gone, come = (sorted(set(left) - set(right)) for left, right in ((old, new), (new, old)))
        if not old:
            what = What.RESTORED if before.seen else What.ADDED
            yield from (Change(what, new=path) for path in come)
            if self.memory(new) is None:
                yield Change(What.INVALID)
            return
        moved = list(zip(gone, come, strict=False))
        yield from (Change(What.MOVED, source, target) for source, target in moved)
        yield from (Change(What.COPIED, new=path) for path in come[len(moved) :])
        yield from (Change(What.DELETED, old=path) for path in gone[len(moved) :])
        stayed = [(path, path) for path in sorted(set(old) & set(new))]
        for source, target in (*moved, *stayed):
            if old[source] != new[target]:
                yield from self._edits(self._memories[old[source]], self._memories[new[target]])

    def _edits(self, old: Memory | None, new: Memory | None) -> Iterator[Change]:
        if new is None:
            yield Change(What.INVALID)
        elif old is None:
            yield Change(What.REPAIRED)
        else:
            if old.status is not new.status:
                yield Change(What.STATUS, old.status, new.status)
            names = differing(old, new)
            if others := tuple(name for name in names if name != STATUS):
                yield Change(What.CHANGED, names=others)
            if not names:
                yield Change(What.REWRITTEN)


def differing(old: Memory, new: Memory) -> tuple[str, ...]:
    """The fields whose values differ."""
    return tuple(name for name in NAMES if getattr(old, name) != getattr(new, name))


def _named(changes: Iterable[Change]) -> set[str]:
    return {name for change in changes for name in change.names}


def _in_order(names: set[str]) -> tuple[str, ...]:
    return tuple(name for name in NAMES if name in names)


def _has(change: Change, others: Iterable[Change]) -> bool:
    return any(change.what is other.what and change.new == other.new for other in others)
