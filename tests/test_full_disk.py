"""No room, no right to write, no folder any more: a clear error, nothing half-written, and a later save works."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import git
from eccmem import files, guard, roots, tree
from eccmem.files import Folder
from eccmem.roots import VaultRoots
from hardship import Outcome, broken_files, common_ground, give_away, in_child, try_save

try:
    import resource
except ImportError:
    resource = None

LONG = {"title": "A long one", "body": "Long enough for no limit below to take it whole.\n" * 40}
PROJECT = Path(".ecc") / "memory" / "project"

pytestmark = pytest.mark.skipif(resource is None, reason="no limits and no mounts here")


def assert_clear(outcome: Outcome, checkout: Path, *names: str) -> None:
    """The error says which vault path, what to do, and no path of the machine."""
    assert outcome.slug == "cannot-write", outcome
    assert any(f"cannot write {name}" in outcome.message for name in names), outcome
    for private in (str(checkout), str(checkout.parent), str(Path.home())):
        assert private not in outcome.message
    assert "/proc" not in outcome.message


def assert_nothing_broken(checkout: Path, memories: int) -> None:
    """What is there is whole: so many memories, the guard or none, no litter."""
    vault = checkout / ".ecc"
    assert not broken_files(vault)
    assert len(list(vault.rglob("*.md"))) == memories
    if (path := checkout / PROJECT / guard.NAME).exists():
        assert path.read_bytes() == guard.CONTENT


def limited(size: int, work: Callable[[], Outcome]) -> Outcome:
    """Work in a child whose files may not grow beyond a size."""

    def in_there() -> Outcome:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return work()

    return in_child(in_there)


# --- A limit on the size of files -----------------------------------------------------------------------------


@pytest.mark.parametrize("unnamed", [True, False], ids=["unnamed files", "named files"])
@pytest.mark.parametrize("size", [0, 10, 200])
def test_a_file_size_limit_in_an_empty_vault(
    vault: VaultRoots, checkout: Path, size: int, unnamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the guard nor a memory is half-written; when the limit is gone, the same save works."""
    if not unnamed:
        monkeypatch.setattr(files, "_UNNAMED", 0)
    exclude = (checkout / ".git" / "info" / "exclude").read_bytes()
    outcome = limited(size, lambda: try_save(vault, **LONG))
    if size < len(guard.CONTENT):
        assert_clear(outcome, checkout, ".ecc/memory/project/.gitignore")
    else:
        assert_clear(outcome, checkout, ".ecc/memory/project/notes/mem_")
    assert "limit" in outcome.message
    assert_nothing_broken(checkout, memories=0)
    assert (checkout / ".git" / "info" / "exclude").read_bytes() == exclude

    later = try_save(vault, **LONG)
    assert later.id
    assert later.warnings == ()
    assert_nothing_broken(checkout, memories=1)
    assert guard.exclude_is_set(*guard.exclude_lines(vault.project))


@pytest.mark.parametrize("size", [0, 10, 200])
def test_a_file_size_limit_in_a_vault_that_is_used(vault: VaultRoots, checkout: Path, size: int) -> None:
    """What was saved before stays as it was."""
    first = try_save(vault)
    kept = (checkout / PROJECT / "notes" / f"{first.id}.md").read_bytes()
    outcome = limited(size, lambda: try_save(vault, **LONG))
    assert_clear(outcome, checkout, ".ecc/memory/project/")
    assert_nothing_broken(checkout, memories=1)
    assert (checkout / PROJECT / "notes" / f"{first.id}.md").read_bytes() == kept
    assert try_save(vault, **LONG).id


def test_no_half_pattern_in_the_exclude_file(vault: VaultRoots, checkout: Path) -> None:
    """A limit that cuts the added lines in two leaves the file as it was, with a warning; the memory is saved."""
    exclude = checkout / ".git" / "info" / "exclude"
    exclude.write_bytes(b"# " + b"x" * 700 + b"\n")
    before = exclude.read_bytes()
    outcome = limited(len(before) + 20, lambda: try_save(vault))
    assert outcome.id
    assert "info/exclude" in outcome.warnings[0]
    assert exclude.read_bytes() == before
    assert try_save(vault, **LONG).warnings == ()
    assert exclude.read_bytes().startswith(before)


@pytest.mark.parametrize("size", [0, 10, 200])
def test_a_file_size_limit_in_the_other_scopes(vault: VaultRoots, checkout: Path, home: Path, size: int) -> None:
    """The user's scope is named by its word, never by the home folder's path."""
    team = limited(size, lambda: try_save(vault, scope="team", **LONG))
    assert_clear(team, checkout, ".ecc/memory/team/notes/mem_")
    user = limited(size, lambda: try_save(vault, scope="user", **LONG))
    assert_clear(user, checkout, "user:notes/mem_")
    assert not [path for folder in (checkout / ".ecc", home) for path in folder.rglob("*") if path.is_file()]


# --- A full or read-only file system --------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB with few inodes, where mounting is allowed."""
    mount = shutil.which("mount")
    place = tmp_path / "disk"
    place.mkdir()
    options = "size=64k,nr_inodes=200,mode=755"
    if not mount or subprocess.run([mount, "-t", "tmpfs", "-o", options, "none", place], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill(place: Path, leave: int = 0) -> Path:
    """Use up all room but some bytes."""
    path = place / "filler"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    os.truncate(path, path.stat().st_size - leave)
    return path


@pytest.mark.parametrize("unnamed", [True, False], ids=["unnamed files", "named files"])
@pytest.mark.parametrize(
    ("pages", "stopped_at"), list(enumerate([".gitignore", "notes/.gitignore", "notes/mem_", "notes/mem_"]))
)
def test_a_full_disk(
    small_disk: Path, home: Path, pages: int, stopped_at: str, unnamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for nothing, for one guard, for both, or for half of the memory too: whole files or none."""
    if not unnamed:
        monkeypatch.setattr(files, "_UNNAMED", 0)
    vault = roots.resolve(small_disk, {}, home)
    body = {"title": "Three blocks", "body": "Too long for one block.\n" * 400}
    filler = fill(small_disk, pages * 4096)
    outcome = try_save(vault, **body)
    assert_clear(outcome, small_disk, f".ecc/memory/project/{stopped_at}")
    assert "full" in outcome.message
    assert_nothing_broken(small_disk, memories=0)
    filler.unlink()
    assert try_save(vault, **body).id
    assert_nothing_broken(small_disk, memories=1)


def test_a_disk_without_inodes(small_disk: Path, home: Path) -> None:
    """Not even a folder can be made: the same clear error, naming the scope."""
    vault = roots.resolve(small_disk, {}, home)
    made = [small_disk / f"{number}" for number in range(1000)]
    with suppress(OSError):
        for path in made:
            path.touch()
    assert not made[-1].exists()
    outcome = try_save(vault)
    assert_clear(outcome, small_disk, ".ecc/memory/project/")
    assert "full" in outcome.message
    for path in made:
        path.unlink(missing_ok=True)
    assert try_save(vault).id
    assert_nothing_broken(small_disk, memories=1)


@pytest.mark.parametrize("used", [False, True])
def test_a_read_only_mount(small_disk: Path, home: Path, used: bool) -> None:
    """Reading goes on, writing says why it cannot."""
    vault = roots.resolve(small_disk, {}, home)
    if used:
        assert try_save(vault).id
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    outcome = try_save(vault, **LONG)
    assert_clear(outcome, small_disk, ".ecc/memory/project/")
    assert "read-only" in outcome.message
    assert_nothing_broken(small_disk, memories=int(used))
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert try_save(vault, **LONG).id


# --- No permission --------------------------------------------------------------------------------------------


@pytest.fixture
def shared_checkout(home: Path) -> Iterator[Path]:
    """A repository that a child without privileges owns."""
    with common_ground() as ground:
        git(ground, "init", "-q", "-b", "main")
        give_away(ground)
        yield ground


def test_a_folder_without_permission_in_an_empty_repository(shared_checkout: Path, home: Path) -> None:
    """Nothing can be made, and that is what is said."""
    vault = roots.resolve(shared_checkout, {}, home)
    shared_checkout.chmod(0o555)
    outcome = in_child(lambda: try_save(vault), unprivileged=True)
    assert_clear(outcome, shared_checkout, ".ecc/memory/project/")
    assert "permission" in outcome.message
    assert not (shared_checkout / ".ecc").exists()
    shared_checkout.chmod(0o755)
    assert in_child(lambda: try_save(vault), unprivileged=True).id


@pytest.mark.parametrize("folder", [".", "notes"])
@pytest.mark.parametrize("scope", ["project", "team"])
def test_a_scope_without_permission(shared_checkout: Path, home: Path, scope: str, folder: str) -> None:
    """In a vault that is used, whichever of its folders refuses."""
    vault = roots.resolve(shared_checkout, {}, home)
    place = shared_checkout / ".ecc" / "memory" / scope
    assert in_child(lambda: try_save(vault, scope=scope), unprivileged=True).id
    (place / folder).chmod(0o555)
    kind = "decision" if folder == "." else "note"
    outcome = in_child(lambda: try_save(vault, scope=scope, kind=kind, **LONG), unprivileged=True)
    assert_clear(outcome, shared_checkout, f".ecc/memory/{scope}/")
    assert "permission" in outcome.message
    assert_nothing_broken(shared_checkout, memories=1)
    (place / folder).chmod(0o755)
    assert in_child(lambda: try_save(vault, scope=scope, kind=kind, **LONG), unprivileged=True).id


# --- What vanishes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["unnamed files", "named files"])
@pytest.mark.parametrize("gone", ["notes", "project", ".ecc", "all"])
def test_a_folder_that_vanishes_between_opening_and_creating(
    vault: VaultRoots, checkout: Path, gone: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The held folder is dead: an error, nothing written elsewhere, and the next save makes the folders anew."""
    if way == "named files":
        monkeypatch.setattr(files, "_UNNAMED", 0)
    victim = {"notes": PROJECT / "notes", "project": PROJECT, ".ecc": Path(".ecc"), "all": Path()}[gone]
    plain = Folder.create

    def create(self: Folder, name: str, data: bytes, mode: int) -> None:
        if name.endswith(".md"):
            shutil.rmtree(checkout / victim)
        plain(self, name, data, mode)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "create", create)
        outcome = try_save(vault)
    assert_clear(outcome, checkout, ".ecc/memory/project/notes/mem_")
    assert "vanished" in outcome.message
    if gone == "all":
        assert not checkout.exists()
        return
    assert_nothing_broken(checkout, memories=0)
    assert try_save(vault).id
    assert_nothing_broken(checkout, memories=1)


@pytest.mark.parametrize("scope", ["project", "team"])
def test_a_working_directory_that_was_removed(vault: VaultRoots, checkout: Path, scope: str) -> None:
    """We stand in a folder that is no more: a save says so, and makes it not anew."""
    shutil.rmtree(checkout)
    outcome = try_save(vault, scope=scope)
    assert_clear(outcome, checkout, f".ecc/memory/{scope}/")
    assert "vanished" in outcome.message
    assert not checkout.exists()


def test_a_removed_folder_that_is_held(checkout: Path) -> None:
    """Also where the folder is found by no path any more."""
    (checkout / "sub").mkdir()
    vault = roots.resolve(checkout / "sub", {roots.PROJECT_OVERRIDE: str(checkout / "sub")}, None)
    opened = tree.FOLDER.open_base(checkout / "sub")
    with opened:
        (checkout / "sub").rmdir()
        with pytest.raises(FileNotFoundError):
            opened.create("x.md", b"x", 0o600)
    outcome = try_save(vault)
    assert_clear(outcome, checkout, "sub/project/")
    assert "vanished" in outcome.message
