"""What the ``.gitattributes`` and ``.gitignore`` files of a commit say about its vaults.

Git answers for files on disk only (``check-attr --source`` is of Git 2.40, and there is no such thing for ignore
rules), so the few that lie on the way to a vault are put into an empty folder, and Git is asked about that.
The working tree may hold others than what is committed; a bare repository has none at all.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from eccmem import limits
from eccmem.errors import EccmemError
from eccmem.repo import Ignored, Repo, Tracked

NAMES = frozenset({".gitattributes", ".gitignore"})
_NAME_BYTES = 255
# What hides a file from review, or makes a checkout another file than what was reviewed.
ATTRIBUTES = ("diff", "linguist-generated", "gitlab-generated", "filter", "merge", "ident", "working-tree-encoding")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a path: ``unspecified``, ``unset``, ``set`` or a word."""

    path: str
    name: str
    value: str


@contextmanager
def laid_out(repo: Repo, entries: Iterable[Tracked], paths: Sequence[str]) -> Iterator[Repo]:
    """A repository whose working tree holds nothing but the attribute and ignore files that concern some paths.

    Raises:
        EccmemError: when one of these files is too large or missing, or the temporary folder cannot be written.
    """
    import tempfile  # noqa: PLC0415 - a commit that touches no vault does not need it

    folders = {_folder(path) for path in paths}
    folders |= {str(above) for folder in folders for above in PurePosixPath(folder).parents}
    wanted = {entry.path: entry.blob for entry in entries if is_rules(entry) and _folder(entry.path) in folders}
    contents = dict(repo.blobs(wanted.values(), limits.EXCLUDE_BYTES))
    if None in contents.values():
        raise EccmemError("too-large", "a .gitattributes or .gitignore file is too large to be judged", "shorten it")
    try:
        scratch = tempfile.TemporaryDirectory(prefix="eccmem-")
    except OSError:
        raise _no_scratch() from None
    with scratch as folder:
        try:
            laid = repo.blank(Path(folder))
            for path, oid in wanted.items():
                target = Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(contents[oid] or b"")
        except OSError:
            raise _no_scratch() from None
        yield laid


def is_rules(entry: Tracked) -> bool:
    """Whether an entry is a file by which Git ignores files or gives them attributes; it follows no symlink there."""
    return entry.is_file and is_named_so(entry.path) and not (_leads_out(entry.path) or _cannot_be(entry.path))


def is_named_so(path: str) -> bool:
    """Whether a path has the name of such a file."""
    return path.rpartition("/")[2] in NAMES


def _cannot_be(path: str) -> bool:
    """Whether no file system can hold it: then no checkout has it, and what it says is nothing."""
    return any(len(os.fsencode(part)) > _NAME_BYTES for part in path.split("/"))


def _leads_out(path: str) -> bool:
    # Git makes no such entries; a tree made by hand may have them.
    return any(part.lower() in {"", ".", "..", ".git"} for part in path.split("/"))


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _no_scratch() -> EccmemError:
    return EccmemError("no-scratch", "the temporary folder cannot be written", "set TMPDIR to one that can")


def attributes(laid: Repo, paths: Iterable[str]) -> Iterator[Attribute]:
    """The attributes of each path that are not as Git has them by default."""
    data = b"".join(os.fsencode(path) + b"\0" for path in paths)
    _, out = laid.run("check-attr", "-z", "--stdin", *ATTRIBUTES, data=data)
    fields = out.split(b"\0")[:-1]
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
        if value != b"unspecified":
            yield Attribute(os.fsdecode(path), name.decode(), value.decode("utf-8", "replace"))


def ignored(laid: Repo, path: str) -> Ignored | None:
    """The committed rule that ignores a path, or None."""
    return laid.why_ignored([path])[0]
