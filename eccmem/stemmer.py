"""English words without their endings: ``deploying``, ``deployed`` and ``deployments`` are all ``deploy``.

The steps are those of M. F. Porter, "An algorithm for suffix stripping" (Program 14(3), 1980), with one rule of his
later Porter2: a final y becomes i only after a consonant, so that ``deploying`` and ``deployment`` meet.

A stem begins as its word does: only its last letter (i or e) or a final ``bl`` or ``ble`` may differ.
The scan's filter (:mod:`eccmem.scanned`) rests on that; :func:`unchanged` says how much of a stem is sure.
"""

from functools import lru_cache
from typing import Final

_SHORTEST: Final = 3
# No English word is longer; what is (a digest, a joined path) has no ending.
_LONGEST: Final = 32

# Longest first where one ends another.
_STEP_2: Final = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("ousli", "ous"), ("eli", "e"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3: Final = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic", "ou",
)  # fmt: skip


_ENDINGS_2: Final = tuple(ending for ending, _ in _STEP_2)
_ENDINGS_3: Final = tuple(ending for ending, _ in _STEP_3)
_SHAPES: Final = str.maketrans({letter: "v" if letter in "aeiou" else "c" for letter in "abcdefghijklmnopqrstuvwxyz"})


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a word of lower-case ASCII letters."""
    if not _SHORTEST <= len(word) <= _LONGEST:
        return word
    word = _plural(word)
    word = _past(word)
    # Porter2's rule. Not at the start: "by" and "my" have no other letter to stand on.
    if len(word) >= _SHORTEST and word[-1] == "y" and _shape(word)[-2] == "c":
        word = word[:-1] + "i"
    if word.endswith(_ENDINGS_2):
        word = _replace(word, _STEP_2)
    if word.endswith(_ENDINGS_3):
        word = _replace(word, _STEP_3)
    if word.endswith(_STEP_4):
        word = _strip(word)
    return _final(word)


def unchanged(term: str) -> str:
    """The beginning of a stem that every word with this stem begins with."""
    if term.endswith("ble"):
        return term[:-2]
    return term[:-1] if term.endswith(("i", "e", "bl")) else term


def _shape(word: str) -> str:
    """Each letter as v (vowel) or c (consonant); y is a vowel after a consonant."""
    if "y" not in word:
        return word.translate(_SHAPES)
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape[-1:] == "c") else "c"
    return shape


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant: roughly, the syllables."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant that is not w, x or y: the word lost an e."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith("sses") or word.endswith("ies"):  # noqa: PIE810 - one rule for each
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word:
            return _mended(rest) if "v" in _shape(rest) else word
    return word


def _mended(rest: str) -> str:
    """What is left without -ed or -ing, as a word: ``hopp`` is ``hop``, ``hop`` is ``hope``."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-1:] == rest[-2:-1] and rest[-1] not in "aeioulsz":
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _replace(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for ending, other in rules:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _measure(rest) else word
    return word


def _strip(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            stands = _measure(rest) > 1 and (ending != "ion" or rest[-1] in "st")
            return rest if stands else word
    return word


def _final(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
