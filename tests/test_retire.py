"""The retire patch: applied by the tools that people have, it changes two lines and nothing else."""

import shutil
import subprocess
from pathlib import Path

import pytest

from builders import memory, put
from eccmem import document, read, retire, vault
from eccmem.document import serialize
from eccmem.errors import EccmemError, Refused
from eccmem.model import DEFAULT_SCOPES, Scope, Status
from eccmem.roots import VaultRoots, resolve

NOW = "2026-11-30T12:00:00.000Z"


def patch(roots: VaultRoots, wanted: str, *scopes: Scope, status: Status = Status.SUPERSEDED) -> bytes:
    found = read.read(vault.worktree(roots, scopes or DEFAULT_SCOPES), wanted)
    return retire.patch(found.stored, status, NOW)


def apply(folder: Path, data: bytes, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


CANONICAL = serialize(memory("mem_old", body="one\n\ttwo ünï\n\nthree"))
LINES = CANONICAL.split(b"\n")


@pytest.mark.parametrize(
    "data",
    [
        CANONICAL,
        CANONICAL.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + CANONICAL,
        CANONICAL.rstrip(b"\n"),
        serialize(memory("mem_old", body="x")).rstrip(b"\n"),
        CANONICAL.replace(b'status: "active"', 'status\u00a0:\t\u00a0"\\u0061ctive"  '.encode()),
        # The two lines last, right above a short body without a final newline.
        b"\n".join([*LINES[:7], *LINES[8:13], LINES[7], LINES[13], b"---", b"x"]),
        # The two lines far apart: two hunks.
        b"\n".join([LINES[0], LINES[13], *LINES[1:13], *LINES[14:]]),
    ],
    ids=["canonical", "crlf", "bom", "no-final-newline", "short", "odd-spaces", "at-the-end", "two-hunks"],
)
@pytest.mark.parametrize("scope", ["project", "team"])
def test_git_apply_changes_only_status_and_updated_at(
    data: bytes, scope: str, vault: VaultRoots, checkout: Path
) -> None:
    """Whatever the file's form, every other byte stays."""
    path = checkout / f".ecc/memory/{scope}/notes/mem_old.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(data.replace(b'"project"', f'"{scope}"'.encode()))
    before = path.read_bytes()

    apply(checkout, patch(vault, "mem_old"), "git", "apply")

    after = path.read_bytes()
    changed = [(old, new) for old, new in zip(before.split(b"\n"), after.split(b"\n"), strict=True) if old != new]
    assert len(changed) == 2
    assert document.parse(after).status is Status.SUPERSEDED
    assert document.parse(after).updated_at == NOW
    assert after.replace(b"superseded", b"").count(b"\r") == before.count(b"\r")


@pytest.mark.skipif(not shutil.which("patch"), reason="the patch program is not installed")
def test_patch_applies_in_the_home_folder(vault: VaultRoots, home: Path) -> None:
    """The user scope is in no repository: ``patch -p1`` takes the same text."""
    path = put(home, memory("mem_old", scope=Scope.USER))

    apply(home, patch(vault, "mem_old", Scope.USER, status=Status.REJECTED), "patch", "-p1", "--quiet")

    assert document.parse(path.read_bytes()).status is Status.REJECTED


def test_a_patch_is_relative_to_an_override(checkout: Path, home: Path, tmp_path: Path) -> None:
    """A vault outside of the repository is patched from its own folder."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    roots = resolve(checkout, {"ECC_MEMORY_PROJECT_ROOT": str(elsewhere)}, home)
    path = elsewhere / "team/notes/mem_old.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(serialize(memory("mem_old", scope=Scope.TEAM)))

    apply(elsewhere, patch(roots, "mem_old"), "git", "apply", "-p1")

    assert document.parse(path.read_bytes()).status is Status.SUPERSEDED


@pytest.mark.parametrize(
    "name", ["odd name.md", 'quo"te.md', "ünï.md", "back\\slash.md", "tab\there.md", "new\nline.md"]
)
def test_odd_file_names_are_quoted_as_git_does(name: str, vault: VaultRoots, checkout: Path) -> None:
    """A name arrives by pull, too."""
    path = put(checkout, memory("mem_old"), name)

    apply(checkout, patch(vault, "mem_old"), "git", "apply")

    assert document.parse(path.read_bytes()).status is Status.SUPERSEDED


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.REJECTED])
def test_a_retired_memory_is_not_retired_again(status: Status, vault: VaultRoots, checkout: Path) -> None:
    """Only active memories can be retired."""
    put(checkout, memory("mem_old", status=status))

    with pytest.raises(Refused, match="already"):
        patch(vault, "mem_old")


def test_nothing_is_changed_by_making_a_patch(vault: VaultRoots, checkout: Path) -> None:
    """The file and its times stay."""
    path = put(checkout, memory("mem_old"))
    before = (path.read_bytes(), path.stat().st_mtime_ns)

    patch(vault, "mem_old")

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


@pytest.mark.parametrize("change", ["edited", "deleted", "linked", "folder-linked"])
def test_a_file_that_changes_meanwhile_gives_no_patch(change: str, vault: VaultRoots, checkout: Path) -> None:
    """The lines were found in what was read before; a patch is made only if they still hold."""
    path = put(checkout, memory("mem_old"))
    found = read.read(_snapshot(vault), "mem_old")
    if change == "edited":
        path.write_bytes(serialize(memory("mem_old", body="Other.")))
    elif change == "deleted":
        path.unlink()
    elif change == "linked":
        path.rename(checkout / "elsewhere.md")
        path.symlink_to(checkout / "elsewhere.md")
    else:
        path.parent.rename(checkout / "elsewhere")
        path.parent.symlink_to(checkout / "elsewhere")

    with pytest.raises(EccmemError, match="changed meanwhile"):
        retire.patch(found.stored, Status.REJECTED, NOW)


def _snapshot(roots: VaultRoots) -> vault.Snapshot:
    return vault.worktree(roots, DEFAULT_SCOPES)
