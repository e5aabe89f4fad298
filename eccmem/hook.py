"""The thin entry point of Git hooks: no typer, and nothing at all of ours until a commit may touch a vault.

Each check is a word for some rules; what is judged is what Git is about to commit or to push.
"""

from __future__ import annotations

import os
import sys

from eccmem import quick

TYPE_CHECKING = False  # what typing has under this name costs as much as a look of Git
if TYPE_CHECKING:
    from collections.abc import Sequence

    from eccmem.gate import Gate
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

Or: eccmem-hook session-start --help
"""
_INTERRUPTED = 130
_MOVED = "ECC_MEMORY_PROJECT_ROOT"
# Where `eccmem hooks status --run` reads that Git reached us.
_PROBE = "ECCMEM_HOOK_PROBE"
# What pre-commit and prek tell of a push, whose lines from Git they have read, or of a range that was asked for.
_FROM, _TO = "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"
_LOCAL, _THERE, _REMOTE = "PRE_COMMIT_LOCAL_BRANCH", "PRE_COMMIT_REMOTE_BRANCH", "PRE_COMMIT_REMOTE_NAME"


def run() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one check and return an exit code: 0 nothing that blocks, 1 findings, 3 cannot judge."""
    if argv and argv[0] == "session-start":
        from eccmem.cli import session_start  # noqa: PLC0415 - a hook of a harness, not of Git, and no check

        return session_start.main(argv[1:])
    diff = None
    if _is_plain(argv):
        try:
            diff = quick.staged(os.environ)
            if diff is not None and not quick.may_concern_a_vault(diff):
                return 0
        except OSError:
            diff = None  # what follows says so
        except KeyboardInterrupt:
            return _INTERRUPTED
    return _main(argv, diff)


def _is_plain(argv: Sequence[str]) -> bool:
    """Whether this is a check of an ordinary commit."""
    others = (_MOVED, _PROBE, _TO, _LOCAL)
    return len(argv) == 1 and argv[0] in CHECKS and quick.INDEX in os.environ and not any(map(os.environ.get, others))


def _main(argv: Sequence[str], diff: bytes | None) -> int:
    from eccmem.cli import say_version  # noqa: PLC0415 - from here on, a vault may be touched
    from eccmem.cli.console import DEBUG, emit, warn  # noqa: PLC0415
    from eccmem.errors import Bug, EccmemError, ExitCode  # noqa: PLC0415
    from eccmem.output import as_text  # noqa: PLC0415

    try:
        if list(argv) == ["--version"]:
            return say_version("eccmem-hook")
        if list(argv) in (["--help"], ["-h"]):
            return emit(_HELP)
        return _judge(argv, diff)
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


def _judge(argv: Sequence[str], diff: bytes | None) -> int:
    from eccmem import checks, lowered  # noqa: PLC0415 - as above
    from eccmem.checks import contract  # noqa: PLC0415
    from eccmem.cli.console import warn  # noqa: PLC0415
    from eccmem.cli.context import repository_here  # noqa: PLC0415
    from eccmem.output import as_text  # noqa: PLC0415

    lowered.lower(os.environ)
    check, base, remote = _parse(argv)
    _tell_probe(argv)
    repository = repository_here(in_hook=True)
    report = _report(repository, base, remote, diff)
    if report is None:
        return 0
    # Why not all was seen is said with every word: it is why the hook ends with 3.
    found = report.only(checks.rules_of(CHECKS[check]) | {contract.CUT_SHORT})
    warn(as_text.findings(found.findings))
    return found.exit_code()


def _parse(argv: Sequence[str]) -> tuple[str, str | None, str | None]:
    """The check, the base, and the remote of a push (None: no push)."""
    from eccmem.errors import UsageProblem  # noqa: PLC0415 - as above

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


def _report(repository: Repo, base: str | None, remote: str | None, diff: bytes | None) -> Report | None:
    from eccmem.cli.context import moved_vault, vault_roots  # noqa: PLC0415 - as above
    from eccmem.gate import Gate  # noqa: PLC0415

    roots, names = vault_roots(), os.environ
    gate = Gate(repo=repository, base=base, moved=moved_vault(roots, repository))
    if remote is not None or names.get(_TO) or names.get(_LOCAL):
        from eccmem.report import together  # noqa: PLC0415 - a push has time

        pushed = _pushed(gate, remote)
        if remote is not None or quick.INDEX not in names:
            return pushed
        # What a manager says of a push outlives it in what its hooks start: here, Git has called us for a commit.
        staged = gate.staged(names, roots.project, whole=False)
        return together(report for report in (staged, pushed) if report)
    return gate.staged(names, roots.project, whole=quick.INDEX not in names, diff=diff)


def _pushed(gate: Gate, remote: str | None) -> Report | None:
    from eccmem import published, revisions  # noqa: PLC0415 - as above
    from eccmem.errors import EccmemError  # noqa: PLC0415

    names, repository = os.environ, gate.repo
    if remote is not None:
        if sys.stdin is None:
            raise EccmemError("not-a-push", "standard input is closed", "call it from a pre-push hook")
        return gate.pushed(published.read_pushes(repository, sys.stdin.buffer.read(), remote), remote)
    start, tip = names.get(_FROM), names.get(_TO) or names[_LOCAL]
    if start and _REMOTE not in names:  # `pre-commit run --from-ref … --to-ref …`, which is no push
        return gate.ranged(start, tip)
    remote = names.get(_REMOTE, "")
    known = revisions.find(repository, start) if start else None
    push = published.push_of(repository, revisions.resolve(repository, tip), [known], remote, names.get(_THERE, ""))
    return gate.pushed([push], remote)


def _tell_probe(argv: Sequence[str]) -> None:
    if path := os.environ.get(_PROBE):
        from eccmem.errors import EccmemError  # noqa: PLC0415 - as above

        try:
            with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - as cheap as it can be
                file.write(f"{' '.join(argv)}\n")
        except OSError:
            raise EccmemError("cannot-write-output", "the probe's file cannot be written", "run it again") from None
