"""Rules about characters: what counts as white space, as control data, as invisible.

The format was born in JavaScript, so trimming and lengths are ECMAScript's, not Python's:
``str.strip`` would also eat U+001C..U+001F and U+0085, which the format refuses, and would leave U+FEFF.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# ECMA-262, WhiteSpace and LineTerminator.
_ECMA_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
# C0 and C1 controls, bidirectional embeddings, overrides and isolates, and halves of surrogate pairs, which
# have no UTF-8 form.
_UNSAFE = "\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
UNSAFE_IN_LINE = re.compile(f"[\x00-\x1f{_UNSAFE}]")
UNSAFE_IN_BODY = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_UNSAFE}]")


def trim(text: str) -> str:
    """Remove ECMAScript white space from both ends."""
    return text.strip(_ECMA_SPACE)


def leading_space(text: str) -> int:
    """How many characters :func:`trim` removes at the start."""
    return len(text) - len(text.lstrip(_ECMA_SPACE))


def utf16_length(text: str) -> int:
    """The length that JavaScript's ``.length`` gives: characters above U+FFFF count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def line_column(text: str, index: int) -> tuple[int, int]:
    """Line and column of a character, both from 1; lines end at LF alone, as in an editor and in Git."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


# --- Invisible text -------------------------------------------------------------------------------------------
# A model reads what a reviewer cannot see. Two carriers are known to be used against agents: Unicode tag
# characters (a shadow of ASCII) and runs of zero-width characters or variation selectors (bits).

_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ZERO_WIDTH = "\u200b-\u200d\u2060-\u2064\ufeff"
_MARKS = "\u061c\u200e\u200f"
# Deprecated, or set aside and never assigned: shown as nothing, and needed by nothing.
_UNUSED = "\u2065\u206a-\u206f\ufff0-\ufff8\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
_FILLERS = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"
# A flag of a country's part (Scotland, Texas): a black flag, up to six tag letters, the cancel tag.
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_INVISIBLE_RUN = re.compile(f"[{_TAGS}{_UNUSED}{_SELECTORS}{_ZERO_WIDTH}{_MARKS}{_FILLERS}]+")
_NEVER = re.compile(f"[{_TAGS}{_UNUSED}]")
_SELECTOR = re.compile(f"[{_SELECTORS}]")
# What a variation selector can follow: a symbol or letter that has variants, which no letter of ASCII has; those
# above U+E0100 are for ideographs alone. Else each letter of a sentence could carry an unseen byte.
_VARIANT = re.compile(
    "[#*0-9\u00a9\u00ae][\ufe0e\ufe0f]|0\ufe00|[^\x00-\u02ff][\ufe00-\ufe0f]"
    "|[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff][\U000e0100-\U000e01ef]"
)
_MARK_PAIR = re.compile(f"[{_MARKS}]{{2}}")
_MONGOLIAN_ENDING = re.compile("[\u180b-\u180d\u180f]\u180e")
_ZERO_WIDTH_ONLY = re.compile(f"[{_ZERO_WIDTH}]")
# Inside an emoji sequence: a presentation selector, a joiner, or both, in this order.
_EMOJI_GLUE = re.compile("\ufe0f?\u200d?")
# In Arabic, Indic, Mongolian, Khmer … joiners and their refusal are part of spelling, at times doubled.
_JOINER_PAIR = re.compile("[\u200c\u200d]{2}")
_JOINING_SCRIPTS = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\u1a20-\u1aaf\ua8e0-\ua8ff]")
_ASCII_WORD = re.compile("[0-9A-Za-z_]")


@dataclass(frozen=True, slots=True)
class Invisible:
    """A stretch of text that a reader cannot see: where it begins and ends, and its first code point."""

    start: int
    end: int
    first: str

    @property
    def code_point(self) -> str:
        """``U+200B`` for U+200B: a name that is safe to print."""
        return f"U+{ord(self.first):04X}"


def invisible(text: str) -> Iterator[Invisible]:
    """Find invisible text that no emoji and no script needs.

    Tag characters are refused outside flags, and code points that were set aside for nothing everywhere.
    A variation selector is refused after what has no variants, such as a letter.
    Two or more zero-width characters, direction marks or fillers in a row are refused outside emoji sequences and
    outside scripts that double them.
    One zero-width character is refused only between two ASCII word characters, where it can do nothing but
    split a word (and hide it from search and from a secret scanner).
    """
    if text.isascii():
        return
    flags = {(m.start() + 1, m.end()) for m in _FLAG.finditer(text)}
    for match in _INVISIBLE_RUN.finditer(text):
        start, end = match.span()
        if (start, end) in flags:
            continue
        if not _needed(text, start, end):
            yield Invisible(start, end, text[start])


def _needed(text: str, start: int, end: int) -> bool:
    run = text[start:end]
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if _NEVER.search(run):
        return False
    if _SELECTOR.fullmatch(run):
        return bool(_VARIANT.fullmatch(before + run))
    if len(run) == 1:
        splits_a_word = _ASCII_WORD.match(before) and _ASCII_WORD.match(after)
        return not (_ZERO_WIDTH_ONLY.match(run) and splits_a_word)
    if _EMOJI_GLUE.fullmatch(run):
        return ord(before) > 0xFF and ord(after) > 0xFF  # noqa: PLR2004 - emoji and the hearts joined to them
    if _MARK_PAIR.fullmatch(run) or _MONGOLIAN_ENDING.fullmatch(run):
        return True
    return bool(_JOINER_PAIR.fullmatch(run) and _JOINING_SCRIPTS.match(before))
