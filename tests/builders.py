"""One obvious way to make each value that tests need."""

from dataclasses import replace
from pathlib import Path

from eccmem.document import serialize
from eccmem.model import Kind, Memory, Scope, Status

MEMORY = Memory(
    id="mem_20260726_01kexample",
    title="A title",
    kind=Kind.NOTE,
    scope=Scope.PROJECT,
    status=Status.ACTIVE,
    source_harness="codex",
    target_harnesses=("all",),
    tags=(),
    links=(),
    created_at="2026-07-26T20:00:00.000Z",
    updated_at="2026-07-26T20:00:00.000Z",
    body="A body.",
)


def memory(memory_id: str = MEMORY.id, **changes: object) -> Memory:
    """A valid memory, with changes."""
    return replace(MEMORY, id=memory_id, **changes)


def put(checkout: Path, item: Memory, name: str | None = None) -> Path:
    """Write a memory where it belongs, as another tool would; return the path."""
    folder = checkout / ".ecc/memory" / item.scope / item.kind.folder
    if item.scope is Scope.USER:
        folder = checkout / ".ecc/memory" / item.kind.folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"{item.id}.md")
    path.write_bytes(serialize(item))
    return path


def fake_value() -> str:
    """A made-up value without a shape of its own, which is likely to be a secret by its name alone."""
    return "2dH5s-kP8nV-3tR0x-wL7qZ"[::-1]


def fake_key() -> str:
    """A made-up credential in the shape of a real one, put together at run time."""
    return "AKIA" + "TEST" * 4
