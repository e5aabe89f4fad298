"""One level of what hides a credential from a search and not from a reader: base64, hex, escapes, emphasis."""

from binascii import Error, a2b_base64
from bisect import bisect_right

from eccmem import limits
from eccmem.secretscan.pattern import compiled

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_LEAST = 24
_NAMED = {"lowbar": "_", "UnderBar": "_", "hyphen": "-", "dash": "-", "period": ".", "sol": "/", "plus": "+",
          "equals": "=", "colon": ":", "commat": "@", "amp": "&"}  # fmt: skip
_BASE64 = "[A-Za-z0-9+/_-]{24,8192}"
_ESCAPE = (
    r"%(?P<percent>[2-7][0-9A-Fa-f]|0[9AaDd])"
    r"|\\{1,2}u\{?00(?P<unicode>[2-7][0-9A-Fa-f]|0[9AaDd])\}?"
    r"|\\{1,2}x(?P<hex>[2-7][0-9A-Fa-f]|0[9AaDd])"
    r"|&#(?P<decimal>[0-9]{2,3});"
    r"|&#[xX](?P<entity>[2-7][0-9A-Fa-f]|0?[9AaDd]);"
    r"|&(?P<named>lowbar|UnderBar|hyphen|dash|period|sol|plus|equals|colon|commat|amp);"
    r"|\\(?P<kept>[_*.+~=#!/-])"
    # The sign first and what stands before it second, so that only signs are tried.
    r"|(?P<gone>(?:\*(?<=[A-Za-z0-9_-]\*)\*{0,2}|`(?<=[A-Za-z0-9_-]`)|~(?<=[A-Za-z0-9_-]~)~)(?=[A-Za-z0-9_-]))"
)


class Decoded:
    """A text that another one holds in a disguise.

    ``via`` names the disguise; ``starts`` and ``origins`` are offsets that belong together, in this text and in the
    one it was found in, where ``end`` is the end of the whole.
    ``exact`` is true where each character has a place of its own there, and false for base64 and hex.
    """

    __slots__ = ("end", "exact", "origins", "starts", "text", "via")

    def __init__(  # noqa: PLR0913 - a value; dataclasses would take longer to import than a search takes
        self, via: str, text: str, starts: list[int], origins: list[int], end: int, *, exact: bool
    ) -> None:
        self.via = via
        self.text = text
        self.starts = starts
        self.origins = origins
        self.end = end
        self.exact = exact

    def place(self, at: int) -> int:
        """Where a character of this text is in the other."""
        number = bisect_right(self.starts, at) - 1
        return self.origins[number] + (at - self.starts[number] if self.exact else 0)

    def close(self, at: int) -> int:
        """Where the stretch before a character of this text ends in the other."""
        return min(self.place(at - 1) + 1, self.end) if self.exact else self.end


def decoded(text: str) -> "Iterator[Decoded]":
    """Every text in base64 or hex, within a cap for the whole: block rules are to be looked for in each."""
    left = limits.DECODED_BYTES
    for found in compiled(_BASE64).finditer(text):
        plain = _hex(found[0]) or _base64(found[0])
        if plain is not None:
            left -= len(plain[1])
            if left < 0:
                return
            yield Decoded(plain[0], plain[1], [0], [found.start()], found.end(), exact=False)


def escaped(word: str) -> bool:
    """Whether a word has a sign that may stand for another character, or that Markdown takes away."""
    return "%" in word or "\\" in word or "*" in word or "`" in word or "&" in word or "~~" in word


def unescaped(text: str) -> Decoded | None:
    """The text with one level of escapes and of emphasis undone; None where there is none."""
    pieces: list[str] = []
    starts, origins = [0], [0]
    size = last = 0
    for found in compiled(_ESCAPE).finditer(text):
        kept = text[last : found.start()]
        plain = _plain(found)
        pieces += kept, plain
        size += len(kept)
        starts.append(size)
        origins.append(found.start())
        size += len(plain)
        last = found.end()
        starts.append(size)
        origins.append(last)
    if not pieces:
        return None
    pieces.append(text[last:])
    return Decoded("escaped", "".join(pieces), starts, origins, len(text), exact=True)


def _plain(found: "re.Match[str]") -> str:
    kind, value = found.lastgroup, found[found.lastgroup or 0]
    if kind in {"percent", "unicode", "hex", "entity"}:
        return chr(int(value, 16))
    if kind == "decimal":
        return chr(int(value)) if _ascii_sign(int(value)) else found[0]
    if kind == "named":
        return _NAMED[value]
    return value if kind == "kept" else ""


def _ascii_sign(code: int) -> bool:
    return 32 <= code < 127 or code in _WHITE  # noqa: PLR2004 - printable ASCII


def _printable(data: bytes) -> str | None:
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        return None
    return text if text.translate(_WHITE).isprintable() else None


_WHITE = {9: 32, 10: 32, 13: 32}


def _base64(run: str) -> tuple[str, str] | None:
    """The text that a run of base64 or base64url is; a run of something else almost never gives ASCII."""
    standard = run.replace("-", "+").replace("_", "/")
    if _ascii(standard[:_LEAST]) is None:
        return None
    text = _ascii(standard[: len(standard) // 4 * 4])
    if text is None:
        return None
    tail = standard[len(standard) // 4 * 4 :]
    return "base64", text + (_ascii(tail + "=" * (4 - len(tail))) or "" if len(tail) > 1 else "")


def _ascii(run: str) -> str | None:
    try:
        return _printable(a2b_base64(run, strict_mode=True))
    except (Error, ValueError):
        return None


def _hex(run: str) -> tuple[str, str] | None:
    if len(run) < 40 or len(run) % 2 or not run[:8].isalnum():  # noqa: PLR2004 - 20 characters, which the shortest credential has
        return None
    try:
        text = _printable(bytes.fromhex(run))
    except ValueError:
        return None
    return ("hex", text) if text is not None else None
