"""``eccmem search``."""

from eccmem import limits, vault
from eccmem import search as ranking
from eccmem.cli import console
from eccmem.cli.context import choices, one, scopes_or_default, vault_roots
from eccmem.cli.options import Json, Kinds, Limit, Query, Scopes, TargetHarness
from eccmem.errors import UsageProblem
from eccmem.model import Kind, slug
from eccmem.output import as_json, as_text
from eccmem.search import Filters


def search(
    query: Query = None,
    scope: Scopes = None,
    target_harness: TargetHarness = None,
    kind: Kinds = None,
    limit: Limit = None,
    json: Json = False,
) -> int:
    """Search active memories, the best first."""
    asked = ranking.check_query(" ".join(query or ()))
    filters = Filters(frozenset(choices("--kind", Kind, kind)), _harness(one("--target-harness", target_harness)))
    most = _limit(one("--limit", limit))
    snapshot = vault.worktree(vault_roots(), scopes_or_default(scope))
    hits = ranking.search(snapshot, asked, filters, most)
    if json:
        return console.emit_json(as_json.search(asked, hits, snapshot))
    console.warn_all([as_text.incomplete(snapshot)])
    return console.emit(as_text.search(hits))


def _harness(value: str | None) -> str | None:
    try:
        return None if value is None else slug(value, "--target-harness")
    except ValueError as error:
        raise UsageProblem("usage", str(error), "name a harness, such as claude") from None


def _limit(value: str | None) -> int:
    if value is None:
        return limits.DEFAULT_RESULTS
    if not (value.isascii() and value.isdigit()) or not value.strip("0"):
        raise UsageProblem("usage", f"--limit must be a whole number from 1 to {limits.RESULTS}", "leave it out for 20")
    # Above 100 is 100, as the reference has it; a number of a million digits is not worth converting.
    return min(int(value[:9]), limits.RESULTS)
