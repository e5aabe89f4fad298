"""All governed documents of a tree, and what they say of each other."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from eccmem import limits
from eccmem.artifacts import config as configs
from eccmem.artifacts.config import Config
from eccmem.artifacts.describe import Described, described
from eccmem.artifacts.kinds import is_rules, kind_of, may_be_decision
from eccmem.artifacts.references import Reference
from eccmem.artifacts.trees import SYMLINK, Entry, Tree
from eccmem.artifacts.values import Artifact, ArtifactKind, ArtifactStatus, StatusSource

_SIDECAR = "kep.yaml"
# What was superseded in its turn had superseded the other one before.
_WERE_IN_FORCE = (ArtifactStatus.ACCEPTED, ArtifactStatus.SUPERSEDED)
# How people call a document by its number; a number within other words is none of a document.
_CALLED = re.compile(
    r"(?i)\W*(?:(?:adrs?|drs?|rfcs?|rfds?|[bjkopt]eps?|bips?|decision|record|number|no\.?|nr\.?)[-_ #]{0,2}|#)?"
    r"([0-9]{1,8})"
    r"(?:[.:)\]-]|\s*\Z|\s+-)|.*?\badr[-_ #]{0,2}([0-9]{1,8})(?![0-9])"
)
# What is a change or a thread, and not a document.
_THREAD = re.compile(r"(?i)/(?:pulls?|issues|merge_requests|commits?|discussions)/")


def config_of(tree: Tree) -> Config:
    """What the configuration files of a tree say, at whatever depth they lie."""
    paths = [path for path in tree.entries if configs.is_config(path)]
    contents = dict(tree.read(paths))
    return configs.read_config(contents.get, paths)


def survey(tree: Tree, config: Config) -> dict[str, Artifact]:
    """The governed documents of a tree by path, with what others say of them."""
    paths = [path for path, entry in tree.entries.items() if _may_be(path, entry) and _is_named(path, config)]
    sidecars = {path: beside for path in paths if (beside := _beside(path)) in tree.entries}
    besides = {path: data for path, data in tree.read(sidecars.values()) if len(data) <= limits.FRONTMATTER_CHARS}
    found: dict[str, Described] = {}
    for path, data in tree.read(paths):
        sidecar = besides.get(sidecars.get(path, ""))
        if (item := described(path, data, config, sidecar)) is not None:
            found[path] = item
    for path in paths:
        if path not in found and (item := described(path, b"", config)) is not None:
            found[path] = item  # too large to be read, or a link
    return _related({path: found[path] for path in sorted(found)})


def choose(
    found: Mapping[str, Artifact],
    paths: Sequence[str] = (),
    kinds: Container[ArtifactKind] = (),
    statuses: Container[ArtifactStatus] = (),
) -> tuple[Artifact, ...]:
    """The documents at some paths or in them, of some kinds and of some statuses; where none are named, of all."""
    return tuple(
        artifact
        for path, artifact in found.items()
        if (not paths or any(path == chosen or not chosen or path.startswith(f"{chosen}/") for chosen in paths))
        and (not kinds or artifact.kind in kinds)
        and (not statuses or artifact.status in statuses)
    )


def _may_be(path: str, entry: Entry) -> bool:
    """Whether it is a file, or a link in the place of rules: those of one program often are those of another."""
    return entry.is_file or (entry.mode == SYMLINK and is_rules(path))


def _is_named(path: str, config: Config) -> bool:
    return kind_of(path, config) is not None or may_be_decision(path, config) is not None


def _beside(path: str) -> str:
    return posixpath.join(posixpath.dirname(path), _SIDECAR)


def _related(found: Mapping[str, Described]) -> dict[str, Artifact]:
    names = _Names(found)
    result: dict[str, Artifact] = {}
    for path, item in found.items():
        result[path] = replace(
            item.artifact,
            by=names.resolved(path, item.by),
            supersedes=names.resolved(path, item.supersedes + item.parts_of),
        )
    for path, item in found.items():
        for old in names.resolved(path, item.supersedes):
            if old in result and old != path:
                result[old] = _replaced(result[old], item.artifact)
        for old in names.resolved(path, item.parts_of):
            if old in result and old != path:
                result[old] = _replaced_in_part(result[old], item.artifact)
    return result


def _replaced(old: Artifact, new: Artifact) -> Artifact:
    """A document, once another one says that it takes its place; a rejected one was never in force.

    What counts of the other one is its own word, so that the order in which they are looked at does not.
    """
    if new.path in old.by or len(old.by) >= limits.ARTIFACT_SUCCESSORS:
        return old
    if new.status in _WERE_IN_FORCE:
        if old.status in (ArtifactStatus.SUPERSEDED, ArtifactStatus.REJECTED):
            return replace(old, by=(*old.by, new.path))
        return replace(old, status=ArtifactStatus.SUPERSEDED, by=(*old.by, new.path), source=StatusSource.REVERSE)
    return replace(old, pending=True) if new.status is ArtifactStatus.PROPOSED else old


def _replaced_in_part(old: Artifact, new: Artifact) -> Artifact:
    if new.status not in _WERE_IN_FORCE or old.status is ArtifactStatus.SUPERSEDED:
        return old
    known = new.path in old.by or len(old.by) >= limits.ARTIFACT_SUCCESSORS
    return replace(old, partial=True, by=old.by if known else (*old.by, new.path))


class _Names:
    """The documents by what others may call them, each folder by itself."""

    def __init__(self, found: Mapping[str, Described]) -> None:
        self._paths = found
        self._by_name: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path, item in found.items():
            folder, name = _place(path)
            for key in {name.lower(), name.rpartition(".")[0].lower(), _value(item.artifact.number)}:
                if key:
                    self._by_name[folder, key].append(path)

    def resolved(self, path: str, chosen: Iterable[Reference]) -> tuple[str, ...]:
        shown = (self._path(path, reference) or reference.shown for reference in chosen)
        return tuple(dict.fromkeys(shown))

    def _path(self, path: str, reference: Reference) -> str | None:
        target = reference.target.partition("#")[0].partition("?")[0]
        if _THREAD.search(target):
            return None
        if target:
            direct = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if direct in self._paths:
                return direct
        folder, _ = _place(path)
        return self._called(folder, target, reference.words) or self._called(
            folder.rpartition("/")[0], target, reference.words
        )

    def _called(self, folder: str, target: str, words: str) -> str | None:
        """The one document of a folder of records that is called so."""
        for text in (target.rstrip("/").rpartition("/")[2], words):
            for key in (text.lower(), text.rpartition(".")[0].lower(), _value(_digits(text))):
                known = self._by_name.get((folder, key), [])
                if key and len(known) == 1:
                    return known[0]
        return None


def _place(path: str) -> tuple[str, str]:
    """The folder of records that a document is in, and its name there: that of its own folder for a README."""
    folder, _, name = path.rpartition("/")
    if name.lower().startswith("readme."):
        folder, _, name = folder.rpartition("/")
    return folder, name


def _digits(text: str) -> str | None:
    match = _CALLED.match(text)
    return (match[1] or match[2]) if match else None


def _value(number: str | None) -> str:
    return f"#{int(number)}" if number and number.isdigit() else ""
