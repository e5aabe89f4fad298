"""What the words of a status mean, in the languages and spellings that decision records are written in.

The words themselves are data: ``words.json``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from eccmem.artifacts.markup import plain, sentences, units
from eccmem.artifacts.values import ArtifactStatus

_DATA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
# The names of the fields that hold a status, what took the place of the document, and what it takes the place of.
KEYS, BY_KEYS, OF_KEYS = (frozenset(_DATA[name]) for name in ("keys", "by-keys", "of-keys"))
_STATUS_OF = {word: ArtifactStatus(status) for status, words in _DATA["statuses"].items() for word in words}
_NOT = frozenset(_DATA["negations"])
# What may stand before the word that counts.
_FILLERS = frozenset(_DATA["fillers"])

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MOST_WORDS = 12
# More statuses in one paragraph are a list of what there may be; a paragraph of so few words says nothing else.
_MOST_STATUSES = 3
_FEW, _SHORT = 4, 10
_CHOICES = frozenset({"|", "/", "or"})
# So near to the beginning of a later paragraph, a supersession is one of the document itself.
_NEAR = 60
_MOST_UNITS, _MOST_SENTENCES, _MOST_CHARS = 40, 40, 8000
_DATE = re.compile(r"(?:19|20)[0-9]{2}[-/.][0-9]{1,2}[-/.][0-9]{1,2}")


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of some words; where a script puts no space between words, they have no boundary."""
    return "|".join(re.escape(word) if _CJK.match(word) else rf"\b{re.escape(word)}\b" for word in words)


# Of "superseded" and "supersedes" every spelling that people use.
_SUPERSEDED = re.compile(rf"\bsuper[sc]{{1,2}}e{{1,2}}d{{1,2}}ed\b|{_any_of(_DATA['superseded-by'])}")
_SUPERSEDES = re.compile(rf"\bsuper[sc]{{1,2}}e{{1,2}}d{{1,2}}(?:e?s|ing)\b|{_any_of(_DATA['supersedes'])}")
_BOX = re.compile(r"\A\s*[-*+]\s+\[[xX]\]\s+")
_EMPTY_BOX = re.compile(r"\A\s*[-*+]\s+\[\s?\]\s+")
# "Deprecated in favour of another one."
_INSTEAD = re.compile(r"\b(?:by|in favou?r of|use|see)\b", re.IGNORECASE)
# "Accepted, later deprecated", "proposed -> accepted".
_THEN = r"\b(?:later|now|then|subsequently|since|afterwards)\b|->|=>|\u2192"
_LATER = re.compile(_THEN, re.IGNORECASE)
# "Drafted & accepted."
_AND = re.compile(rf"{_THEN}|&|\band\b", re.IGNORECASE)
# "It has superseded another one."
_ACTIVE = re.compile(r"\b(?:has|have|had|having)\s*\Z")
_PART = re.compile(_any_of(_DATA["parts"]))
_PART_ASIDE = re.compile(r"\((?:only )?(?:partially|partly|in part)\b")
_NOT_YET = re.compile(_any_of(_DATA["not-yet"]))
_PASSIVE_VERBS = ("\u53d6\u4ee3", "\u66ff\u4ee3", "\u4ee3\u66ff", "\u7f6e", "\ub300\uccb4")
_REPLACED = (
    *("supers", "superc", *_PASSIVE_VERBS, *_DATA["superseded-by"]),
    *(word for word, status in _STATUS_OF.items() if status is ArtifactStatus.SUPERSEDED and word[:5] != "super"),
)
# Where the other document is named before the verb.
_PASSIVE = re.compile(
    ".{0,20}?[\u88ab\u7531].{1,120}?(?:\u53d6\u4ee3|\u66ff\u4ee3|\u4ee3\u66ff)"
    "|.{1,120}?(?:\u306b|\u306b\u3088\u3063\u3066|\u306b\u3088\u308a)(?:\u7f6e\u304d\u63db\u3048|\u7f6e\u63db)"
    "|.{1,120}?(?:\ub85c|\uc5d0 \uc758\ud574) ?\ub300\uccb4"
)
_CJK_WORDS = sorted((word for word in _STATUS_OF if _CJK.match(word)), key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a status says.

    Attributes:
        status: the status.
        partial: whether something took the place of a part.
        by: the texts that name what took its place, with their markup.
        supersedes: the texts that name what it takes the place of.
        parts_of: the texts that name that of which it takes the place of a part.
    """

    status: ArtifactStatus
    partial: bool = False
    by: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    parts_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """A status that a paragraph begins with: when, and whether it says nothing else."""

    status: ArtifactStatus
    date: str
    alone: bool


def meaning(lines: Sequence[str]) -> Meaning:
    """What the lines of a status mean together.

    A supersession counts where the document says it of itself: next to a status, or at the beginning of a sentence.
    Of other words the one that begins a paragraph counts. Where paragraphs begin with different ones, the latest by
    its date does, else what stands alone, else nothing is sure.
    """
    said: list[_Said] = []
    by: list[str] = []
    parts: list[str] = []
    supersedes: list[str] = []
    parts_of: list[str] = []
    instead: list[str] = []
    prose = False
    for unit in islice(units(_apart(_chosen(lines))), _MOST_UNITS):
        if is_placeholder(unit):
            continue
        length = len(_words(plain(unit[:_MOST_CHARS])))
        found_in = list(islice(sentences(unit[:_MOST_CHARS]), _MOST_SENTENCES))
        for at, sentence in enumerate(found_in):
            found = _supersession(sentence)
            if found is not None:
                before, after = found
                if not _WORD.search(after):  # "Superseded. See that one."
                    after = " ".join(found_in[at + 1 : at + 2])
                (parts if is_partial(before, after) else by).append(after)
            elif (other := _replacing(sentence.lower())) is not None:
                after = sentence[other.end() :]
                (parts_of if is_partial(sentence[: other.start()], after) else supersedes).append(after)
            # What follows upon other text is no status but when it stands alone: "Proposed solutions are …".
            first = _stated(plain(sentence)) if at == 0 and (length <= _FEW or not prose) else None
            if first is ArtifactStatus.SUPERSEDED and found is None:
                by.extend([] if _replacing(sentence.lower()) else [" ".join(found_in[at : at + 2])])
            elif first is not None and first is not ArtifactStatus.SUPERSEDED:
                said.append(_Said(first, _date(unit), length <= _FEW))
                if first is ArtifactStatus.DEPRECATED and (other := _INSTEAD.search(sentence)) is not None:
                    instead.append(sentence[other.end() :])
        prose = prose or length > _SHORT
    status = _status(said, by, parts)
    return Meaning(status, bool(parts) and not by, tuple(by or parts or instead), tuple(supersedes), tuple(parts_of))


def may_supersede(text: str) -> bool:
    """Whether there is a word of a supersession in it at all: a first look, for texts that seldom have one."""
    lower = text.lower()
    return any(word in lower for word in _REPLACED)


def _status(said: Sequence[_Said], by: Sequence[str], parts: Sequence[str]) -> ArtifactStatus:
    if by:
        named = any(map(_WORD.search, by)) or any(item.date for item in said)
        listed = len({item.status for item in said if item.alone}) > 1 and not named
        return ArtifactStatus.UNKNOWN if listed else ArtifactStatus.SUPERSEDED
    if not said:
        return ArtifactStatus.ACCEPTED if parts else ArtifactStatus.UNKNOWN
    chosen = [item for item in said if item.alone] or said[:1]
    if all(item.date for item in chosen):
        chosen = [max(reversed(chosen), key=lambda item: item.date)]
    distinct = {item.status for item in chosen}
    return distinct.pop() if len(distinct) == 1 else ArtifactStatus.UNKNOWN


def _chosen(lines: Sequence[str]) -> list[str]:
    """The lines less the boxes that nobody ticked, where statuses are boxes to tick."""
    return [_BOX.sub("- ", line) for line in lines if not _EMPTY_BOX.match(line)]


def _apart(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with a blank one after each that has little but a status on it: some logs have none."""
    ended = True
    for line in lines:
        text = plain(line)
        ended = not text or (ended and len(_words(text)) <= _FEW and leading_status(text) is not None)
        yield from (line, "") if ended and text else (line,)


def _date(text: str) -> str:
    found = _DATE.search(text)
    return "-".join(part.zfill(2) for part in re.split("[-/.]", found[0])) if found else ""


def _supersession(sentence: str) -> tuple[str, str] | None:
    """What stands before and after the words by which a sentence says that this document was superseded."""
    if _PASSIVE.match(plain(sentence)):
        return "", sentence
    text = sentence.lower()
    found = _SUPERSEDED.search(text)
    if found is None or len(text) != len(sentence) or _is_active(text, found):
        return None
    before = plain(text[: found.start()])
    if _NOT_YET.search(before):
        return None
    if not (_begins(before) or leading_status(before) or _PART.search(before)):
        return None
    after = sentence[found.end() :]
    if 0 <= after.find("](") < (after + "[").find("["):  # the words are those of a link
        after = sentence[sentence.rfind("[", 0, found.start()) :]
    return before, after


def _replacing(text: str) -> re.Match[str] | None:
    """Where a sentence says that this document takes the place of another."""
    found = _SUPERSEDED.search(text)
    return found if found and _is_active(text, found) else _SUPERSEDES.search(text)


def _is_active(text: str, found: re.Match[str]) -> bool:
    return _ACTIVE.search(text, 0, found.start()) is not None and not text[found.end() :].lstrip().startswith("by")


def _begins(before: str) -> bool:
    """Whether there is nothing before but words that lead to a status."""
    return len(before) <= _NEAR and all(
        word in _FILLERS or word.isdigit() or _PART.fullmatch(word) for word in _words(_DATE.sub(" ", before))
    )


def is_partial(before: str, after: str) -> bool:
    """Whether the words around those of a supersession say that it is one of a part only."""
    lower = after.lower()
    return bool(_PART.search(before.lower()) or _PART.match(lower.lstrip(" (*_:")) or _PART_ASIDE.search(lower))


def _words(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(text)]


def _stated(text: str) -> ArtifactStatus | None:
    """The status of a sentence: the one that it begins with, or the one that it says came later."""
    before = leading_status(text)
    later = (_AND if before is ArtifactStatus.PROPOSED else _LATER).search(text[:400])
    after = leading_status(text[later.end() :]) if later and before is not None else None
    return before if after is None else after


def leading_status(text: str) -> ArtifactStatus | None:
    """The status that a text begins with, but for fillers; None where it begins with something else."""
    if (found := _cjk(text)) is not None:
        return found
    words = _words(_DATE.sub(" ", text[:400], count=1))[:_MOST_WORDS]
    for at, word in enumerate(words):
        for length in (4, 3, 2, 1):
            status = _STATUS_OF.get("-".join(words[at : at + length]))
            if status is not None:
                return status
        if word in _NOT or word.startswith(("not-", "un-", "non-")):
            return None
        if word not in _FILLERS and not word.isdigit():
            return None
    return None


def _cjk(text: str) -> ArtifactStatus | None:
    bare = _DATE.sub("", text[:200], count=1).lstrip(" \t\"'\u300c\u300e\u3010(\uff08:\uff1a")
    if not _CJK.match(bare):
        return None
    return next((_STATUS_OF[word] for word in _CJK_WORDS if bare.startswith(word)), None)


def is_placeholder(text: str) -> bool:
    """Whether a text lists what a status may be, as templates do, instead of saying one."""
    words = plain(text[:1000])
    known = [
        (match, _STATUS_OF[match[0].casefold()]) for match in _WORD.finditer(words) if match[0].casefold() in _STATUS_OF
    ]
    for (one, status), (other, different) in pairwise(known):
        if status is not different and words[one.end() : other.start()].strip(" \"'[]{}()").lower() in _CHOICES:
            return True
    return len({status for _, status in known}) + bool(_SUPERSEDED.search(words.lower())) > _MOST_STATUSES
