"""Text as a reader sees it: without what is invisible, and with look-alikes as the letters that they look like."""

import re

from eccmem.secretscan.pattern import compiled

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_LOOK_ALIKE = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХаеіјорсухѕһԁԛԝӏ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοκνρυ" + "ɡıſƖ" + "ԌԚԜЗЬ",
        "ABESIJKMHOPCTYXaeijopcyxshdqwl" + "ABEZHIKMNOPTYXokvpu" + "gisl" + "GQW3b",
        strict=True,
    )
)
_DASHES = "\u2010-\u2015\u2212\ufe58\ufe63\uff0d"
_UNDER = "\uff3f\ufe4d-\ufe4f\u203f"
_SIMILAR = "".join(_LOOK_ALIKE)
# Other forms of ASCII characters: full width, mathematical, circled, raised, lowered.
_FORMS = (
    "\uff01-\uff5e\U0001d400-\U0001d7ff\u2460-\u24ff\u2070-\u209f\u2100-\u214f"
    "\u00aa\u00b2\u00b3\u00b9\u00ba\U0001f130-\U0001f189"
)


_ALWAYS = f"[{_INVISIBLE}{_FORMS}]"
_BESIDE_ASCII = f"[{_SIMILAR}{_DASHES}{_UNDER}](?:(?=[0-9A-Za-z_])|(?<=[0-9A-Za-z_].))"


class _Table(dict[int, str]):
    """What each character becomes; worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        import unicodedata  # noqa: PLC0415 - most texts need no folding

        character = chr(code)
        if code < 128:  # noqa: PLR2004 - ASCII stays
            folded = character
        elif re.match(f"[{_INVISIBLE}]", character):
            folded = ""
        elif re.match(f"[{_DASHES}]", character):
            folded = "-"
        else:
            plain = unicodedata.normalize("NFKC", character)
            plain = _LOOK_ALIKE.get(plain, plain)
            folded = plain if plain.isascii() else character
        self[code] = folded
        return folded


_TABLE = _Table()


def folded(text: str) -> str | None:
    """The text with look-alikes as ASCII; None where nothing in it could hide a credential."""
    if text.isascii():
        return None
    kinds = "".join(set("".join(compiled(r"[^\x00-\x7f]+").findall(text))))  # few, in a language that is written so
    odd = "".join(compiled(f"[{_SIMILAR}{_DASHES}{_UNDER}]").findall(kinds))
    if not compiled(_ALWAYS).search(kinds) and not (odd and compiled(_BESIDE_ASCII).search(text)):
        return None
    return text.translate(_TABLE)


def places(text: str) -> list[int]:
    """For each character of the folded text, where it is in the text; and at last, where the text ends."""
    widths = [len(_TABLE[ord(character)]) for character in text]
    found = [at for at, width in enumerate(widths) for _ in range(width)]
    return [*found, len(text)]
