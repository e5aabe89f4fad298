"""Search as every surface calls it: from an index where one holds, else by a scan, with the same answer.

An index is never needed and never trusted: whatever is wrong with it, the scan answers, and a new one is built when
the answer is out.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from eccmem import index, limits, listing, ranking, search, vault
from eccmem.cache import CacheHome, NoCache
from eccmem.index import Index, Progress
from eccmem.index_store import Damaged
from eccmem.listing import Listing, StampWalk
from eccmem.model import Memory, Scope, Status
from eccmem.overlay import Merged, Moved, NeedsText, ScopeNow
from eccmem.roots import VaultRoots
from eccmem.shelf import Shelf
from eccmem.vault import Snapshot

# Who saves while we search is fast; who does it three times in a row is not going to stop.
_TRIES = 3


@dataclass(slots=True)
class Recalled:
    """An answer, and what was seen on the way.

    Attributes:
        found: the hits.
        snapshot: what a scan says besides its memories, which are left out: what is broken or skipped, and why it
            was cut short.
        from_index: whether an index answered.
        wants: the scopes whose index is to be built, now that the answer is out.
    """

    found: search.Found
    snapshot: Snapshot
    from_index: bool
    wants: tuple[Scope, ...] = ()


@dataclass(slots=True)
class _Look:
    """The scopes as they are now, each with its index."""

    walk: StampWalk = field(default_factory=StampWalk)
    scopes: list[ScopeNow] = field(default_factory=list)


class _TooMuchChanged(Exception):
    """Scoring the changed files would cost more than a new index."""


def recall(  # noqa: PLR0913 - what a search is asked, and where
    roots: VaultRoots,
    scopes: Iterable[Scope],
    query: str,
    filters: search.Filters,
    limit: int,
    *,
    cache: CacheHome | None,
    shelf: Shelf | None = None,
) -> Recalled:
    """Return the best hits of the scopes; see :func:`eccmem.search.search`.

    Args:
        roots: where the scopes are.
        scopes: which to search.
        query: what is asked.
        filters: what a hit must be.
        limit: how many hits at most.
        cache: where indexes may lie, if anywhere.
        shelf: keeps indexes open for the next search, in a process that has one.

    Raises:
        EccmemError: when a scope has no place (no home folder).
    """
    chosen = tuple(scopes)
    question = _Question(query, filters, limit)
    damaged = False
    if cache is not None and set(filters.statuses) == {Status.ACTIVE}:
        for _ in range(_TRIES):
            try:
                return _from_indexes(roots, chosen, question, cache, shelf)
            except Moved:
                continue
            except Damaged:
                damaged = True
                if shelf is not None:
                    shelf.clear()
            except (NoCache, NeedsText, _TooMuchChanged, OSError):
                pass
            break
    snapshot = vault.worktree(roots, chosen)
    found = search.search(snapshot, query, filters, limit)
    files = len(snapshot.stored) + len(snapshot.broken)
    wants: tuple[Scope, ...] = ()
    if cache is not None and files >= limits.INDEX_FILES and not snapshot.cut_short:
        wants = chosen if damaged else tuple(scope for scope in chosen if needs_build(roots, scope, cache))
    return Recalled(found, replace(snapshot, stored=()), from_index=False, wants=wants)


@dataclass(frozen=True, slots=True)
class _Question:
    query: str
    filters: search.Filters
    limit: int

    def answer(self, merged: Merged) -> search.Found:
        asked = self.filters
        plain = not (asked.kinds or asked.harness or asked.tags or asked.sources or asked.since)

        def memory_of(key: ranking.Key) -> Memory | None:
            # What a filter leaves out is not read: a rare tag would else cost a read of every file.
            return merged.memory(key) if plain or asked.admit(merged.outline(key)) else None

        ranked = ranking.rank(merged, self.query)
        return search.present(memory_of, ranked, self.filters, self.limit, self.query, title_of=merged.title)


def _from_indexes(
    roots: VaultRoots, scopes: tuple[Scope, ...], question: _Question, cache: CacheHome, shelf: Shelf | None
) -> Recalled:
    with ExitStack() as stack:
        indexes = {}
        for scope in scopes:
            try:
                if shelf is None:
                    indexes[scope] = stack.enter_context(opened(roots, scope, cache))
                else:
                    indexes[scope] = shelf.take(roots.of(scope), cache)
            except NoCache:
                continue
        if not indexes:
            raise NoCache("no scope has one")
        seen = _look(roots, scopes, indexes)
        merged = Merged(seen.scopes)
        scanned = sum(scope.scanned_bytes for scope in seen.scopes)
        if scanned >= limits.SCAN_BYTES:
            raise _TooMuchChanged
        broken = tuple(entry for scope in seen.scopes for entry in scope.broken())
        found = question.answer(merged)
        walk = seen.walk
        snapshot = Snapshot(
            scopes, (), broken, tuple(walk.skipped), tuple(walk.cut_short), tuple(walk.leftovers), scanned
        )
        return Recalled(found, snapshot, from_index=True)


def _look(roots: VaultRoots, scopes: tuple[Scope, ...], indexes: dict[Scope, Index]) -> _Look:
    """Walk the scopes and judge what changed, within the bound of an overlay."""
    seen = _Look()
    listings = {scope: listing.look(seen.walk, roots.of(scope), vault.not_of_user(roots, scope)) for scope in scopes}
    dirty = {scope: _dirty(indexes.get(scope), now) for scope, now in listings.items()}
    if sum(map(len, dirty.values())) > limits.OVERLAY_FILES:
        raise _TooMuchChanged
    base = 0
    for scope, now in listings.items():
        seen.scopes.append(ScopeNow(roots.of(scope), indexes.get(scope), now, dirty[scope], base))
        base += len(now.paths)
    return seen


def _dirty(found: Index | None, now: Listing) -> set[str]:
    return set(now.paths) if found is None else index.dirty(found, now)


@contextmanager
def opened(roots: VaultRoots, scope: Scope, cache: CacheHome) -> Iterator[Index]:
    """Open the index of a scope.

    Raises:
        NoCache: when there is none that may be used.
        Damaged: when it is not what was written, or of another version.
    """
    root = roots.of(scope)
    file = cache.file_of(root)
    cache.present(file)
    found = Index(root, file)
    try:
        yield found
    finally:
        found.close()


def changed(roots: VaultRoots, scope: Scope, cache: CacheHome) -> tuple[Index, set[str]]:
    """The index of a scope, closed, and which files changed since; raises as :func:`opened`."""
    with opened(roots, scope, cache) as found:
        now = listing.look(StampWalk(), roots.of(scope), vault.not_of_user(roots, scope))
        return found, index.dirty(found, now)


def needs_build(roots: VaultRoots, scope: Scope, cache: CacheHome) -> bool:
    """Whether a scope is too large, or changed too much, for searches to do without a new index."""
    share = limits.OVERLAY_FILES // len(Scope)
    try:
        found, dirty = changed(roots, scope, cache)
        return len(dirty - found.unreadable) > share  # what cannot be read, a new index could not know either
    except Damaged:
        return True
    except (NoCache, OSError):
        now = listing.look(StampWalk(), roots.of(scope), vault.not_of_user(roots, scope))
        return len(now.paths) > share


def build(roots: VaultRoots, scopes: Iterable[Scope], cache: CacheHome, progress: Progress | None = None) -> str:
    """Build the indexes of scopes; return why one could not be built, or nothing."""
    try:
        for scope in scopes:
            if not roots.of(scope).path.is_dir():
                continue  # it has nothing to index
            index.build(roots.of(scope), vault.not_of_user(roots, scope), cache, progress)
    except (NoCache, Damaged) as error:
        return str(error)
    except OSError:
        return "the cache cannot be written"
    return ""
