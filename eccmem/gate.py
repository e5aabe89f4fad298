"""What is judged, and against what: the index, a commit, a range of commits, a push."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from eccmem import committed, limits, published, revisions, spots
from eccmem.checks import guard
from eccmem.errors import EccmemError
from eccmem.files import FileProblem
from eccmem.finding import Finding, by_place
from eccmem.judgement import State, judge
from eccmem.published import Push
from eccmem.repo import Repo, Tracked, entries
from eccmem.report import Report
from eccmem.revisions import Change
from eccmem.roots import Root
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
        head = revisions.head(repo)
        if diff is not None:
            every = list(revisions.changes(diff))
        else:
            every = revisions.staged(repo, head or revisions.empty_tree(repo))
        changes = self._concerning(every)
        copies = tuple(_copies(every, private, self.moved))
        if not (changes or copies or whole):
            return None
        touched = frozenset(change.path for change in changes)
        since: Sequence[Change] = ()
        beside: tuple[Tracked, ...] = ()
        if head and (whole or any(spots.spot(path, self.moved) for path in touched)):
            other = published.compared(repo, self.base)
            fork = published.below(repo, head, other)
            since = changes if fork == head else self._concerning(revisions.staged(repo, fork))
            since = [change for change in since if whole or change.path in touched]
            for parent in published.parents_of_index(repo, env):
                differs = {change.path for change in revisions.staged(repo, parent)}
                since = [change for change in since if change.path in differs]
            beside = self._beside(fork, other)
        listing = repo.listing(() if whole else spots.around(touched, self.moved) or ())
        ids, rest = (frozenset(), listing) if whole else spots.take_usual(listing, touched)
        state = State(
            entries=self._of_listing(rest),
            ids=ids,
            touched=None if whole else touched,
            changes=tuple(changes),
            since=tuple(since),
            beside=beside,
            moved=self.moved,
        )
        report = judge(repo, state, lambda: self._of_listing(listing))
        return replace(report, findings=by_place((*report.findings, *copies)))

    def revision(self, name: str) -> Report:
        """Judge the whole tree of a commit, and with a base what became of what was published there."""
        tip = revisions.resolve(self.repo, name)
        since: tuple[Change, ...] = ()
        beside: tuple[Tracked, ...] = ()
        if self.base is not None:
            asked = revisions.resolve(self.repo, self.base)
            fork = revisions.merge_base(self.repo, asked, tip)
            since, beside = self._since(fork, tip), self._beside(fork, asked)
        state = State(entries=self._tree(tip), changes=since, since=since, beside=beside, moved=self.moved)
        return judge(self.repo, state)

    def ranged(self, old: str, new: str) -> Report:
        """Judge what the commits from one to another do, together and each."""
        start, tip = revisions.resolve(self.repo, old), revisions.resolve(self.repo, new)
        asked = start if self.base is None else revisions.resolve(self.repo, self.base)
        fork = revisions.merge_base(self.repo, asked, tip)
        if fork is None:
            raise EccmemError(
                "no-common-history",
                "these two have no commit in common, so nothing can be said about what changed",
                "judge one of them alone, with --rev",
            )
        return self._commits(tip, [start], self._since(fork, tip), self._beside(fork, asked))

    def pushed(self, pushes: Iterable[Push], remote: str) -> Report | None:
        """Judge each ref of a push to a remote; None when none of them publishes anything."""
        # Several tags of one commit publish it once.
        reports = [self._pushed(push, remote) for push in dict.fromkeys(pushes)]
        if not reports:
            return None
        return Report(
            snapshot=committed.merged(report.snapshot for report in reports),
            duplicates={item: places for report in reports for item, places in report.duplicates.items()},
            broken_links=[link for report in reports for link in report.broken_links],
            findings=by_place(dict.fromkeys(finding for report in reports for finding in report.findings)),
        )

    def _pushed(self, push: Push, remote: str) -> Report:
        # A push may name a URL instead of a remote, of which nothing is known here but what others have.
        known = f"--remotes={remote}" if remote and published.has_refs(self.repo, remote) else "--remotes"
        theirs = [known, *([push.known] if push.known else [])]
        compared = revisions.resolve(self.repo, self.base) if self.base is not None else push.known
        if compared is None:
            fork = published.fork_of_new(self.repo, push.tip, theirs)
        else:
            fork = revisions.merge_base(self.repo, compared, push.tip)
        since = self._since(fork, push.tip)
        if (default := published.default_of(self.repo, remote)) is not None:
            # What was merged from the branch of everybody is not this push's doing.
            merged = revisions.merge_base(self.repo, default, push.tip)
            own = {change.path for change in self._since(merged, push.tip)}
            since = tuple(change for change in since if change.path in own)
        return self._commits(push.tip, theirs, since, ())

    def _commits(
        self, tip: str, without: Sequence[str], since: tuple[Change, ...], beside: tuple[Tracked, ...]
    ) -> Report:
        commits = revisions.commits(self.repo, tip, without)
        state = State(
            entries=self._tree(tip),
            touched=frozenset(change.path for change in since),
            changes=since,
            since=since,
            beside=beside,
            commits=tuple(revisions.added(self.repo, commits, spots.pathspecs(self.moved))),
            moved=self.moved,
        )
        return judge(self.repo, state)

    # --- Parts of a state -------------------------------------------------------------------------------------

    def _of_listing(self, listing: bytes) -> tuple[Tracked, ...]:
        return tuple(self._relevant(entries(listing, spots.perhaps(self.moved))))

    def _tree(self, tip: str) -> tuple[Tracked, ...]:
        return tuple(self._relevant(revisions.tree(self.repo, tip, spots.perhaps(self.moved))))

    def _relevant(self, found: Iterable[Tracked]) -> Iterator[Tracked]:
        return (entry for entry in found if spots.concerns(entry.path, self.moved))

    def _concerning(self, changes: Iterable[Change]) -> list[Change]:
        return [change for change in changes if spots.concerns(change.path, self.moved)]

    def _since(self, fork: str | None, tip: str) -> tuple[Change, ...]:
        """What became of a published state; without one, all is new."""
        old = fork or revisions.empty_tree(self.repo)
        return tuple(self._concerning(revisions.between(self.repo, old, tip)))

    def _beside(self, fork: str | None, other: str | None) -> tuple[Tracked, ...]:
        """What the other branch has got since the fork."""
        if fork is None or other is None or fork == other:
            return ()
        found = self._concerning(revisions.between(self.repo, fork, other))
        return tuple(change.new for change in found if change.new and not change.old)


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
