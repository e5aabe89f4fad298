"""Are private memories kept out of commits?"""

from collections.abc import Iterable, Iterator

from eccmem import guard
from eccmem.finding import Finding, Rule, Severity
from eccmem.model import Scope
from eccmem.repo import Ignored, Repo, Tracked
from eccmem.roots import Root, VaultRoots
from eccmem.spots import Spot, spot
from eccmem.text import printable_name
from eccmem.tree import open_existing

TRACKED = Rule("private-memory-tracked", Severity.ERROR, "Git tracks a file of a private scope.")
NOT_IGNORED = Rule("private-memory-not-ignored", Severity.ERROR, "Git would stage private memories.")
CHANGED = Rule("guard-changed", Severity.ERROR, "The guard of the private scope is not the fail-closed one.")
WEAKENED = Rule("guard-weakened", Severity.ERROR, "A commit has no fail-closed guard where there should be one.")
COPIED = Rule("private-memory-copied", Severity.ERROR, "A private memory is committed as another file.")
MISSING = Rule("guard-missing", Severity.WARNING, "The private scope has no guard file.")
CRLF = Rule("guard-crlf", Severity.WARNING, "The guard of the private scope has CRLF line ends.")
EXCLUDE = Rule("guard-not-in-exclude", Severity.WARNING, "The guard's second layer, info/exclude, is not there.")
USER_OPEN = Rule("user-memory-not-ignored", Severity.WARNING, "Git would stage memories of the user scope.")
TEAM_IGNORED = Rule("team-vault-ignored", Severity.WARNING, "Git ignores the team scope, so nobody else gets it.")
RULES = (TRACKED, COPIED, NOT_IGNORED, WEAKENED, CHANGED, MISSING, CRLF, EXCLUDE, TEAM_IGNORED, USER_OPEN)

_REGULAR = "100644"


def tracked_private(entries: Iterable[Tracked], moved: str | None = None) -> Iterator[Finding]:
    """A finding for each entry of an index or tree that lies in a private scope; ``moved`` as in :func:`spot`."""
    for entry in entries:
        if is_guard(entry.path, moved):
            if entry.mode != _REGULAR or entry.blob not in guard.BLOBS:
                yield weakened(entry.path, "is not the fail-closed one")
        elif is_private(entry.path, moved):
            yield _tracked(entry.path, "Git tracks this file of a private scope, so a push would publish it")


def is_guard(path: str, moved: str | None = None) -> bool:
    """Whether a path of a repository is that of a guard."""
    where = _private_spot(path, moved)
    return where is not None and where.is_spelled_right and where.relative == guard.NAME


def is_private(path: str, moved: str | None = None) -> bool:
    """Whether a path of a repository lies in a private scope, the guard included."""
    return _private_spot(path, moved) is not None


def _private_spot(path: str, moved: str | None) -> Spot | None:
    where = spot(path, moved)
    return where if where and where.scope is Scope.PROJECT else None


def weakened(path: str, how: str) -> Finding:
    """The finding for a guard in the index or in a tree that guards no more."""
    return Finding(
        rule=WEAKENED,
        path=printable_name(path),
        message=f"the guard {how}: every clone would lay its private memories open",
        remedy="bring the guard back: remove the file, run eccmem init --scope project, and add it",
    )


def added_private(commit: str, path: str) -> Finding:
    """The finding for a commit that publishes a private memory, though a later one takes it out again."""
    return _tracked(path, f"commit {commit[:12]} adds this file of a private scope, so a push publishes it")


def _tracked(path: str, message: str) -> Finding:
    return Finding(
        rule=TRACKED,
        path=printable_name(path),
        message=message,
        remedy="git rm --cached it; if it is in a commit: docs/how-to/leaked-secret.md",
    )


def copied(path: str, private: str) -> Finding:
    """The finding for a staged file that holds what a private memory holds."""
    return Finding(
        rule=COPIED,
        path=printable_name(path),
        message=f"this file is a copy of the private memory {private}",
        remedy="git rm --cached it; to share it, save it with --scope team",
    )


def check(roots: VaultRoots, repository: Repo | None, tracked: Iterable[Tracked]) -> Iterator[Finding]:
    """Findings about the guard of this checkout, each layer proved by asking Git where there is a repository."""
    private = roots.project
    folder = open_existing(private)
    if folder is None:
        return
    with folder:
        yield from _guard_file(private, guard.state(folder))
        for name in guard.opened_folders(folder):
            yield _changed(private.show(f"{name}/{guard.NAME}"), "the guard of this folder is")
    if repository is None:
        return
    if (wanted := guard.exclude_lines(private)) and not guard.exclude_is_set(*wanted):
        yield Finding(
            rule=EXCLUDE,
            path=private.show(guard.NAME),
            message="info/exclude of the repository does not name the private scope: one of the layers that keep "
            "its memories out of commits is missing",
            remedy="eccmem init --scope project",
        )
    inside = repository.inside(private.real_path.parent)
    if inside is not None:
        yield from tracked_private(tracked, "" if inside == "." else f"{inside}/")
    for kind_folder in guard.laid_open(private, repository):
        yield Finding(
            rule=NOT_IGNORED,
            path=private.show(f"{kind_folder}/"),
            message="Git does not ignore this private folder: `git add -A` would stage its memories",
            remedy="eccmem init --scope project",
        )


def _guard_file(private: Root, found: guard.GuardState) -> Iterator[Finding]:
    path = private.show(guard.NAME)
    if found is guard.GuardState.MISSING:
        yield Finding(
            rule=MISSING,
            path=path,
            message="the private scope has no guard file",
            remedy="eccmem init --scope project",
        )
    elif found is guard.GuardState.CRLF:
        yield Finding(
            rule=CRLF,
            path=path,
            message="the guard has CRLF line ends; it still guards",
            remedy="eccmem init --scope team, and commit .ecc/.gitattributes, so that a checkout keeps LF",
        )
    elif found is guard.GuardState.CHANGED:
        yield _changed(path, "the guard is")


def _changed(path: str, which: str) -> Finding:
    return Finding(
        rule=CHANGED,
        path=path,
        message=f"{which} not the fail-closed one, so private memories could be committed; "
        "nothing is saved beside it meanwhile",
        remedy=f"remove {path}, then eccmem init --scope project",
    )


def check_team(roots: VaultRoots, repository: Repo | None) -> Iterator[Finding]:
    """A finding when Git ignores the team scope: its memories would stay on this machine."""
    folder = open_existing(roots.team)
    if folder is None or repository is None:
        return
    folder.close()
    if rule := guard.team_ignored(roots.team, repository):
        yield team_ignored(roots.team.show(""), rule)


def team_ignored(path: str, rule: Ignored) -> Finding:
    """The finding for a rule that keeps a team scope out of commits."""
    return Finding(
        rule=TEAM_IGNORED,
        path=path,
        message=f"Git ignores the team scope: {guard.describe(rule)}",
        remedy="remove or narrow that rule: nobody else gets these memories",
    )


def check_user(user: Root, repository: Repo) -> Iterator[Finding]:
    """A finding when the user scope lies in a repository that does not ignore it, such as one of dotfiles."""
    inside = repository.inside(user.real_path)
    if inside is not None and user.path.is_dir() and repository.why_ignored([f"{inside}/{guard.PROBE}"]) == [None]:
        yield Finding(
            rule=USER_OPEN,
            path=user.show(""),
            message="the user scope lies in a Git repository that does not ignore it: `git add -A` there would stage "
            "its memories",
            remedy=f"add /{inside}/ to that repository's .gitignore, if they are not meant for it",
        )
