"""``eccmem doctor``."""

import os
from pathlib import Path

from eccmem import __version__, checks, vault
from eccmem import doctor as examination
from eccmem.cli import console
from eccmem.cli.context import here, moved_vault, one, repository_here, scopes_or_default, vault_roots
from eccmem.cli.options import (
    FORMATS,
    SEVERITY_NAMES,
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
from eccmem.cli.report_file import append, write
from eccmem.errors import ExitCode, UsageProblem
from eccmem.finding import Severity
from eccmem.output import as_json, as_text
from eccmem.report import Report

# GitHub shows what a step appends there on the page of the run.
_SUMMARY = "GITHUB_STEP_SUMMARY"


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
    least = _severity(one("--fail-on", fail_on))
    chosen = _format(one("--format", form), json=json)
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
        report = examination.examine(vault.worktree(roots, scopes_or_default(scope)), roots, os.environ)
    code = report.exit_code(least)
    if exit_zero and code is ExitCode.FINDINGS:
        code = ExitCode.OK
    text = _render(report, chosen, of_git=bool(asked))
    if chosen == "github" and (summary := os.environ.get(_SUMMARY)):
        from eccmem.output import as_github  # noqa: PLC0415 - for GitHub alone

        append(Path(summary), as_github.summary(report.findings))
    if target is None:
        return console.emit(text, code)
    write(here() / target, text)
    return code


def _of_git(rev: str | None, commits: str | None, base: str | None) -> Report:
    from eccmem.gate import Gate  # noqa: PLC0415 - the working tree needs none

    repository = repository_here()
    roots = vault_roots()
    gate = Gate(repo=repository, base=base, moved=moved_vault(roots, repository))
    if rev is not None:
        return gate.revision(rev)
    if commits is not None:
        return gate.ranged(*_ends(commits))
    report = gate.staged(os.environ, roots.project, whole=True)
    assert report is not None  # noqa: S101 - for the type checker: the whole index is always judged
    return report


def _ends(commits: str) -> tuple[str, str]:
    """The two commits of ``A..B``; one that is left out is HEAD, as in Git."""
    start, dots, end = commits.partition("..")
    if not dots or end.startswith(".") or not (start or end):
        raise UsageProblem("usage", "--range must be A..B", "such as origin/main..HEAD")
    return start or "HEAD", end or "HEAD"


def _severity(name: str | None) -> Severity:
    by_word = {severity.word: severity for severity in Severity}
    if name is None or name in by_word:
        return by_word[name] if name else Severity.ERROR
    raise UsageProblem("usage", f"--fail-on must be one of {SEVERITY_NAMES.replace('|', ', ')}", "see --help")


def _format(name: str | None, *, json: bool) -> str:
    if json and name not in (None, "json"):
        raise UsageProblem("usage", f"--json and --format {name} exclude each other", "name one of them")
    if name is not None and name not in FORMATS:
        raise UsageProblem("usage", f"--format must be one of {', '.join(FORMATS)}", "see --help")
    return "json" if json else name or "text"


def _render(report: Report, chosen: str, *, of_git: bool) -> str:
    if chosen == "text":
        return as_text.judged(report) if of_git else as_text.doctor(report)
    if chosen == "json":
        return console.json_text(as_json.doctor(report))
    from eccmem.output import as_github, as_gitlab, as_sarif  # noqa: PLC0415 - for the programs of others alone

    match chosen:
        case "sarif":
            return as_sarif.report(report.findings, checks.RULES, __version__)
        case "github":
            return as_github.commands(report.findings)
        case _:
            return as_gitlab.report(report.findings)
