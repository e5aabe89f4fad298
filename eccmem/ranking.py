"""The order of search results, decided in one place.

BM25F over terms: title, tags and body are weighted before saturation, and length counts as the fields do.
A scan, an index and the overlay of changed files are :class:`Collection` s; the same numbers give the same order.
"""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple, Protocol, TypeAlias

from eccmem import analyser
from eccmem.model import Memory

Key: TypeAlias = Hashable

# The textbook's values; a grid of 72 on half of the data gained .0004 on the other half. Do not tune.
_SATURATION: Final = 1.2
_BY_LENGTH: Final = 0.75
TITLE_WEIGHT, TAGS_WEIGHT = 3, 2

# For a term that no memory holds.
_PREFIX_LEAST: Final = 3
_TYPO_LEAST, _TWO_TYPOS_LEAST = 4, 8
_SUBSTITUTES: Final = 3
_SUBSTITUTE_WEIGHT: Final = 0.8


class Collection(Protocol):
    """All valid active memories of the searched scopes, before any filter, so that filters never reorder."""

    @property
    def count(self) -> int:
        """How many memories."""

    @property
    def total_length(self) -> int:
        """The sum of their lengths."""

    def frequency(self, term: str) -> int:
        """How many memories hold the term."""

    def postings(self, term: str) -> Iterable[tuple[Key, int]]:
        """The memories that hold the term, with its weighted frequency in each."""

    def length(self, key: Key) -> int:
        """The weighted length of a memory, as :func:`weigh` gives it."""

    def tie(self, key: Key) -> tuple[str, str]:
        """When a memory was updated, and its id: what decides between equal scores."""

    def vocabulary(self) -> Iterable[str]:
        """Every term held; asked for only when a query term is unknown."""

    def containing(self, text: str) -> Iterable[Key]:
        """The memories whose folded title, tags or body hold this folded text; all of them for an empty text.

        Asked only for queries without any term: emoji, ``++``, or nothing at all.
        """


class Ranked(NamedTuple):
    """A memory that answers, its score, and the terms of the collection that matched, in the query's order.

    A tuple, because a common word makes thousands of them.
    """

    key: Key
    score: float
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The memories that answer a query, best first.

    ``unmatched`` are query terms found nowhere, not even in part; ``replaced`` are those found in another spelling.
    """

    ranked: tuple[Ranked, ...]
    unmatched: tuple[str, ...] = ()
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def weigh(memory: Memory) -> tuple[dict[str, int], int]:
    """The terms of a memory with their weighted frequencies, and its weighted length in characters."""
    tags = " ".join(memory.tags)
    weights: dict[str, int] = {}
    for weight, text in ((TITLE_WEIGHT, memory.title), (TAGS_WEIGHT, tags), (1, memory.body)):
        for term in analyser.terms(text):
            weights[term] = weights.get(term, 0) + weight
    return weights, weighted_length(memory)


def weighted_length(memory: Memory) -> int:
    """Characters: as good as counting terms, and known without analysing a memory that holds none of the query's."""
    return TITLE_WEIGHT * len(memory.title) + TAGS_WEIGHT * len(" ".join(memory.tags)) + len(memory.body)


def rank(collection: Collection, query: str) -> Ranking:
    """All memories that answer a query, best first; for an empty query all there are, newest first.

    The order: score, rounded so that no platform's last digit decides; then the newest; then the smallest id.
    """
    terms = analyser.query_terms(query)
    if not terms:
        return _literal(collection, query)
    known = {term: frequency for term in terms if (frequency := collection.frequency(term))}
    missing = _worth_replacing(query, [term for term in terms if term not in known], known)
    replaced = _substitutes(collection, missing) if missing else {}
    weights = dict.fromkeys(known, 1.0)
    for term in (other for others in replaced.values() for other in others):
        weights.setdefault(term, _SUBSTITUTE_WEIGHT)
    scores, matched = _score(collection, {term: weights[term] for term in _in_order(terms, replaced, weights)})
    ranked = [Ranked(key, round(score, 6), tuple(matched[key])) for key, score in scores.items()]
    unmatched = tuple(term for term in missing if term not in replaced)
    return Ranking(_sorted(collection, ranked), unmatched, replaced)


def _literal(collection: Collection, query: str) -> Ranking:
    """Without a term there is nothing to weigh: what holds the text, the newest first."""
    text = analyser.fold(query).strip()
    if query.strip() and not text:
        return Ranking((), (query,))  # nothing but invisible characters
    matched = (text,) if text else ()
    ranked = [Ranked(key, 0.0, matched) for key in collection.containing(text)]
    return Ranking(_sorted(collection, ranked), () if ranked else matched)


def _worth_replacing(query: str, missing: list[str], known: Mapping[str, int]) -> list[str]:
    """Unknown terms, less the whole of a name of which some part is known: it has been found."""
    if not missing or not known:
        return missing
    wholes = analyser.wholes(query)
    return [term for term in missing if term not in wholes]


def _in_order(terms: tuple[str, ...], replaced: Mapping[str, tuple[str, ...]], held: Mapping[str, float]) -> list[str]:
    every = (other for term in terms for other in replaced.get(term, (term,)))
    return [term for term in dict.fromkeys(every) if term in held]


def _score(collection: Collection, weights: Mapping[str, float]) -> tuple[dict[Key, float], dict[Key, list[str]]]:
    """The scores, summed in the order of the terms: the same sum to the last bit in a scan and in an index."""
    scores: dict[Key, float] = {}
    matched: dict[Key, list[str]] = {}
    count = collection.count
    average = collection.total_length / count if count else 1.0
    fixed, by_length = _SATURATION * (1 - _BY_LENGTH), _SATURATION * _BY_LENGTH / (average or 1.0)
    for term, weight in weights.items():
        frequency = collection.frequency(term)
        rarity = weight * (_SATURATION + 1) * math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
        for key, times in collection.postings(term):
            gained = rarity * times / (times + fixed + by_length * collection.length(key))
            scores[key] = scores.get(key, 0.0) + gained
            matched.setdefault(key, []).append(term)
    return scores, matched


def _sorted(collection: Collection, ranked: list[Ranked]) -> tuple[Ranked, ...]:
    score = attrgetter("score")
    ordered: list[Ranked] = []
    for _, equals in groupby(sorted(ranked, key=score, reverse=True), score):
        group = list(equals)
        if len(group) > 1:  # asked only then: most scores are nobody else's
            ties = {row.key: collection.tie(row.key) for row in group}
            # Twice, because times sort downwards and ids upwards.
            group.sort(key=lambda row: ties[row.key][1])
            group.sort(key=lambda row: ties[row.key][0], reverse=True)
        ordered += group
    return tuple(ordered)


# --- Terms that no memory holds -----------------------------------------------------------------------------------


def _substitutes(collection: Collection, missing: list[str]) -> dict[str, tuple[str, ...]]:
    """For each term the best three that begin with it, else the best three that differ by a typo or two."""
    vocabulary = frozenset(collection.vocabulary())
    found = {}
    for term in missing:
        longer = [other for other in vocabulary if other.startswith(term)] if len(term) >= _PREFIX_LEAST else []
        near = sorted((len(other), other) for other in longer) or _misspelt(term, vocabulary)
        if near:
            found[term] = tuple(other for _, other in near[:_SUBSTITUTES])
    return found


def _misspelt(term: str, vocabulary: frozenset[str]) -> list[tuple[int, str]]:
    """Terms at a small distance, the nearest first; the first letter is hardly ever mistyped."""
    if len(term) < _TYPO_LEAST or not (term.isascii() and term.isalpha()):
        return []
    most = 1 if len(term) < _TWO_TYPOS_LEAST else 2
    first, letters = term[0], frozenset(term)
    near = []
    for other in vocabulary:
        # Each step brings at most one letter in and one out, so most terms need no table.
        if (
            other[0] != first
            or abs(len(other) - len(term)) > most
            or len(letters.symmetric_difference(other)) > 2 * most
        ):
            continue
        if other.isascii() and other.isalpha() and (steps := distance(term, other)) <= most:
            near.append((steps, other))
    return sorted(near)


def distance(one: str, other: str) -> int:
    """How many letters to change, add, drop or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        this = [row]
        for column, against in enumerate(other, 1):
            cost = min(last[column] + 1, this[-1] + 1, last[column - 1] + (letter != against))
            swapped = row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against
            this.append(min(cost, before[column - 2] + 1) if swapped else cost)
        before, last = last, this
    return last[-1]
