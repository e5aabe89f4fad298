"""Whatever lies in a vault: a scan ends, finds what is good, and says what it did not read and why."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from eccmem import doctor, document, limits, read, roots
from eccmem.errors import EccmemError
from eccmem.files import Folder
from eccmem.files_portable import PortableFolder
from eccmem.finding import SkipReason
from eccmem.model import Scope
from eccmem.roots import VaultRoots
from eccmem.tree import FOLDER
from eccmem.vault import BrokenCode, Snapshot, worktree
from hardship import a_memory, common_ground, give_away, in_child, put, time_limit

GOOD = a_memory()
NOTES = ".ecc/memory/project/notes/"
SECONDS = 20

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")


@dataclass(frozen=True)
class Seen:
    """A snapshot as plain values, which also come back from a child."""

    good: bool
    skipped: dict[str, SkipReason]
    broken: dict[str, BrokenCode]
    cut_short: tuple[str, ...]
    stored: tuple[str, ...]
    refused: str


def look(vault: VaultRoots) -> Seen:
    """Scan within a time limit, and try to read the good memory."""
    with time_limit(SECONDS):
        snapshot = worktree(vault, (Scope.PROJECT,))
    return Seen(
        good=GOOD in [stored.memory for stored in snapshot.stored],
        skipped={skipped.path: skipped.reason for skipped in snapshot.skipped},
        broken={broken.place.shown: broken.code for broken in snapshot.broken},
        cut_short=snapshot.cut_short,
        stored=tuple(stored.place.shown for stored in snapshot.stored),
        refused=_refusal(snapshot),
    )


def _refusal(snapshot: Snapshot) -> str:
    try:
        read.read(snapshot, GOOD.id)
    except EccmemError as error:
        return f"{error.slug}: {error.message}"
    return ""


def assert_partial(seen: Seen, *, skipped: object = None, broken: object = None) -> None:
    """The good memory was found, exactly these were not read, and a read refuses, naming one of them."""
    assert seen.good
    assert seen.skipped == (skipped or {})
    assert seen.broken == (broken or {})
    assert seen.refused.startswith(read.INCOMPLETE)
    assert any(path in seen.refused for path in (*seen.skipped, *seen.broken))


@pytest.fixture
def notes(checkout: Path) -> Path:
    """The folder of notes, with one good memory."""
    return put(checkout / ".ecc" / "memory" / "project", GOOD).parent


def test_a_vault_without_odd_files(vault: VaultRoots, notes: Path) -> None:
    """The measure for all below: nothing odd, nothing reported, the memory can be read."""
    assert look(vault) == Seen(True, {}, {}, (), (f"{NOTES}{GOOD.id}.md",), "")


# --- What is no file ------------------------------------------------------------------------------------------


def test_a_fifo(vault: VaultRoots, notes: Path) -> None:
    """Nobody waits for a writer."""
    os.mkfifo(notes / "x.md")
    assert_partial(look(vault), skipped={f"{NOTES}x.md": SkipReason.NOT_REGULAR})


def test_a_socket(vault: VaultRoots, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody calls it."""
    monkeypatch.chdir(notes)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("x.md")
        assert_partial(look(vault), skipped={f"{NOTES}x.md": SkipReason.NOT_REGULAR})


@pytest.mark.parametrize("device", [(1, 3), (1, 5), (5, 0)], ids=["null", "zero", "terminal"])
def test_a_device(vault: VaultRoots, notes: Path, device: tuple[int, int]) -> None:
    """Nobody reads zeros without end."""
    try:
        os.mknod(notes / "x.md", stat.S_IFCHR | 0o666, os.makedev(*device))
    except OSError:
        pytest.skip("no devices can be made here")
    assert_partial(look(vault), skipped={f"{NOTES}x.md": SkipReason.NOT_REGULAR})


@pytest.mark.parametrize("target", ["nothing.md", "x.md", f"{GOOD.id}.md", "/dev/zero", "..", "/"])
def test_a_symlink(vault: VaultRoots, notes: Path, target: str) -> None:
    """Dangling, in a circle, to the memory next to it, to a device, to a parent: never followed."""
    (notes / "x.md").symlink_to(target)
    (notes.parent / "facts").symlink_to(target)
    skipped = {f"{NOTES}x.md": SkipReason.SYMLINK, ".ecc/memory/project/facts": SkipReason.SYMLINK}
    assert_partial(look(vault), skipped=skipped)


def test_a_folder_named_like_a_file(vault: VaultRoots, notes: Path) -> None:
    """It is a folder like any other: what is in it is looked at, and is in the wrong place."""
    (notes / "x.md").mkdir()
    assert look(vault).refused == ""
    (notes / "x.md" / "junk.md").write_text("junk")
    assert_partial(look(vault), broken={f"{NOTES}x.md/junk.md": BrokenCode.INVALID})


def test_other_files_are_nobodys_business(vault: VaultRoots, notes: Path) -> None:
    """Dot files, dot folders and files of other kinds are passed over, whatever they are."""
    os.mkfifo(notes / "pipe")
    os.mkfifo(notes / ".pipe.md")
    (notes / ".obsidian").mkdir()
    (notes / ".obsidian" / "x.md").write_text("junk")
    (notes / "x.MD.txt").write_text("junk")
    assert look(vault).refused == ""


# --- Files that are too much ----------------------------------------------------------------------------------


def test_a_huge_sparse_file(vault: VaultRoots, notes: Path) -> None:
    """Ten gigabytes of nothing are not read."""
    (notes / "x.md").touch()
    try:
        os.truncate(notes / "x.md", 10 * 1024**3)
    except OSError:
        pytest.skip("no such sizes here")
    assert_partial(look(vault), broken={f"{NOTES}x.md": BrokenCode.INVALID})


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_at_the_limit(vault: VaultRoots, notes: Path, more: int) -> None:
    """A document at the limit is judged by what it holds, one byte more is not read."""
    (notes / "x.md").write_bytes(b"x" * (limits.DOCUMENT_BYTES + more))
    with time_limit(SECONDS):
        (broken,) = worktree(vault, (Scope.PROJECT,)).broken
    assert ("too large" in broken.problems[0].message) == bool(more)


def test_a_file_that_grows_all_the_time(vault: VaultRoots, notes: Path) -> None:
    """A scan of a file that another process writes to without end has an end."""
    path = notes / "x.md"
    path.touch()
    writer = "import sys\nwith open(sys.argv[1], 'ab', 0) as f:\n    while f.tell() < 2**26: f.write(b'x' * 100)"
    with subprocess.Popen([sys.executable, "-S", "-c", writer, path]) as growing:
        try:
            while not path.stat().st_size:
                pass
            for _ in range(200):
                os.truncate(path, 0)
                assert_partial(look(vault), broken={f"{NOTES}x.md": BrokenCode.INVALID})
        finally:
            growing.kill()


def test_more_entries_than_a_scan_may_see(vault: VaultRoots, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scan stops, says so and how many it sees, and nothing is claimed; at the limit all is well."""
    monkeypatch.setattr(limits, "SCAN_ENTRIES", 1000)
    for number in range(998):  # with the folder and the memory: 1000
        (notes / f"z{number:05d}.txt").touch()
    assert look(vault).refused == ""
    for number in range(998, 1200):
        (notes / f"z{number:05d}.txt").touch()
    seen = look(vault)
    assert seen.cut_short == ("more than 1000 files and folders",)
    assert seen.refused.startswith(read.INCOMPLETE)
    assert "more than 1000" in seen.refused


@pytest.mark.slow
def test_sixty_thousand_entries(vault: VaultRoots, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of fifty thousand: bounded time, cut short, and said so."""
    monkeypatch.setattr(limits, "SCAN_ENTRIES", 50_000)
    crowd = notes.parent / "runbooks"
    crowd.mkdir()
    first = crowd / "a.txt"
    first.touch()
    for number in range(1, 60_000):
        if number % 10_000 == 0:  # a file has so many names at most
            first = crowd / f"a{number}.txt"
            first.touch()
        else:
            os.link(first, crowd / f"{number}.txt")
    seen = look(vault)
    assert seen.good, "notes come before runbooks"
    assert seen.cut_short == (f"more than {limits.SCAN_ENTRIES} files and folders",)
    assert seen.refused.startswith(read.INCOMPLETE)


@pytest.mark.parametrize("depth", [limits.WALK_DEPTH, limits.WALK_DEPTH + 1])
def test_nested_folders(vault: VaultRoots, notes: Path, depth: int) -> None:
    """Folders nest as deep as the limit says: one more is not entered, and said so."""
    deepest = notes.parent.joinpath(*["d"] * depth)
    deepest.mkdir(parents=True)
    (deepest / "junk.md").write_text("junk")
    seen = look(vault)
    if depth <= limits.WALK_DEPTH:
        assert_partial(seen, broken={f".ecc/memory/project/{'d/' * depth}junk.md": BrokenCode.INVALID})
        assert not seen.cut_short
        return
    assert seen.good
    assert seen.cut_short == (f"folders nest deeper than {limits.WALK_DEPTH}",)
    assert seen.refused.startswith(read.INCOMPLETE)


def test_more_bytes_than_a_scan_may_read(vault: VaultRoots, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of all memories is bounded too, and a vault of exactly that size is whole."""
    size = len(document.serialize(GOOD))
    for number in range(4):
        put(notes.parent, a_memory(GOOD.id.replace("good", f"z00{number}")))
    total = sum(path.stat().st_size for path in notes.iterdir())
    assert total == 5 * size
    monkeypatch.setattr(limits, "SCAN_BYTES", total)
    assert look(vault).refused == ""
    monkeypatch.setattr(limits, "SCAN_BYTES", 3 * size)
    seen = look(vault)
    assert seen.good
    assert len(seen.stored) == 3
    assert seen.cut_short == (f"more than {3 * size} bytes of memories",)
    assert seen.refused.startswith(read.INCOMPLETE)


# --- Names ----------------------------------------------------------------------------------------------------

NAMES = {
    b"caf\xe9.md": "caf\\xe9.md",
    b"\xff\xfe\x80.md": "\\xff\\xfe\\x80.md",
    "café.md".encode(): "café.md",
    b"two\nlines.md": "two\nlines.md",
    b"red \x1b[31m\x07.md": "red \x1b[31m\x07.md",
    b"-rf.md": "-rf.md",
    b" .md": " .md",
    b"a" * 252 + b".md": "a" * 252 + ".md",
    "\u202egnp.md".encode(): "\u202egnp.md",
}


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("what", ["junk", "memory", "link", "folder"])
def test_odd_names(vault: VaultRoots, notes: Path, name: bytes, what: str) -> None:
    """Every name can be read, reported and encoded; a good memory is one under any name."""
    path = notes / os.fsdecode(name)
    shown = NOTES + NAMES[name]
    try:
        if what == "folder":
            path.mkdir()
        elif what == "link":
            path.symlink_to("nothing")
        else:
            other = document.serialize(a_memory("mem_other", title="Other"))
            path.write_bytes(b"junk" if what == "junk" else other)
    except OSError:
        pytest.skip("the file system has no such names")
    seen = look(vault)
    assert seen.good
    match what:
        case "junk":
            assert_partial(seen, broken={shown: BrokenCode.INVALID})
        case "link":
            assert_partial(seen, skipped={shown: SkipReason.SYMLINK})
        case "memory":
            assert shown in seen.stored
            assert seen.refused == ""
        case "folder":
            assert seen.refused == ""
    f"{seen}".encode()


# --- Permissions ----------------------------------------------------------------------------------------------


@pytest.fixture
def shared_vault(home: Path) -> Iterator[Path]:
    """A vault that a child without privileges owns, with the good memory."""
    with common_ground() as ground:
        put(ground / ".ecc" / "memory" / "project", GOOD)
        give_away(ground)
        yield ground


def test_an_unreadable_file(shared_vault: Path) -> None:
    """It could be the memory that is looked for, so nothing is claimed."""
    path = put(shared_vault / ".ecc" / "memory" / "project", a_memory("mem_closed"))
    path.chmod(0)
    vault = roots.resolve(shared_vault, {}, None)
    seen = in_child(lambda: look(vault), unprivileged=True)
    assert_partial(seen, broken={f"{NOTES}mem_closed.md": BrokenCode.UNREADABLE})


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o100])
def test_an_unreadable_folder(shared_vault: Path, mode: int) -> None:
    """The same for all that could be in a folder."""
    closed = shared_vault / ".ecc" / "memory" / "project" / "facts"
    closed.mkdir()
    give_away(closed)
    closed.chmod(mode)
    vault = roots.resolve(shared_vault, {}, None)
    seen = in_child(lambda: look(vault), unprivileged=True)
    assert_partial(seen, skipped={".ecc/memory/project/facts": SkipReason.UNREADABLE})


def test_a_folder_that_can_be_listed_only(shared_vault: Path) -> None:
    """Names are seen, files are not: each is reported."""
    path = put(shared_vault / ".ecc" / "memory" / "project", a_memory("mem_closed", kind="fact"))
    give_away(path.parent)
    path.parent.chmod(0o400)
    vault = roots.resolve(shared_vault, {}, None)
    seen = in_child(lambda: look(vault), unprivileged=True)
    assert_partial(seen, broken={".ecc/memory/project/facts/mem_closed.md": BrokenCode.UNREADABLE})


@pytest.mark.parametrize("closed", [".ecc", ".ecc/memory", ".ecc/memory/project"])
def test_an_unreadable_vault(shared_vault: Path, closed: str) -> None:
    """A vault that cannot be entered is not an empty one."""
    (shared_vault / closed).chmod(0)
    vault = roots.resolve(shared_vault, {}, None)
    seen = in_child(lambda: look(vault), unprivileged=True)
    assert seen.skipped == {".ecc/memory/project/": SkipReason.UNREADABLE}
    assert seen.refused.startswith(read.INCOMPLETE)


@pytest.mark.parametrize("victim", [".ecc", ".ecc/memory", ".ecc/memory/project"])
@pytest.mark.parametrize("what", ["file", "FIFO"])
def test_a_file_where_a_folder_should_be(vault: VaultRoots, checkout: Path, victim: str, what: str) -> None:
    """That is not an empty vault either."""
    path = checkout / victim
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch() if what == "file" else os.mkfifo(path)
    seen = look(vault)
    assert seen.skipped == {".ecc/memory/project/": SkipReason.NOT_REGULAR}
    assert seen.refused.startswith(read.INCOMPLETE)


# --- What changes between the listing and the reading ---------------------------------------------------------


@pytest.mark.parametrize(
    ("becomes", "code"),
    [
        ("FIFO", BrokenCode.INVALID),
        ("folder", BrokenCode.INVALID),
        ("link", BrokenCode.INVALID),
        ("socket", BrokenCode.INVALID),
        ("larger", BrokenCode.INVALID),
        ("nothing", None),
    ],
)
@pytest.mark.parametrize("portable", [False, True], ids=["descriptors", "portable"])
def test_a_file_that_is_replaced_meanwhile(
    vault: VaultRoots,
    notes: Path,
    becomes: str,
    code: BrokenCode | None,
    portable: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was listed as a file is something else when it is opened: no waiting, no following."""
    door = PortableFolder if portable else FOLDER
    monkeypatch.setattr("eccmem.tree.FOLDER", door)
    path = put(notes.parent, a_memory("mem_victim"))
    plain = door.read
    monkeypatch.chdir(notes)

    def swapped(self: Folder, name: str, most: int) -> bytes:
        if name == path.name:
            path.unlink()
            match becomes:
                case "FIFO":
                    os.mkfifo(path)
                case "folder":
                    path.mkdir()
                case "link":
                    path.symlink_to(f"{GOOD.id}.md")
                case "socket":
                    with socket.socket(socket.AF_UNIX) as listener:
                        listener.bind(path.name)
                case "larger":
                    path.write_bytes(b"x" * (limits.DOCUMENT_BYTES + 1))
        return plain(self, name, most)

    monkeypatch.setattr(door, "read", swapped)
    seen = look(vault)
    if code is None:
        assert seen.good
        assert seen.refused == "", "a file that was deleted is no defect of the vault"
    else:
        assert_partial(seen, broken={f"{NOTES}mem_victim.md": code})


@pytest.mark.parametrize(
    ("becomes", "reason"),
    [
        ("FIFO", SkipReason.NOT_REGULAR),
        ("file", SkipReason.NOT_REGULAR),
        ("link", SkipReason.SYMLINK),
        ("nothing", SkipReason.VANISHED),
    ],
)
@pytest.mark.parametrize("portable", [False, True], ids=["descriptors", "portable"])
def test_a_folder_that_is_replaced_meanwhile(
    vault: VaultRoots,
    notes: Path,
    becomes: str,
    reason: SkipReason,
    portable: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same for a folder: it is not entered, and that is reported."""
    door = PortableFolder if portable else FOLDER
    monkeypatch.setattr("eccmem.tree.FOLDER", door)
    victim = notes.parent / "victims"
    victim.mkdir()
    plain = door.folder

    def swapped(self: Folder, name: str) -> Folder:
        if name == victim.name:
            victim.rmdir()
            match becomes:
                case "FIFO":
                    os.mkfifo(victim)
                case "file":
                    victim.touch()
                case "link":
                    victim.symlink_to(notes, target_is_directory=True)
        return plain(self, name)

    monkeypatch.setattr(door, "folder", swapped)
    assert_partial(look(vault), skipped={".ecc/memory/project/victims": reason})


def test_an_error_in_the_middle_of_a_listing(vault: VaultRoots, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails half-way through a folder: what was seen is used, and the folder is reported."""
    plain = FOLDER.entries

    def failing(self: Folder) -> Iterator[os.DirEntry[str]]:
        yield from plain(self)
        if any(entry.name == f"{GOOD.id}.md" for entry in plain(self)):
            raise OSError(5, os.strerror(5))

    monkeypatch.setattr(FOLDER, "entries", failing)
    assert_partial(look(vault), skipped={NOTES: SkipReason.UNREADABLE})


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open descriptors cannot be counted here")
@pytest.mark.parametrize("left", range(6))
def test_hardly_any_descriptors_left(vault: VaultRoots, notes: Path, left: int) -> None:
    """Running out of descriptors is not an empty vault: the memory is read, or a read refuses."""
    resource = pytest.importorskip("resource")

    def starved() -> Seen:
        highest = max(int(path.name) for path in Path("/dev/fd").iterdir())
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 10, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        taken = []
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        for fd in taken[:left]:
            os.close(fd)
        return look(vault)

    seen = in_child(starved)
    assert seen.good == (not seen.refused)
    if seen.refused:
        assert set(seen.skipped.values()) | set(seen.broken.values()) <= {"unreadable"}
        assert seen.refused.startswith(read.INCOMPLETE)
    if left < 2 and FOLDER is Folder:
        assert not seen.good
    if left == 5:
        assert seen.good


@pytest.mark.parametrize("closed", [".git", "."])
def test_a_repository_that_may_not_be_looked_into(closed: str) -> None:
    """The person's machine, not our fault: said in one line, and what can be judged is judged."""

    def suffer(folder: Path) -> list[str]:
        os.chdir(folder)
        (folder / closed).chmod(0)
        try:
            places = roots.resolve(folder, {}, folder / "home")
            try:
                return [
                    finding.rule.id for finding in doctor.examine(worktree(places, [Scope.TEAM]), places, {}).findings
                ]
            except EccmemError as error:
                return [error.slug]
        finally:
            (folder / closed).chmod(0o700)

    with common_ground() as folder:
        (folder / ".git").mkdir()
        give_away(folder)
        found = in_child(partial(suffer, folder), unprivileged=True)

    assert found == (["git-unusable"] if closed == ".git" else ["unreadable"])
