"""``eccmem index``."""

from typing import Annotated

from eccmem import recall as recalling
from eccmem.cache import NoCache
from eccmem.cli import console
from eccmem.cli import recall as recall_here
from eccmem.cli.context import refuse_dry_run, required, scopes_or_default, vault_roots
from eccmem.cli.options import Argument, Json, Scopes, Values
from eccmem.errors import EccmemError, ExitCode, UsageProblem
from eccmem.index_store import Damaged
from eccmem.model import Scope
from eccmem.roots import VaultRoots

VERBS = ("status", "rebuild", "drop")
Verb = Annotated[Values, Argument("|".join(VERBS), "Say how it is, build it now, or delete it.")]
Row = dict[str, object]


def index(verb: Verb = None, scope: Scopes = None, json: Json = False) -> int:
    """Look after the search index.

    It is a cache outside of the repository that large vaults are searched with; deleting it loses nothing.
    """
    asked = required("status, rebuild or drop", verb)
    if asked not in VERBS:
        raise UsageProblem("usage", f"say what to do with the index: {', '.join(VERBS)}", "see --help")
    roots, scopes = vault_roots(), scopes_or_default(scope)
    if asked != "status":
        refuse_dry_run(f"index {asked}")
    if asked == "rebuild" and (why := recall_here.build(roots, scopes)):
        raise EccmemError("no-index", f"the index cannot be built: {why}", "searches scan without one")
    rows = [_drop(roots, each) if asked == "drop" else _status(roots, each) for each in scopes]
    if json:
        return console.emit_json({"schemaVersion": "eccmem.index.v1", "action": asked, "scopes": rows})
    return console.emit("".join(f"{_line(row)}\n" for row in rows), ExitCode.OK)


def _drop(roots: VaultRoots, scope: Scope) -> Row:
    try:
        home = recall_here.cache_home(roots)
        file = home.file_of(roots.of(scope))
    except NoCache as reason:
        return {"scope": scope, "dropped": False, "why": str(reason)}
    if home.drop(file):
        return {"scope": scope, "dropped": True, "why": ""}
    return {"scope": scope, "dropped": False, "why": "there is none that is ours to delete"}


def _status(roots: VaultRoots, scope: Scope) -> Row:
    """Never a personal path: the file is named relative to the cache home."""
    row: Row = {"scope": scope, "file": None, "bytes": 0, "files": 0, "memories": 0, "changed": 0, "why": ""}
    try:
        home = recall_here.cache_home(roots)
        file = home.file_of(roots.of(scope))
        row |= {"bytes": home.present(file), "file": f"{home.folder.name}/{file.name}"}
        found, changed = recalling.changed(roots, scope, home)
        row |= {"files": found.files, "memories": found.count, "changed": len(changed)}
    except NoCache as reason:
        row["why"] = str(reason)
    except Damaged as reason:
        row["why"] = f"not usable, and will be replaced: {reason}"
    except OSError:
        row["why"] = "the cache file cannot be read"
    return row


def _line(row: Row) -> str:
    if row.get("dropped"):
        return f"{row['scope']}: dropped"
    if row["why"]:
        return f"{row['scope']}: no index ({row['why']})"
    changed = f"{row['changed']} changed since" if row["changed"] else "fresh"
    return (
        f"{row['scope']}: {row['file']}, {row['files']} files, {row['memories']} memories, "
        f"{row['bytes']} bytes, {changed}"
    )
