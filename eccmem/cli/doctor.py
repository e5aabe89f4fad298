"""``eccmem doctor``."""

import os

from eccmem import doctor as examination
from eccmem import vault
from eccmem.cli import console
from eccmem.cli.context import scopes_or_default, vault_roots
from eccmem.cli.options import Json, Scopes
from eccmem.output import as_json, as_text


def doctor(scope: Scopes = None, json: Json = False) -> int:
    """Report problems, each with its remedy.

    Looks at every memory of the scopes, and at what guards them: Git, folders, worktrees.
    """
    roots = vault_roots()
    snapshot = vault.worktree(roots, scopes_or_default(scope))
    report = examination.examine(snapshot, roots, os.environ)
    if json:
        return console.emit_json(as_json.doctor(report), report.exit_code)
    return console.emit(as_text.doctor(report), report.exit_code)
