"""What counts as published, and which commits a push publishes."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eccmem import limits, revisions
from eccmem.errors import EccmemError
from eccmem.repo import Repo

_HEADS = "refs/remotes/*/HEAD"
_ORIGIN = " refs/remotes/origin/HEAD"
_NAMED_PARENT = "GITHEAD_"
_REF_SPACE = "refs/heads/"


def bases(repo: Repo, tips: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The last commits of some histories that others have: what any of them holds is published.

    There may be several: main was merged into a topic that was pushed before, or two lines were merged crosswise.

    Args:
        repo: the repository.
        tips: the commits whose histories these are.
        others: the commits that others have, or options such as ``--remotes=origin``.

    Raises:
        EccmemError: ``history-missing`` in a clone that is too shallow, ``too-entangled`` where there are too many.
    """
    if not others:
        return ()
    _, out = repo.run("rev-list", "--boundary", *tips, "--not", *others)
    found = out.decode().split()
    new = {oid for oid in found if not oid.startswith("-")}
    if not revisions.shallow_ends(repo).isdisjoint(new):
        raise revisions.history_missing("what this has in common with what others have is not in this shallow clone")
    return latest(repo, [*(oid[1:] for oid in found if oid.startswith("-")), *(tip for tip in tips if tip not in new)])


def latest(repo: Repo, commits: Iterable[str]) -> tuple[str, ...]:
    """Those of some commits that are below no other of them.

    Raises:
        EccmemError: ``too-entangled`` where there are too many.
    """
    found = tuple(dict.fromkeys(commits))
    if len(found) > 1:
        _, out = repo.run("merge-base", "--independent", *found)
        found = tuple(out.decode().split())
    if len(found) > limits.PUBLISHED_STATES:
        raise EccmemError(
            "too-entangled",
            f"more than {limits.PUBLISHED_STATES} published states were merged here, too many to compare with",
            "name one, with --base",
        )
    return found


def compared(repo: Repo, asked: str | None = None) -> tuple[str, ...]:
    """The commits that others have and that HEAD is compared to; none where nobody else has any.

    That is what was asked for, else the upstream of the branch and the default branch of a remote.

    Raises:
        EccmemError: ``unknown-revision`` or ``history-missing`` for one that was asked for.
    """
    if asked is not None:
        return (revisions.resolve(repo, asked),)
    found = (revisions.find(repo, "@{upstream}"), default_of(repo))
    return tuple(dict.fromkeys(oid for oid in found if oid))


def default_of(repo: Repo, remote: str = "") -> str | None:
    """The default branch of a remote, as it was last seen; without a name that of origin, else of any."""
    if remote:
        return revisions.find(repo, f"refs/remotes/{remote}/HEAD")
    _, out = repo.run("for-each-ref", "--format=%(objectname) %(refname)", _HEADS)
    heads = os.fsdecode(out).split("\n")[:-1]
    ours = [line for line in heads if line.endswith(_ORIGIN)]
    return next((line.split(" ")[0] for line in ours or heads), None)


def parents_of_index(repo: Repo, env: Mapping[str, str]) -> list[str]:
    """The commits besides HEAD that a commit of the index would have as parents: those that are being merged.

    While Git merges without a conflict, only variables of its hook name them.
    """
    named = [name.removeprefix(_NAMED_PARENT) for name in env if name.startswith(_NAMED_PARENT)]
    try:
        named += Path(repo.git_dir, "MERGE_HEAD").read_text("ascii").split()
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError):
        raise EccmemError("git-failed", "MERGE_HEAD cannot be read", "run `git status` to see why") from None
    return [oid for oid in dict.fromkeys(named) if revisions.find(repo, oid)]


# --- Pushes ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Push:
    """One ref of a push: the commit that it shall have, and those that it has there, as far as is known."""

    tip: str
    known: tuple[str, ...] = ()


def read_pushes(repo: Repo, lines: bytes, remote: str) -> Iterator[Push]:
    """The refs of a push, as Git writes them to its pre-push hook (githooks); deletions publish nothing.

    Raises:
        EccmemError: for a line that is none, for what is no commit (a tag of a tree), and ``history-missing`` where
            the push replaces a commit that is not here: what of it is lost cannot be known.
    """
    # Bytes, and split where Git ends a field: names of refs may hold what Unicode calls a blank or a line end, and
    # the first field, as the person wrote it, a blank.
    for line in lines.split(b"\n"):
        if not line:
            continue
        fields = [os.fsdecode(field) for field in line.rsplit(b" ", 3)]
        if len(fields) != 4 or not (revisions.is_oid(fields[1]) and revisions.is_oid(fields[3])):  # noqa: PLR2004
            raise EccmemError(
                "not-a-push", "standard input is not what Git gives a pre-push hook", "call it from a pre-push hook"
            )
        _, local, there, old = fields
        if not local.strip("0"):
            continue
        tip = revisions.resolve(repo, local)
        replaced = revisions.find(repo, old) if old.strip("0") else None
        if old.strip("0") and replaced is None:
            raise EccmemError(
                "history-missing",
                "the push replaces a commit that is not in this repository, so nothing can be said about what is lost",
                "`git fetch` first",
            )
        yield push_of(repo, tip, [replaced], remote, there)


def push_of(repo: Repo, tip: str, known: Iterable[str | None], remote: str, there: str) -> Push:
    """A push of a commit to a ref of a remote (``refs/heads/main``), of which also its last known state counts."""
    seen = revisions.find(repo, f"refs/remotes/{remote}/{there.removeprefix(_REF_SPACE)}") if remote else None
    return Push(tip, tuple(dict.fromkeys(oid for oid in (*known, seen) if oid)))


def of_remote(repo: Repo, remote: str) -> list[str]:
    """Options that name all refs of a remote; where nothing of it was ever seen here, as of a URL, those of all."""
    if remote:
        _, out = repo.run("for-each-ref", "--count=1", "--format=x", f"refs/remotes/{remote}/")
    if not remote or not out:
        return ["--remotes"]
    # The refs of a remote `origin/other` lie among those of `origin`, which does not have them.
    _, names = repo.run("remote")
    nested = [name for name in os.fsdecode(names).split("\n") if name.startswith(f"{remote}/")]
    return [*(f"--exclude={name}/*" for name in nested), f"--remotes={remote}"]
