"""The search: literals first, in the few words that could be credentials; then the pattern of each rule found."""

from eccmem.secretscan.assigned import assigned
from eccmem.secretscan.joined import joined
from eccmem.secretscan.match import Match
from eccmem.secretscan.rules import REVIEW, Rules, SecretRule, rules
from eccmem.secretscan.search import search
from eccmem.secretscan.tokens import Tokens, long_words

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eccmem.secretscan.decode import Decoded

# Raised whenever the same rules would find something else than before.
_ENGINE = 3


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
    low = text.lower()
    tokens = Tokens(text, long_words(text))
    found = list(_plain(tokens, "plain", loaded, low))
    found += _hidden(tokens, loaded) if text.isascii() else _folded(tokens, loaded)
    if review:
        found += (
            Match(rule, label, REVIEW, start, end)
            for rule, label, start, end in assigned(text, low, tokens.placed(), loaded.services)
        )
    return _distinct(found) if found else []


def _folded(tokens: Tokens, loaded: Rules) -> "Iterator[Match]":
    """Credentials in a text with other characters than ASCII, as a reader sees it."""
    from eccmem.secretscan.fold import folded, places  # noqa: PLC0415 - a text in ASCII needs no folding

    seen = folded(tokens.source)
    if seen is None:
        yield from _hidden(tokens, loaded)
        return
    other = Tokens(seen, long_words(seen))
    odd = [*_plain(other, "folded", loaded, seen.lower()), *_hidden(other, loaded)]
    way = places(tokens.source) if odd else []
    for m in odd:
        yield Match(m.rule, m.label, m.tier, way[m.start], way[m.end - 1] + 1, m.via)


def _plain(tokens: Tokens, via: str, loaded: Rules, low: str) -> "Iterator[Match]":
    for rule, start, end in search(tokens.text, loaded.in_tokens):
        place = tokens.place(start)
        yield _hit(rule, place, place + end - start, via)
    for rule, start, end in search(tokens.source, loaded.in_text, low):
        yield _hit(rule, start, end, via)


def _hidden(tokens: Tokens, loaded: Rules) -> "Iterator[Match]":
    """Credentials that are encoded, or broken over a line end."""
    if tokens.words:
        yield from _encoded(tokens, loaded)
    for rule, start, end in joined(tokens.source, loaded.in_tokens):
        yield _hit(rule, start, end, "joined")


def _encoded(tokens: Tokens, loaded: Rules) -> "Iterator[Match]":
    from eccmem.secretscan.decode import decoded, escaped, unescaped  # noqa: PLC0415 - for mixed words alone

    for item in decoded(tokens.text):
        yield from _inside(item, tokens, loaded)
    words = [word for word in tokens.words if escaped(word)]
    if words:
        inner = Tokens(tokens.source, words)
        plain = unescaped(inner.text)
        if plain:
            yield from _inside(plain, inner, loaded)


def _inside(item: "Decoded", tokens: Tokens, loaded: Rules) -> "Iterator[Match]":
    for table in (loaded.in_tokens, loaded.in_text):
        for rule, start, end in search(item.text, table):
            if rule.tier == REVIEW:
                continue
            first, last = tokens.place(item.place(start)), tokens.place(item.close(end) - 1) + 1
            if tokens.source[first:last] != item.text[start:end]:
                yield _hit(rule, first, last, item.via)


def _hit(rule: SecretRule, start: int, end: int, via: str) -> Match:
    return Match(rule.id, rule.label, rule.tier, start, end, via)


def _distinct(found: "Iterable[Match]") -> list[Match]:
    """One match for each place: a block rule before a review rule, plain before decoded, the longer before others."""
    from bisect import bisect_left  # noqa: PLC0415 - most texts have nothing to sort

    kept: list[Match] = []
    for match in sorted(found, key=lambda m: (m.tier == REVIEW, m.start, -m.end, m.via != "plain", m.rule)):
        # No two that are kept overlap, so only the neighbours of a match can.
        at = bisect_left(kept, match.start, key=_start)
        before = at > 0 and kept[at - 1].end > match.start
        after = at < len(kept) and kept[at].start < match.end
        if not (before or after):
            kept.insert(at, match)
    return kept


def _start(match: Match) -> int:
    return match.start
