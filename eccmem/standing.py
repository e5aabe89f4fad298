"""Where a repository stood when a hand-off was written, and how far it has moved since.

What stands in a body came with the repository or from another tool: a head is taken only if it is an object id, and is
never handed to Git as anything else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eccmem import gitdir, limits, revisions, secretscan, trailers
from eccmem.errors import EccmemError
from eccmem.invisible import invisible
from eccmem.repo import Repo
from eccmem.text import UNSAFE_IN_LINE

BRANCH, HEAD = "Branch", "Head"
# A partial clone would fetch the commit that a memory names; nothing of ours opens a connection.
# The second is known from Git 2.44 on, the first to all.
_OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
# `git symbolic-ref --quiet` ends with 1 when HEAD is detached; 128 is a repository that Git refuses.
_NO_BRANCH = (0, 1, 128)


@dataclass(frozen=True, slots=True)
class Standing:
    """A branch and a commit; each may be empty: a detached HEAD, a name that no memory should hold, no commit yet."""

    branch: str = ""
    head: str = ""

    @property
    def shown(self) -> str:
        """Both on one line, the commit short; nothing where neither is known."""
        return " ".join(filter(None, (self.branch, self.head[: limits.SHORT_OID])))


@dataclass(frozen=True, slots=True)
class Moved:
    """How a repository differs from a commit.

    Attributes:
        known: whether the repository has that commit; if not, nothing else is known.
        commits: how many commits lead to HEAD and not to it.
        left: how many lead to it and not to HEAD: it was rewritten, or is of another branch.
        files: how many files differ between the two.
    """

    known: bool
    commits: int = 0
    left: int = 0
    files: int = 0


def repository(checkout: Path, env: Mapping[str, str]) -> Repo | None:
    """The repository of a checkout, never asked to fetch; None where there is none."""
    found = gitdir.enclosing(checkout)
    return Repo(found[0], {**env, **_OFFLINE}) if found else None


def now(repository: Repo) -> Standing:
    """Where a repository stands.

    Raises:
        EccmemError: when Git cannot be run.
    """
    _, out = repository.run("symbolic-ref", "--quiet", "--short", "HEAD", ok=_NO_BRANCH)
    branch = out.decode("utf-8", "replace").strip()
    return Standing(branch if _may_be_said(branch) else "", revisions.find(repository, "HEAD") or "")


def _may_be_said(branch: str) -> bool:
    """Whether the intake would take a branch's name: Git allows some that no memory may hold."""
    unsafe = UNSAFE_IN_LINE.search(branch) or "\ufffd" in branch or any(invisible(branch)) or secretscan.scan(branch)
    return bool(branch) and not unsafe and len(branch) <= limits.SHOWN_CHARS


def recorded(body: str, standing: Standing) -> str:
    """A body that ends with trailers for a standing."""
    fields = ((BRANCH, standing.branch), (HEAD, standing.head))
    return trailers.added(body, [f"{key}: {value}" for key, value in fields if value])


def record(body: str, checkout: Path, env: Mapping[str, str]) -> tuple[str, list[str]]:
    """A body that ends with trailers for where a repository stands now.

    With it a warning where Git cannot say: a hand-off is worth saving without it.
    """
    here = repository(checkout, env)
    try:
        return (recorded(body, now(here)), []) if here else (body, [])
    except EccmemError as error:
        return body, [f"the branch and the commit are not recorded: {error.message}"]


def of(body: str) -> Standing:
    """What a body says of where the repository stood: of each trailer the last, which is the one that was added."""
    branches = [value for value in trailers.values(body, BRANCH) if len(value) <= limits.SHOWN_CHARS]
    heads = [value for value in trailers.values(body, HEAD) if revisions.is_oid(value)]
    return Standing(branches[-1] if branches else "", heads[-1] if heads else "")


def told(body: str, checkout: Path, env: Mapping[str, str]) -> tuple[Standing, Moved | None]:
    """Where a repository stood when a hand-off was written, and how far it has moved since.

    The latter is None where it cannot be told, which must not stop a read.
    """
    written_at = of(body)
    here = repository(checkout, env) if written_at.head else None
    try:
        return written_at, since(here, written_at.head) if here else None
    except EccmemError:
        return written_at, None


def since(repository: Repo, head: str) -> Moved:
    """How far a repository has moved since a commit.

    Args:
        repository: as :func:`repository` gives it.
        head: an object id, as :func:`of` gives it.

    Raises:
        EccmemError: when Git cannot say.
    """
    here = revisions.find(repository, "HEAD")
    if here is None or revisions.find(repository, head) is None:
        return Moved(known=False)
    _, out = repository.run("rev-list", "--count", "--left-right", f"{head}...{here}")
    left, right = map(int, out.split())
    files = {change.path for change in revisions.between(repository, head, here)}
    return Moved(known=True, commits=right, left=left, files=len(files))
