"""Opening a scope's folder, and walking it within bounds."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from errno import ENOENT

from eccmem import limits
from eccmem.files import HAS_DESCRIPTORS, PRIVATE, SHARED, TEMPORARY, FileProblem, Folder, reading, writing
from eccmem.files_portable import PortableFolder
from eccmem.finding import Skipped, SkipReason
from eccmem.model import Scope
from eccmem.roots import Root

AnyFolder = Folder | PortableFolder
FOLDER: type[Folder] | type[PortableFolder] = Folder if HAS_DESCRIPTORS else PortableFolder


def open_existing(root: Root) -> AnyFolder | None:
    """Open a scope's folder, or return None where there is none yet.

    Raises:
        FileProblem: when a link or a file is in the way, or there is no permission.
    """
    with reading():
        try:
            return _descend(FOLDER.open_base(root.base), root, make=False)
        except OSError as error:
            if error.errno == ENOENT:
                return None
            raise


def open_or_make(root: Root) -> AnyFolder:
    """Open a scope's folder, after making what is missing of it.

    Raises:
        EccmemError: when it cannot be made, or a link is in the way.
    """
    with writing(root.show("").rstrip(":")):
        return _descend(FOLDER.open_base(root.base), root, make=True)


def _descend(folder: AnyFolder, root: Root, *, make: bool) -> AnyFolder:
    for index, name in enumerate(root.parts, 1):
        with folder:
            folder = folder.make(name, _mode(root, index)) if make else folder.folder(name)
    return folder


def _mode(root: Root, index: int) -> int:
    """The mode of the folders down to a scope: ``.ecc`` is the repository's, even when made for a private memory."""
    above_scope = root.scope is not Scope.USER and index < len(root.parts)
    return SHARED if above_scope else mode_of(root)


def mode_of(root: Root) -> int:
    """The mode of new folders in a scope, before the umask: only the team's are for others to read."""
    return SHARED if root.scope is Scope.TEAM else PRIVATE


@dataclass(slots=True)
class Walk:
    """A walk over the memory files of one scope after the other, within the bounds of one scan.

    Dot files and dot folders are passed over: they are ours (temporary files, link records) or another tool's.
    """

    entries_left: int = field(default_factory=lambda: limits.SCAN_ENTRIES)
    skipped: list[Skipped] = field(default_factory=list)
    cut_short: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)

    def files(self, root: Root, *, without: frozenset[str] = frozenset()) -> Iterator[tuple[str, AnyFolder, str]]:
        """Yield each memory file: its path below the root, the open folder it is in, and its name.

        The folder is open until the next file is asked for.

        Args:
            root: the scope to walk.
            without: names right below the root that belong to something else.
        """
        try:
            folder = open_existing(root)
        except FileProblem as problem:
            self._skip(root, "", problem.reason)
            return
        if folder is None:
            return
        with ExitStack() as stack:
            stack.enter_context(folder)
            yield from self._walk(folder, root, "", 0, without)

    def _walk(
        self, folder: AnyFolder, root: Root, prefix: str, depth: int, without: frozenset[str]
    ) -> Iterator[tuple[str, AnyFolder, str]]:
        if depth > limits.WALK_DEPTH:
            self.cut(f"folders nest deeper than {limits.WALK_DEPTH}")
            return
        for name, is_folder in self._listing(folder, root, prefix, without):
            path = f"{prefix}{name}"
            if not is_folder:
                yield path, folder, name
                continue
            try:
                with reading():
                    below = folder.folder(name)
            except FileProblem as problem:
                self._skip(root, path, problem.reason)
                continue
            with below:
                yield from self._walk(below, root, f"{path}/", depth + 1, frozenset())

    def _listing(self, folder: AnyFolder, root: Root, prefix: str, without: frozenset[str]) -> list[tuple[str, bool]]:
        """What is to be visited in a folder, sorted by name: (name, whether it is a folder)."""
        found = []
        try:
            with reading():
                for entry in folder.entries():
                    if self.entries_left <= 0:
                        self.cut(f"more than {limits.SCAN_ENTRIES} files and folders")
                        break
                    self.entries_left -= 1
                    if entry.name not in without and (visit := self.visit(entry, root, prefix)) is not None:
                        found.append((entry.name, visit))
        except FileProblem as problem:
            self._skip(root, prefix, problem.reason)
        return sorted(found)

    def visit(self, entry: os.DirEntry[str], root: Root, prefix: str) -> bool | None:
        """Whether an entry is a folder to walk (True), a file to yield (False), or neither (None)."""
        path = prefix + entry.name
        if entry.is_symlink():
            self._skip(root, path, SkipReason.SYMLINK)
        elif entry.name.startswith("."):
            if entry.name.startswith(TEMPORARY):
                self.leftovers.append(root.show(path))
        elif entry.is_dir(follow_symlinks=False):
            return True
        elif entry.name.endswith(".md"):
            if entry.is_file(follow_symlinks=False):
                return False
            self._skip(root, path, SkipReason.NOT_REGULAR)
        return None

    def _skip(self, root: Root, relative: str, reason: SkipReason) -> None:
        self.skipped.append(Skipped(root.show(relative), root.vault_path(relative), reason))

    def cut(self, why: str) -> None:
        """Note why not all was seen, once."""
        if why not in self.cut_short:
            self.cut_short.append(why)
