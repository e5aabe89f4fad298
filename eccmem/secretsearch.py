"""Secrets in any text, whatever file it is from: each with its place, and with a name that does not give it away."""

from collections.abc import Iterator
from dataclasses import dataclass

from eccmem import limits, secretscan
from eccmem.allowance import Allowance
from eccmem.secretscan import Match
from eccmem.secretscan.fingerprint import fingerprint
from eccmem.text import printable_name

_NUL = b"\0"
# Git takes a file for binary when a NUL is among its first bytes.
_LOOKED_AT = 8000
_BOMS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A suspected secret in a text.

    Attributes:
        path: the file, as it may be shown: relative to the repository or as it was typed, and without a secret that
            its name holds.
        commit: the commit that has it, where single commits were asked for.
        line: from 1; lines end at LF. 0 for a secret in the name of the file.
        column: in code points, from 1.
        rule: the id of the rule that found it.
        label: what it is, in words.
        tier: ``block`` or ``review``.
        via: how it was seen; see :class:`eccmem.secretscan.Match`.
        length: in code points.
        fingerprint: see :func:`eccmem.secretscan.fingerprint`.
    """

    path: str
    commit: str
    line: int
    column: int
    rule: str
    label: str
    tier: str
    via: str
    length: int
    fingerprint: str


def text_of(data: bytes) -> str | None:
    """The text of a file, with stand-ins for bytes that are not UTF-8; None for a binary one."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return None if _NUL in data[:_LOOKED_AT] else data.decode("utf-8", "replace")


def shown_name(name: str) -> str:
    """The name of a file as it may be shown: without a secret that it holds."""
    return printable_name(secretscan.masked(name) or name)


def search(name: str, text: str, allowance: Allowance, commit: str = "") -> Iterator[Leak]:
    """Yield what a file holds, in its name and its text, and is not allowed.

    Args:
        name: that of the file.
        text: the whole text; it is searched in pieces, so that a long one takes no more memory than a short one.
        allowance: what is allowed.
        commit: as in :class:`Leak`.

    Raises:
        EccmemError: when Git cannot give the list of what is allowed.
    """
    shown = shown_name(name)
    for match in secretscan.scan(name, review=False):
        yield from _leak(match, name, allowance, (shown, commit, 0, match.start + 1))
    line, seen = 1, 0
    for start, piece in _pieces(text):
        line += text.count("\n", seen, start)
        seen = start
        for match in secretscan.scan(piece):
            # What ends so early, the piece before has seen whole.
            if start and match.end <= limits.SEARCHED_OVERLAP:
                continue
            at = start + match.start
            place = (shown, commit, line + piece.count("\n", 0, match.start), at - text.rfind("\n", 0, at))
            yield from _leak(match, piece, allowance, place)


def _leak(match: Match, text: str, allowance: Allowance, place: tuple[str, str, int, int]) -> Iterator[Leak]:
    value = text[match.start : match.end]
    if allowance.allows(match.rule, value):
        return
    path, commit, line, column = place
    yield Leak(
        path=path,
        commit=commit,
        line=line,
        column=column,
        rule=match.rule,
        label=match.label,
        tier=match.tier,
        via=match.via,
        length=len(value),
        fingerprint=fingerprint(match.rule, value),
    )


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A text in pieces of bounded length, each with the end of the one before: nothing that is short is cut in two."""
    size, overlap = limits.SEARCHED_CHARS, limits.SEARCHED_OVERLAP
    start = 0
    while True:
        yield start, text[start : start + size]
        if start + size >= len(text):
            return
        start += size - overlap
