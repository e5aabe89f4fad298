"""What Git says about commits, trees and the index: entries, changes, ranges.

Plumbing with NUL-separated output, never rename detection: two memories of one template are so alike that Git takes
one for the other, and a deletion with an addition would pass for a rename.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eccmem import limits, quick
from eccmem.errors import EccmemError
from eccmem.repo import Repo, Tracked

_META = re.compile(r":([0-7]{6}) ([0-7]{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])[0-9]*")
_COMBINED = re.compile(r"(::+)([0-7]{6} )+([0-9a-f]{40,64} )+[A-Z]+")
_NOTHING = "000000"
_UNMERGED = "U"
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# The file without content, in either hash.
EMPTY_BLOBS = frozenset(
    {
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    }
)
# What follows the name of a ref in a revision (gitrevisions).
_AFTER_NAME = re.compile(r"[~^:]|@\{")


@dataclass(frozen=True, slots=True)
class Change:
    """A path that differs between two states; an entry is None where the path is absent."""

    path: str
    old: Tracked | None
    new: Tracked | None


@dataclass(frozen=True, slots=True)
class Added:
    """Content that a commit brings to a path, and that none of its parents has there."""

    commit: str
    entry: Tracked


# --- Names ----------------------------------------------------------------------------------------------------


def is_oid(text: str) -> bool:
    """Whether a text is a whole object id."""
    return _OID.fullmatch(text) is not None


def find(repo: Repo, name: str) -> str | None:
    """The commit that a name stands for, or None."""
    code, out = repo.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", ok=(0, 1, 128))
    oid = out.decode("ascii", "replace").strip()
    return oid if code == 0 and _OID.fullmatch(oid) else None


def head(repo: Repo) -> str | None:
    """The commit of HEAD, or None on a branch without commits.

    Raises:
        EccmemError: when there is one and it cannot be read: all would look new, and nothing changed.
    """
    if (oid := find(repo, "HEAD")) is not None:
        return oid
    code, _ = repo.run("rev-parse", "--verify", "--quiet", "HEAD", ok=(0, 1))
    # Where garbage stands in the file of the branch, it looks like one without commits, but for this.
    named, _ = repo.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1, 128))
    if code == 0 or named != 0:
        raise EccmemError("object-missing", "the commit of HEAD cannot be read", "run `git fsck` to see why")
    return None


def resolve(repo: Repo, name: str) -> str:
    """The commit that a name stands for.

    Raises:
        EccmemError: ``unknown-revision``, ``ambiguous-revision``, or ``history-missing`` where a shallow clone may be
            why.
    """
    _refuse_ambiguous(repo, name)
    if (oid := find(repo, name)) is not None:
        return oid
    if shallow_ends(repo):
        raise history_missing("a named revision is not in this shallow clone")
    raise EccmemError("unknown-revision", "Git knows no commit of that name", "see `git log`, or fetch it first")


def _refuse_ambiguous(repo: Repo, name: str) -> None:
    """Refuse what more than one ref is called: Git takes the tag, and anybody who can push one chooses its commit."""
    stem = _AFTER_NAME.split(name)[0]
    if not stem or is_oid(stem) or stem.startswith("refs/"):
        return
    names = [f"{space}{stem}" for space in ("refs/tags/", "refs/heads/", "refs/remotes/")]
    _, out = repo.run("for-each-ref", "--format=%(refname)", *names)
    if len({os.fsdecode(line) for line in out.split(b"\n")} & set(names)) > 1:
        raise EccmemError(
            "ambiguous-revision",
            "more than one ref has this name, and Git takes the tag",
            "write it in full, as in refs/remotes/origin/main",
        )


def history_missing(what: str, or_else: str = "") -> EccmemError:
    """The error where history would decide and is not there: guessing would let things pass."""
    return EccmemError(
        "history-missing",
        f"{what}, so nothing can be said about what changed",
        f"fetch it: `git fetch --unshallow`, or fetch-depth: 0 in CI{or_else}",
    )


def merge_base(repo: Repo, one: str, other: str) -> str | None:
    """The best common ancestor of two commits, or None where they have none.

    Raises:
        EccmemError: ``history-missing`` where a shallow clone may hide it.
    """
    code, out = repo.run("merge-base", one, other, ok=(0, 1))
    if code == 0:
        return out.decode().split()[0]
    if shallow_ends(repo):
        raise history_missing("the common ancestor is not in this shallow clone")
    return None


def is_ancestor(repo: Repo, one: str, other: str) -> bool:
    """Whether a commit is another one or in its history, as far as that is here."""
    return repo.run("merge-base", "--is-ancestor", one, other, ok=(0, 1))[0] == 0


def empty_tree(repo: Repo) -> str:
    """The tree without entries, in the hash of the repository."""
    return repo.run("hash-object", "-t", "tree", "--stdin")[1].decode().strip()


# --- Entries and changes --------------------------------------------------------------------------------------


def tree(repo: Repo, commit: str, only: re.Pattern[bytes] | None = None) -> Iterator[Tracked]:
    """The entries of a commit's tree, its folders descended; ``only`` as in :meth:`Repo.tracked`."""
    _, out = repo.run("ls-tree", "-r", "-z", "--full-tree", commit)
    for record in filter(only.search if only else None, out.split(b"\0")[:-1]):
        meta, _, name = record.partition(b"\t")
        mode, _kind, oid = meta.decode().split(" ")
        yield Tracked(mode, oid, os.fsdecode(name))


def staged(repo: Repo, base: str) -> list[Change]:
    """How the index differs from a commit or tree; an entry that is only intended to be added is absent."""
    _, out = repo.run(*quick.STAGED, base)
    return list(changes(out))


def unstaged(repo: Repo) -> list[Change]:
    """How the files on disk differ from the index, by their modes and times: the content may be the same all the same.

    Of a submodule only whether it is still one; the new object id is not known yet, and all zeros.
    """
    _, out = repo.run("diff-files", *quick.RAW, "--ignore-submodules=dirty")
    return list(changes(out))


def intended(repo: Repo) -> frozenset[str]:
    """The paths of the index that are only intended to be added (``git add -N``)."""
    base = head(repo) or empty_tree(repo)
    _, out = repo.run(*quick.STAGED, "--ita-visible-in-index", base)
    return frozenset(change.path for change in changes(out)) - {change.path for change in staged(repo, base)}


def between(repo: Repo, old: str, new: str) -> list[Change]:
    """How one commit or tree differs from another."""
    _, out = repo.run("diff-tree", "-r", *quick.RAW, old, new)
    return list(changes(out))


def changes(out: bytes) -> Iterator[Change]:
    """The changes in Git's raw output, with NUL after each field."""
    fields = out.split(b"\0")[:-1]
    for meta, name in zip(fields[::2], fields[1::2], strict=True):
        match = _META.fullmatch(meta.decode("ascii", "replace"))
        if match is None:
            raise _not_understood()
        old_mode, new_mode, old, new, kind = match.groups()
        if kind == _UNMERGED:
            continue  # the entries of the index tell, by their stages
        path = os.fsdecode(name)
        yield Change(
            path,
            None if old_mode == _NOTHING else Tracked(old_mode, old, path),
            None if new_mode == _NOTHING else Tracked(new_mode, new, path),
        )


def _not_understood() -> EccmemError:
    return EccmemError("git-failed", "Git's answer cannot be understood", "see whether `git --version` is very old")


# --- Ranges ---------------------------------------------------------------------------------------------------


def commits(repo: Repo, tip: str, without: Sequence[str]) -> list[str]:
    """The commits that lead to a tip and to none of some others, oldest first.

    Args:
        repo: the repository.
        tip: a commit.
        without: commits, or options such as ``--remotes=origin``.

    Raises:
        EccmemError: ``history-missing`` when a shallow clone ends within them.
    """
    _, out = repo.run("rev-list", "--reverse", "--topo-order", tip, "--not", *without)
    found = out.decode().split()
    if found and not shallow_ends(repo).isdisjoint(found):
        alone = "; the sum of a merge alone: --rev HEAD --base HEAD^1"
        raise history_missing("this shallow clone ends within the range", alone)
    return found


def shallow_ends(repo: Repo) -> frozenset[str]:
    """The commits at which a shallow clone ends: their parents are not there; none in a whole one.

    Raises:
        EccmemError: ``history-missing`` when they cannot be read.
    """
    try:
        return frozenset(repo.shared("shallow").read_text("ascii").split())
    except FileNotFoundError:
        return frozenset()
    except (OSError, UnicodeDecodeError):
        raise history_missing("it cannot be read where this shallow clone ends") from None


def added(repo: Repo, found: Sequence[str], pathspecs: Sequence[str]) -> Iterator[Added]:
    """What commits bring that none of their parents has, each on paths of some kind; also what a merge itself adds."""
    for start in range(0, len(found), limits.COMMITS_AT_ONCE):
        yield from _added(repo, found[start : start + limits.COMMITS_AT_ONCE], pathspecs)


def _added(repo: Repo, found: Iterable[str], pathspecs: Sequence[str]) -> Iterator[Added]:
    data = "".join(f"{oid}\n" for oid in found).encode()
    _, out = repo.run(
        "diff-tree",
        "--stdin",
        "-r",
        "-c",
        "--root",
        "--always",
        "--no-ext-diff",
        *quick.RAW,
        "--",
        *pathspecs,
        data=data,
    )
    commit = ""
    fields = iter(out.split(b"\0")[:-1])
    for field in fields:
        text = field.decode("ascii", "replace")
        if _OID.fullmatch(text):
            commit = text
            continue
        if not commit or not (_META.fullmatch(text) or _COMBINED.fullmatch(text)):
            raise _not_understood()
        path = os.fsdecode(next(fields))
        # ":old new old new A", and for a merge as many modes and ids before the new one as there are parents.
        parts = text.lstrip(":").split(" ")
        many = len(parts) // 2
        mode, oid = parts[many - 1], parts[2 * many - 1]
        if mode != _NOTHING:
            yield Added(commit, Tracked(mode, oid, path))
