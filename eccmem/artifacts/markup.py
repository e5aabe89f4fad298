"""Text of others without its markup, in sentences, and on one line."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

_STRUCK = re.compile(r"~~[^~]{0,500}~~|<(del|s|strike)>[^<>]{0,500}</\1>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\])")
_ROLE = re.compile(r":[a-z]{2,10}:`([^`<>]{0,200})(?:<[^<>]{0,300}>)?`|`([^`<>]{1,200})<[^<>]{1,300}>`_{0,2}")
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,200}>")
_SHORT_CODE = re.compile(r"(?<!\w):[a-z0-9_+-]{2,40}:(?!\w)")
_EMPHASIS = re.compile(r"[*`]|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_MARKUP = re.compile(r"[~<\[:*`_]")
_AROUND = " \t>#-+|\"'{}"
_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e007f]+"
)
# What begins a paragraph of its own: an item of a list, an entry of a log.
_ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,3}[.)])\s|(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}")
# "by 9. Help scripts": the number of a title, and not the end of a sentence.
_OF_NUMBER = re.compile(r"(?i)(?:\A|\b(?:by|with|see|and|of)|[,:])\s*[0-9]{1,4}\Z")
_ENDS = ".;!?\u3002\uff1b\uff01"
_OPEN, _CLOSE = "([<", ")]>"


def plain(text: str) -> str:
    """A text without markup: the words of links, nothing that is struck through, no pictures of faces."""
    if not _MARKUP.search(text):
        return text.strip(_AROUND)
    text = _LINK.sub(lambda match: match[1], _STRUCK.sub(" ", text))
    text = _ROLE.sub(lambda match: match[1] or match[2] or "", text)
    text = _SHORT_CODE.sub(" ", _TAG.sub(" ", text))
    return _EMPHASIS.sub("", text).strip(_AROUND)


def one_line(text: str, most: int) -> str:
    """Text as one line of a bounded length, without control characters."""
    short = " ".join(_CONTROLS.sub(" ", text[: 8 * most]).split())
    return short if len(short) <= most else f"{short[: most - 1]}\u2026"


def folded(text: str) -> str:
    """Words to compare: in small letters without accents, one space between them."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in apart if not unicodedata.combining(char)).split())


def units(lines: Iterable[str]) -> Iterator[str]:
    """The paragraphs, the items of lists and the entries of logs, each as one line."""
    parts: list[str] = []
    for line in lines:
        bare = line.strip().lstrip("> \t")
        if parts and (not bare or _ITEM.match(bare)):
            yield " ".join(parts)
            parts = []
        if bare:
            parts.append(bare)
    if parts:
        yield " ".join(parts)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; what stands in brackets ends none, nor does the full stop of a number."""
    depth = begin = 0
    for at, char in enumerate(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth = max(depth - 1, 0)
        elif char in _ENDS and not depth and _is_end(text, at):
            yield text[begin : at + 1].strip()
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:].strip()


def _is_end(text: str, at: int) -> bool:
    if text[at] in "\u3002\uff1b\uff01":
        return True
    after = text[at + 1 : at + 2]
    return (not after or after.isspace() or after in "*_") and not _OF_NUMBER.search(text[max(at - 30, 0) : at])
