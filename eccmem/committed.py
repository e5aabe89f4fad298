"""The team's vaults as Git has them, in the index or in a tree: the same Snapshot, made of blobs alone.

The working tree is never looked at: a clean filter, a partial ``git add``, a sparse checkout or a flag of the index
make its files differ from what is committed.
"""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from eccmem import limits, treefiles, vault
from eccmem.document import Problem
from eccmem.finding import Skipped, SkipReason
from eccmem.model import Scope
from eccmem.repo import Repo, Tracked
from eccmem.roots import VAULT, Root
from eccmem.vault import Broken, BrokenCode, Known, Place, Snapshot, Stored

SYMLINK, SUBMODULE = "120000", "160000"
# However deep it lies, and in any spelling that some file system takes for it: HFS+ ignores some characters, NTFS
# dots and blanks at the end, what follows a colon, and has short names; both, like most, ignore case.
_IGNORED = "[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]*"


def _spelled(name: str) -> str:
    letters = _IGNORED.join(re.escape(letter) for letter in name)
    return rf"{_IGNORED}{letters}{_IGNORED}[. ]*(?::[^/]*)?"


_FIRST = rf"(?:^|.*?/)(?:{_spelled('.ecc')}|{_spelled('ecc~1')})"
_IN_SCOPE = {
    scope: re.compile(rf"({_FIRST}/{_spelled('memory')})/({_spelled(scope)})(?:/(.*))?", re.IGNORECASE | re.DOTALL)
    for scope in (Scope.PROJECT, Scope.TEAM)  # what is in both is private
}
_ABOVE = re.compile(rf"{_FIRST}(?:/{_spelled('memory')})?", re.IGNORECASE | re.DOTALL)
# Cheap to look for in a hundred thousand names: without it, none of the above is there.
_PERHAPS = re.compile(rb"ecc|\.git(?:attributes|ignore)|[\x80-\xff]", re.IGNORECASE)
_PATHSPECS = tuple(f":(top,icase,glob)**/{some}{below}" for some in ("*ecc*", "*[^ -~]*") for below in ("", "/**"))
# Ours, Git's, and the usual name of a file that keeps a folder.
_DOT_FILES = frozenset({".gitattributes", ".gitignore", ".gitkeep", ".links"})


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in a vault a path of Git lies.

    Attributes:
        vault: the folder that holds the scopes, as written.
        folder: the scope's folder, as written.
        scope: which of them it is.
        relative: the path below; empty for an entry in the place of the folder itself.
        is_spelled_right: whether eccmem would look there, and not only some file system.
    """

    vault: str
    folder: str
    scope: Scope
    relative: str
    is_spelled_right: bool

    @property
    def place(self) -> Place:
        """The place, as the vault's other readers have it."""
        path = PurePosixPath(self.vault, self.folder)
        return Place(Root(self.scope, Path(), path.parts, f"{path}/"), self.relative)

    @property
    def is_memory(self) -> bool:
        """Whether a walk through the working tree would take the file for a memory."""
        *folders, name = self.relative.split("/")
        return name.endswith(".md") and not any(part.startswith(".") for part in (*folders, name))


def spot(path: str, moved: str | None = None) -> Spot | None:
    """Where a path lies in the private or the team scope of a vault; None when it lies in none.

    Args:
        path: relative to the top of the repository.
        moved: the folder of a vault that an override moved, relative likewise, with a final slash (empty at the top).
    """
    if not path.isascii() or "ecc" in path.lower():
        for scope, pattern in _IN_SCOPE.items():
            if match := pattern.fullmatch(path):
                vault, folder, below = match.groups()
                right = PurePosixPath(vault).parts[-2:] == VAULT and folder == scope
                return Spot(vault, folder, scope, below or "", right)
    if moved is not None and path.startswith(moved):
        folder, _, below = path.removeprefix(moved).partition("/")
        if folder in _IN_SCOPE:
            return Spot(moved.rstrip("/"), folder, Scope(folder), below, is_spelled_right=True)
    return None


def is_above(path: str, moved: str | None = None) -> bool:
    """Whether an entry stands in the place of a folder that holds scopes; only a symlink or a submodule can."""
    return _ABOVE.fullmatch(path) is not None or (moved or "").startswith(f"{path}/")


def perhaps(moved: str | None) -> re.Pattern[bytes] | None:
    """What to look for in Git's lists before :func:`concerns` decides; None where everything may concern a vault."""
    return _PERHAPS if moved is None else None


def pathspecs(moved: str | None) -> tuple[str, ...]:
    """What to ask Git for where it lists commits, before :func:`concerns` decides."""
    return _PATHSPECS if moved is None else ()


def concerns(path: str, moved: str | None = None) -> bool:
    """Whether what stands at a path can matter to a vault: a part of it, or rules about how Git takes its files."""
    return path.rpartition("/")[2] in treefiles.NAMES or spot(path, moved) is not None or is_above(path, moved)


@dataclass(slots=True)
class _Growing:
    """The parts of one vault's snapshot."""

    stored: list[Stored] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    others: list[Place] = field(default_factory=list)
    cut_short: set[str] = field(default_factory=set)
    scanned: int = 0
    wanted: dict[str, list[Place]] = field(default_factory=dict)

    def done(self) -> Snapshot:
        return Snapshot(
            (Scope.TEAM,),
            stored=tuple(self.stored),
            broken=tuple(self.broken),
            skipped=tuple(self.skipped),
            cut_short=tuple(sorted(self.cut_short)),
            known=tuple(self.known),
            others=tuple(self.others),
            scanned_bytes=self.scanned,
        )


def snapshots(
    repo: Repo, entries: Iterable[Tracked], touched: Container[str] | None, moved: str | None = None
) -> tuple[Snapshot, ...]:
    """The team scope of each vault of a repository.

    Args:
        repo: where the blobs are.
        entries: an index or a tree, or what of it belongs to vaults.
        touched: the paths to judge; all others are only known. None judges everything.
        moved: the folder of a vault that an override moved.

    Raises:
        EccmemError: when Git cannot give the content of a file.
    """
    growing: dict[str, _Growing] = {}
    seen: set[str] = set()
    for entry in entries:
        where = spot(entry.path, moved)
        if entry.path in seen or (where and where.scope is not Scope.TEAM):
            continue
        seen.add(entry.path)
        if where:
            _sort(growing.setdefault(where.vault.casefold(), _Growing()), entry, where)
        elif entry.mode in (SYMLINK, SUBMODULE) and is_above(entry.path, moved):
            place = Place(Root(Scope.TEAM, Path(), (), ""), entry.path)
            growing.setdefault(entry.path.casefold(), _Growing()).skipped.append(_skipped(place, entry.mode))
    for part in growing.values():
        _read(repo, part, touched)
    return tuple(part.done() for _, part in sorted(growing.items()))


def _skipped(place: Place, mode: str) -> Skipped:
    reason = SkipReason.SYMLINK if mode == SYMLINK else SkipReason.SUBMODULE
    return Skipped(place.shown, place.vault_path, reason)


def _sort(part: _Growing, entry: Tracked, where: Spot) -> None:
    place = where.place
    if entry.mode in (SYMLINK, SUBMODULE):
        part.skipped.append(_skipped(place, entry.mode))
    elif entry.stage:
        message = "the merge of this file is not resolved: choose what it says, and add it"
        part.broken.append(Broken(place, BrokenCode.INVALID, (Problem(1, message),)))
    elif not where.is_memory:
        if where.relative.split("/")[0] not in _DOT_FILES and where.relative.rpartition("/")[2] not in _DOT_FILES:
            part.others.append(place)
    elif where.relative.count("/") > limits.WALK_DEPTH:
        part.cut_short.add(f"folders nest deeper than {limits.WALK_DEPTH}")
    elif where.is_spelled_right:
        part.wanted.setdefault(entry.blob, []).append(place)
    else:
        message = "the folder of the team scope is .ecc/memory/team, spelled like this"
        part.broken.append(Broken(place, BrokenCode.LOCATION, (Problem(1, message),)))


def _read(repo: Repo, part: _Growing, touched: Container[str] | None) -> None:
    if len(part.wanted) > limits.SCAN_ENTRIES:
        part.cut_short.add(f"more than {limits.SCAN_ENTRIES} files and folders")
        return
    for oid, data in repo.blobs(part.wanted, limits.DOCUMENT_BYTES):
        if part.scanned >= limits.SCAN_BYTES:
            part.cut_short.add(f"more than {limits.SCAN_BYTES} bytes of memories")
            return
        for place in part.wanted[oid]:
            if touched is None or path_of(place) in touched:
                _judge(part, place, data)
            elif data is not None and (entry := vault.known(place, data)):
                part.known.append(entry)
        part.scanned += vault.text_size(data or b"")


def path_of(place: Place) -> str:
    """The path of a place for Git, as it is in the repository."""
    return "/".join((*place.root.parts, place.relative))


def _judge(part: _Growing, place: Place, data: bytes | None) -> None:
    entry = vault.judge(place, data) if data is not None else vault.unreadable(place, SkipReason.TOO_LARGE)
    if isinstance(entry, Stored):
        part.stored.append(entry)
    else:
        part.broken.append(entry)


def merged(parts: Iterable[Snapshot]) -> Snapshot:
    """Several vaults as one, for a report's counts."""
    found = tuple(parts)
    return Snapshot(
        (Scope.TEAM,),
        stored=tuple(item for part in found for item in part.stored),
        broken=tuple(item for part in found for item in part.broken),
        skipped=tuple(item for part in found for item in part.skipped),
        cut_short=tuple(why for part in found for why in part.cut_short),
        scanned_bytes=sum(part.scanned_bytes for part in found),
    )
