"""What is known of a governed document."""

from dataclasses import dataclass
from enum import StrEnum


class ArtifactKind(StrEnum):
    """What a governed document is."""

    ADR = "adr"
    RUNBOOK = "runbook"
    RULES = "rules"
    RFC = "rfc"
    POLICY = "policy"
    POSTMORTEM = "postmortem"


class ArtifactStatus(StrEnum):
    """Where a document stands; whatever is unsure is ``unknown``."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    UNKNOWN = "unknown"


class StatusSource(StrEnum):
    """Where a status was read."""

    SECTION = "section"
    FRONTMATTER = "frontmatter"
    LINE = "line"
    TABLE = "table"
    HEADER = "header"
    SIDECAR = "sidecar"
    HEAD_NOTE = "head-note"
    FOLDER = "folder"
    TITLE = "title"
    REVERSE = "reverse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One governed document.

    Attributes:
        path: relative to the repository, with ``/``; bytes that are not UTF-8 are surrogates.
        kind: what it is.
        title: one line without control characters, at most ``limits.ARTIFACT_TITLE_CHARS``; "" where there is none.
        number: as written in the name of the file or of its folder, such as ``0012``.
        status: the effective one.
        raw: the words that it was read from, on one line, at most ``limits.ARTIFACT_RAW_CHARS``; "" where none are.
        source: where these stand.
        by: what took its place: paths in the repository where they can be told, else the words.
        partial: whether only a part of it was superseded; then ``status`` stays what it was.
        pending: whether only a proposed document says that it takes the place of this one.
        supersedes: what it says that it takes the place of, as ``by``.
    """

    path: str
    kind: ArtifactKind
    title: str
    number: str | None = None
    status: ArtifactStatus = ArtifactStatus.UNKNOWN
    raw: str = ""
    source: StatusSource | None = None
    by: tuple[str, ...] = ()
    partial: bool = False
    pending: bool = False
    supersedes: tuple[str, ...] = ()
