"""The words of a text that could hold a credential: long, and with letters beside digits or in odd cases."""

from eccmem.secretscan.pattern import compiled

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST = 16  # no credential is shorter, but for passwords, which the review rules look for
# A word with capital letters as A, small ones as a, digits as 0: what has no letter beside a digit is seen at once.
_SHAPE = str.maketrans("BCDEFGHIJKLMNOPQRSTUVWXYZbcdefghijklmnopqrstuvwxyz123456789", "A" * 25 + "a" * 25 + "0" * 9)
# Letters beside digits in one run, of shapes.
_MIXED = "(?<![aA0])(?=[aA0]{5})(?:[aA]+0|0+[aA])"
_CAPITALS = "A" * 12


class Tokens:
    """Words of a text, one a line, with the way back to their places."""

    __slots__ = ("_places", "_starts", "source", "text", "words")

    def __init__(self, source: str, words: list[str]) -> None:
        self.source = source
        self.words = words
        self.text = "\n".join(words)
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
        from bisect import bisect_right  # noqa: PLC0415 - most texts hold nothing that has a place

        number = bisect_right(self._starts, at) - 1
        return self._places[number] + at - self._starts[number]

    def placed(self) -> "Iterator[tuple[int, str]]":
        """Each token with its place in the text."""
        if not self._starts:
            self._place()
        return zip(self._places, self.words, strict=True)


def long_words(text: str) -> list[str]:
    """The words that could hold a credential, in their order; a part of one never does where the whole does not."""
    words = [word for word in text.split() if len(word) >= LEAST]
    shapes = "\n".join(words).translate(_SHAPE).split("\n")
    return [
        word
        for word, shape in zip(words, shapes, strict=False)  # with no words there is one shape, an empty one
        if ("0" in shape or "A" in shape or "@" in word) and _could_hold(word, shape)
    ]


def could_hold(word: str) -> bool:
    """Whether a word is long enough, and no word of prose."""
    return len(word) >= LEAST and _could_hold(word, word.translate(_SHAPE))


def _could_hold(word: str, shape: str) -> bool:
    # Written out, because this is asked of each long word of each text.
    if "a0" in shape or "0a" in shape or "A0" in shape or "0A" in shape:
        if compiled(_MIXED).search(shape):
            return True
        # What may stand for characters that are not there, or for a password.
        if "%" in word or "\\" in word or "@" in word or "&#" in word or "hooks." in word:
            return True
    elif "0" in shape and "&#" in word:
        return True
    # Letters alone: cases that change as in no word, or many capitals.
    if "A" in shape and ("aAA" in shape or "aAaA" in shape or "aAaaA" in shape or _CAPITALS in shape):
        return True
    return "@" in word and "://" in word
