"""``eccmem adopt``."""

import os
from pathlib import Path

from eccmem import adopt as adoption
from eccmem.cli import console
from eccmem.cli.context import here, refuse_dry_run, required, vault_roots
from eccmem.cli.options import Json, Worktree
from eccmem.errors import ExitCode, UsageProblem
from eccmem.output import adopted
from eccmem.roots import PROJECT_OVERRIDE


def adopt(path: Worktree = None, json: Json = False) -> int:
    """Copy private memories of another worktree into this one.

    `git worktree remove` deletes them without asking. Nothing is replaced, and the other worktree stays as it is.
    """
    named = required("PATH", path)
    refuse_dry_run("adopt")
    if os.environ.get(PROJECT_OVERRIDE):
        raise UsageProblem("usage", f"with {PROJECT_OVERRIDE} no vault lies in a worktree", f"unset {PROJECT_OVERRIDE}")
    roots = vault_roots()
    source = adoption.source_of(here() / Path(named), roots)
    done = adoption.adopt(source, roots)
    console.warn_all(done.warnings)
    code = ExitCode.FINDINGS if done.left else ExitCode.OK
    if json:
        return console.emit_json(adopted.payload(done), code)
    return console.emit(adopted.text(done, adoption.named(source.base, here())), code)
