"""``eccmem read``."""

from eccmem import read as reading
from eccmem import vault
from eccmem.cli import console
from eccmem.cli.context import required, scopes_or_default, vault_roots
from eccmem.cli.options import Json, MemoryId, Scopes, WithHistory
from eccmem.model import Scope
from eccmem.output import as_json, as_text
from eccmem.roots import VaultRoots
from eccmem.vault import Stored


def read(memory_id: MemoryId = None, scope: Scopes = None, history: WithHistory = False, json: Json = False) -> int:
    """Read one memory by its id."""
    wanted = reading.check_id(required("ID", memory_id))
    roots = vault_roots()
    found = reading.read(vault.worktree(roots, scopes_or_default(scope)), wanted)
    lines, fields = _history(roots, found.stored, json=json) if history else ([], {})
    if json:
        return console.emit_json(as_json.read(found) | fields)
    return console.emit(as_text.read(found, lines))


def _history(roots: VaultRoots, stored: Stored, *, json: bool) -> tuple[list[str], dict[str, object]]:
    """What the commits tell, for people or for programs."""
    from eccmem import provenance  # noqa: PLC0415 - only those who ask for it wait for it
    from eccmem.cli.history import log_of  # noqa: PLC0415
    from eccmem.output import history  # noqa: PLC0415

    log, found = None, None
    if stored.memory.scope is Scope.TEAM:
        log = log_of(roots, stored.memory.id)
        found = provenance.trace(log.lineage, stored.memory)
    return ([], {"history": history.told_payload(log, found)}) if json else (history.told(log, found), {})
