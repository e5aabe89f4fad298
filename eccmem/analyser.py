"""From text to terms: one analysis for documents, queries, highlights and the comparison of near-duplicates.

A term is what two spellings of a word have in common: case, accents, invisible characters and English endings are
gone.
A name such as ``psycopg_pool.PoolTimeout`` gives its parts and its whole; scripts without spaces between words give
each pair of neighbours.
No text is an error: whatever holds no letter and no digit has no terms.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Final

from eccmem.stemmer import stem, unchanged

NAME: Final = "lex-1"
QUERY_TERMS: Final = 32
# Before a single character of a script without spaces. Such terms answer queries of one character, and no others:
# else every text would be found by its commonest characters.
SINGLE: Final = "="
# What may hold the parts of a name together; the whole is a term without them.
GLUE: Final = "-_./:#@+'"

# --- Which characters are what ----------------------------------------------------------------------------------
# Patterns are text: most texts are ASCII and never need them compiled.

# Unicode's default ignorables: shown as nothing.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Points of Hebrew, points and the tatweel of Arabic: readers leave them out when they type.
_POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
# Letters that are typed in either way, and the typographic apostrophes.
_VARIANTS: Final = dict(
    zip("ёЁıآأإٱىةøØłŁđĐ\u2019\u02bc", "еЕiاااا\u064a\u0647oOlLdD''", strict=True)  # noqa: RUF001 - look-alikes on purpose
)
_ACCENTS = "\u0300-\u036f"
_ACCENTED = f"[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff{_ACCENTS}]"
# Accents are optional in Latin and Greek; in Cyrillic, й is a letter of its own.
_WITH_ACCENTS = f"([A-Za-z\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff])[{_ACCENTS}]+"
# Combining marks, which are parts of words in most scripts of India, but not \w in Python. Letters and unassigned
# characters between them are included, which makes the list short and changes nothing.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1\u08e3-\u0963"
    "\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d"
    "\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84"
    "\u0f86-\u0fbc\u0fc6\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u1773\u17b6-\u17d3\u17dd"
    "\u1885-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2"
    "\u1cd4-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\ua672\ua674-\ua67d"
    "\ua69e-\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953\ua980-\ua9c0\ua9e5-\uaa4d"
    "\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\ufe20-\ufe2f\U000101fd-\U0001037a"
    "\U00010a01-\U00011ef6\U00016af0-\U00016ff1\U0001bc9d\U0001bc9e\U0001cf00-\U0001cf46\U0001d165-\U0001d244"
    "\U0001da00-\U0001e94a"
)
# Written without spaces (or, for Korean, with particles that stick): Thai, Lao, Burmese, Khmer, Hangul, kana,
# bopomofo, Han.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe"
    "\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\u3005-\u3007"
    "\u3021-\u3029\u3031-\u303c\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3105-\u312f"
    "\u31a0-\u31bf\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Those of their characters that stand on another, or hang below it: with it they are one character to a reader, and
# one here. In Khmer and Burmese a sign also subscribes the letter that follows.
_STANDS_ON = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064"
    "\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b6-\u17d3\u17dd\u302a-\u302f\u3099\u309a\uaa7b-\uaa7d"
)
_UNIT = f"[^{_STANDS_ON}](?:[\u17d2\u1039][\u1780-\u17b3\u1000-\u102a]|[{_STANDS_ON}]){{0,8}}|[\\s\\S]"
# In an original text, what belongs to the character before it.
FOLLOWS = f"(?:(?!\\w)[{_MARKS}]|[{_INVISIBLE}\u0640\uff9e\uff9f\u1160-\u11ff])"
_CLUSTER = f"(?:[\x00-\x7f](?!{FOLLOWS}))+|[\\s\\S]{FOLLOWS}*"

# --- Words ------------------------------------------------------------------------------------------------------

# Every part is bounded: a word of a megabyte is cut every 64 characters, in texts and in queries alike.
_LONGEST: Final = 64
_DOT_NET = r"(?<!\w)\.[nN][eE][tT](?!\w)"
_NAMES_WITH_SIGNS = r"(?<!\w)(?:[cCgG]\+\+(?![a-zA-Z])|[cCfFjJ]#(?!\w))"
_WORD = "{dot_net}|{letter}{{1,64}}(?:[-_./:#@+']{{1,2}}{letter}{{1,64}}){{0,15}}(?:\\+\\+|#)?"
_ASCII_WORD: Final = re.compile(_WORD.format(dot_net=_DOT_NET, letter="[A-Za-z0-9]"), re.ASCII)
_ASCII_PARTS: Final = re.compile(f"{_NAMES_WITH_SIGNS}|[A-Za-z0-9]+", re.ASCII)
_CAMEL: Final = re.compile("(?<=[^\\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VERSION: Final = re.compile(r"[vV]?([0-9]+(?:\.[0-9]+)+)")


@cache
def _any_word() -> re.Pattern[str]:
    return re.compile(_WORD.format(dot_net=_DOT_NET, letter=f"(?:[^\\W_]|[{_MARKS}])"))


@cache
def _any_parts() -> re.Pattern[str]:
    return re.compile(f"{_NAMES_WITH_SIGNS}|(?:[^\\W_]|[{_MARKS}])+")


# Not compared as stems: "use" has the stem "us".
_STOP_WORDS: Final = frozenset(
    "a about after all also am an and any are as at be because been before being but by can could did do does doing "  # noqa: SIM905
    "don for from had has have having he her here him his how i if in into is it its just me more most my no not of "
    "on or our out over s she should so some such t than that the their them then there these they this those to "
    "too up us was we were what when where which while who whom whose why will with would you your".split()
)


def fold(text: str) -> str:
    """A text without what may be typed in two ways: width, case, accents, points, invisible characters."""
    return text.lower() if text.isascii() else _plain(text).casefold()


def _plain(text: str) -> str:
    """As :func:`fold`, but with its case, which shows where the parts of a name begin."""
    if text.isascii():
        return text
    text = re.sub(f"[{_INVISIBLE}{_POINTS}]+", "", unicodedata.normalize("NFKC", text))
    text = re.sub(f"[{''.join(_VARIANTS)}]", lambda found: _VARIANTS[found[0]], text)
    if re.search(_ACCENTED, text):
        bare = re.sub(_WITH_ACCENTS, r"\1", unicodedata.normalize("NFD", text))
        text = re.sub(f"[{_ACCENTS}]+", "", unicodedata.normalize("NFC", bare))
    return text


def terms(text: str) -> list[str]:
    """Every term of a text, in order, as often as it stands there."""
    return list(chain.from_iterable(map(expand, words(text))))


def query_terms(text: str) -> tuple[str, ...]:
    """The terms of a query, each once: without stop words unless there is nothing else, and at most 32."""
    every: dict[str, None] = {}
    telling: dict[str, None] = {}
    for _, word, unspaced in _words(_plain(text)):
        asked = _asked(word) if unspaced else expand(word)
        every |= dict.fromkeys(asked)
        idle = () if unspaced else {_term(part) for part in _smallest(word) if part.casefold() in _STOP_WORDS}
        telling |= dict.fromkeys(term for term in asked if term not in idle)
    return tuple(telling or every)[:QUERY_TERMS]


def wholes(text: str) -> frozenset[str]:
    """Those terms of a query that are whole names, of which the parts are terms too."""
    spaced = [word for _, word, unspaced in _words(_plain(text)) if not unspaced]
    return frozenset(term for word in spaced for term in {*expand(word)} - set(map(_term, _smallest(word))))


def _smallest(word: str) -> list[str]:
    return [part for run in _parts(word) for part in _CAMEL.split(run)]


def words(text: str) -> list[str]:
    """The words of a text, in order, for :func:`expand`; of a run without spaces, each pair of neighbours."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    found: list[str] = []
    for _, word, unspaced in _words(_plain(text)):
        if unspaced:
            units = _units(word)
            found += map("".join, zip(units, [*units[1:], ""], strict=True))
        else:
            found.append(word)
    return found


def _words(plain: str) -> Iterator[tuple[int, str, bool]]:
    """Each word of a plain text with its start, and whether it is a run of a script without spaces."""
    if plain.isascii():
        yield from ((found.start(), found[0], False) for found in _ASCII_WORD.finditer(plain))
        return
    start = 0
    for number, piece in enumerate(re.split(f"([{_UNSPACED}]+)", plain)):
        if number % 2:
            yield start, piece, True
        else:
            pattern = _ASCII_WORD if piece.isascii() else _any_word()
            yield from ((start + found.start(), found[0], False) for found in pattern.finditer(piece))
        start += len(piece)


def _units(run: str) -> list[str]:
    return re.findall(_UNIT, run)


def _asked(run: str) -> list[str]:
    """The terms of a run in a query: the pairs alone, which tell more than what they are made of."""
    units = _units(run)
    return list(map("".join, pairwise(units))) or [SINGLE + run[0]]


@lru_cache(maxsize=1 << 16)
def expand(word: str) -> tuple[str, ...]:
    """The terms of one of a text's :func:`words`: of each part, and of the whole."""
    if _is_simple(word):
        return (stem(word.lower()),)  # nearly all
    if re.match(f"[{_UNSPACED}]", word):
        return (word, SINGLE + word[0]) if len(_units(word)) > 1 else (SINGLE + word[0],)
    runs = _parts(word)
    found: list[str] = []
    for run in runs:
        parts = _CAMEL.split(run)
        found += map(_term, parts if len(parts) == 1 else [*parts, run])
    if version := _VERSION.fullmatch(word):
        return (*found, version[1])
    lower = word.lower()
    if ".net" in lower and "net" in found:
        found.append(".net")
    if len(runs) > 1 and sum(map(len, runs)) <= _LONGEST and not any(run[-1] in "+#" for run in runs):
        found.append(_term("".join(runs)))
    return tuple(found)


def _is_simple(word: str) -> bool:
    """Whether a word is of plain letters and has no parts."""
    return word.isascii() and word.isalpha() and (word[1:].islower() or len(word) == 1)


def _parts(word: str) -> list[str]:
    if re.fullmatch(_DOT_NET, word):
        return [word]
    return (_ASCII_PARTS if word.isascii() else _any_parts()).findall(word)


def _term(run: str) -> str:
    folded = run.casefold()
    return stem(folded) if folded.isascii() and folded.isalpha() else folded


# --- Places -----------------------------------------------------------------------------------------------------


def spans(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Where in a text, in code points, stand words one of whose terms is wanted; in order, without overlap."""
    merged: list[tuple[int, int]] = []
    for start, end, _ in places(text, wanted):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def places(text: str, wanted: Collection[str]) -> list[tuple[int, int, frozenset[str]]]:
    """As :func:`spans`, unmerged, with the wanted terms of each."""
    asked = frozenset(wanted)
    if not asked:
        return []
    plain, starts, ends = _mapped(text)
    beginnings = tuple({unchanged(term) for term in asked})
    found = []
    for start, word, unspaced in _words(plain):
        if _is_simple(word) and not word.lower().startswith(beginnings):
            continue  # nearly all: a stem begins as its word does
        units = _units(word) if unspaced else [word]
        for unit, after in zip(units, [*units[1:], ""], strict=True):
            if held := asked.intersection(expand(unit + after)):
                single = all(term.startswith(SINGLE) for term in held)
                last = start + len(unit if single else unit + after) - 1
                found.append((starts[start], ends[last], held) if starts else (start, last + 1, held))
            start += len(unit)  # noqa: PLW2901 - walks through the run
    return found


def _mapped(text: str) -> tuple[str, list[int], list[int]]:
    """A plain text, and where each of its characters begins and ends in the original; no lists if nothing moved."""
    if text.isascii():
        return text, [], []
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in re.finditer(_CLUSTER, text):
        start, end = cluster.span()
        piece = _plain(cluster[0])
        pieces.append(piece)
        one_to_one = len(piece) == end - start
        starts += range(start, end) if one_to_one else [start] * len(piece)
        ends += range(start + 1, end + 1) if one_to_one else [end] * len(piece)
    return "".join(pieces), starts, ends
