"""``eccmem inbox``."""

import os

from eccmem import inbox as waiting
from eccmem import intake, vault
from eccmem.cli import console
from eccmem.cli.context import HARNESS, one, scopes_or_default, vault_roots
from eccmem.cli.options import Harness, Json, Scopes
from eccmem.errors import UsageProblem
from eccmem.model import slug
from eccmem.output import as_text
from eccmem.output import inbox as shown


def inbox(harness: Harness = None, scope: Scopes = None, json: Json = False) -> int:
    """List the hand-offs that wait for a harness, the oldest first.

    Those are active, addressed to it or to all, and not answered.
    """
    asked = harness_or_default(one("--harness", harness))
    snapshot = vault.worktree(vault_roots(), scopes_or_default(scope))
    found = waiting.waiting(snapshot, asked)
    now = intake.utc_now()
    if json:
        return console.emit_json(shown.payload(asked, found, snapshot, now))
    console.warn_all([as_text.incomplete(snapshot)])
    return console.emit(shown.text(asked, found, now))


def harness_or_default(named: str | None) -> str:
    """The harness that was named, else the one of the environment.

    Raises:
        UsageProblem: when there is none, or it cannot be one.
    """
    value = named if named is not None else os.environ.get(HARNESS, "")
    if not value:
        raise UsageProblem("usage", "say who asks: --harness NAME", f"or set {HARNESS}")
    try:
        return slug(value, "--harness" if named is not None else HARNESS)
    except ValueError as error:
        raise UsageProblem("usage", str(error), "see eccmem inbox --help") from None
