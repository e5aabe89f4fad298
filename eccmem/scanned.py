"""Memories at hand as a collection to rank, for one query: what a search without an index does.

Only memories that can match are analysed: a cheap look for the beginnings of the query's terms leaves out the others,
and may never leave out a memory that matches.
"""

import re
from collections.abc import Iterable, Sequence

from eccmem import analyser, stemmer
from eccmem.model import Memory
from eccmem.ranking import TAGS_WEIGHT, TITLE_WEIGHT, Key, weighted_length

_GLUE_BYTES = analyser.GLUE.encode()
_GLUE_RUN = f"[{re.escape(analyser.GLUE)}]+"


class Scanned:
    """A :class:`~eccmem.ranking.Collection` of which the keys are positions in a sequence."""

    def __init__(self, memories: Sequence[Memory], query: str) -> None:
        self._memories = memories
        self._lengths = [weighted_length(memory) for memory in memories]
        self._total = sum(self._lengths)
        self._asked = analyser.query_terms(query)
        self._postings: dict[str, dict[int, int]] = {}

    @property
    def count(self) -> int:
        """How many memories."""
        return len(self._memories)

    @property
    def total_length(self) -> int:
        """The sum of their lengths."""
        return self._total

    def frequency(self, term: str) -> int:
        """How many hold the term."""
        return len(self._held(term))

    def postings(self, term: str) -> Iterable[tuple[Key, int]]:
        """The positions of those that hold the term, with its weighted frequency."""
        return self._held(term).items()

    def length(self, key: Key) -> int:
        """The weighted length of one."""
        return self._lengths[_position(key)]

    def tie(self, key: Key) -> tuple[str, str]:
        """When it was updated, and its id."""
        memory = self._memories[_position(key)]
        return memory.updated_at, memory.id

    def vocabulary(self) -> Iterable[str]:
        """Every term, by a look at every word: a second pass, for a query with a term that nothing holds."""
        chunks: set[str] = set()
        for memory in self._memories:
            chunks.update(_whole(memory).split())
        return {term for chunk in chunks for term in analyser.terms(chunk)}

    def containing(self, text: str) -> Iterable[Key]:
        """The positions of those that hold a folded text as it stands."""
        if not text:
            return range(len(self._memories))
        return [key for key, memory in enumerate(self._memories) if text in analyser.fold(_whole(memory))]

    def _held(self, term: str) -> dict[int, int]:
        if term not in self._postings:
            # All of the query's in one pass; a substitute for one of them in a pass of its own.
            self._gather(self._asked if term in self._asked else (term,))
        return self._postings[term]

    def _gather(self, terms: Sequence[str]) -> None:
        postings: dict[str, dict[int, int]] = {term: {} for term in terms}
        held = _Held(terms)
        look = _Look(terms)
        for key, memory in enumerate(self._memories):
            if not look.may_hold(_whole(memory)):
                continue
            for weight, text in ((TITLE_WEIGHT, memory.title), (TAGS_WEIGHT, " ".join(memory.tags)), (1, memory.body)):
                for found in filter(None, map(held.__getitem__, text.split())):
                    for term in found:
                        counts = postings[term]
                        counts[key] = counts.get(key, 0) + weight
        self._postings |= postings


class _Held(dict[str, tuple[str, ...]]):
    """Which of some terms a piece of text without white space holds; each piece is analysed once.

    White space is part of no term, so the terms of a text are those of its pieces.
    """

    def __init__(self, terms: Iterable[str]) -> None:
        super().__init__()
        self._terms = frozenset(terms)

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        found = self[chunk] = tuple(term for term in analyser.terms(chunk) if term in self._terms)
        return found


class _Look:
    """A quick look at a whole text: whether it may hold one of some terms. When in doubt, yes."""

    def __init__(self, terms: Iterable[str]) -> None:
        # A name may be written with anything between its parts, so texts are looked at without what glues parts
        # together; but for terms that hold such a sign themselves: c++, .net, 3.11.
        self._signed = [term for term in terms if set(term) & set(analyser.GLUE)]
        self._plain = [_certain(term) for term in terms if term not in self._signed]
        self._ascii = [start.encode() for start in self._plain if start.isascii()]

    def may_hold(self, text: str) -> bool:
        folded = analyser.fold(text)
        if any(term in folded for term in self._signed):
            return True
        if folded.isascii():
            bare = folded.encode().translate(None, _GLUE_BYTES)
            return any(start in bare for start in self._ascii)
        joined = re.sub(_GLUE_RUN, "", folded)
        return any(start in joined for start in self._plain)


def _certain(term: str) -> str:
    """What stands, folded, in every text that holds the term."""
    if term.startswith(analyser.SINGLE):
        return term.removeprefix(analyser.SINGLE)
    return stemmer.unchanged(term) if term.isascii() and term.isalpha() else term


def _whole(memory: Memory) -> str:
    return f"{memory.title}\n{' '.join(memory.tags)}\n{memory.body}"


def _position(key: Key) -> int:
    assert isinstance(key, int)  # noqa: S101 - for the type checker: the keys are those that this class gave out
    return key
