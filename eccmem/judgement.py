"""One state of the repository, judged: what of it is not as a vault has to be, and what a change did to it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from eccmem import checks, committed, limits, secretscan, treefiles, vault
from eccmem.checks import contract, guard, history, layout, links, review, secrets
from eccmem.checks.history import Published
from eccmem.finding import Finding, by_place
from eccmem.guard import PROBE
from eccmem.model import Memory, Scope, supersedes
from eccmem.repo import Repo, Tracked
from eccmem.report import Report, merged
from eccmem.revisions import Added, Change
from eccmem.spots import Spot, spot
from eccmem.text import printable_name
from eccmem.vault import Broken, BrokenCode, Place, Snapshot, Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is judged, all of it as Git has it.

    Attributes:
        entries: what of an index or a tree concerns vaults.
        touched: the paths that the change touches; None judges the whole state.
        changes: what the change does to ``entries``.
        since: what became of the published state; of the old entries, those that the change may not alter.
        beside: what others published meanwhile, which a merge will bring together with this.
        commits: what single commits bring to vaults, even if a later one takes it away again.
        moved: the folder of a vault that an override moved.
        ids: memories of the vault at the top that no change touches and that are not among ``entries``: only their
            names were looked at.
    """

    entries: tuple[Tracked, ...]
    touched: frozenset[str] | None = None
    changes: tuple[Change, ...] = ()
    since: tuple[Change, ...] = ()
    beside: tuple[Tracked, ...] = ()
    commits: tuple[Added, ...] = ()
    moved: str | None = None
    ids: frozenset[str] = frozenset()


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
        yield from self._of_leaks()

    # --- What the memories are --------------------------------------------------------------------------------

    def _of_memories(self) -> Iterator[Finding]:
        touched = None if self.state.touched is None else {printable_name(path) for path in self.state.touched}
        named = {printable_name(path) for path in self.named}
        for part in self.parts:
            for found in checks.run(part):
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

    # --- What was published by any commit ---------------------------------------------------------------------

    def _of_leaks(self) -> Iterator[Finding]:
        """Secrets that the judgement of memories does not see: in files that are none, and in single commits."""
        touched = self.state.touched
        present = {entry.path: entry.blob for entry in self.state.entries} if self.state.commits else {}
        fine = {committed.path_of(stored.place) for stored in self._stored()}
        wanted: dict[str, list[tuple[str, str]]] = {}
        for entry in self.state.entries:
            if (touched is None or entry.path in touched) and entry.path not in fine:
                self._want(wanted, entry, "")
        for item in self.state.commits:
            entry = item.entry
            if present.get(entry.path) == entry.blob and (touched is None or entry.path in touched):
                continue  # it is judged as it stands
            if guard.is_private(entry.path, self.state.moved) and not guard.is_guard(entry.path, self.state.moved):
                if entry.path not in present:
                    yield guard.added_private(item.commit, entry.path)
            else:
                self._want(wanted, entry, item.commit)
        yield from self._searched(wanted)

    def _searched(self, wanted: dict[str, list[tuple[str, str]]]) -> Iterator[Finding]:
        """What a look for secrets finds in blobs, each with its paths and the commits that have it there."""
        said = {committed.path_of(item.place) for item in self._broken() if item.code is BrokenCode.SECRET}
        for oid, data in self.repo.blobs(wanted, limits.SEARCHED_BYTES):
            for path, commit in wanted[oid]:
                if data is None:
                    yield secrets.not_searched(printable_name(path), commit)
                elif commit or path not in said:
                    yield from self._leaks(path, data, commit)

    def _broken(self) -> Iterator[Broken]:
        return (broken for part in self.parts for broken in part.broken)

    def _want(self, wanted: dict[str, list[tuple[str, str]]], entry: Tracked, commit: str) -> None:
        where = spot(entry.path, self.state.moved)
        if where and where.scope is Scope.TEAM and entry.is_file and not entry.stage:
            wanted.setdefault(entry.blob, []).append((entry.path, commit))

    def _leaks(self, path: str, data: bytes, commit: str) -> Iterator[Finding]:
        where = self._memory_spot(path)
        entry = vault.judge(where.place, data) if where else None
        if isinstance(entry, Broken) and entry.code is BrokenCode.SECRET:
            for problem in entry.problems:
                yield secrets.leaked(printable_name(path), problem.line, problem.message, commit)
        elif not isinstance(entry, Stored):
            text = data.replace(b"\0", b"").decode("utf-8", "replace")  # in UTF-16, every other byte of a key is 0
            for match in secretscan.scan(text):
                if match.tier == "block":
                    line = text.count("\n", 0, match.start) + 1
                    yield secrets.leaked(printable_name(path), line, f"a suspected secret ({match.label})", commit)


def _named(place: Place, memory_id: str) -> tuple[str, str]:
    """A memory's id in its vault: another vault may have the same."""
    return place.root.shown.casefold(), memory_id
