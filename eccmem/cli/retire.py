"""``eccmem retire``."""

from enum import StrEnum
from typing import Annotated

import typer

from eccmem import intake, vault
from eccmem import read as reading
from eccmem import retire as retirement
from eccmem.cli import console
from eccmem.cli.context import required, scopes_or_default, vault_roots
from eccmem.cli.options import MemoryIds, Scopes
from eccmem.model import Status


class Retired(StrEnum):
    """What a memory can become."""

    SUPERSEDED = Status.SUPERSEDED.value
    REJECTED = Status.REJECTED.value


As = Annotated[list[Retired] | None, typer.Option("--as", help="What it becomes; required.")]


def retire(memory_id: MemoryIds, to: As = None, scope: Scopes = None) -> int:
    """Print a patch that retires a memory.

    Changes nothing itself.

    Apply it with `| git apply` at the top of the checkout, or, for the user scope, with `| patch -p1 -d ~`.
    """
    wanted = reading.check_id(required("ID", memory_id))
    status = Status(required("--as", to or ()))
    found = reading.read(vault.worktree(vault_roots(), scopes_or_default(scope or ())), wanted)
    return console.emit_bytes(retirement.patch(found.stored, status, intake.utc_now()))
