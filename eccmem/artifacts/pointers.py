"""Where the governed documents of a repository are, by their paths alone: for a reader who has no time for more."""

import posixpath
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from eccmem.artifacts.config import Config
from eccmem.artifacts.kinds import kind_of
from eccmem.artifacts.values import ArtifactKind


@dataclass(frozen=True, slots=True)
class Pointer:
    """A folder, how many documents of a kind are in it, and which kind."""

    folder: str
    kind: ArtifactKind
    count: int


def pointers(paths: Iterable[str], config: Config) -> tuple[Pointer, ...]:
    """The folders with governed documents, those with the most first; rules are left out, which harnesses read anyway.

    Args:
        paths: what is tracked.
        config: where documents are.
    """
    found = Counter(
        (posixpath.dirname(path), kind)
        for path in paths
        if (kind := kind_of(path, config)) is not None and kind is not ArtifactKind.RULES
    )
    rows = sorted(found.items(), key=lambda row: (-row[1], row[0]))
    return tuple(Pointer(folder, kind, count) for (folder, kind), count in rows)
