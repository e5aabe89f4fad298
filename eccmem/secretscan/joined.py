"""Credentials that begin in the last word of a line and go on in the next ones."""

from eccmem.secretscan.pattern import compiled
from eccmem.secretscan.rules import REVIEW
from eccmem.secretscan.search import runs_of, search
from eccmem.secretscan.tokens import could_hold

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    from collections.abc import Iterator

    from eccmem.secretscan.rules import Table
    from eccmem.secretscan.search import Hit

# What stands at the ends of lines that belong together: indents, marks of a quotation, a continuation.
_MARGIN = " \t>\r\\"
# The end of a line whose last word has a digit or a sign, or ends in capitals, and that word: read backwards, because
# a search for a line end is a search for one character.
_LAST_WORD = r"\n[ \t\r\\]{0,8}(?=[A-Za-z]{0,79}[0-9_-]|[A-Z]{4})([^ \t\n]{1,80})"
_WRAPPED = 400
_LINES = 4


def joined(text: str, table: "Table") -> "Iterator[Hit]":
    """Yield rule, start and end of each credential that a line end breaks."""
    back, last_word = text[::-1], compiled(_LAST_WORD)
    words = " ".join(last_word.findall(back))[::-1]
    begins = [literal for literal, _ in table.begun_by(runs_of(words)) if literal in words]
    if begins:  # few texts have a line that ends so
        for found in last_word.finditer(back):
            word = found[1][::-1]
            if any(literal in word for literal in begins):
                yield from _over_lines(text, len(text) - found.end(), len(text) - found.start(1), table)


def _over_lines(text: str, begin: int, end: int, table: "Table") -> "Iterator[Hit]":
    pieces, places = _pieces(text, begin, end)
    whole = "".join(pieces)
    if not could_hold(whole):
        return
    for rule, start, close in search(whole, table):
        if rule.tier != REVIEW and start < end - begin < close:
            last, piece = close, 0
            while last > len(pieces[piece]):
                last -= len(pieces[piece])
                piece += 1
            yield rule, begin + start, places[piece] + last


def _pieces(text: str, begin: int, end: int) -> tuple[list[str], list[int]]:
    """What may belong together, and where each piece is: a word, and the first ones of the next lines."""
    pieces, places = [text[begin:end]], [begin]
    stop = text.find("\n", end)
    while 0 <= stop < len(text) - 1 and len(pieces) < _LINES:
        at = stop + 1
        stop = text.find("\n", at)
        line = text[at : stop if stop >= 0 else len(text)][: 2 * _WRAPPED]
        stripped = line.strip(_MARGIN)
        word = (stripped[:_WRAPPED].split(None, 1) or [""])[0]
        pieces.append(word)
        places.append(at + len(line) - len(line.lstrip(_MARGIN)))
        if len(word) < len(stripped):
            break
    return pieces, places
