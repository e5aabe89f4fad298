"""How findings are asked for and delivered: formats, severities, ranges, files."""

import os
from pathlib import Path

from eccmem import __version__, checks
from eccmem.cli import console
from eccmem.cli.context import here
from eccmem.cli.options import FORMATS, SEVERITY_NAMES
from eccmem.cli.report_file import append, write
from eccmem.errors import ExitCode, UsageProblem
from eccmem.finding import Finding, Severity

# GitHub shows what a step appends there on the page of the run.
_SUMMARY = "GITHUB_STEP_SUMMARY"


def ends_of(commits: str) -> tuple[str, str]:
    """The two commits of ``A..B``; one that is left out is HEAD, as in Git."""
    start, dots, end = commits.partition("..")
    if not dots or end.startswith(".") or not (start or end):
        raise UsageProblem("usage", "--range must be A..B", "such as origin/main..HEAD")
    return start or "HEAD", end or "HEAD"


def severity_of(name: str | None) -> Severity:
    """The least severity that fails."""
    by_word = {severity.word: severity for severity in Severity}
    if name is None or name in by_word:
        return by_word[name] if name else Severity.ERROR
    raise UsageProblem("usage", f"--fail-on must be one of {SEVERITY_NAMES.replace('|', ', ')}", "see --help")


def format_of(name: str | None, *, json: bool) -> str:
    """The format of a report."""
    if json and name not in (None, "json"):
        raise UsageProblem("usage", f"--json and --format {name} exclude each other", "name one of them")
    if name is not None and name not in FORMATS:
        raise UsageProblem("usage", f"--format must be one of {', '.join(FORMATS)}", "see --help")
    return "json" if json else name or "text"


def for_programs(findings: tuple[Finding, ...], chosen: str) -> str:
    """Findings as SARIF, for GitHub or for GitLab."""
    from eccmem.output import as_github, as_gitlab, as_sarif  # noqa: PLC0415 - for the programs of others alone

    match chosen:
        case "sarif":
            return as_sarif.report(findings, checks.RULES, __version__)
        case "github":
            if summary := os.environ.get(_SUMMARY):
                append(Path(summary), as_github.summary(findings))
            return as_github.commands(findings)
        case _:
            return as_gitlab.report(findings)


def deliver(text: str, code: ExitCode, target: str | None, *, exit_zero: bool) -> int:
    """Write a report where it was asked for, and return the exit code."""
    if exit_zero and code is ExitCode.FINDINGS:
        code = ExitCode.OK
    if target is None:
        return console.emit(text, code)
    write(here() / target, text)
    return code
