"""What a text refers to: other documents by link, by the name of a file, or by number."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eccmem import limits
from eccmem.artifacts.markup import one_line

# `[text](target)`, `[text][label]`, `text <target>`_, link:target[text], xref:target[text], <<target,text>>.
_LINKS = re.compile(
    r"\[(?P<text>[^\[\]\n]{0,300})\]\((?P<url>[^()\s]{1,500}+)[^()\n]{0,200}\)"
    r"|\[(?P<label>[^\[\]\n]{1,200})\]\[(?P<ref>[^\[\]\n]{0,200})\]"
    r"|`(?P<rtext>[^`<\n]{0,200})<(?P<rurl>[^<>`\s]{1,500})>`_{0,2}"
    r"|:(?:ref|doc):`(?P<role>[^`\n]{1,300})`"
    r"|(?:link|xref):(?P<aurl>[^\[\]\s]{1,500})\[(?P<atext>[^\[\]\n]{0,200})\]"
    r"|<<(?P<anchor>[^<>\n]{1,200})>>"
    r"|<(?P<auto>https?://[^<>\s]{1,500})>"
)
_NAMES = re.compile(
    r"(?P<url>https?://[^\s<>)\]]{1,500})"
    r"|(?<![\w.-])(?P<file>[\w.-]{0,60}(?:/[\w.-]{1,120}){1,12}/?(?:#[\w.-]{1,80})?"
    r"|[\w.-]{1,200}\.(?:md|mdx|markdown|rst|adoc)\b(?:#[\w.-]{1,80})?)"
    r"|(?P<id>(?:\b(?:ADR|DR|RFC|PEP|BIP|KEP|TEP|OEP|JEP|RFD|no\.?|number|decision|record)[-_ #]{0,2}|\#)[0-9]{1,6}\b"
    r"(?:#[\w.-]{1,80})?)"
    r"|(?<![\w.-])(?P<slug>(?:[A-Z]{1,12}-)?[0-9]{1,8}(?:-[a-z0-9]+)+|0[0-9]{2,6})(?![\w.]\w|\w)",
    re.IGNORECASE,
)
_LEADING = re.compile(r"[\W_]*(?:by|with|in favou?r of|to|par|por|durch|door|da)\b", re.IGNORECASE)
_ONLY_NUMBERS = re.compile(r"[\s#,;&]*(?:[0-9]{1,6}(?:[\s#,;&]|and|$)+)+")
_NUMBER = re.compile("#?[0-9]{1,6}")

_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:-[0-9]{2}-[0-9]{2})?")


@dataclass(frozen=True, slots=True)
class Reference:
    """What is referred to: the words that say it, and the target where there is a link."""

    words: str
    target: str = ""

    @property
    def shown(self) -> str:
        """The target, else the words, on one line of a bounded length."""
        return one_line(self.target or self.words, limits.ARTIFACT_RAW_CHARS)


def references(text: str, labels: Mapping[str, str] | None = None) -> tuple[Reference, ...]:
    """The documents that a text refers to, in order, each once.

    Links come first: where there is one, the words around it name nothing else.

    Args:
        text: some words of a status.
        labels: the targets of reference links, by lower case label.
    """
    short = _LEADING.sub("", text[: 10 * limits.SHOWN_CHARS], count=1) if _LEADING.match(text) else text
    short = short[: 10 * limits.SHOWN_CHARS].strip()
    if _ONLY_NUMBERS.fullmatch(short):
        return tuple(Reference(number) for number in dict.fromkeys(_NUMBER.findall(short)))[
            : limits.ARTIFACT_SUCCESSORS
        ]
    found = list(_links(short, labels or {})) or list(_names(short))
    return tuple(dict.fromkeys(found))[: limits.ARTIFACT_SUCCESSORS]


def _links(text: str, labels: Mapping[str, str]) -> Iterator[Reference]:
    for match in _LINKS.finditer(text):
        groups = match.groupdict()
        if groups["label"] is not None:
            label = (groups["ref"] or groups["label"]).strip().lower()
            yield Reference(groups["label"].strip(), labels.get(label, ""))
            continue
        words = next(
            (groups[name] for name in ("text", "rtext", "role", "atext", "anchor", "auto") if groups[name]), ""
        )
        target = next((groups[name] for name in ("url", "rurl", "aurl", "anchor", "auto") if groups[name]), "")
        yield Reference(words.strip() or target, target.strip())


def _names(text: str) -> Iterator[Reference]:
    for match in _NAMES.finditer(text):
        word = match[0].strip()
        if _DATE.fullmatch(word):
            continue
        yield Reference(word, word if match["file"] or match["url"] else "")
