"""The search: literals first, in the few tokens that could be credentials; then the pattern of each rule found."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eccmem.secretscan import values
from eccmem.secretscan.assigned import assigned
from eccmem.secretscan.decode import decoded
from eccmem.secretscan.fold import folded, places
from eccmem.secretscan.rules import REVIEW, Rules, SecretRule, rules

_LEAST = 16  # no credential is shorter, but for passwords, which the review rules look for
_MIXED = re.compile("[0-9]|[a-z][A-Z]|[A-Z]{12}").search
_ALNUM = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_TAIL = 80
_LINES = 4


@dataclass(frozen=True, slots=True)
class Match:
    """A credential in a text: which rule, and where; the text itself is not kept, so it cannot leak.

    ``start`` and ``end`` are character offsets into the scanned text; ``via`` says how it was seen: ``plain``,
    ``folded`` (look-alikes), ``base64``, ``hex``, ``escaped`` or ``joined`` (over a line end).
    """

    rule: str
    label: str
    tier: str
    start: int
    end: int
    via: str = "plain"


class _Tokens:
    """The words of a text that are long and mixed enough, one a line, with the way back to their places."""

    __slots__ = ("_places", "_starts", "_words", "source", "text")

    def __init__(self, text: str) -> None:
        self.source = text
        self._words = [word for word in text.split() if len(word) >= _LEAST and _MIXED(word)]
        self.text = "\n".join(self._words)
        self._starts: list[int] = []
        self._places: list[int] = []

    def _place(self) -> None:
        at = start = 0
        for word in self._words:
            at = self.source.index(word, at)
            self._starts.append(start)
            self._places.append(at)
            at += len(word)
            start += len(word) + 1

    def place(self, at: int) -> int:
        """Where a character of the tokens is in the text."""
        if not self._starts:
            self._place()
        number = bisect_right(self._starts, at) - 1
        return self._places[number] + at - self._starts[number]

    def words(self) -> Iterator[tuple[int, str]]:
        """Each token with its place in the text."""
        if not self._starts:
            self._place()
        return zip(self._places, self._words, strict=True)


# Raised whenever the same rules would find something else than before.
_ENGINE = 2


def version() -> str:
    """What a verdict depends on: an index made with another one is made again."""
    return f"{_ENGINE}-{rules().version}"


def scan(text: str, *, review: bool = True) -> list[Match]:
    """Return every credential in a text, in the order in which they begin.

    Args:
        text: anything; it is searched as it is, as a reader sees it, and one level of encoding deep.
        review: whether values that are only likely to be secrets are looked for too.
    """
    loaded = rules()
    found = list(_plain(text, "plain", loaded))
    seen = folded(text)
    if seen is not None:
        way = places(text)
        found += (
            Match(m.rule, m.label, m.tier, way[m.start], way[m.end - 1] + 1, "folded")
            for m in _plain(seen, "folded", loaded)
        )
        found += _hidden(seen, loaded, way)
    else:
        found += _hidden(text, loaded, None)
    if review:
        found += (
            Match(rule, label, REVIEW, start, end)
            for rule, label, start, end in assigned(text, _Tokens(text).words(), loaded.keyed)
        )
    return _distinct(found)


def _plain(text: str, via: str, loaded: Rules) -> Iterator[Match]:
    tokens = _Tokens(text)
    for rule, start, end in _search(tokens.text, loaded.literals):
        place = tokens.place(start)
        yield Match(rule.id, rule.label, rule.tier, place, place + end - start, via)
    for rule, start, end in _search(text, loaded.whole):
        yield Match(rule.id, rule.label, rule.tier, start, end, via)


def _hidden(text: str, loaded: Rules, way: list[int] | None) -> Iterator[Match]:
    """Credentials that are encoded, or broken over a line end."""
    tokens = _Tokens(text)
    for item in decoded(tokens.text):
        for table in (loaded.literals, loaded.whole):
            for rule, start, end in _search(item.text, table):
                if rule.tier == REVIEW or (item.exact and end <= item.starts[1]):
                    continue
                first, last = tokens.place(item.place(start)), tokens.place(item.close(end) - 1) + 1
                if item.exact and text[first:last] == item.text[start:end]:
                    continue
                yield _hit(rule, first, last, item.via, way)
    for start, end, rule in _joined(text, loaded):
        yield _hit(rule, start, end, "joined", way)


def _hit(rule: SecretRule, start: int, end: int, via: str, way: list[int] | None) -> Match:
    if way is not None:
        start, end = way[start], way[end - 1] + 1
    return Match(rule.id, rule.label, rule.tier, start, end, via)


def _joined(text: str, loaded: Rules) -> Iterator[tuple[int, int, SecretRule]]:
    """Tokens that begin with a literal at the end of a line and go on with the next."""
    lines = text.split("\n")
    at = 0
    for number, line in enumerate(lines[:-1]):
        stripped = line[-_TAIL:].rstrip("\r\\ ")
        space = max(stripped.rfind(" "), stripped.rfind("\t"))
        tail = stripped[space + 1 :]
        following = lines[number + 1].lstrip(" \t>")
        here, at = at, at + len(line) + 1
        if len(tail) < 3 or not following[:1].isalnum() and following[:1] not in {"-", "_", "."}:  # noqa: PLR2004
            continue
        head = following[:400].split(None, 1)[0]
        if len(head) + len(tail) < _LEAST or not _MIXED(tail + head):
            continue
        begin = here + max(0, len(line) - _TAIL) + space + 1
        for rule, start, end in _search(tail + head, loaded.literals):
            if start < len(tail) < end and rule.tier != REVIEW:
                last = here + len(line) + 1 + len(lines[number + 1]) - len(following) + end - len(tail)
                yield begin + start, last, rule


def _search(text: str, table: dict[str, list[SecretRule]]) -> Iterator[tuple[SecretRule, int, int]]:
    for literal, wanted in table.items():
        if literal in text:
            for rule in wanted:
                yield from _matches(rule, literal, text)


def _matches(rule: SecretRule, literal: str, text: str) -> Iterator[tuple[SecretRule, int, int]]:
    regex, test = rule.regex, values.TESTS[rule.test] if rule.test != "pem" else None
    at = text.find(literal)
    while at >= 0:
        start = at
        if rule.reach:
            before = text[max(0, at - rule.reach) : at]
            start -= len(before) - len(before.rstrip(rule.before))
            if rule.test == "pem":
                start = max(text.rfind("-----BEGIN", start, at), start)
        step = at + len(literal)
        if not rule.left or _edge(text, start):
            found = regex.match(text, start)
            if found:
                value = found[0].removeprefix(literal)
                good = test(value) if test else values.key_follows(text, found.end())
                if good:
                    yield rule, found.start(), found.end()
                step = max(step, found.end())
        at = text.find(literal, step)


def _edge(text: str, at: int) -> bool:
    """Whether a token can begin here: after no letter or digit, but after an escape that ends in one."""
    if at == 0 or text[at - 1] not in _ALNUM:
        return True
    return text[max(0, at - 2) : at] in {"\\n", "\\t", "\\r"} or text[max(0, at - 3) : at - 2] == "%"


def _distinct(found: Iterable[Match]) -> list[Match]:
    """One match for each place: a block rule before a review rule, plain before decoded, the longer before others."""
    kept: list[Match] = []
    last = -1
    for match in sorted(found, key=lambda m: (m.tier == REVIEW, m.start, -m.end, m.via != "plain", m.rule)):
        if match.tier == REVIEW:
            if not any(match.start < other.end and other.start < match.end for other in kept):
                kept.append(match)
        elif match.start >= last:
            kept.append(match)
            last = match.end
    return sorted(kept, key=lambda match: (match.start, match.end))
