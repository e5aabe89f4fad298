"""Search over a Snapshot: which memories answer a query, in which order, with which words shown.

The order is decided in :func:`score` alone.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from eccmem import limits
from eccmem.errors import Refused
from eccmem.model import Kind, Memory, Status
from eccmem.text import UNSAFE_IN_LINE, trim
from eccmem.vault import Snapshot, Stored

_WORD = re.compile(r"[\w-]+")
_SPACE = re.compile(r"\s+")
_TITLE, _TAG, _METADATA, _BODY_MOST = 8, 6, 3, 5
_PHRASE_IN_TITLE, _PHRASE_IN_BODY = 20, 5
_BEFORE_MATCH = 60
_MARK = "…"
_UNSPACED = "\u0e00"  # Thai, and all that follows: most scripts that are written without spaces


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a query: its score (higher is better) and at most 240 characters of its body."""

    memory: Memory
    score: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be, besides active; empty kinds mean any."""

    kinds: Collection[Kind] = ()
    harness: str | None = None

    def admit(self, memory: Memory) -> bool:
        """Whether a memory passes."""
        wanted = not self.kinds or memory.kind in self.kinds
        return wanted and memory.status is Status.ACTIVE and memory.is_for(self.harness)


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


def search(snapshot: Snapshot, query: str, filters: Filters, limit: int) -> tuple[Hit, ...]:
    """Return the best hits first; for an empty query, the newest memories.

    Args:
        snapshot: the memories.
        query: as :func:`check_query` returned it.
        filters: what a hit must be.
        limit: how many hits at most; never more than :data:`eccmem.limits.RESULTS`.
    """
    terms = terms_of(query)
    scored = [
        (score(stored.memory, query, terms) if query else 0, stored)
        for stored in snapshot.stored
        if filters.admit(stored.memory)
    ]
    # Sorted in two passes, because times sort downwards and ids upwards.
    found = sorted((row for row in scored if row[0] or not query), key=lambda row: row[1].memory.id)
    found.sort(key=_rank, reverse=True)
    return tuple(
        Hit(stored.memory, points, excerpt(stored.memory.body, terms))
        for points, stored in found[: min(limit, limits.RESULTS)]
    )


def _rank(row: tuple[int, Stored]) -> tuple[int, str]:
    return row[0], row[1].memory.updated_at


def terms_of(query: str) -> tuple[str, ...]:
    """The words of a query, folded, each once."""
    return tuple(dict.fromkeys(_WORD.findall(fold(query))))


def fold(text: str) -> str:
    """Case-fold a text in composed form, so that ``É`` typed either way is ``é``."""
    return (
        text.casefold()
        if text.isascii()
        else unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    )


def score(memory: Memory, query: str, terms: tuple[str, ...]) -> int:
    """How well a memory answers a query: words in the title count most, then tags, metadata, the body."""
    title, body = fold(memory.title), fold(memory.body)
    metadata = (memory.kind, memory.scope, memory.source_harness, *memory.target_harnesses)
    points = 0
    if len(terms) != 1:  # one word is no phrase; none at all (punctuation) can only be looked for as it stands
        phrase = fold(query)
        in_title, in_body = _count(phrase, title, 1), _count(phrase, body, 1)
        points = _PHRASE_IN_TITLE if in_title else _PHRASE_IN_BODY if in_body else 0
    for term in terms:
        points += _TITLE * bool(_count(term, title, 1))
        points += _TAG * any(_count(term, tag, 1) for tag in memory.tags)
        points += _METADATA * (term in metadata)
        points += _count(term, body, _BODY_MOST)
    return points


def _count(term: str, text: str, most: int) -> int:
    """How often a term begins a word of a text, up to ``most``.

    ``at`` is not found in ``cats``, but ``migrat`` is in ``migration``.
    Scripts without spaces have no word to begin, and punctuation is no word: any place counts.
    """
    count = 0
    index = text.find(term)
    anywhere = term[0] >= _UNSPACED or not term[0].isalnum()
    while index >= 0 and count < most:
        count += anywhere or index == 0 or not text[index - 1].isalnum()
        index = text.find(term, index + len(term))
    return count


def excerpt(body: str, terms: tuple[str, ...]) -> str:
    """At most 240 characters of a body on one line, from a little before the first match."""
    line = _SPACE.sub(" ", body).strip()
    if len(line) <= limits.EXCERPT_CHARS:
        return line
    # By pattern and not by folding: folding can change the length, and with it every offset.
    places = (re.search(re.escape(term), line, re.IGNORECASE) for term in terms)
    first = min((place.start() for place in places if place), default=0)
    start = min(max(0, first - _BEFORE_MATCH), len(line) - limits.EXCERPT_CHARS)
    end = start + limits.EXCERPT_CHARS
    before, after = _MARK if start else "", _MARK if end < len(line) else ""
    return before + line[start + len(before) : end - len(after)] + after
