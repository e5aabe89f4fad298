"""The thin entry point of Git hooks: no typer, so that a commit does not wait for imports.

Each check is a word for some rules; what is judged is what Git is about to commit or to push.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from eccmem import published, repo, revisions
from eccmem.cli import say_version
from eccmem.cli.console import DEBUG, emit, warn
from eccmem.cli.context import here, moved_vault, vault_roots
from eccmem.errors import Bug, EccmemError, ExitCode, UsageProblem
from eccmem.gate import Gate
from eccmem.output import as_text
from eccmem.published import Push
from eccmem.repo import Repo
from eccmem.report import Report

# The modules of eccmem.checks whose rules belong to each word; together they are all that can be said of a commit.
CHECKS: dict[str, tuple[str, ...]] = {
    "doctor": ("contract", "layout", "text", "review"),
    "secrets": ("secrets",),
    "guard": ("guard",),
    "immutable": ("history",),
    "links": ("links",),
    "all": ("contract", "layout", "text", "review", "secrets", "guard", "history", "links"),
}
_USAGE = f"usage: eccmem-hook {'|'.join(CHECKS)} [--base REV] [--pre-push REMOTE URL]"
_HELP = f"""{_USAGE}

Judge what Git is about to commit, or with --pre-push what it is about to push, as its pre-push hook tells on standard
input. Called by hand, judge all that is staged. --base names what counts as published, instead of the upstream.
"""
# Where `eccmem hooks status --run` reads that Git reached us.
_PROBE = "ECCMEM_HOOK_PROBE"
# What pre-commit and prek tell of a push; they have read Git's own lines.
_FROM, _TO = "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"
_BRANCH, _REMOTE = "PRE_COMMIT_LOCAL_BRANCH", "PRE_COMMIT_REMOTE_NAME"


def run() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one check and return an exit code: 0 nothing that blocks, 1 findings, 3 cannot judge."""
    if list(argv) == ["--version"]:
        return say_version("eccmem-hook")
    if list(argv) in (["--help"], ["-h"]):
        return emit(_HELP)
    try:
        return _judge(argv)
    except EccmemError as error:
        warn(as_text.error(error))
        return error.exit_code
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:  # the exit door of hooks: a traceback would end with 1, which means findings
        if os.environ.get(DEBUG) == "1":
            raise
        warn(as_text.error(Bug(error)))
        return ExitCode.BUG


def _judge(argv: Sequence[str]) -> int:
    check, base, remote = _parse(argv)
    _tell_probe(argv)
    repository = repo.locate(Path(os.path.realpath(here())), os.environ, in_hook=True)
    report = _report(repository, base, remote)
    if report is None:
        return ExitCode.OK
    from eccmem import checks  # noqa: PLC0415 - a commit that touches no vault does not need it

    rules = checks.rules_of(CHECKS[check])
    found = report.only(rules)
    warn(as_text.findings(found.findings))
    return found.exit_code()


def _parse(argv: Sequence[str]) -> tuple[str, str | None, str | None]:
    """The check, the base, and the remote of a push (None: no push)."""
    words = list(argv)
    check = words.pop(0) if words else ""
    base = remote = None
    while words:
        word = words.pop(0)
        if word == "--base" and words:
            base = words.pop(0)
        elif word == "--pre-push" and len(words) == 2:  # noqa: PLR2004 - Git gives a name and a URL
            remote, words = words[0], []
        else:
            check = ""
            break
    if check not in CHECKS:
        raise UsageProblem("usage", _USAGE, "name one check")
    return check, base, remote


def _report(repository: Repo, base: str | None, remote: str | None) -> Report | None:
    roots = vault_roots()
    gate = Gate(repo=repository, base=base, moved=moved_vault(roots, repository))
    if remote is not None:
        lines = sys.stdin.read().splitlines() if sys.stdin else []
        return gate.pushed(published.read_pushes(repository, lines), remote)
    names = os.environ
    if tip := names.get(_TO) or names.get(_BRANCH):
        known = revisions.find(repository, names[_FROM]) if names.get(_FROM) else None
        return gate.pushed([Push(revisions.resolve(repository, tip), known)], names.get(_REMOTE, ""))
    # Git names its index to its hooks; without it, a person has called us, to see all that is wrong.
    return gate.staged(names, roots.project, whole="GIT_INDEX_FILE" not in names)


def _tell_probe(argv: Sequence[str]) -> None:
    if path := os.environ.get(_PROBE):
        try:
            with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - as cheap as it can be
                file.write(f"{' '.join(argv)}\n")
        except OSError:
            raise EccmemError("cannot-write-output", "the probe's file cannot be written", "run it again") from None
