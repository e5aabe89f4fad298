"""The team's vaults as Git has them, in the index or in a tree: the same Snapshot, made of blobs alone.

The working tree is never looked at: a clean filter, a partial ``git add``, a sparse checkout or a flag of the index
make its files differ from what is committed.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from eccmem import limits, secretscan, spots, vault
from eccmem.document import Problem
from eccmem.finding import Skipped, SkipReason
from eccmem.model import Scope
from eccmem.repo import Repo, Tracked
from eccmem.roots import Root
from eccmem.spots import Spot, is_above, spot
from eccmem.text import printable_name
from eccmem.vault import Broken, BrokenCode, Known, Place, Snapshot, Stored

SYMLINK, SUBMODULE = "120000", "160000"
# Ours, Git's, and the usual name of a file that keeps a folder.
_DOT_FILES = frozenset({".gitattributes", ".gitignore", ".gitkeep", ".links"})


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
    wanted: dict[str, list[tuple[str, Place]]] = field(default_factory=dict)

    def done(self, ids: frozenset[str]) -> Snapshot:
        return Snapshot(
            (Scope.TEAM,),
            stored=tuple(self.stored),
            broken=tuple(self.broken),
            skipped=tuple(self.skipped),
            cut_short=tuple(sorted(self.cut_short)),
            known=tuple(self.known),
            others=tuple(self.others),
            scanned_bytes=self.scanned,
            elsewhere=ids,
        )


def snapshots(
    repo: Repo,
    entries: Iterable[Tracked],
    touched: Container[str] | None,
    moved: str | None = None,
    ids: frozenset[str] = frozenset(),
) -> tuple[Snapshot, ...]:
    """The team scope of each vault of a repository.

    Args:
        repo: where the blobs are.
        entries: an index or a tree, or what of it belongs to vaults.
        touched: the paths to judge; all others are only known. None judges everything.
        moved: the folder of a vault that an override moved.
        ids: what the vault at the top has besides the entries.

    Raises:
        EccmemError: when Git cannot give the content of a file.
    """
    growing: dict[str, _Growing] = {}
    seen: set[str] = set()
    for entry in entries:
        where = spot(entry.path, moved)
        # An unmerged path has an entry for each side; a tree that was made by hand may have a path twice.
        if (entry.stage and entry.path in seen) or (where and where.scope is not Scope.TEAM):
            continue
        seen.add(entry.path)
        if (touched is None or entry.path in touched) and where and secretscan.masked(entry.path):
            continue  # leaks.py says so, and nothing else shows the name
        if where:
            _sort(growing.setdefault(where.vault.casefold(), _Growing()), entry, where, touched)
        elif entry.mode in (SYMLINK, SUBMODULE) and is_above(entry.path, moved):
            place = Place(Root(Scope.TEAM, Path(), (), ""), entry.path)
            growing.setdefault(entry.path.casefold(), _Growing()).skipped.append(_skipped(entry, place))
    for part in growing.values():
        _read(repo, part, touched)
    return tuple(part.done(ids if vault == spots.OURS else frozenset()) for vault, part in sorted(growing.items()))


def _skipped(entry: Tracked, place: Place) -> Skipped:
    reason = SkipReason.SYMLINK if entry.mode == SYMLINK else SkipReason.SUBMODULE
    # As Git has it: what stands in the place of a whole scope has no slash at its end.
    return Skipped(printable_name(entry.path), place.vault_path, reason)


def _sort(part: _Growing, entry: Tracked, where: Spot, touched: Container[str] | None) -> None:
    place = where.place
    if entry.mode in (SYMLINK, SUBMODULE):
        part.skipped.append(_skipped(entry, place))
    elif entry.stage:
        message = "the merge of this file is not resolved: choose what it says, and add it"
        part.broken.append(Broken(place, BrokenCode.INVALID, (Problem(1, message),)))
    elif not where.is_memory:
        if where.relative.split("/")[0] not in _DOT_FILES and where.relative.rpartition("/")[2] not in _DOT_FILES:
            part.others.append(place)
    elif where.relative.count("/") > limits.WALK_DEPTH:
        if touched is None or entry.path in touched:
            part.cut_short.add(f"folders nest deeper than {limits.WALK_DEPTH}")
    elif where.is_spelled_right:
        part.wanted.setdefault(entry.blob, []).append((entry.path, place))
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
        for path, place in part.wanted[oid]:
            if touched is None or path in touched:
                _judge(part, place, data)
            elif data is not None and (entry := vault.known(place, data)):
                part.known.append(entry)
        part.scanned += vault.text_size(data or b"")


def path_of(place: Place) -> str:
    """The path of a place for Git, as it is in the repository."""
    return "/".join((*place.root.parts, place.relative))


def _judge(part: _Growing, place: Place, data: bytes | None) -> None:
    entry = vault.judge(place, data, review=True) if data is not None else vault.unreadable(place, SkipReason.TOO_LARGE)
    if isinstance(entry, Stored):
        part.stored.append(entry)
    else:
        part.broken.append(entry)
