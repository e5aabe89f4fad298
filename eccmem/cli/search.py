"""``eccmem search``."""

import os
import re
import sys

from eccmem import limits
from eccmem import rerank as reranking
from eccmem import search as searching
from eccmem.cli import console
from eccmem.cli.context import choices, one, scopes_or_default, vault_roots
from eccmem.cli.options import (
    Explain,
    Json,
    Kinds,
    Limit,
    Query,
    Rerank,
    Scopes,
    Since,
    Sources,
    Statuses,
    TargetHarness,
    WithTags,
)
from eccmem.cli.recall import build_wanted, recall
from eccmem.errors import UsageProblem
from eccmem.model import Kind, Status, slug, timestamp
from eccmem.output import as_json, as_text
from eccmem.search import Filters

# The beginning of a time as the format writes it, cut where a person cuts it.
_SINCE = "[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}(:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,3})?)?)?Z?)?)?)?"

_FIRST_MOMENT = "0000-01-01T00:00:00.000Z"


def search(
    query: Query = None,
    scope: Scopes = None,
    target_harness: TargetHarness = None,
    kind: Kinds = None,
    tag: WithTags = None,
    since: Since = None,
    source_harness: Sources = None,
    status: Statuses = None,
    limit: Limit = None,
    rerank: Rerank = None,
    explain: Explain = False,
    json: Json = False,
) -> int:
    """Search active memories, the best first."""
    asked = searching.check_query(" ".join(query or ()))
    harness = one("--target-harness", target_harness)
    filters = Filters(
        kinds=frozenset(choices("--kind", Kind, kind)),
        harness=None if harness is None else _slug("--target-harness", harness),
        tags=tuple(_slug("--tag", value) for value in tag or ()),
        sources=tuple(_slug("--source-harness", value) for value in source_harness or ()),
        since=_since(one("--since", since)),
        statuses=frozenset(choices("--status", Status, status)) or (Status.ACTIVE,),
    )
    most = _limit(one("--limit", limit))
    name = one("--rerank", rerank)
    order = reranking.load(name) if name else None
    roots, scopes = vault_roots(), scopes_or_default(scope)
    recalled = recall(roots, scopes, asked, filters, max(most, reranking.CANDIDATES) if order else most)
    found, snapshot = recalled.found, recalled.snapshot
    if order:
        found = searching.reordered(found, asked, order, most)
    if json:
        code = console.emit_json(as_json.search(asked, found, snapshot, explain=explain))
    else:
        console.warn_all([as_text.incomplete(snapshot)])
        code = console.emit(as_text.search(found, color=_color(), explain=explain))
    build_wanted(roots, recalled)
    return code


def _slug(option: str, value: str) -> str:
    try:
        return slug(value, option)
    except ValueError as error:
        raise UsageProblem("usage", str(error), "see eccmem search --help") from None


def _since(value: str | None) -> str:
    if value is None:
        return ""
    start = value.removesuffix("Z")
    if not re.fullmatch(_SINCE, value) or not _is_moment(start + _FIRST_MOMENT[len(start) :]):
        message = "--since must be a date such as 2026-07-26, or the beginning of a UTC time"
        raise UsageProblem("usage", message, "see eccmem search --help")
    return start


def _is_moment(value: str) -> bool:
    try:
        timestamp(value, "--since")
    except ValueError:
        return False
    return True


def _limit(value: str | None) -> int:
    if value is None:
        return limits.DEFAULT_RESULTS
    if not (value.isascii() and value.isdigit()) or not value.strip("0"):
        raise UsageProblem("usage", f"--limit must be a whole number from 1 to {limits.RESULTS}", "leave it out for 20")
    # Above 100 is 100, as the reference has it; a number of a million digits is not worth converting.
    return min(int(value[:9]), limits.RESULTS)


def _color() -> bool:
    """At a terminal, unless the person said no (https://no-color.org)."""
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
