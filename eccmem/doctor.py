"""The doctor: the reference's report, and every finding about the vault and about the machine around it."""

import os
from collections.abc import Iterator, Mapping, Sequence

from eccmem import checks, gitdir, leaks, revisions
from eccmem.allowance import Allowance
from eccmem.checks import guard, layout, links, machine, secrets
from eccmem.errors import EccmemError
from eccmem.files import FileProblem
from eccmem.finding import Finding, by_place
from eccmem.model import Scope
from eccmem.repo import Repo, Tracked
from eccmem.report import Report
from eccmem.roots import VaultRoots
from eccmem.vault import Snapshot


def examine(snapshot: Snapshot, roots: VaultRoots, env: Mapping[str, str]) -> Report:
    """Judge a snapshot of the working tree, and the machine around it."""
    return Report(
        snapshot=snapshot,
        duplicates=layout.duplicates(snapshot),
        broken_links=links.broken_links(snapshot),
        findings=by_place((*checks.run(snapshot), *_around(roots, snapshot, env))),
    )


def _around(roots: VaultRoots, snapshot: Snapshot, env: Mapping[str, str]) -> Iterator[Finding]:
    scopes = snapshot.scopes
    yield from machine.portable()
    yield from machine.writable(roots, scopes)
    found = gitdir.enclosing(roots.project.real_base)
    repository = Repo(found[0], env) if found else None
    tracked: Sequence[Tracked] = ()
    if repository is None and os.path.lexists(roots.checkout / ".git"):
        yield machine.git_unusable("the repository cannot be used")
    try:
        tracked = repository.tracked() if repository else ()
    except EccmemError as error:
        yield machine.git_unusable(error.message)
        repository = None
    try:
        if Scope.PROJECT in scopes:
            yield from guard.check(roots, repository, tracked)
        if Scope.TEAM in scopes:
            yield from guard.check_team(roots, repository)
        if Scope.USER in scopes and (theirs := gitdir.enclosing(roots.of(Scope.USER).real_base)):
            yield from guard.check_user(roots.of(Scope.USER), Repo(theirs[0], env))
    except FileProblem:
        pass  # a scope that cannot be opened is among the snapshot's skipped paths already
    except EccmemError as error:
        yield machine.git_unusable(error.message)
    yield from _likely(snapshot, repository)
    if repository is not None:
        yield from machine.worktrees(repository, roots)
        yield from machine.submodules(repository.checkout, tracked)


def _likely(snapshot: Snapshot, repository: Repo | None) -> Iterator[Finding]:
    """Values that are likely to be secrets, and that the list which is committed does not allow."""
    allowance = Allowance(repository, lambda: revisions.head(repository) if repository else None)
    for stored in snapshot.stored:
        for line, label in leaks.likely_in(stored, allowance):
            yield secrets.likely(stored.place.shown, line, label, None)
    if allowance.was_read():
        yield from secrets.of_list(allowance, complete=False)
