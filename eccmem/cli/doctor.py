"""``eccmem doctor``."""

import os

from eccmem import doctor as examination
from eccmem import vault
from eccmem.cli import console
from eccmem.cli.context import moved_vault, one, repository_here, scopes_or_default, vault_roots
from eccmem.cli.options import (
    Base,
    ExitZero,
    FailOn,
    Format,
    Json,
    Output,
    Range,
    Rev,
    Scopes,
    Staged,
)
from eccmem.cli.reports import deliver, ends_of, for_programs, format_of, severity_of
from eccmem.errors import UsageProblem
from eccmem.output import as_json, as_text
from eccmem.report import Report


def doctor(
    scope: Scopes = None,
    staged: Staged = False,
    rev: Rev = None,
    commits: Range = None,
    base: Base = None,
    form: Format = None,
    fail_on: FailOn = None,
    exit_zero: ExitZero = False,
    output: Output = None,
    json: Json = False,
) -> int:
    """Report problems, each with its remedy.

    Looks at every memory of the scopes, and at what guards them: Git, folders, worktrees; or at commits alone.
    """
    least = severity_of(one("--fail-on", fail_on))
    chosen = format_of(one("--format", form), json=json)
    target = one("--output", output)
    asked = [name for name, given in (("--staged", staged), ("--rev", rev), ("--range", commits)) if given]
    if len(asked) > 1:
        raise UsageProblem("usage", f"{' and '.join(asked)} exclude each other", "name one of them")
    if asked:
        if scope:
            raise UsageProblem("usage", f"{asked[0]} judges the team scope, the only one in commits", "drop --scope")
        report = _of_git(one("--rev", rev), one("--range", commits), one("--base", base))
    elif base:
        raise UsageProblem("usage", "--base says what to compare commits with", "add --staged, --rev or --range")
    else:
        roots = vault_roots()
        report = examination.examine(vault.worktree(roots, scopes_or_default(scope), review=True), roots, os.environ)
    text = _render(report, chosen, of_git=bool(asked))
    return deliver(text, report.exit_code(least), target, exit_zero=exit_zero)


def _of_git(rev: str | None, commits: str | None, base: str | None) -> Report:
    from eccmem.gate import Gate  # noqa: PLC0415 - the working tree needs none

    repository = repository_here()
    roots = vault_roots()
    gate = Gate(repo=repository, base=base, moved=moved_vault(roots, repository))
    if rev is not None:
        return gate.revision(rev)
    if commits is not None:
        return gate.ranged(*ends_of(commits))
    report = gate.staged(os.environ, roots.project, whole=True)
    assert report is not None  # noqa: S101 - for the type checker: the whole index is always judged
    return report


def _render(report: Report, chosen: str, *, of_git: bool) -> str:
    if chosen == "text":
        return as_text.judged(report) if of_git else as_text.doctor(report)
    return console.json_text(as_json.doctor(report)) if chosen == "json" else for_programs(report.findings, chosen)
