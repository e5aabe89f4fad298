"""What one governed document says of itself."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from eccmem import limits
from eccmem.artifacts import confirm, fields, references, words, yamltext
from eccmem.artifacts.config import Config
from eccmem.artifacts.fields import Field, Says
from eccmem.artifacts.kinds import is_numbered, kind_of, may_be_decision, stem_of
from eccmem.artifacts.markup import one_line, plain
from eccmem.artifacts.page import Page, decode, page
from eccmem.artifacts.references import Reference
from eccmem.artifacts.values import Artifact, ArtifactKind, ArtifactStatus, StatusSource

_DEFINED = re.compile(r"\s{0,3}\[([^\[\]]{1,200})\]:\s*(\S{1,500})")
_NUMBER = re.compile(r"(?i)(?:[a-z]{1,12}[-_ ]?){0,3}([0-9]{1,8}(?:-[0-9]{2}-[0-9]{2})?)(?![0-9])")
_FOLDER = re.compile(
    r"(proposed|drafts?|accepted|approved|rejected|declined|withdrawn|deprecated|superseded|obsolete|archived?|retired"
    r"|historic)(?:[-_ ](?:adrs?|rfcs?|decisions?|records?|run-?books?|docs?))?"
)
_MARK = re.compile(r"\[([\w ]{3,20})\]|\(([\w ]{3,20})\)")
_HAVE_STATUS = frozenset({ArtifactKind.ADR, ArtifactKind.RFC, ArtifactKind.POLICY})
_NOTHING = frozenset({"", "-", "n/a", "na", "none", "no", "null", "tbd", "~", "nothing"})


@dataclass(frozen=True, slots=True)
class Described:
    """An artifact as it describes itself, and what its words refer to.

    Attributes:
        artifact: what is known.
        by: what took its place.
        supersedes: what it takes the place of.
        parts_of: what it takes the place of a part of.
    """

    artifact: Artifact
    by: tuple[Reference, ...] = ()
    supersedes: tuple[Reference, ...] = ()
    parts_of: tuple[Reference, ...] = ()


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
    home = may_be_decision(path, config) if kind is None else None
    if kind is None and home is None:
        return None
    content = page(path, data)
    if kind is None:
        if not confirm.is_decision(content, at_home=bool(home)):
            return None
        kind = ArtifactKind.ADR
    known = Artifact(path=path, kind=kind, title=_title(content, path), number=_number(path))
    if kind in _HAVE_STATUS:
        return _with_status(known, content, [*_sidecar(sidecar), *fields.fields(content)])
    if kind is not ArtifactKind.RUNBOOK:
        return Described(known)
    placed = _placed(known)
    return Described(placed if placed.status is ArtifactStatus.DEPRECATED else known)


def _with_status(known: Artifact, content: Page, found: Iterable[Field]) -> Described:
    defined = (_DEFINED.match(line) for line in content.lines if "]:" in line)
    reading = _Reading(known, {match[1].strip().lower(): match[2] for match in defined if match})
    for field in islice(found, limits.ARTIFACT_FIELDS):
        if field.says is Says.STATUS:
            reading.status(field)
        elif plain(next(filter(str.strip, field.lines), "")).lower() not in _NOTHING:
            reading.relation(field)
    reading.note(content)
    read = reading.done()
    if read.artifact.status is not ArtifactStatus.UNKNOWN or read.artifact.raw:
        return read
    return replace(read, artifact=_placed(read.artifact))


class _Reading:
    """What the fields of one document come to."""

    def __init__(self, known: Artifact, labels: Mapping[str, str]) -> None:
        self._known = known
        self._labels = labels
        self._by: list[Reference] = []
        self._of: list[Reference] = []
        self._parts_of: list[Reference] = []

    @property
    def _replaceable(self) -> tuple[ArtifactStatus, ...]:
        """The statuses that give way to the name of a successor: a proposal of a process keeps its last one."""
        final = (ArtifactStatus.ACCEPTED,) if self._known.kind is ArtifactKind.ADR else ()
        return (ArtifactStatus.UNKNOWN, *final)

    def status(self, field: Field) -> None:
        """Take a status, unless there is one already; words that say none are kept where there are no others."""
        if self._known.status is not ArtifactStatus.UNKNOWN:
            return
        said = words.meaning(field.lines)
        self._of += self._named(said.supersedes)
        self._parts_of += self._named(said.parts_of)
        if said.status is not ArtifactStatus.UNKNOWN or not self._known.raw:
            self._say(said.status, field)
            self._known = replace(self._known, partial=said.partial)
            self._by += self._named(said.by)

    def relation(self, field: Field) -> None:
        """Take a field that names what took the place of the document, or of what it takes the place."""
        named = self._named(field.lines)
        # One that names a part of the other document (``ADR-167#4``) is about a part.
        partial = words.is_partial("", " ".join(field.lines)) or all(
            "#" in (i.target or i.words).lstrip("#") for i in named
        )
        if field.says is Says.OF:
            (self._parts_of if partial else self._of).extend(named)
            return
        self._by += named
        if named and partial:
            self._known = replace(self._known, partial=self._known.status is not ArtifactStatus.SUPERSEDED)
        elif named and self._known.status in self._replaceable:
            self._say(ArtifactStatus.SUPERSEDED, field)

    def note(self, content: Page) -> None:
        """A note at the top that the document was superseded, which is often all that is added to an old one."""
        if self._known.status is ArtifactStatus.SUPERSEDED or self._known.partial:
            return
        for field in fields.head_notes(content) if words.may_supersede("\n".join(content.head)) else ():
            said = words.meaning(field.lines)
            by = self._named(said.by)
            if said.status is ArtifactStatus.SUPERSEDED and by:
                self._say(said.status, field)
                self._by += by
                return

    def _say(self, status: ArtifactStatus, field: Field) -> None:
        raw = one_line(" ".join(filter(None, map(plain, field.lines))), limits.ARTIFACT_RAW_CHARS)
        self._known = replace(self._known, status=status, raw=raw, source=field.source)

    def _named(self, texts: Sequence[str]) -> tuple[Reference, ...]:
        return references.references("\n".join(texts), self._labels)

    def done(self) -> Described:
        most = limits.ARTIFACT_SUCCESSORS
        by, of, parts = (tuple(dict.fromkeys(found))[:most] for found in (self._by, self._of, self._parts_of))
        shown, supersedes = (tuple(dict.fromkeys(item.shown for item in found)) for found in (by, of + parts))
        artifact = replace(self._known, by=shown, supersedes=supersedes)
        return Described(artifact, by, of, parts)


def _sidecar(data: bytes | None) -> Iterator[Field]:
    """The fields of the ``kep.yaml`` beside a proposal (kubernetes/enhancements)."""
    if data is None:
        return
    try:
        values = yamltext.mapping(decode(data))
    except yamltext.NotRead:
        return
    for name, value in values.items():
        says = fields.key(name)
        if says is not None:
            yield from (Field(says, StatusSource.SIDECAR, (text,)) for text in fields.texts(value))


def _title(content: Page, path: str) -> str:
    named = content.matter.get("title")
    heading = next((item.text for item in content.headings if item.level == 1), None)
    if heading is None:
        heading = named if isinstance(named, str) else next((item.text for item in content.headings), "")
    stem, _ = stem_of(path.rpartition("/")[2])
    return one_line(plain(heading), limits.ARTIFACT_TITLE_CHARS) or one_line(stem, limits.ARTIFACT_TITLE_CHARS)


def _number(path: str) -> str | None:
    *folders, name = path.split("/")
    stem, _ = stem_of(name)
    for text in (stem, *folders[-1:]):
        if is_numbered(text) and (match := _NUMBER.match(text)):
            return match[1]
    return None


def _placed(known: Artifact) -> Artifact:
    """A document that says no status itself, by a mark in its title (``[Draft]``) or by its folder."""
    for mark in _MARK.finditer(known.title):
        status = words.leading_status(mark[0])
        if status is not None and status is not ArtifactStatus.ACCEPTED:
            return replace(known, status=status, raw=mark[0], source=StatusSource.TITLE)
    for folder in reversed(known.path.split("/")[:-1]):
        match = _FOLDER.fullmatch(folder.lower())
        if match:
            status = words.leading_status(match[1])
            raw = one_line(folder, limits.ARTIFACT_RAW_CHARS)
            return replace(known, status=status or ArtifactStatus.DEPRECATED, raw=raw, source=StatusSource.FOLDER)
    return known
