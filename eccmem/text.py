"""Rules about characters: what counts as white space, and what as control data.

The format was born in JavaScript, so trimming and lengths are ECMAScript's, not Python's:
``str.strip`` would also eat U+001C..U+001F and U+0085, which the format refuses, and would leave U+FEFF.
"""

import re

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


def printable_name(name: str) -> str:
    r"""A file name as Python has it, with bytes that are not UTF-8 written ``\xNN``: it can then be encoded."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def utf16_length(text: str) -> int:
    """The length that JavaScript's ``.length`` gives: characters above U+FFFF count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def line_column(text: str, index: int) -> tuple[int, int]:
    """Line and column of a character, both from 1; lines end at LF alone, as in an editor and in Git."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)
