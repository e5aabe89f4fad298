"""What the words of a status mean, in the languages and spellings that decision records are written in."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eccmem.artifacts.values import ArtifactStatus

_DATA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
# The names of the field that holds a status.
KEYS = frozenset(_DATA["keys"])
_STATUS_OF = {word: ArtifactStatus(status) for status, words in _DATA["statuses"].items() for word in words}
_NOT = frozenset(_DATA["negations"])
# What may stand before the word that counts.
_FILLERS = frozenset(_DATA["fillers"])

# "Superseded" in the ways in which people write it, and other words for it that need a "by".
_SUPERSEDED = re.compile(
    r"\bsuper[sc]{1,2}e{1,2}d{1,2}ed\b"
    r"|\b(?:replaced|obsoleted|overridden|overruled|invalidated|displaced) (?:by|with)\b"
    r"|\bremplacée? par\b|\b(?:reemplazad|sustituid|substituíd)[oa] p[oe]r\b|\bersetzt durch\b|\bvervangen door\b"
    r"|\bsostituit[oa] da\b|заменено? на|[被由].{1,60}(?:取代|替代)|(?:取代|替代)[为於于]"
)
_SUPERSEDES = re.compile(
    r"\bsuper[sc]{1,2}e{1,2}d{1,2}(?:e?s|ing)\b|\b(?:replaces|obsoletes|overrides)\b|\bremplace\b"
    r"|\breemplaza a\b|\bsubstitui\b|\bersetzt (?!durch)|\bvervangt\b"
)
_PARTIAL = re.compile(
    r"\b(?:part(?:ly|ially)?|parts of|in part|some of|portions? of|sections?)\b"
    r"|\b(?:partiellement|parcialmente|teilweise)\b|部分"
)
# What is only said to come, or not to be.
_NOT_YET = re.compile(
    r"\b(?:will|to|may|might|could|would|should|can) be\b"
    r"|\b(?:until|unless|if|when|once|not|never|isn't)\b"
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_MOST_WORDS = 12
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a status says.

    Attributes:
        status: the status.
        partial: whether something took the place of a part.
        by: the texts that name what took its place.
        supersedes: the texts that name what it takes the place of.
    """

    status: ArtifactStatus
    partial: bool = False
    by: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


_CJK_WORDS = sorted((word for word in _STATUS_OF if _CJK.match(word)), key=len, reverse=True)


def meaning(lines: Sequence[str]) -> Meaning:
    """What the lines of a status mean together.

    A supersession counts wherever it stands, the last of several for what took its place;
    of other words the one that begins a line, and only when all that do agree.
    """
    if any(is_placeholder(line) for line in lines):
        return Meaning(ArtifactStatus.UNKNOWN)
    by: list[str] = []
    parts: list[str] = []
    supersedes: list[str] = []
    leading: list[ArtifactStatus] = []
    for line in lines:
        plain = line.casefold()
        found = _SUPERSEDED.search(plain)
        other = _SUPERSEDES.search(plain)
        first = leading_status(line)
        if found and not _NOT_YET.search(plain[: found.start()]):
            (parts if _PARTIAL.search(plain[: found.end()]) else by).append(line[found.end() :])
            first = None if first is ArtifactStatus.SUPERSEDED else first
        elif first is ArtifactStatus.SUPERSEDED:
            by.append(line)
        elif other:
            supersedes.append(line[other.end() :])
        if first is not None:
            leading.append(first)
    return Meaning(_status(leading, by, parts), bool(parts) and not by, tuple(by or parts), tuple(supersedes))


def _status(leading: Sequence[ArtifactStatus], by: Sequence[str], parts: Sequence[str]) -> ArtifactStatus:
    if by:
        return ArtifactStatus.SUPERSEDED
    distinct = set(leading)
    if len(distinct) == 1:
        return leading[0]
    if parts and not distinct:
        return ArtifactStatus.ACCEPTED
    return ArtifactStatus.UNKNOWN


def leading_status(text: str) -> ArtifactStatus | None:
    """The status that a text begins with, but for fillers; None where it begins with something else."""
    if found := _cjk(text):
        return found
    words = [match[0].casefold() for match, _ in zip(_WORD.finditer(text), range(_MOST_WORDS), strict=False)]
    for at, word in enumerate(words):
        if word in _NOT or word.startswith(("not-", "un-", "non-")):
            return _STATUS_OF.get("-".join(words[at : at + 2]))
        for length in (4, 3, 2, 1):
            status = _STATUS_OF.get("-".join(words[at : at + length]))
            if status is not None:
                return status
        if word not in _FILLERS and not word.isdigit():
            return None
    return None


def _cjk(text: str) -> ArtifactStatus | None:
    bare = text.strip().lstrip("\"'\u300c\u300e\u3010(\uff08").lstrip()
    if not _CJK.match(bare):
        return None
    return next((_STATUS_OF[word] for word in _CJK_WORDS if bare.startswith(word)), None)


def is_placeholder(text: str) -> bool:
    """Whether a text lists what a status may be, as templates do, instead of saying one."""
    named = {_STATUS_OF[word] for word in map(str.casefold, _WORD.findall(text[:1000])) if word in _STATUS_OF}
    if _SUPERSEDED.search(text.casefold()):
        named.add(ArtifactStatus.SUPERSEDED)
    return len(named) > 3 or (len(named) > 1 and "|" in text)  # noqa: PLR2004 - "proposed, accepted, rejected or …"
