"""Governed documents, for people and for programs."""

from collections.abc import Iterator, Sequence

from eccmem import limits
from eccmem.artifacts.config import Config
from eccmem.artifacts.values import Artifact
from eccmem.output.terminal import line
from eccmem.text import printable_name

_KIND, _STATUS = 10, 10


def text(found: Sequence[Artifact]) -> str:
    """Each document on a line: kind, status, path, title; below it what others are to it."""
    if not found:
        return "No governed documents.\n"
    return "".join(f"{text}\n" for artifact in found for text in _lines(artifact))


def _lines(artifact: Artifact) -> Iterator[str]:
    path = line(printable_name(artifact.path), limits.REPORT_PATH_CHARS)
    yield f"{artifact.kind:<{_KIND}}  {artifact.status:<{_STATUS}}  {path}  {line(artifact.title)}".rstrip()
    by = ", ".join(line(printable_name(item)) for item in artifact.by)
    if artifact.partial:
        yield f"  replaced in part by {by or 'another document'}"
    elif by:
        yield f"  replaced by {by}"
    if artifact.pending:
        yield "  a proposed document says that it supersedes this one"


def problems(config: Config) -> Iterator[str]:
    """What could not be used of the files that say where documents are, a sentence each."""
    for problem in config.problems:
        yield f"{printable_name(problem.path)}: {problem.message}"


def payload(found: Sequence[Artifact], config: Config) -> dict[str, object]:
    """The same as a payload."""
    return {
        "schemaVersion": "eccmem.artifacts.v1",
        "artifacts": [_artifact(artifact) for artifact in found],
        "artifactCount": len(found),
        "problems": [{"path": printable_name(problem.path), "message": problem.message} for problem in config.problems],
    }


def _artifact(artifact: Artifact) -> dict[str, object]:
    return {
        "path": printable_name(artifact.path),
        "kind": artifact.kind,
        "title": artifact.title,
        "number": artifact.number,
        "status": artifact.status,
        "raw": artifact.raw,
        "source": artifact.source,
        "by": [printable_name(item) for item in artifact.by],
        "partial": artifact.partial,
        "pending": artifact.pending,
        "supersedes": [printable_name(item) for item in artifact.supersedes],
    }
