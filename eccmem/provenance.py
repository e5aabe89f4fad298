"""Which commit last changed each field of a memory and each line of its body: a pure function of its lineage.

Not `git blame`: that follows renames by likeness, runs the converters that attributes name, and takes its settings
from the person.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby

from eccmem import limits
from eccmem.lineage import NAMES, Lineage
from eccmem.model import Memory

_BODY = "body"
# An event by its number, or None for what no commit has.
Origin = int | None


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of the body, counted from 1, that have one origin."""

    first: int
    last: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the parts of a memory come from.

    ``rough`` says that some of them may be older than they seem, because there was too much to compare.
    """

    fields: tuple[tuple[str, Origin], ...]
    body: tuple[Lines, ...]
    rough: bool


@dataclass(slots=True)
class _Parts:
    """Parts of the memory whose origin is looked for: fields, and lines by their number now and in some version."""

    names: set[str] = field(default_factory=set)
    lines: dict[int, int] = field(default_factory=dict)


def trace(lineage: Lineage, now: Memory) -> Provenance:
    """Say where the parts of a memory come from.

    Args:
        lineage: its life in commits.
        now: the memory as it is, which no commit may have yet.
    """
    count = len(_lines(now))
    search = _Search(lineage)
    search.look(None, now, _Parts({*NAMES} - {_BODY}, dict(enumerate(range(count)))), lineage.origin)
    return Provenance(
        tuple((name, search.fields[name]) for name in NAMES if name != _BODY),
        tuple(_grouped(search.lines[line] for line in range(count))),
        search.rough,
    )


class _Search:
    """Goes from the newest event back, and hands each part on to the version before, as long as that has it."""

    def __init__(self, lineage: Lineage) -> None:
        self.fields: dict[str, Origin] = {}
        self.lines: dict[int, Origin] = {}
        self.rough = False
        self._lineage = lineage
        self._waiting: dict[int, _Parts] = {}
        self._left = limits.COMPARED_VERSIONS

    def look(self, origin: Origin, memory: Memory, parts: _Parts, newest: Origin) -> None:
        """Find the origin of all parts of the memory as it is now."""
        self._hand_on(origin, memory, parts, () if newest is None else (newest,))
        for number in range(-1 if newest is None else newest, -1, -1):
            event = self._lineage.events[number]
            version = self._lineage.memory(event.files)
            if version is not None and (waiting := self._waiting.pop(number, None)):
                self._hand_on(number, version, waiting, event.bases)

    def _hand_on(self, origin: Origin, memory: Memory, parts: _Parts, bases: Iterable[int]) -> None:
        for base in bases:
            older = self._lineage.memory(self._lineage.events[base].files)
            if older is None or not (parts.names or parts.lines):
                continue
            if not self._left:
                self.rough = True
                break
            self._left -= 1
            there = self._waiting.setdefault(base, _Parts())
            there.names |= (same := {name for name in parts.names if getattr(memory, name) == getattr(older, name)})
            parts.names -= same
            kept = self._kept(_lines(older), _lines(memory)) if parts.lines else {}
            there.lines |= {now: kept[line] for now, line in parts.lines.items() if line in kept}
            parts.lines = {now: line for now, line in parts.lines.items() if line not in kept}
        self.fields |= dict.fromkeys(parts.names, origin)
        self.lines |= dict.fromkeys(parts.lines, origin)

    def _kept(self, old: list[str], new: list[str]) -> dict[int, int]:
        """For each line of a text that is in an older one too, its place there."""
        start, shorter = 0, min(len(old), len(new))
        while start < shorter and old[start] == new[start]:
            start += 1
        end = 0
        while end < shorter - start and old[-1 - end] == new[-1 - end]:
            end += 1
        kept = dict(zip(range(start), range(start), strict=True))
        kept |= {len(new) - back: len(old) - back for back in range(1, end + 1)}
        left, right = old[start : len(old) - end], new[start : len(new) - end]
        if left and right and max(len(left), len(right)) > limits.COMPARED_LINES:
            self.rough = True
        else:
            for block in SequenceMatcher(None, left, right).get_matching_blocks():
                kept |= {start + block.b + n: start + block.a + n for n in range(block.size)}
        return kept


def _lines(memory: Memory) -> list[str]:
    return memory.body.split("\n")


def _grouped(origins: Iterable[Origin]) -> Iterator[Lines]:
    for origin, run in groupby(enumerate(origins, 1), key=lambda pair: pair[1]):
        numbers = [number for number, _ in run]
        yield Lines(numbers[0], numbers[-1], origin)
