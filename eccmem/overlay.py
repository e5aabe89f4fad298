"""The scopes as they are now: their indexes, corrected in memory by the files that changed since.

A memory's key is its place in the walk over all searched scopes, which is also the order of a scan: so what ranks
equal in every way comes in the same order from both.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from eccmem import index_store, ranking
from eccmem.index import NOT_SEARCHED, Index, Judged, facts_of, judge_file
from eccmem.listing import Listing
from eccmem.model import Kind, Memory, Status
from eccmem.ranking import Key
from eccmem.roots import Root
from eccmem.vault import Broken, Place

GONE = -1
_TIME_CHARS = 24  # 2026-07-26T20:00:00.000Z


class Moved(Exception):
    """A file changed between the walk and now: look again."""


class NeedsText(Exception):
    """The query has no word to look up: the texts themselves have to be read."""


class ScopeNow:
    """One scope: its index, or none, and the files that are judged afresh.

    Attributes:
        base: the key of its first file.
    """

    def __init__(self, root: Root, index: Index | None, now: Listing, dirty: set[str], base: int) -> None:
        self.root = root
        self.now = now
        self.base = base
        self._index = index
        at = {path: number for number, path in enumerate(now.paths)} if dirty else {}
        self.fresh: dict[int, Judged] = {
            at[path]: judge_file(root, path) for path in sorted(dirty, key=lambda p: at.get(p, GONE)) if path in at
        }
        # Where each file of the index is by now; None means where it was.
        self._moved: list[int] | None = None
        if index is not None and dirty:
            self._moved = [GONE if path in dirty else at.get(path, GONE) for path in index.listing().paths]
        self._terms: dict[str, list[tuple[int, int]]] = {}
        self.lengths = self._lengths()
        self._weigh()
        self.count, self.total_length = self._totals()

    def _lengths(self) -> "array[int]":
        old = self._index.lengths() if self._index else array("I")
        if self._moved is None and self._index is not None:
            return old
        lengths = array("I", [NOT_SEARCHED]) * len(self.now.paths)
        for number, length in zip(self._moved or (), old, strict=True):
            if number != GONE:
                lengths[number] = length
        return lengths

    def _weigh(self) -> None:
        for number, judged in self.fresh.items():
            if (memory := judged.searched) is not None:
                terms, self.lengths[number] = ranking.weigh(memory)
                for term, frequency in terms.items():
                    self._terms.setdefault(term, []).append((number + self.base, frequency))

    def _totals(self) -> tuple[int, int]:
        if self._moved is None and self._index is not None:
            return self._index.count, self._index.total_length
        searched = [length for length in self.lengths if length != NOT_SEARCHED]
        return len(searched), sum(searched)

    @property
    def scanned_bytes(self) -> int:
        """What a scan would count."""
        if self._index is None:
            old = 0
        elif self._moved is None:
            old = self._index.scanned_bytes
        else:
            sizes = zip(self._index.text_bytes(), self._moved, strict=True)
            old = sum(size for size, number in sizes if number != GONE)
        return old + sum(judged.text_bytes for judged in self.fresh.values())

    def broken(self) -> list[Broken]:
        """What a scan would find broken, in its order."""
        found = {number: entry for number, j in self.fresh.items() if isinstance(entry := j.entry, Broken)}
        for number, path, code, problems in self._index.broken() if self._index else ():
            position = self._moved[number] if self._moved is not None else number
            if position != GONE:
                found[position] = Broken(Place(self.root, path), code, problems)
        return [found[number] for number in sorted(found)]

    def postings(self, term: str) -> list[tuple[int, int]]:
        """The keys of the memories that hold a term, in order, and how often each does."""
        numbers, frequencies = self._index.posting(term) if self._index else ((), ())
        keys: Iterable[int] = numbers
        if self._moved is not None:
            keys = [moved + self.base if (moved := self._moved[number]) != GONE else GONE for number in numbers]
        elif self.base:
            keys = [number + self.base for number in numbers]
        found = list(zip(keys, frequencies, strict=True))
        if self._moved is not None:
            found = [pair for pair in found if pair[0] != GONE]
        return sorted(found + self._terms[term]) if term in self._terms else found

    def ties(self) -> list[str]:
        """Time and id of each file's memory; empty for what is not searched."""
        return self._now(self._index.ties() if self._index else [], lambda m: f"{m.updated_at} {m.id}")

    def facts(self) -> list[str]:
        """What filters look at, of each file's memory; empty for what is not searched."""
        return self._now(self._index.facts() if self._index else [], facts_of)

    def _now(self, old: list[str], of: Callable[[Memory], str]) -> list[str]:
        if self._moved is None and self._index is not None:
            return old
        new = [""] * len(self.now.paths)
        for number, text in zip(self._moved or (), old, strict=True):
            if number != GONE:
                new[number] = text
        for number, judged in self.fresh.items():
            if (memory := judged.searched) is not None:
                new[number] = of(memory)
        return new

    def vocabulary(self) -> Iterable[str]:
        """Every term that a memory holds."""
        old: Iterable[str] = self._index.vocabulary() if self._index else ()
        if self._index is not None and (moved := self._moved) is not None:
            # A term can be gone only if the first document that held it is.
            firsts = zip(old, self._index.first_documents(), strict=True)
            old = [term for term, first in firsts if moved[first] != GONE or self.postings(term)]
        return chain(old, self._terms)

    def memory(self, key: Key) -> Memory | None:
        """The memory of a key, read now; raises Moved when it is not what was looked at."""
        assert isinstance(key, int)  # noqa: S101 - for the type checker: one of those given out here
        number = key - self.base
        if (judged := self.fresh.get(number)) is None:
            judged = judge_file(self.root, self.now.paths[number])
            if judged.stamp != self.now.stamp(number):
                raise Moved
        return judged.searched


class Merged:
    """Several scopes as one collection to rank; see :class:`eccmem.ranking.Collection`."""

    def __init__(self, scopes: Sequence[ScopeNow]) -> None:
        self._scopes = scopes
        self._bases = [scope.base for scope in scopes]
        self._found: dict[str, list[tuple[int, int]]] = {}
        self._ties: Any = None
        self._facts: Any = None
        lengths = scopes[0].lengths
        for scope in scopes[1:]:
            lengths = lengths + scope.lengths
        self._lengths: Any = lengths  # any: a key is opaque to ranking, which only knows that it can be hashed

    @property
    def count(self) -> int:
        """How many memories there are."""
        return sum(scope.count for scope in self._scopes)

    @property
    def total_length(self) -> int:
        """The sum of their lengths."""
        return sum(scope.total_length for scope in self._scopes)

    def frequency(self, term: str) -> int:
        """How many memories hold a term."""
        return len(self.postings(term))

    def postings(self, term: str) -> Sequence[tuple[Key, int]]:
        """Which memories hold a term, and how often each does."""
        if term not in self._found:
            self._found[term] = list(chain.from_iterable(scope.postings(term) for scope in self._scopes))
        return self._found[term]

    def length(self, key: Key) -> int:
        """The length of a memory."""
        length: int = self._lengths[key]
        return length

    def tie(self, key: Key) -> tuple[str, str]:
        """When a memory was last changed, and its id."""
        if self._ties is None:
            self._ties = list(chain.from_iterable(scope.ties() for scope in self._scopes))
        tie: str = self._ties[key]
        return tie[:_TIME_CHARS], tie[_TIME_CHARS + 1 :]

    def outline(self, key: Key) -> Memory:
        """A memory with all that filters look at and nothing else."""
        kind, source, targets, tags, _ = self._facts_of(key)
        time, memory_id = self.tie(key)
        return Memory(
            id=memory_id,
            title="",
            kind=Kind(kind),
            scope=self._scope_of(key).root.scope,
            status=Status.ACTIVE,
            source_harness=source,
            target_harnesses=tuple(targets.split(",")),
            tags=tuple(filter(None, tags.split(","))),
            links=(),
            created_at=time,
            updated_at=time,
            body="",
        )

    def title(self, key: Key) -> str:
        """The key of a memory's title; see :func:`eccmem.search.title_key`."""
        return self._facts_of(key)[-1]

    def _facts_of(self, key: Key) -> list[str]:
        if self._facts is None:
            self._facts = list(chain.from_iterable(scope.facts() for scope in self._scopes))
        facts: list[str] = self._facts[key].split(" ")
        return facts

    def _scope_of(self, key: Key) -> ScopeNow:
        assert isinstance(key, int)  # noqa: S101 - for the type checker: one of those given out here
        return self._scopes[bisect_right(self._bases, key) - 1]

    def vocabulary(self) -> Iterable[str]:
        """Every term of the collection."""
        return dict.fromkeys(chain.from_iterable(scope.vocabulary() for scope in self._scopes))

    def containing(self, text: str) -> Iterable[int]:
        """All memories for an empty text; others not from an index, which holds no text."""
        if text:
            raise NeedsText(text)
        return [key for key, length in enumerate(self._lengths) if length != NOT_SEARCHED]

    def memory(self, key: Key) -> Memory | None:
        """The memory of a key, from its file.

        Raises:
            Moved: when the file is no longer what was ranked.
            Damaged: when the index said something else of it.
        """
        memory = self._scope_of(key).memory(key)
        if memory is None or (memory.updated_at, memory.id) != self.tie(key):
            raise index_store.Damaged("it does not say what the file says")
        return memory
