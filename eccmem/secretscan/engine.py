"""The search: literals first, in the few tokens that could be credentials; then the pattern of each rule found."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from eccmem.secretscan import values
from eccmem.secretscan.assigned import assigned
from eccmem.secretscan.decode import decoded
from eccmem.secretscan.fold import folded, places
from eccmem.secretscan.rules import REVIEW, Rules, SecretRule, Table, rules

_LEAST = 16  # no credential is shorter, but for passwords, which the review rules look for
_digit = re.compile("[0-9]").search
_pair = re.compile("[A-Za-z][0-9]|[0-9][A-Za-z]").search
_runs = re.compile("[A-Za-z0-9]{5,}").findall
_letters = re.compile("[A-Z]{12}|[a-z][A-Z][a-z]{0,2}[A-Z]").search
# What may stand for characters that are not there, or for a password.
_ODD = ("%", "\\", "@", "&#", "hooks.")
_ALNUM = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
# What stands at the ends of lines that belong together: indents, marks of a quotation, a continuation.
_START_MARGIN = " \t>"
_END_MARGIN = " \t\r\\"
_TAIL = 80
_line_ends = re.compile(r"([0-9_-][A-Za-z0-9_-]{0,79}|[A-Z]{4,19})[ \t\r\\]{0,8}\n").finditer
_WRAPPED = 400
_LINES = 4
# The two characters at each place where a token may begin.
_edges = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))(?=(..))", re.ASCII).findall


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

    __slots__ = ("_places", "_starts", "source", "text", "words")

    def __init__(self, text: str, words: list[str] | None = None) -> None:
        self.source = text
        self.words = _long_words(text) if words is None else words
        self.text = "\n".join(self.words)
        self._starts: list[int] = []
        self._places: list[int] = []

    def _place(self) -> None:
        at = start = 0
        for word in self.words:
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

    def placed(self) -> Iterator[tuple[int, str]]:
        """Each token with its place in the text."""
        if not self._starts:
            self._place()
        return zip(self._places, self.words, strict=True)


def _long_words(text: str) -> list[str]:
    return [word for word in text.split() if len(word) >= _LEAST and _could_hold(word)]


def _could_hold(word: str) -> bool:
    """Whether a long word has a run of letters and digits; few kinds of tokens have letters alone."""
    if not _digit(word):
        return not word.islower() and bool(_letters(word))
    if not _pair(word):
        return ("://" in word and "@" in word) or "&#" in word or bool(_letters(word))
    return any(map(_pair, _runs(word))) or any(odd in word for odd in _ODD) or bool(_letters(word))


# Raised whenever the same rules would find something else than before.
_ENGINE = 2


def version() -> str:
    """What a verdict depends on: an index made with another one is made again."""
    from hashlib import blake2b  # noqa: PLC0415 - a search needs none

    return f"{_ENGINE}-{blake2b(rules().data, digest_size=8).hexdigest()}"


def scan(text: str, *, review: bool = True) -> list[Match]:
    """Return every credential in a text, in the order in which they begin.

    Args:
        text: anything; it is searched as it is, as a reader sees it, and one level of encoding deep.
        review: whether values that are only likely to be secrets are looked for too.
    """
    loaded = rules()
    tokens = _Tokens(text)
    found = list(_plain(tokens, "plain", loaded))
    seen = folded(text)
    if seen is None:
        found += _hidden(tokens, loaded)
    else:
        other = _Tokens(seen)
        odd = [*_plain(other, "folded", loaded), *_hidden(other, loaded)]
        way = places(text) if odd else []
        found += (replace(m, start=way[m.start], end=way[m.end - 1] + 1) for m in odd)
    if review:
        found += (
            Match(rule, label, REVIEW, start, end)
            for rule, label, start, end in assigned(text, tokens.placed(), loaded.services)
        )
    return _distinct(found)


def _plain(tokens: _Tokens, via: str, loaded: Rules) -> Iterator[Match]:
    for rule, start, end in _search(tokens.text, loaded.in_tokens):
        place = tokens.place(start)
        yield _hit(rule, place, place + end - start, via)
    for rule, start, end in _search(tokens.source, loaded.in_text):
        yield _hit(rule, start, end, via)


def _hidden(tokens: _Tokens, loaded: Rules) -> Iterator[Match]:
    """Credentials that are encoded, or broken over a line end."""
    for item in decoded(tokens.text):
        for table in (loaded.in_tokens, loaded.in_text):
            for rule, start, end in _search(item.text, table):
                if rule.tier == REVIEW:
                    continue
                first, last = tokens.place(item.place(start)), tokens.place(item.close(end) - 1) + 1
                if tokens.source[first:last] != item.text[start:end]:
                    yield _hit(rule, first, last, item.via)
    yield from _joined(tokens.source, loaded)


def _hit(rule: SecretRule, start: int, end: int, via: str) -> Match:
    return Match(rule.id, rule.label, rule.tier, start, end, via)


def _joined(text: str, loaded: Rules) -> Iterator[Match]:
    """Credentials that begin in the last word of a line and go on in the next ones."""
    heads = loaded.in_tokens.heads
    for found in _line_ends(text):
        end = found.end(1)
        begin = max(text.rfind(sign, max(0, end - _TAIL), end) for sign in " \t\n") + 1
        word = text[max(begin, end - _TAIL) : end]
        near = [word[:2]] if word.isalnum() else _edges(word)
        if any(literal in word for head in near for literal, _ in heads.get(head, ())):
            yield from _over_lines(text, end - len(word), end, loaded)


def _over_lines(text: str, begin: int, end: int, loaded: Rules) -> Iterator[Match]:
    pieces, places = [text[begin:end]], [begin]
    stop = text.find("\n", end)
    while 0 <= stop < len(text) - 1 and len(pieces) < _LINES:
        at = stop + 1
        stop = text.find("\n", at)
        line = text[at : stop if stop >= 0 else len(text)][: 2 * _WRAPPED]
        stripped = line.strip(_START_MARGIN + _END_MARGIN)
        word = (stripped[:_WRAPPED].split(None, 1) or [""])[0]
        pieces.append(word)
        places.append(at + len(line) - len(line.lstrip(_START_MARGIN + _END_MARGIN)))
        if len(word) < len(stripped):
            break
    whole = "".join(pieces)
    if len(whole) < _LEAST or not _could_hold(whole):
        return
    for rule, start, close in _search(whole, loaded.in_tokens):
        if rule.tier != REVIEW and start < end - begin < close:
            last, piece = close, 0
            while last > len(pieces[piece]):
                last -= len(pieces[piece])
                piece += 1
            yield _hit(rule, begin + start, places[piece] + last, "joined")


def _search(text: str, table: Table) -> Iterator[tuple[SecretRule, int, int]]:
    if not text:
        return
    heads = _edges(text) if table.heads else ()
    leads = table.anywhere + [lead for head in table.heads.keys() & heads for lead in table.heads[head]]
    for literal, wanted in leads:
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
