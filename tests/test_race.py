"""A folder of the vault is swapped for a symlink while we save and read: nothing may leave, nothing come in."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from eccmem import document, files, guard, intake, read
from eccmem.errors import EccmemError
from eccmem.model import Memory, Scope
from eccmem.roots import VaultRoots
from eccmem.vault import worktree
from hardship import a_memory, broken_files, put, tree

SECONDS = 3.0
ATTEMPTS = 50  # at least, however slow the disk is
PATIENCE = 60.0
SWAPS = 2000
DECOY = "mem_decoy_"
DECOYS = 100
GOOD = "mem_20260726_good"

# The swapped folder, below the repository, and where its counterpart is in the outside tree.
VICTIMS = [".ecc", ".ecc/memory", ".ecc/memory/project", ".ecc/memory/project/notes"]


def draft(number: int) -> intake.Draft:
    return intake.Draft(title=f"Race {number:05d}", body="Saved while folders were swapped.")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A whole vault that isn't ours, as good as ours, so that whoever comes there notices nothing.

    It holds, as active memories, what the first saves of a race will say: who reads them refuses a duplicate.
    """
    top = tmp_path / "outside"
    project = top / ".ecc" / "memory" / "project"
    for number in range(DECOYS):
        wanted = draft(number)
        put(project, a_memory(f"{DECOY}{number:017d}", title=wanted.title, body=wanted.body))
    (project / guard.NAME).write_bytes(guard.CONTENT)
    return top


@contextmanager
def swapping(victim: Path, outside: Path, spare: Path) -> Iterator[list[int]]:
    """Swap in another process; afterwards the list holds the number of swaps."""
    command = [sys.executable, Path(__file__).with_name("swapper.py"), victim, outside, spare]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    count: list[int] = []
    try:
        yield count
    finally:
        said, complaint = process.communicate()
    if process.returncode == 2:
        pytest.skip(f"no exchange of names here: {complaint}")
    assert process.returncode == 0, complaint
    count.append(int(said))


@dataclass
class Log:
    """What was tried, and how it ended."""

    saved: list[Memory] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    scans: Counter[bool] = field(default_factory=Counter)  # by whether they saw everything
    reads: Counter[str] = field(default_factory=Counter)

    @property
    def attempts(self) -> int:
        return len(self.saved) + self.refused.total()

    @property
    def enough(self) -> bool:
        """Whether all of it was tried, with and without the link in the way."""
        return self.attempts >= ATTEMPTS and bool(self.saved and self.refused) and len(self.reads) > 1

    def save(self, roots: VaultRoots) -> None:
        try:
            self.saved.append(intake.save(draft(self.attempts), roots).memory)
        except EccmemError as error:
            self.refused[error.slug] += 1

    def scan(self, roots: VaultRoots) -> None:
        snapshot = worktree(roots, (Scope.PROJECT,))
        self.seen |= {stored.memory.id for stored in snapshot.stored}
        self.seen |= {Path(broken.place.relative).stem for broken in snapshot.broken}
        self.scans[snapshot.complete] += 1
        try:
            self.reads[read.read(snapshot, GOOD).stored.memory.id] += 1
        except EccmemError as error:
            self.reads[error.slug] += 1


def foreign(log: Log) -> set[str]:
    """What of the outside tree was read."""
    return {found for found in log.seen if found.startswith(DECOY)}


@pytest.mark.slow
@pytest.mark.parametrize("victim", VICTIMS)
def test_no_swapped_folder_leads_out_of_the_vault(
    victim: str, vault: VaultRoots, checkout: Path, outside: Path, tmp_path: Path
) -> None:
    """No file is made outside, no byte from there is read, and every save that was reported is there."""
    project = checkout / ".ecc" / "memory" / "project"
    log = Log()
    intake.save(draft(99_999), vault)
    put(project, a_memory(GOOD))
    before = tree(outside)

    with swapping(checkout / victim, outside / victim, tmp_path / "spare") as swaps:
        started = time.monotonic()
        while (spent := time.monotonic() - started) < SECONDS or (not log.enough and spent < PATIENCE):
            log.save(vault)
            log.scan(vault)

    print(f"{victim}: {swaps[0]} swaps, {log.attempts} saves, {len(log.saved)} saved, {dict(log.refused)},")
    print(f"scans {dict(log.scans)}, reads {dict(log.reads)}")
    assert tree(outside) == before
    assert not foreign(log)
    for memory in log.saved:
        assert (project / "notes" / f"{memory.id}.md").read_bytes() == document.serialize(memory)
    assert not broken_files(checkout / ".ecc")
    assert (project / guard.NAME).read_bytes() == guard.CONTENT
    # A duplicate would mean that a decoy was read; nothing but the link may stop a save.
    assert set(log.refused) == {"unsafe-path"}, "no save met the link, or something else stopped one"
    assert swaps[0] > SWAPS
    assert log.attempts >= ATTEMPTS
    assert log.saved, "no save succeeded: nothing was tried where it matters"
    assert set(log.reads) == {GOOD, read.INCOMPLETE}


# --- The protection matters: the same checks, with the protection taken away ----------------------------------


@pytest.fixture
def unprotected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links are followed, as they are by programs that do not care."""
    monkeypatch.setattr(files, "_READ", files._READ & ~files._NOFOLLOW)
    monkeypatch.setattr(files, "_NOFOLLOW", 0)


needs_descriptors = pytest.mark.skipif(not files.HAS_DESCRIPTORS, reason="links are refused by other means here")


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_link_that_stays_is_refused(victim: str, vault: VaultRoots, checkout: Path, outside: Path) -> None:
    """Without any race, a save refuses, a scan says that it is not whole, and nothing outside is touched."""
    log = _meet_a_link(victim, vault, checkout, outside)
    assert dict(log.refused) == {"unsafe-path": 1}
    assert not foreign(log)
    assert dict(log.reads) == {read.INCOMPLETE: 1}


@needs_descriptors
@pytest.mark.parametrize("victim", VICTIMS[:3])
def test_without_protection_a_scan_reads_outside(
    victim: str, vault: VaultRoots, checkout: Path, outside: Path, unprotected: None
) -> None:
    """The check for foreign bytes finds them: the tests above do not pass for lack of a bait."""
    log = _meet_a_link(victim, vault, checkout, outside)
    assert len(foreign(log)) == DECOYS
    assert dict(log.refused) == {"duplicate-memory": 1}


@needs_descriptors
@pytest.mark.parametrize("victim", VICTIMS)
def test_without_protection_a_save_writes_outside(
    victim: str, vault: VaultRoots, checkout: Path, outside: Path, unprotected: None
) -> None:
    """The comparison of the outside tree finds what was written there."""
    before = tree(outside)
    _put_link(victim, checkout, outside)
    saved = intake.save(draft(DECOYS), vault).memory
    assert set(tree(outside)) - set(before) == {
        f".ecc/memory/project/notes/{saved.id}.md",
        ".ecc/memory/project/notes/.gitignore",
    }


@needs_descriptors
def test_without_protection_a_linked_file_is_read(
    vault: VaultRoots, checkout: Path, outside: Path, unprotected: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that becomes a link between the listing and the reading is caught by the flag alone."""
    notes = put(checkout / ".ecc" / "memory" / "project", a_memory(GOOD)).parent
    decoy = next((outside / ".ecc" / "memory" / "project" / "notes").iterdir())
    plain = files.Folder.read

    def swapped(self: files.Folder, name: str, most: int) -> bytes:
        (notes / name).unlink()
        (notes / name).symlink_to(decoy)
        return plain(self, name, most)

    monkeypatch.setattr(files.Folder, "read", swapped)
    log = Log()
    log.scan(vault)
    assert foreign(log) == {decoy.stem}


def _put_link(victim: str, checkout: Path, outside: Path) -> None:
    link = checkout / victim
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / victim, target_is_directory=True)


def _meet_a_link(victim: str, roots: VaultRoots, checkout: Path, outside: Path) -> Log:
    before = tree(outside)
    _put_link(victim, checkout, outside)
    log = Log()
    log.save(roots)
    log.scan(roots)
    assert tree(outside) == before
    return log
