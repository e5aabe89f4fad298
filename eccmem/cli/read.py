"""``eccmem read``."""

import os
from pathlib import Path

from eccmem import read as reading
from eccmem import standing, vault
from eccmem.cli import console
from eccmem.cli.context import here, required, scopes_or_default, vault_roots
from eccmem.cli.options import Json, MemoryId, Scopes, WithHistory
from eccmem.errors import EccmemError
from eccmem.model import Kind, Scope
from eccmem.output import as_json, as_text, moves
from eccmem.roots import VaultRoots
from eccmem.standing import Moved, Standing
from eccmem.vault import Stored


def read(memory_id: MemoryId = None, scope: Scopes = None, history: WithHistory = False, json: Json = False) -> int:
    """Read one memory by its id."""
    wanted = reading.check_id(required("ID", memory_id))
    roots = vault_roots()
    found = reading.read(vault.worktree(roots, scopes_or_default(scope)), wanted)
    lines, fields = _history(roots, found.stored, json=json) if history else ([], {})
    written_at = standing.of(found.stored.memory.body) if found.stored.memory.kind is Kind.HANDOFF else Standing()
    moved = _moved(written_at.head) if written_at.head else None
    if json:
        return console.emit_json(as_json.read(found) | moves.payload(written_at, moved) | fields)
    return console.emit(as_text.read(found, [*moves.told(written_at, moved), *lines]))


def _moved(head: str) -> Moved | None:
    """How far the repository has moved since; None where that cannot be told, which must not stop a read."""
    repository = standing.repository(Path(os.path.realpath(here())), os.environ)
    try:
        return standing.since(repository, head) if repository else None
    except EccmemError:
        return None


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
