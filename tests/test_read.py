"""Reading by id: exact or not at all."""

import os
from pathlib import Path

import pytest

from builders import memory, put
from conftest import Save
from eccmem import read, vault
from eccmem.errors import EccmemError, Refused
from eccmem.model import DEFAULT_SCOPES, Scope, Status
from eccmem.roots import VaultRoots


def look(roots: VaultRoots, wanted: str, *scopes: Scope, harness: str | None = None) -> read.Reading:
    return read.read(vault.worktree(roots, scopes or DEFAULT_SCOPES), wanted, harness)


@pytest.mark.parametrize("status", Status)
def test_any_status_is_read(status: Status, vault: VaultRoots, checkout: Path) -> None:
    """Search hides retired memories; a read by id does not."""
    put(checkout, memory("mem_one", status=status))

    assert look(vault, "mem_one").stored.memory.status is status


def test_backlinks_are_active_memories_of_the_scopes(vault: VaultRoots, checkout: Path) -> None:
    """Who links here, sorted by id; retired ones do not count."""
    put(checkout, memory("mem_one"))
    put(checkout, memory("mem_z_team", scope=Scope.TEAM, links=("mem_one",)))
    put(checkout, memory("mem_aaa", links=("mem_one",)))
    put(checkout, memory("mem_old", links=("mem_one",), status=Status.SUPERSEDED))

    assert [item.id for item in look(vault, "mem_one").backlinks] == ["mem_aaa", "mem_z_team"]


def test_backlinks_are_filtered_before_they_are_capped(vault: VaultRoots, checkout: Path) -> None:
    """A harness sees only what is addressed to it, and how much of that was cut."""
    put(checkout, memory("mem_one"))
    for number in range(102):
        put(checkout, memory(f"mem_a{number:03}", links=("mem_one",), target_harnesses=("codex",)))
    put(checkout, memory("mem_zzz", links=("mem_one",)))

    everyone = look(vault, "mem_one")
    assert (len(everyone.backlinks), everyone.backlinks_truncated) == (100, True)
    claude = look(vault, "mem_one", harness="claude")
    assert ([item.id for item in claude.backlinks], claude.backlinks_truncated) == (["mem_zzz"], False)


def test_the_user_scope_is_read_only_when_named(save: Save, vault: VaultRoots) -> None:
    """Default scopes are project and team."""
    item = save(scope="user").memory

    with pytest.raises(Refused, match="is not in these scopes: project, team"):
        look(vault, item.id)
    assert look(vault, item.id, Scope.USER).stored.memory == item


def test_a_duplicate_is_not_chosen_from(vault: VaultRoots, checkout: Path) -> None:
    """Two files with one id: neither is shown."""
    put(checkout, memory("mem_two"))
    put(checkout, memory("mem_two", scope=Scope.TEAM))

    with pytest.raises(Refused, match="is in 2 files"):
        look(vault, "mem_two")


def test_a_memory_for_another_harness_is_absent(vault: VaultRoots, checkout: Path) -> None:
    """Routing: not addressed, not found."""
    put(checkout, memory("mem_one", target_harnesses=("codex",)))

    with pytest.raises(Refused, match="mem_one is not in"):
        look(vault, "mem_one", harness="claude")


@pytest.mark.parametrize("wanted", ["mem_one", "mem_absent"])
@pytest.mark.parametrize("damage", ["malformed", "secret", "misplaced", "symlink", "deep", "pipe"])
def test_an_incomplete_vault_claims_nothing(wanted: str, damage: str, vault: VaultRoots, checkout: Path) -> None:
    """Before absence, uniqueness or backlinks are claimed, all must have been seen and be valid."""
    put(checkout, memory("mem_one"))
    notes = checkout / ".ecc/memory/project/notes"
    if damage == "malformed":
        (notes / "bad.md").write_text("not a memory with words of its own")
    elif damage == "secret":
        put(checkout, memory("mem_secret", body="AKIA" + "TEST" * 4))
    elif damage == "misplaced":
        put(checkout, memory("mem_lost")).rename(checkout / ".ecc/memory/project/lost.md")
    elif damage == "symlink":
        (notes / "link.md").symlink_to(notes / "mem_one.md")
    elif damage == "deep":
        (notes / "/".join("123456789")).mkdir(parents=True)
    else:
        os.mkfifo(notes / "pipe.md")

    with pytest.raises(EccmemError) as caught:
        look(vault, wanted)

    assert caught.value.slug == "ECC_MEMORY_INCOMPLETE"
    assert "eccmem doctor" in caught.value.hint
    assert "words of its own" not in caught.value.message
    assert str(checkout) not in caught.value.message
    if damage != "deep":
        assert ".ecc/memory/project/" in caught.value.message


@pytest.mark.parametrize("wanted", ["", "x", "../../etc/passwd", "mem_../x", "mem_" + "a" * 200])
def test_an_impossible_id_is_refused(wanted: str) -> None:
    """No path is ever made of it."""
    with pytest.raises(Refused) as caught:
        read.check_id(wanted)
    assert caught.value.slug == "bad-id"
