"""Search over a Snapshot: which memories answer a query, with which words shown.

The order is decided in :mod:`eccmem.ranking`; here hits pass filters, copies are folded, and excerpts are cut.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final
from zlib import crc32

from eccmem import analyser, limits, rerank
from eccmem.errors import Refused
from eccmem.excerpt import excerpt
from eccmem.model import Kind, Memory, Status
from eccmem.ranking import Key, Ranked, Ranking, rank
from eccmem.scanned import Scanned
from eccmem.text import UNSAFE_IN_LINE, trim
from eccmem.vault import Snapshot

# Two memories of one title that share this much of their words say the same.
_SAME: Final = 0.9
# Copies rank close to each other: so far behind the last hit they are still looked for.
_LOOK_ON: Final = 20

Marks = tuple[tuple[int, int], ...]
_Title = tuple[Status, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a query.

    Attributes:
        memory: the memory.
        score: higher is better; comparable within one answer only; 0 where nothing could be weighed.
        excerpt: at most 240 characters of its body, on one line.
        marks: where in the excerpt words of the query stand.
        matched: the terms that it matched, as the vault has them.
        duplicates: ids of memories that also answer, say nearly the same, and are not listed themselves.
    """

    memory: Memory
    score: float
    excerpt: str
    marks: Marks = ()
    matched: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: the hits, best first, terms of the query found nowhere, and those found in another spelling."""

    hits: tuple[Hit, ...] = ()
    unmatched: tuple[str, ...] = ()
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be; empty means any, but for the status.

    Attributes:
        kinds: one of these kinds.
        harness: addressed to this harness, or to all.
        tags: has every one of these tags.
        sources: written by one of these harnesses.
        since: updated then or later: the beginning of a time, such as ``2026-07``.
        statuses: one of these; active alone unless asked otherwise.
    """

    kinds: Collection[Kind] = ()
    harness: str | None = None
    tags: Collection[str] = ()
    sources: Collection[str] = ()
    since: str = ""
    statuses: Collection[Status] = (Status.ACTIVE,)

    def admit(self, memory: Memory) -> bool:
        """Whether a memory passes."""
        return (
            memory.status in self.statuses
            and (not self.kinds or memory.kind in self.kinds)
            and (not self.sources or memory.source_harness in self.sources)
            and all(tag in memory.tags for tag in self.tags)
            and memory.updated_at >= self.since
            and memory.is_for(self.harness)
        )


def check_query(query: str) -> str:
    """Return a query, trimmed.

    Raises:
        Refused: when it is too long or holds control characters.
    """
    text = trim(query)
    if len(text) > limits.QUERY_CHARS:
        raise Refused("bad-query", f"the query is too long: at most {limits.QUERY_CHARS} characters", "use fewer words")
    if UNSAFE_IN_LINE.search(text):
        raise Refused("bad-query", "the query must not contain line breaks or control characters", "use plain words")
    return text


def search(snapshot: Snapshot, query: str, filters: Filters, limit: int) -> Found:
    """Return the best hits first; for an empty query, the newest memories.

    Args:
        snapshot: the memories.
        query: as :func:`check_query` returned it.
        filters: what a hit must be; what they leave out still counts for how rare a term is.
        limit: how many hits at most; never more than :data:`eccmem.limits.RESULTS`.
    """
    ranked_too = {Status.ACTIVE, *filters.statuses}
    memories = [stored.memory for stored in snapshot.stored if stored.memory.status in ranked_too]
    by_position: Mapping[Key, Memory] = dict(enumerate(memories))
    return present(by_position, rank(Scanned(memories, query), query), filters, limit, query)


def present(  # noqa: PLR0913 - what answers, and how it is to be shown
    memories: Mapping[Key, Memory] | Callable[[Key], Memory | None],
    ranking: Ranking,
    filters: Filters,
    limit: int,
    query: str,
    *,
    title_of: Callable[[Key], str] | None = None,
) -> Found:
    """Make hits of a ranking.

    Args:
        memories: the memory of each key; one that is gone is passed over.
        ranking: what answers, best first.
        filters: what a hit must be.
        limit: how many hits at most; copies folded under a hit do not count.
        query: what was asked; for an empty query every memory is listed, copies too.
        title_of: the :func:`title_key` of each key, where it is known without reading the memory.
    """
    memory_of = memories if callable(memories) else memories.get
    most = min(limit, limits.RESULTS)
    rows: list[tuple[Memory, Ranked]] = []
    copies = _Copies()
    behind = 0
    for ranked in ranking.ranked:
        if len(rows) == most:
            behind += 1
            if behind > (_LOOK_ON if query else 0):
                break
            if title_of is not None and title_of(ranked.key) not in copies.titles:
                continue  # not a copy, so it need not be read
        memory = memory_of(ranked.key)
        if memory is None or not filters.admit(memory):
            continue
        if query and copies.folds(memory):
            continue
        if len(rows) < most:
            rows.append((memory, ranked))
            copies.add(memory)
    return Found(tuple(_hit(*row, copies) for row in rows), ranking.unmatched, ranking.replaced)


def title_key(title: str) -> str:
    """Eight characters that two titles of the same terms share, and others hardly ever."""
    return f"{crc32(' '.join(sorted(set(analyser.terms(title)))).encode()):08x}"


def reordered(found: Found, query: str, order: rerank.Order, limit: int) -> Found:
    """The hits in a reranker's order; ask for :data:`eccmem.rerank.CANDIDATES` hits to give it a choice."""
    head = found.hits[: rerank.CANDIDATES]
    candidates = [(hit.memory.id, f"{hit.memory.title}\n{hit.memory.body}", hit.score) for hit in head]
    hits = [*(head[place] for place in order(query, candidates)), *found.hits[rerank.CANDIDATES :]]
    return replace(found, hits=tuple(hits[:limit]))


def _hit(memory: Memory, ranked: Ranked, copies: "_Copies") -> Hit:
    shown = excerpt(memory.body, ranked.matched)
    return Hit(memory, ranked.score, shown.text, shown.marks, ranked.matched, tuple(copies.of(memory)))


class _Kept:
    """A memory that is shown, and the ids of its copies. Its terms are counted when a copy may be there, not before."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.ids: list[str] = []

    @cached_property
    def terms(self) -> frozenset[str]:
        """Each term once."""
        return _distinct(self.memory)


class _Copies:
    """Which memories say what one before them said.

    Only memories of one title and status are compared, so few are: a copy that was saved again, or edited a little.
    When a program has saved one memory without end, those beyond :data:`eccmem.limits.COPIES` stand for themselves:
    an answer must not read them all.

    Attributes:
        titles: the :func:`title_key` of each memory that was added.
    """

    def __init__(self) -> None:
        self.titles: set[str] = set()
        self._by_title: dict[_Title, list[_Kept]] = {}
        self._folded = 0

    def folds(self, memory: Memory) -> bool:
        """Whether it is a copy of one that was added, and if so, note that."""
        if self._folded == limits.COPIES:
            return False
        others = self._by_title.get(self._title(memory), ())
        terms = _distinct(memory) if others else frozenset()
        for kept in others:
            if _alike(terms, kept.terms):
                kept.ids.append(memory.id)
                self._folded += 1
                return True
        return False

    def add(self, memory: Memory) -> None:
        """Fold what comes later under this one, if it is a copy of it."""
        self.titles.add(title_key(memory.title))
        self._by_title.setdefault(self._title(memory), []).append(_Kept(memory))

    def of(self, memory: Memory) -> list[str]:
        """The ids of the copies of one that was added."""
        return next(kept.ids for kept in self._by_title[self._title(memory)] if kept.memory is memory)

    @staticmethod
    def _title(memory: Memory) -> _Title:
        return memory.status, frozenset(analyser.terms(memory.title))


def _distinct(memory: Memory) -> frozenset[str]:
    return frozenset(analyser.terms(f"{memory.title}\n{memory.body}"))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the terms of two texts overlap so far (Jaccard) that one of them is enough."""
    return len(one & other) >= _SAME * len(one | other)
