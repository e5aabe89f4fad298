"""``eccmem read``."""

import os
from pathlib import Path

from eccmem import read as reading
from eccmem import vault
from eccmem.cli import console
from eccmem.cli.context import here, required, scopes_or_default, vault_roots
from eccmem.cli.options import Json, MemoryId, Scopes, WithHistory
from eccmem.model import Kind, Memory, Scope
from eccmem.output import as_json, as_text
from eccmem.roots import VaultRoots
from eccmem.vault import Stored


def read(memory_id: MemoryId = None, scope: Scopes = None, history: WithHistory = False, json: Json = False) -> int:
    """Read one memory by its id."""
    wanted = reading.check_id(required("ID", memory_id))
    roots = vault_roots()
    found = reading.read(vault.worktree(roots, scopes_or_default(scope)), wanted)
    lines, fields = _history(roots, found.stored, json=json) if history else ([], {})
    if found.stored.memory.kind is Kind.HANDOFF:
        told, payload = _written_at(found.stored.memory)
        lines, fields = [*told, *lines], payload | fields
    if json:
        return console.emit_json(as_json.read(found) | fields)
    return console.emit(as_text.read(found, lines))


def _written_at(memory: Memory) -> tuple[list[str], dict[str, object]]:
    """Where the repository stood when a hand-off was written, and how far it has moved, for people and programs."""
    from eccmem import standing  # noqa: PLC0415 - other memories do not wait for what asks Git
    from eccmem.output import moves  # noqa: PLC0415 - as above

    written_at, moved = standing.told(memory.body, Path(os.path.realpath(here())), os.environ)
    return moves.told(written_at, moved), moves.payload(written_at, moved)


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
