"""``eccmem retire``."""

from eccmem import intake, vault
from eccmem import read as reading
from eccmem import retire as retirement
from eccmem.cli import console
from eccmem.cli.context import choices, one, required, scopes_or_default, vault_roots
from eccmem.cli.options import As, MemoryId, Scopes
from eccmem.errors import UsageProblem
from eccmem.model import Status


def retire(memory_id: MemoryId = None, to: As = None, scope: Scopes = None) -> int:
    """Print a patch that retires a memory.

    Changes nothing itself.

    Apply it with `| git apply` at the top of the checkout, or, for the user scope, with `| patch -p1 -d ~`.
    """
    wanted = reading.check_id(required("ID", memory_id))
    required("--as", to)
    one("--as", to)
    (status,) = choices("--as", Status, to)
    if status is Status.ACTIVE:
        raise UsageProblem(
            "usage", "--as must be superseded or rejected: nothing makes a memory active again", "see --help"
        )
    found = reading.read(vault.worktree(vault_roots(), scopes_or_default(scope)), wanted)
    return console.emit_bytes(retirement.patch(found.stored, status, intake.utc_now()))
