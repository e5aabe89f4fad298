"""What is judged, and against what: the index, a commit, a range of commits, a push."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from eccmem import limits, published, revisions, spots
from eccmem.checks import guard
from eccmem.errors import EccmemError
from eccmem.files import FileProblem
from eccmem.finding import Finding, by_place
from eccmem.judgement import judge
from eccmem.published import Push
from eccmem.repo import Repo, Tracked, entries
from eccmem.report import Report, together
from eccmem.revisions import Change
from eccmem.roots import Root
from eccmem.state import State
from eccmem.tree import Walk

_SHA1_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Judges what is to be committed, was committed, or is pushed.

    Every method raises EccmemError where the answer cannot be known: what Git cannot give is never taken for nothing.

    Attributes:
        repo: the repository; in a hook, its index is the one that Git is about to commit.
        base: a commit that others have, to compare with instead of the one that Git names.
        moved: the folder of a vault that an override moved, with a final slash; None where none did.
    """

    repo: Repo
    base: str | None = None
    moved: str | None = None

    def staged(self, env: Mapping[str, str], private: Root, *, whole: bool, diff: bytes | None = None) -> Report | None:
        """Judge what a commit of the index would commit; None when it has nothing to do with a vault.

        Args:
            env: where Git names the other parents of a merge.
            private: the private scope of the working tree, of which nothing may be committed under another name.
            whole: whether to judge the whole index, not only what the commit changes.
            diff: how the index differs from HEAD, where Git has been asked already.
        """
        repo = self.repo
        if repo.bare:
            raise EccmemError("bare-repository", "a bare repository has no index", "judge a commit: --rev or --range")
        head = revisions.head(repo)
        if diff is not None:
            every = list(revisions.changes(diff))
        else:
            every = revisions.staged(repo, head or revisions.empty_tree(repo))
        changes = self._concerning(every)
        copies = tuple(_copies(every, private, self.moved))
        touched = frozenset(change.path for change in changes)
        # What a merge leaves out differs from what is merged, and not from HEAD.
        parents = published.parents_of_index(repo, env) if head else []
        own = touched.union(item.path for old in parents for item in self._concerning(revisions.staged(repo, old)))
        if not (own or copies or whole):
            return None
        since: tuple[Change, ...] = ()
        beside: tuple[Tracked, ...] = ()
        if head and (whole or any(spots.spot(path, self.moved) for path in own)):
            others = published.compared(repo, self.base)
            # Where nobody else has any, all that is committed counts as published.
            bases = published.bases(repo, (head, *parents), others) or (head, *parents)
            since = self._since(bases, lambda old: changes if old == head else revisions.staged(repo, old))
            since = tuple(change for change in since if whole or change.path in own)
            beside = self._beside(head, [other for other in others if other not in bases])
        listing = repo.listing(() if whole else spots.around(own, self.moved) or ())
        ids, rest = (frozenset(), listing) if whole else spots.take_usual(listing, own)
        state = State(
            entries=self._of_listing(rest),
            ids=ids,
            touched=None if whole else touched,
            changes=tuple(changes),
            since=since,
            beside=beside,
            moved=self.moved,
            allowed_at=head,
        )
        report = judge(repo, state, lambda: self._of_listing(listing))
        return replace(report, findings=by_place((*report.findings, *copies)))

    def revision(self, name: str) -> Report:
        """Judge the whole tree of a commit, and with a base what became of what was published there."""
        tip = revisions.resolve(self.repo, name)
        since: tuple[Change, ...] = ()
        beside: tuple[Tracked, ...] = ()
        asked = tip
        if self.base is not None:
            asked = revisions.resolve(self.repo, self.base)
            since, beside = self._became(self._forks(asked, tip), tip), self._beside(tip, [asked])
        state = State(
            entries=self._tree(tip), changes=since, since=since, beside=beside, moved=self.moved, allowed_at=asked
        )
        return judge(self.repo, state)

    def ranged(self, old: str, new: str) -> Report:
        """Judge what the commits from one to another do, together and each."""
        start, tip = revisions.resolve(self.repo, old), revisions.resolve(self.repo, new)
        changes = self._became(self._forks(start, tip), tip)
        since, asked = changes, start
        if self.base is not None:
            asked = revisions.resolve(self.repo, self.base)
            since = self._became(self._forks(asked, tip), tip)
        return self._commits(tip, [start], changes, since, self._beside(tip, [asked]), asked)

    def pushed(self, pushes: Iterable[Push], remote: str) -> Report | None:
        """Judge each ref of a push to a remote; None when none of them publishes anything."""
        # Several tags of one commit publish it once.
        return together(self._pushed(push, remote) for push in dict.fromkeys(pushes))

    def _pushed(self, push: Push, remote: str) -> Report:
        repo, tip = self.repo, push.tip
        theirs = [*published.of_remote(repo, remote), *push.known]
        if self.base is not None:
            own = bases = self._forks(revisions.resolve(repo, self.base), tip)
        else:
            here = [oid for oid in (*push.known, published.default_of(repo, remote)) if oid]
            # What a forced push replaces was published too, though nothing of the new history leads to it.
            lost = [oid for oid in push.known if not revisions.is_ancestor(repo, oid, tip)]
            own = published.latest(repo, [*published.bases(repo, (tip,), here), *lost])
            # What their other branches made of a memory does not excuse that this one takes it over.
            bases = tuple(dict.fromkeys((*own, *published.bases(repo, (tip,), theirs))))
        changes = self._became(bases, tip, own)
        return self._commits(tip, theirs, changes, changes, (), next(iter(own), None))

    def _commits(  # noqa: PLR0913, PLR0917 - what a range and a push have in common
        self,
        tip: str,
        without: Sequence[str],
        changes: tuple[Change, ...],
        since: tuple[Change, ...],
        beside: tuple[Tracked, ...],
        allowed_at: str | None,
    ) -> Report:
        commits = revisions.commits(self.repo, tip, without)
        state = State(
            entries=self._tree(tip),
            touched=frozenset(change.path for change in changes),
            changes=changes,
            since=since,
            beside=beside,
            commits=tuple(revisions.added(self.repo, commits, spots.pathspecs(self.moved))),
            moved=self.moved,
            allowed_at=allowed_at,
        )
        return judge(self.repo, state)

    # --- Parts of a state -------------------------------------------------------------------------------------

    def _of_listing(self, listing: bytes) -> tuple[Tracked, ...]:
        found = tuple(self._relevant(entries(listing, spots.perhaps(self.moved))))
        # What is only intended to be added is in the index as an empty file, and no commit of the index has it.
        if not any(entry.blob in revisions.EMPTY_BLOBS for entry in found):
            return found
        meant = revisions.intended(self.repo)
        return tuple(entry for entry in found if entry.path not in meant)

    def _tree(self, tip: str) -> tuple[Tracked, ...]:
        return tuple(self._relevant(revisions.tree(self.repo, tip, spots.perhaps(self.moved))))

    def _relevant(self, found: Iterable[Tracked]) -> Iterator[Tracked]:
        return (entry for entry in found if spots.concerns(entry.path, self.moved))

    def _concerning(self, changes: Iterable[Change]) -> list[Change]:
        return [change for change in changes if spots.concerns(change.path, self.moved)]

    def _forks(self, asked: str, tip: str) -> tuple[str, ...]:
        """Where the history of a commit left that of one that was asked for.

        Raises:
            EccmemError: ``no-common-history``, or ``history-missing`` where a shallow clone may hide a later one.
        """
        if revisions.is_ancestor(self.repo, asked, tip):
            return (asked,)
        # Either side may end before it comes to what both have.
        revisions.commits(self.repo, asked, [tip])
        if not (found := published.bases(self.repo, (tip,), [asked])):
            raise EccmemError(
                "no-common-history",
                "these two have no commit in common, so nothing can be said about what changed",
                "judge one of them alone, with --rev",
            )
        return found

    def _became(self, bases: Sequence[str], tip: str, excusing: Sequence[str] | None = None) -> tuple[Change, ...]:
        """What became in a commit of what was published; without that, all is new."""
        old = bases or (revisions.empty_tree(self.repo),)
        return self._since(old, lambda base: revisions.between(self.repo, base, tip), excusing)

    def _since(
        self,
        bases: Sequence[str],
        differs: Callable[[str], Iterable[Change]],
        excusing: Sequence[str] | None = None,
    ) -> tuple[Change, ...]:
        """What became of several published states, less what one of them had made of another: others did that.

        Args:
            bases: the published states.
            differs: how what is judged differs from each.
            excusing: those of them whose doing excuses, if not all.
        """
        changes = {base: self._concerning(differs(base)) for base in bases}
        for base, other in permutations(bases, 2):
            kept = {change.path for change in changes[other]}
            if (excusing is None or other in excusing) and any(change.path not in kept for change in changes[base]):
                for fork in published.bases(self.repo, (base,), [other])[:1]:
                    made = {change.path for change in revisions.between(self.repo, fork, other)} - kept
                    changes[base] = [change for change in changes[base] if change.path not in made]
        return tuple(dict.fromkeys(change for found in changes.values() for change in found))

    def _beside(self, tip: str, others: Iterable[str]) -> tuple[Tracked, ...]:
        """What others have got since they parted from a commit."""
        found: list[Tracked] = []
        for other in others:
            if fork := revisions.merge_base(self.repo, tip, other):
                changes = self._concerning(revisions.between(self.repo, fork, other))
                found += (change.new for change in changes if change.new and not change.old)
        return tuple(found)


def _copies(changes: Sequence[Change], private: Root, moved: str | None) -> Iterator[Finding]:
    """Staged files, wherever they are, that hold byte for byte what a private memory on disk holds."""
    new: dict[str, list[str]] = {}
    for change in changes:
        if change.new and not guard.is_private(change.path, moved):
            new.setdefault(change.new.blob, []).append(change.path)
    if not new:
        return
    import hashlib  # noqa: PLC0415 - 3 ms that a commit without additions does not need

    hashed = hashlib.sha1 if len(next(iter(new))) == _SHA1_CHARS else hashlib.sha256
    for relative, folder, name in Walk().files(private):
        try:
            data = folder.read(name, limits.DOCUMENT_BYTES)
        except FileProblem:
            continue  # the doctor says so; what cannot be read cannot have been staged just now
        oid = hashed(b"blob %d\0" % len(data) + data).hexdigest()
        for path in new.get(oid, ()):
            yield guard.copied(path, private.show(relative))
