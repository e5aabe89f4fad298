"""The thin entry point of Git hooks: no typer, so that a commit does not wait for imports.

Each check is a word; what is judged is the index that Git is about to commit.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from eccmem import repo
from eccmem.checks.guard import tracked_private
from eccmem.cli import say_version
from eccmem.cli.console import DEBUG
from eccmem.cli.context import here, vault_roots
from eccmem.errors import Bug, EccmemError, ExitCode, UsageProblem
from eccmem.finding import Finding, by_place
from eccmem.output import as_text
from eccmem.repo import Repo


def _guard(repository: Repo) -> Iterable[Finding]:
    """No file of a private scope may be committed, also where an override moved the scope."""
    inside = repository.inside(vault_roots().project.real_path)
    return tracked_private(repository.tracked(), f"{inside}/" if inside else "")


CHECKS: dict[str, Callable[[Repo], Iterable[Finding]]] = {"guard": _guard}


def run() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run one check on the index and return an exit code: 0 nothing found, 1 findings, 3 cannot judge."""
    if list(argv) == ["--version"]:
        return say_version("eccmem-hook")
    try:
        found = _judge(argv)
    except EccmemError as error:
        sys.stderr.write(as_text.error(error))
        return error.exit_code
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:  # the exit door of hooks: a traceback would end with 1, which means findings
        if os.environ.get(DEBUG) == "1":
            raise
        sys.stderr.write(as_text.error(Bug(error)))
        return ExitCode.BUG
    sys.stderr.write(as_text.findings(found))
    return ExitCode.FINDINGS if found else ExitCode.OK


def _judge(argv: Sequence[str]) -> tuple[Finding, ...]:
    if len(argv) != 1 or argv[0] not in CHECKS:
        raise UsageProblem("usage", f"usage: eccmem-hook {'|'.join(CHECKS)}", "name one check")
    return by_place(CHECKS[argv[0]](_repository()))


def _repository() -> Repo:
    found = repo.enclosing(Path(os.path.realpath(here())))
    if found is None:
        raise EccmemError("not-a-repository", "there is no usable Git repository here", "run it inside a checkout")
    return Repo(found[0], os.environ, in_hook=True)
