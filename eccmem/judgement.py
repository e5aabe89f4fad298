"""One state of the repository, judged: what of it is not as a vault has to be, and what a change did to it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from eccmem import checks, committed, leaks, limits, treefiles, vault
from eccmem.checks import contract, guard, history, layout, links, review, text
from eccmem.checks.history import Published
from eccmem.finding import Finding, by_place
from eccmem.guard import PROBE
from eccmem.model import Memory, Scope, Status, supersedes
from eccmem.repo import Repo, Tracked
from eccmem.report import Report, merged
from eccmem.revisions import Change
from eccmem.spots import Spot, spot
from eccmem.state import State
from eccmem.text import printable_name
from eccmem.vault import Place, Snapshot, Stored

# What is said of the text of a memory, and not of where it lies or of what it gives away.
_OF_TEXT = (contract.CONFLICT, text.INVISIBLE, links.BROKEN, links.SELF)


def judge(repo: Repo, state: State, complete: Callable[[], tuple[Tracked, ...]] | None = None) -> Report:
    """Say all that is wrong with a state, or with what a change did to it.

    Args:
        repo: where the blobs are.
        state: what is judged.
        complete: all entries, where the names of some memories may not be enough.

    Raises:
        EccmemError: when Git cannot give what has to be judged.
    """
    judging = _Judging(repo, state)
    if complete and not judging.names_suffice():
        judging = _Judging(repo, replace(state, entries=complete(), ids=frozenset()))
    parts = judging.parts
    return Report(
        snapshot=merged(parts),
        duplicates={item: places for part in parts for item, places in layout.duplicates(part).items()},
        broken_links=[found for part in parts for found in links.broken_links(part)],
        findings=by_place(dict.fromkeys(judging.findings())),
    )


@dataclass(slots=True)
class _Judging:
    repo: Repo
    state: State
    parts: tuple[Snapshot, ...] = ()
    # Judged too: memories that the change says to supersede, so that it can be told when they are still active, and
    # others with the id of one that is gone, which may be the same.
    named: frozenset[str] = frozenset()
    # The memories that stood where the change puts something else, and those that others have.
    replaced: dict[Change, Memory] = field(default_factory=dict)
    published: dict[Change, Memory] = field(default_factory=dict)

    def __post_init__(self) -> None:
        state, touched = self.state, self.state.touched
        self.replaced = dict(self._before(state.changes))
        if set(state.since) <= set(state.changes):  # the same blobs
            self.published = {change: self.replaced[change] for change in state.since if change in self.replaced}
        else:
            self.published = dict(self._before(state.since))
        # What a merge leaves out of what is published, it may not touch.
        judged = None if touched is None else touched.union(change.path for change in state.since)
        self.parts = committed.snapshots(self.repo, state.entries, judged, state.moved, state.ids)
        if judged is None:
            return
        ids = {item for stored in self._stored() for item in supersedes(stored.memory)} | self._lost()
        places = (known.place for part in self.parts for known in part.known if known.id in ids)
        self.named = frozenset(committed.path_of(place) for place in places)
        if self.named:
            self.parts = committed.snapshots(self.repo, state.entries, judged | self.named, state.moved)

    def _lost(self) -> set[str]:
        """The published memories whose place is empty now: each may have another, or had one all along."""
        return {memory.id for change, memory in self.published.items() if not change.new}

    def names_suffice(self) -> bool:
        """Whether nothing can be wrong between the change and the memories of which only the names are known.

        A memory may have another name than its id, so a link that leads nowhere by the names may lead somewhere.
        """
        ids, own = self.state.ids, self._ids()
        linked = {link for stored in self._stored() for link in stored.memory.links}
        superseded = any(supersedes(stored.memory) for stored in self._stored())
        return not (self._rules_touched() or superseded or own & ids or linked - own - ids or self._gone())

    def _rules_touched(self) -> bool:
        touched = self.state.touched
        return touched is None or any(map(treefiles.is_named_so, touched))

    def _gone(self) -> set[str]:
        return {memory.id for memory in (*self.replaced.values(), *self.published.values())} - self._ids()

    def findings(self) -> Iterator[Finding]:
        yield from self._of_memories()
        yield from self._of_history()
        yield from self._of_others()
        yield from self._of_guard()
        yield from self._of_review()
        yield from leaks.find(self.repo, self.state, self.parts, self._retired())

    # --- What the memories are --------------------------------------------------------------------------------

    def _of_memories(self) -> Iterator[Finding]:
        touched = None if self.state.touched is None else {printable_name(path) for path in self.state.touched}
        named = {printable_name(path) for path in self.named}
        retired = self._retired()
        for part in self.parts:
            for found in checks.run(part):
                if found.rule in _OF_TEXT and found.path in retired:
                    continue
                if (
                    touched is None
                    or found.path in touched
                    or found.rule is contract.CUT_SHORT
                    or (found.rule is links.UNAPPLIED and found.path in named)
                ):
                    yield found
        gone = self._gone()
        for part in self.parts:
            yield from links.orphans(part, gone)

    def _retired(self) -> set[str]:
        """The memories that the change does nothing to but retire: what is wrong in them was published before.

        To retire such a memory is what is left to do about it, so it may not be stopped.
        """
        if self.state.touched is None:
            return set()
        was = {change.path: memory for change, memory in self.published.items()}
        return {
            stored.place.shown
            for stored in self._stored()
            if stored.memory.status is not Status.ACTIVE
            and (before := was.get(committed.path_of(stored.place)))
            and not history.changed(before, stored.memory)
        }

    def _stored(self) -> Iterator[Stored]:
        return (stored for part in self.parts for stored in part.stored)

    def _ids(self) -> set[str]:
        return {stored.memory.id for stored in self._stored()} | {
            known.id for part in self.parts for known in part.known
        }

    # --- What became of published ones ------------------------------------------------------------------------

    def _before(self, changes: Iterable[Change]) -> Iterator[tuple[Change, Memory]]:
        """The memories that stood where something changes; what was none before may become anything."""
        wanted: dict[str, list[tuple[Change, Spot]]] = {}
        for change in changes:
            if change.old and change.old.is_file and (where := self._memory_spot(change.path)):
                wanted.setdefault(change.old.blob, []).append((change, where))
        for oid, data in self.repo.blobs(wanted, limits.DOCUMENT_BYTES):
            for change, where in wanted[oid] if data is not None else ():
                if isinstance(entry := vault.judge(where.place, data or b""), Stored):
                    yield change, entry.memory

    def _memory_spot(self, path: str) -> Spot | None:
        where = spot(path, self.state.moved)
        return where if where and where.scope is Scope.TEAM and where.is_memory else None

    def _of_history(self) -> Iterator[Finding]:
        modes = {entry.path: entry.mode for entry in self.state.entries}
        by_path = {committed.path_of(stored.place): stored for stored in self._stored()}
        by_id = {_named(stored.place, stored.memory.id): stored for stored in self._stored()}
        for change, was in self.published.items():
            where, now = self._memory_spot(change.path), by_path.get(change.path)
            if where and (now is None or now.memory.id != was.id):  # it may have moved, and another taken its place
                now = by_id.get(_named(where.place, was.id), now)
            path = committed.path_of(now.place) if now else change.path
            mode = modes[path] if now else change.new.mode if change.new else ""
            old_mode = change.old.mode if change.old else ""
            yield from history.check(Published(printable_name(path), was, old_mode, now.memory if now else None, mode))

    def _of_others(self) -> Iterator[Finding]:
        """Ids that others published meanwhile for another memory: a merge would have both."""
        wanted: dict[str, list[Tracked]] = {}
        here = {entry.path for entry in self.state.entries}
        for entry in self.state.beside:
            if entry.is_file and entry.path not in here and self._memory_spot(entry.path):
                wanted.setdefault(entry.blob, []).append(entry)
        theirs: set[tuple[str, str]] = set()
        for oid, data in self.repo.blobs(wanted, limits.DOCUMENT_BYTES):
            for entry in wanted[oid]:
                where = self._memory_spot(entry.path)
                if where and data is not None and (known := vault.known(where.place, data)):
                    theirs.add(_named(where.place, known.id))
        for stored in self._stored():
            if _named(stored.place, stored.memory.id) in theirs:
                yield layout.also_elsewhere(stored)

    # --- What is around them ----------------------------------------------------------------------------------

    def _of_guard(self) -> Iterator[Finding]:
        yield from guard.tracked_private(self.state.entries, self.state.moved)
        for change in self.state.since:
            if change.old and not change.new and guard.is_guard(change.path, self.state.moved):
                yield guard.weakened(change.path, "is removed")

    def _of_review(self) -> Iterator[Finding]:
        entries, touched = self.state.entries, self.state.touched
        if not any(treefiles.is_rules(entry) for entry in entries):
            return
        rules_touched = self._rules_touched()
        judged = {
            entry.path: where
            for entry in entries
            if (rules_touched or entry.path in (touched or ())) and (where := self._memory_spot(entry.path))
        }
        probes = {f"{where.place.root.shown}{PROBE}": where for where in judged.values()} if rules_touched else {}
        if not judged:
            return
        with treefiles.laid_out(self.repo, entries, [*judged, *probes]) as laid:
            yield from review.check(treefiles.attributes(laid, judged))
            for probe, where in probes.items():
                if rule := treefiles.ignored(laid, probe):
                    yield guard.team_ignored(where.place.root.show(""), rule)


def _named(place: Place, memory_id: str) -> tuple[str, str]:
    """A memory's id in its vault: another vault may have the same."""
    return place.root.shown.casefold(), memory_id
