"""Invisible text: what an agent reads and a reviewer cannot see.

Two kinds of carriers are known to be used against agents: Unicode tag characters (a shadow of ASCII), and zero-width
characters or variation selectors, in runs or one on each letter (bits).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# The patterns are text: `re` compiles and keeps each when a text needs it, and most texts, being ASCII, never do.
_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ZERO_WIDTH = "\u200b-\u200d\u2060-\u2064\ufeff"
_MARKS = "\u061c\u200e\u200f"
# Deprecated, or set aside and never assigned: shown as nothing, and needed by nothing.
_UNUSED = "\u2065\u206a-\u206f\ufff0-\ufff8\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
_FILLERS = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"
# A flag of a country's part (Scotland, Texas): a black flag, up to six tag letters, the cancel tag.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_INVISIBLE_RUN = f"[{_TAGS}{_UNUSED}{_SELECTORS}{_ZERO_WIDTH}{_MARKS}{_FILLERS}]+"
_NEVER = f"[{_TAGS}{_UNUSED}]"
_SELECTOR = f"[{_SELECTORS}]"
# What a variation selector can follow: a symbol or letter that has variants, which no letter of ASCII has; those
# above U+E0100 are for ideographs alone. Else each letter of a sentence could carry an unseen byte.
_VARIANT = (
    "[#*0-9\u00a9\u00ae][\ufe0e\ufe0f]|0\ufe00|[^\x00-\u02ff][\ufe00-\ufe0f]"
    "|[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff][\U000e0100-\U000e01ef]"
)
_MARK_PAIR = f"[{_MARKS}]{{2}}"
_MONGOLIAN_ENDING = "[\u180b-\u180d\u180f]\u180e"
_ZERO_WIDTH_ONLY = f"[{_ZERO_WIDTH}]"
# Inside an emoji sequence: a presentation selector, a joiner, or both, in this order.
_EMOJI_GLUE = "\ufe0f?\u200d?"
# In Arabic, Indic, Mongolian, Khmer … joiners and their refusal are part of spelling, at times doubled.
_JOINER_PAIR = "[\u200c\u200d]{2}"
_JOINING_SCRIPTS = "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\u1a20-\u1aaf\ua8e0-\ua8ff]"
_ASCII_WORD = "[0-9A-Za-z_]"


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
    flags = {(m.start() + 1, m.end()) for m in re.finditer(_FLAG, text)}
    for match in re.finditer(_INVISIBLE_RUN, text):
        start, end = match.span()
        if (start, end) in flags:
            continue
        if not _needed(text, start, end):
            yield Invisible(start, end, text[start])


def _needed(text: str, start: int, end: int) -> bool:
    run = text[start:end]
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if re.search(_NEVER, run):
        return False
    if re.fullmatch(_SELECTOR, run):
        return bool(re.fullmatch(_VARIANT, before + run))
    if len(run) == 1:
        splits_a_word = re.match(_ASCII_WORD, before) and re.match(_ASCII_WORD, after)
        return not (re.match(_ZERO_WIDTH_ONLY, run) and splits_a_word)
    if re.fullmatch(_EMOJI_GLUE, run):
        return ord(before) > 0xFF and ord(after) > 0xFF  # noqa: PLR2004 - emoji and the hearts joined to them
    if re.fullmatch(_MARK_PAIR, run) or re.fullmatch(_MONGOLIAN_ENDING, run):
        return True
    return bool(re.fullmatch(_JOINER_PAIR, run) and re.match(_JOINING_SCRIPTS, before))
