"""The files of a scope as the file system describes them: what is compared to see whether an index still holds.

A file is unchanged when its times, size and inode are.
That is not enough for a file that was read within a tick of the file system's clock after it changed: the next
change may carry the same time. Such a file is *racy*, as Git calls it, and its content is compared too.
"""

import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from eccmem import limits
from eccmem.files import HAS_DESCRIPTORS, FileProblem, reading
from eccmem.files_portable import PortableFolder
from eccmem.finding import SkipReason
from eccmem.roots import Root
from eccmem.tree import AnyFolder, Walk, open_existing

Stamp = tuple[int, int, int, int]  # mtime_ns, ctime_ns, size, inode
UNKNOWN: Stamp = (0, 0, 0, 0)
TICK_NS = 50_000_000
# FAT and some network file systems keep seconds, or two.
COARSE_TICK_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000
_WORD = 0x7FFF_FFFF_FFFF_FFFF  # a time of the year 2400 or an inode of 64 bits must fit into an array of words


@dataclass(slots=True)
class Listing:
    """The memory files of a scope, in the order of the walk; ``stamps`` has four numbers for each."""

    paths: list[str] = field(default_factory=list)
    stamps: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, path: str, stamp: Stamp) -> None:
        """Note a file."""
        self.paths.append(path)
        self.stamps.extend(stamp)

    def stamp(self, number: int) -> Stamp:
        """The stamp of a file."""
        mtime, ctime, size, inode = self.stamps[number * 4 : number * 4 + 4]
        return mtime, ctime, size, inode

    def rows(self) -> Iterator[tuple[str, int, int, int, int]]:
        """The path and the stamp of each file."""
        return zip(self.paths, self.stamps[0::4], self.stamps[1::4], self.stamps[2::4], self.stamps[3::4], strict=True)

    def path_bytes(self) -> bytes:
        """All the paths, as they are stored."""
        return "\0".join(self.paths).encode("utf-8", "surrogateescape")

    def fingerprint(self) -> str:
        """A hash of all of it."""
        digest = blake2b(self.path_bytes(), digest_size=16)
        digest.update(self.stamps.tobytes())
        return digest.hexdigest()

    def tick_ns(self) -> int:
        """How much time may pass between two changes that carry the same time."""
        return TICK_NS if any(mtime % _SECOND_NS for mtime in self.stamps[0::4]) else COARSE_TICK_NS


def differing(old: Listing, now: Listing) -> set[str]:
    """The paths that are in one of two listings only, or with another stamp."""
    one, other = set(old.paths), set(now.paths)
    if len(one ^ other) <= limits.OVERLAY_FILES:
        # Little came and went: what is in both stands in the same order, and numbers are compared, not rows.
        was, still = _without(old, one - other), _without(now, other - one)
        if was.paths == still.paths:
            changed = {
                number // 4
                for number, pair in enumerate(zip(was.stamps, still.stamps, strict=True))
                if pair[0] != pair[1]
            }
            return (one ^ other) | {still.paths[number] for number in changed}
    return {row[0] for row in set(old.rows()) ^ set(now.rows())}


def _without(listing: Listing, paths: set[str]) -> Listing:
    if not paths:
        return listing
    left = Listing(listing.paths.copy(), listing.stamps[:])
    for number in sorted((n for n, path in enumerate(listing.paths) if path in paths), reverse=True):
        del left.paths[number], left.stamps[number * 4 : number * 4 + 4]
    return left


def stored(path_bytes: bytes, stamp_bytes: bytes) -> Listing:
    """The listing of :meth:`Listing.path_bytes` and its stamps; raises ValueError when they do not fit."""
    stamps = array("q", stamp_bytes)
    paths = path_bytes.decode("utf-8", "surrogateescape").split("\0") if stamps else []
    if len(stamps) != 4 * len(paths):
        raise ValueError
    return Listing(paths, stamps)


@dataclass(slots=True)
class StampWalk(Walk):
    """A walk that takes the stamp of each file as it is listed: a third faster than by its name afterwards."""

    stamps: dict[str, Stamp] = field(default_factory=dict)

    def visit(self, entry: os.DirEntry[str], root: Root, prefix: str) -> bool | None:
        """As the walk itself, and take the stamp of a file."""
        name = entry.name
        if HAS_DESCRIPTORS and name.endswith(".md") and name[0] != "." and entry.is_file(follow_symlinks=False):
            try:  # noqa: SIM105 - a context manager for each file would cost a third of the stat
                self.stamps[prefix + name] = _stamp(entry.stat(follow_symlinks=False))
            except OSError:
                pass  # then it is looked at by its name
            return False
        return Walk.visit(self, entry, root, prefix)  # super() fails in a dataclass with slots


def look(walk: StampWalk, root: Root, without: frozenset[str]) -> Listing:
    """List the memory files of a scope, reading none."""
    paths: list[str] = []
    numbers: list[int] = []
    for relative, folder, name in walk.files(root, without=without):
        stamp = walk.stamps.pop(relative, None) or stamp_of(folder, name)
        if stamp is not None:
            paths.append(relative)
            numbers += stamp
    return Listing(paths, array("q", numbers))


def stamp_of(folder: AnyFolder, name: str) -> Stamp | None:
    """What the file system says of a file, links not followed; None when it vanished."""
    try:
        if isinstance(folder, PortableFolder):
            status = os.lstat(os.path.join(folder.path, name))  # noqa: PTH118 - as the folder itself does
        else:
            status = os.stat(name, dir_fd=folder.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return UNKNOWN  # reading it will say why
    return _stamp(status)


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns & _WORD, status.st_ctime_ns, status.st_size, status.st_ino & _WORD


def read_at(root: Root, relative: str) -> tuple[Stamp, bytes]:
    """Read one file of a scope, and its stamp from before: what changes meanwhile shows as a change later.

    Raises:
        FileProblem: when it cannot be read.
    """
    folder = open_existing(root)
    if folder is None:
        raise FileProblem(SkipReason.VANISHED)
    *above, name = relative.split("/")
    try:
        for part in above:
            with reading():
                below = folder.folder(part)
            folder.close()
            folder = below
        return read_in(folder, name)
    finally:
        folder.close()


def read_in(folder: AnyFolder, name: str) -> tuple[Stamp, bytes]:
    """As :func:`read_at`, in a folder that is open."""
    if (stamp := stamp_of(folder, name)) is None:
        raise FileProblem(SkipReason.VANISHED)
    return stamp, folder.read(name, limits.DOCUMENT_BYTES)


def digest(data: bytes) -> str:
    """The hash by which the contents of racy files are compared."""
    return blake2b(data, digest_size=16).hexdigest()
