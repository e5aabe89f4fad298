"""``eccmem log``."""

from eccmem import log as logbook
from eccmem import read as reading
from eccmem import vault
from eccmem.cli import console
from eccmem.cli.context import required, vault_roots
from eccmem.cli.history import log_of
from eccmem.cli.options import Json, MemoryId
from eccmem.model import DEFAULT_SCOPES
from eccmem.output import history


def log(memory_id: MemoryId = None, json: Json = False) -> int:
    """Show what commits did to a team memory.

    The newest first; who wrote a commit and when is what the commit claims.
    """
    wanted = reading.check_id(required("ID", memory_id))
    roots = vault_roots()
    found = log_of(roots, wanted)
    if not found.lineage.events:
        raise logbook.nothing(found, vault.worktree(roots, DEFAULT_SCOPES))
    return console.emit_json(history.payload(found)) if json else console.emit(history.text(found))
