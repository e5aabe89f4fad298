"""The piece of a body that shows the most of a query, on one line, with the places of what was found."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from eccmem import analyser, limits

_CUT: Final = "…"
# How much is shown before the first match, and how far a cut may move to the edge of a word.
_BEFORE: Final = 60
_TO_AN_EDGE: Final = 24
# Never the first character of a second half: combining marks, joiners and what they join, variation selectors,
# skin tones.
_JOINS_BEFORE = "\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"

Place = tuple[int, int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """At most 240 code points on one line, cuts marked, and where in it words of the query stand."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


def excerpt(body: str, wanted: Collection[str]) -> Excerpt:
    """Cut the best window out of a body: the most of the wanted terms, the earliest of equals.

    Args:
        body: the text.
        wanted: terms, as a :class:`~eccmem.ranking.Ranked` has them; what is no term is looked for as it stands.
    """
    line = re.sub(r"\s+", " ", body).strip()
    places = analyser.places(line, wanted) or _as_they_stand(line, wanted)
    start, end = _window(line, places)
    before, after = _CUT if start else "", _CUT if end < len(line) else ""
    shift = len(before) - start
    inside = [place for place in places if place[0] < end and place[1] > start]
    marks = [(max(first, start) + shift, min(last, end) + shift) for first, last, _ in inside]
    return Excerpt(before + line[start:end] + after, tuple(_merged(marks)))


def _as_they_stand(line: str, wanted: Collection[str]) -> list[Place]:
    """For a query without terms, such as an emoji; where folding moves characters, nothing is marked."""
    folded = analyser.fold(line)
    if len(folded) != len(line):
        folded = line
    signs = [term for term in wanted if not analyser.terms(term)]
    found = [(*match.span(), frozenset((term,))) for term in signs for match in re.finditer(re.escape(term), folded)]
    return sorted(found, key=lambda place: place[:2])


def _window(line: str, places: Sequence[Place]) -> tuple[int, int]:
    if len(line) <= limits.EXCERPT_CHARS:
        return 0, len(line)
    room = limits.EXCERPT_CHARS - 2 * len(_CUT)
    first, last = _best(places, room)
    lead = min(_BEFORE, max(0, room - (last - first)) // 2)
    # As much as fits: at the end of the text there is more to show before the match.
    start = min(max(0, first - lead), len(line) - room - len(_CUT))
    if start <= len(_CUT):
        return 0, _back(line, limits.EXCERPT_CHARS - len(_CUT), last)
    start = _forth(line, start, first)
    end = start + room
    if end + len(_CUT) >= len(line):
        return start, len(line)
    return start, _back(line, end, last)


def _best(places: Sequence[Place], room: int) -> tuple[int, int]:
    """Where the window with the most distinct terms begins and ends; a pass with two ends."""
    if not places:
        return 0, 0
    inside: Counter[str] = Counter()
    best, most, behind = (places[0][0], min(places[0][1], places[0][0] + room)), 0, 0
    for place in places:
        inside.update(place[2])
        while places[behind][0] < place[1] - room and places[behind] is not place:
            inside.subtract(places[behind][2])
            behind += 1
        distinct = sum(1 for count in inside.values() if count > 0)
        if distinct > most:
            best, most = (places[behind][0], min(place[1], places[behind][0] + room)), distinct
    return best


def _forth(line: str, start: int, most: int) -> int:
    """The start of a word at or soon after a place, or at least the start of a character."""
    space = line.find(" ", start - 1, min(start + _TO_AN_EDGE, most))
    if space >= 0:
        return space + 1
    while start < most and _splits(line, start):
        start += 1
    return start


def _back(line: str, end: int, least: int) -> int:
    """The end of a word at or soon before a place, or at least the end of a character."""
    space = line.rfind(" ", max(least, end - _TO_AN_EDGE), end + 1)
    if space > 0:
        return space
    cut = end
    while cut > least and cut > end - _TO_AN_EDGE and _splits(line, cut):
        cut -= 1
    return cut


def _splits(line: str, index: int) -> bool:
    """Whether a cut before this character would leave half of what a reader sees as one."""
    joins = f"{analyser.FOLLOWS}|[{_JOINS_BEFORE}]"
    return line[index - 1] == "\u200d" or re.match(joins, line[index : index + 1]) is not None


def _merged(marks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
