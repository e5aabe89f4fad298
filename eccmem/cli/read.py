"""``eccmem read``."""

from eccmem import read as reading
from eccmem import vault
from eccmem.cli import console
from eccmem.cli.context import required, scopes_or_default, vault_roots
from eccmem.cli.options import Json, MemoryId, Scopes
from eccmem.output import as_json, as_text


def read(memory_id: MemoryId = None, scope: Scopes = None, json: Json = False) -> int:
    """Read one memory by its id."""
    wanted = reading.check_id(required("ID", memory_id))
    found = reading.read(vault.worktree(vault_roots(), scopes_or_default(scope)), wanted)
    return console.emit_json(as_json.read(found)) if json else console.emit(as_text.read(found))
