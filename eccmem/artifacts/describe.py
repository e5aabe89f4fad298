"""What one governed document says of itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from eccmem import limits
from eccmem.artifacts import fields, references, words, yamltext
from eccmem.artifacts.config import Config
from eccmem.artifacts.fields import Field
from eccmem.artifacts.kinds import is_numbered, kind_of, stem_of
from eccmem.artifacts.page import Page, decode, page
from eccmem.artifacts.references import Reference
from eccmem.artifacts.values import Artifact, ArtifactKind, ArtifactStatus, StatusSource

_MARKUP = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\])|[*`]|(?<!\w)_|_(?!\w)|<[^<>]{1,200}>"
)
_STRUCK = re.compile(r"~~[^~]{0,500}~~")
_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]+"
)
_DEFINED = re.compile(r"\s{0,3}\[([^\[\]]{1,200})\]:\s*(\S{1,500})")
_NUMBER = re.compile(r"(?i)(?:[a-z]{1,12}[-_ ]?)?([0-9]{1,8}(?:-[0-9]{2}-[0-9]{2})?)(?![0-9])")
_RETIRED_FOLDER = re.compile(r"(?i)(?:deprecated|archived?|historic|obsolete|retired|superseded)(?:[-_].*)?")
_TITLE_MARK = re.compile(
    r"(?i)\[(deprecated|superseded|obsolete|retired|rejected|draft|proposed|accepted|wip)\]|\((deprecated|superseded|obsolete|retired|rejected|draft)\)"
)
_HAVE_STATUS = frozenset({ArtifactKind.ADR, ArtifactKind.RFC, ArtifactKind.POLICY})


@dataclass(frozen=True, slots=True)
class Described:
    """An artifact as it describes itself, and what its words refer to."""

    artifact: Artifact
    by: tuple[Reference, ...] = ()
    supersedes: tuple[Reference, ...] = ()


def describe(path: str, data: bytes, config: Config, sidecar: bytes | None = None) -> Artifact | None:
    """One document by itself; what only others say of it is not known here.

    Args:
        path: where it is.
        data: its content.
        config: where documents are.
        sidecar: the content of the ``kep.yaml`` beside it.
    """
    found = described(path, data, config, sidecar)
    return found.artifact if found else None


def described(path: str, data: bytes, config: Config, sidecar: bytes | None = None) -> Described | None:
    """As :func:`describe`, with the references."""
    kind = kind_of(path, config)
    if kind is None:
        return None
    content = page(path, data)
    known = Artifact(path=path, kind=kind, title=_title(content, path), number=_number(path))
    if kind in _HAVE_STATUS:
        return _with_status(known, content, sidecar)
    return Described(_retired(known) if kind is ArtifactKind.RUNBOOK else known)


def _with_status(known: Artifact, content: Page, sidecar: bytes | None) -> Described:
    labels = {match[1].strip().lower(): match[2] for line in content.lines if (match := _DEFINED.match(line))}
    by: tuple[Reference, ...] = ()
    of: tuple[Reference, ...] = ()
    for field in _fields(content, sidecar):
        shown = [text for line in field.lines if (text := plain(line))]
        found = words.meaning(shown)
        raw = one_line(" ".join(shown), limits.ARTIFACT_RAW_CHARS)
        known = replace(known, status=found.status, raw=raw, source=field.source, partial=found.partial)
        marked = words.meaning(field.lines)
        by = references.references("\n".join(marked.by or found.by), labels)
        of = references.references("\n".join(marked.supersedes), labels)
        if found.status is not ArtifactStatus.UNKNOWN:
            break
    matter = {**content.matter, **_sidecar(sidecar)}
    by += _listed(matter, ("superseded-by", "superseded_by", "supersededby", "x-superseded-by", "replaced-by"))
    of += _listed(matter, ("supersedes", "x-supersedes", "replaces"))
    if by and not known.raw:
        known = replace(known, status=ArtifactStatus.SUPERSEDED, source=StatusSource.FRONTMATTER)
    return Described(replace(known, by=tuple(map(_shown, by)), supersedes=tuple(map(_shown, of))), by, of)


def _fields(content: Page, sidecar: bytes | None) -> Iterator[Field]:
    status = _sidecar(sidecar).get("status")
    if isinstance(status, str):
        yield Field(StatusSource.SIDECAR, (status,))
    yield from fields.statuses(content)


def _sidecar(sidecar: bytes | None) -> dict[str, Any]:
    if sidecar is None:
        return {}
    try:
        return {key.lower(): value for key, value in yamltext.mapping(decode(sidecar)).items()}
    except yamltext.NotRead:
        return {}


def _listed(matter: dict[str, Any], keys: tuple[str, ...]) -> tuple[Reference, ...]:
    values = [value for key in keys if (value := matter.get(key)) is not None]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return tuple(found for item in flat if isinstance(item, str | int) for found in references.references(str(item)))[
        : limits.ARTIFACT_SUCCESSORS
    ]


def _shown(reference: Reference) -> str:
    return one_line(reference.target or reference.words, limits.ARTIFACT_RAW_CHARS)


def plain(text: str) -> str:
    """A line without markup: the words of links, nothing that is struck through."""
    return _MARKUP.sub(lambda match: match[1] or "", _STRUCK.sub("", text)).strip(" \t>#-+\"'")


def one_line(text: str, most: int) -> str:
    """Text of others as one line of a bounded length, without control characters."""
    short = " ".join(_CONTROLS.sub(" ", text[: 4 * most]).split())
    return short if len(short) <= most else f"{short[: most - 1]}…"


def _title(content: Page, path: str) -> str:
    named = content.matter.get("title")
    heading = next((item.text for item in content.headings if item.level == 1), None)
    if heading is None:
        heading = named if isinstance(named, str) else next((item.text for item in content.headings), "")
    return one_line(plain(heading), limits.ARTIFACT_TITLE_CHARS) or one_line(
        stem_of(path.rpartition("/")[2])[0], limits.ARTIFACT_TITLE_CHARS
    )


def _number(path: str) -> str | None:
    *folders, name = path.split("/")
    stem, _ = stem_of(name)
    for text in (stem, *folders[-1:]):
        if is_numbered(text) and (match := _NUMBER.match(text)):
            return match[1]
    return None


def _retired(known: Artifact) -> Artifact:
    """A runbook has no status; it may lie in a folder of old ones, or say at its title that it is one."""
    mark = _TITLE_MARK.search(known.title)
    if mark and words.leading_status(mark[0]) is ArtifactStatus.DEPRECATED:
        return replace(known, status=ArtifactStatus.DEPRECATED, raw=mark[0], source=StatusSource.TITLE)
    for folder in known.path.split("/")[:-1]:
        if _RETIRED_FOLDER.fullmatch(folder):
            raw = one_line(folder, limits.ARTIFACT_RAW_CHARS)
            return replace(known, status=ArtifactStatus.DEPRECATED, raw=raw, source=StatusSource.FOLDER)
    return known
