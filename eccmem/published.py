"""What counts as published, and which commits a push publishes."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eccmem import revisions
from eccmem.errors import EccmemError
from eccmem.repo import Repo

_HEADS = "refs/remotes/*/HEAD"
_ORIGIN = " refs/remotes/origin/HEAD"
_NAMED_PARENT = "GITHEAD_"


def below(repo: Repo, head: str, other: str | None) -> str:
    """The last commit below HEAD that others have: the merge base with what HEAD is compared to.

    Where nobody else has any, all that is committed counts as published.

    Raises:
        EccmemError: ``history-missing`` in a clone that is too shallow.
    """
    return head if other is None else revisions.merge_base(repo, head, other) or head


def compared(repo: Repo, asked: str | None = None) -> str | None:
    """The commit that others have and that HEAD is compared to, or None where nobody else has any.

    That is what was asked for, else the upstream of the branch, else the default branch of a remote.

    Raises:
        EccmemError: ``unknown-revision`` or ``history-missing`` for one that was asked for.
    """
    if asked is not None:
        return revisions.resolve(repo, asked)
    return revisions.find(repo, "@{upstream}") or default_of(repo)


def default_of(repo: Repo, remote: str = "") -> str | None:
    """The default branch of a remote, as it was last seen; without a name that of origin, else of any."""
    if remote:
        return revisions.find(repo, f"refs/remotes/{remote}/HEAD")
    _, out = repo.run("for-each-ref", "--format=%(objectname) %(refname)", _HEADS)
    heads = out.decode("utf-8", "replace").splitlines()
    ours = [line for line in heads if line.endswith(_ORIGIN)]
    return next((line.split(" ")[0] for line in ours or heads), None)


def parents_of_index(repo: Repo, env: Mapping[str, str]) -> list[str]:
    """The commits besides HEAD that a commit of the index would have as parents: those that are being merged.

    While Git merges without a conflict, only variables of its hook name them.
    """
    named = [name.removeprefix(_NAMED_PARENT) for name in env if name.startswith(_NAMED_PARENT)]
    _, path = repo.run("rev-parse", "--git-path", "MERGE_HEAD")
    try:
        named += (repo.checkout / os.fsdecode(path.rstrip(b"\n"))).read_text("ascii").split()
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError):
        raise EccmemError("git-failed", "MERGE_HEAD cannot be read", "run `git status` to see why") from None
    return [oid for oid in dict.fromkeys(named) if revisions.find(repo, oid)]


def has_refs(repo: Repo, remote: str) -> bool:
    """Whether anything of a remote was ever seen here."""
    _, out = repo.run("for-each-ref", "--count=1", "--format=x", f"refs/remotes/{remote}/")
    return bool(out)


# --- Pushes ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Push:
    """One ref of a push: the commit that it shall have, and the one that it has there, if any."""

    tip: str
    known: str | None


def read_pushes(repo: Repo, lines: Iterable[str]) -> Iterator[Push]:
    """The refs of a push, as Git writes them to its pre-push hook (githooks); deletions publish nothing.

    Raises:
        EccmemError: for a line that is none, and for what is no commit (a tag of a tree): it cannot be judged.
    """
    for line in lines:
        fields = line.split()
        if len(fields) != 4:  # noqa: PLR2004
            raise EccmemError(
                "not-a-push", "standard input is not what Git gives a pre-push hook", "call it from a pre-push hook"
            )
        _, local, _, remote = fields
        if local.strip("0"):
            yield Push(revisions.resolve(repo, local), revisions.find(repo, remote) if remote.strip("0") else None)


def fork_of_new(repo: Repo, tip: str, without: Sequence[str]) -> str | None:
    """Where a branch that a remote does not have left what the remote has: below its oldest new first parent.

    Args:
        repo: the repository.
        tip: the commit that is pushed.
        without: what the remote has, as in :func:`revisions.commits`.
    """
    _, out = repo.run("rev-list", "--first-parent", "--parents", tip, "--not", *without)
    lines = out.decode().splitlines()
    if not lines:
        return tip
    _, *parents = lines[-1].split()
    return parents[0] if parents else None
