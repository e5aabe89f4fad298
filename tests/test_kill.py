"""A process is killed while it saves: the vault holds whole memories and nothing else."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import git
from eccmem import files, guard, intake, roots, tree
from eccmem.files import Folder
from eccmem.guard import GuardState
from eccmem.model import Scope
from eccmem.roots import VaultRoots
from eccmem.vault import worktree
from hardship import a_memory, broken_files, fork, in_child, put

KILLS = 300
SAVES = 30  # at least, or there are more kills: a slow disk must not make the test prove nothing
PATIENCE = 60.0
FIRST_KILLS = 100
MOST_SECONDS = 0.040
BODY = "A body that takes more than one block to write, so that half of it would be seen.\n" * 200

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are started in another way here")


def kill_during(work: Callable[[], object], seconds: float) -> bool:
    """Start work in a forked process, kill it some time after it says that it begins; say whether it was killed."""
    ready, begin = os.pipe()
    pid = fork()
    if pid == 0:
        try:
            os.write(begin, b".")
            work()
        finally:
            os._exit(0)
    os.close(begin)
    os.read(ready, 1)
    os.close(ready)
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status):
        assert os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


def save_for_ever(vault: VaultRoots, dice: random.Random) -> None:
    """Save one memory after the other."""
    while True:
        scope = dice.choice(["project", "project", "team"])
        intake.save(intake.Draft(title=f"Killed {dice.random()}", body=BODY, scope=scope), vault)


@pytest.mark.slow
@pytest.mark.parametrize("unnamed", [True, False], ids=["unnamed files", "named files"])
def test_a_killed_save_leaves_a_memory_or_nothing(
    vault: VaultRoots, checkout: Path, unnamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After hundreds of kills every named file is a whole memory, the guard is exact, walkers see no litter.

    With unnamed files there is no litter at all; without them, a dot file may stay behind.
    """
    if not unnamed:
        monkeypatch.setattr(files, "_UNNAMED", 0)
    elif not _has_unnamed_files(checkout):
        pytest.skip("no unnamed files here")
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    dice = random.Random(seed)
    memory_folder = checkout / ".ecc" / "memory"
    started = time.monotonic()
    kills = 0
    while kills < KILLS or (time.monotonic() - started < PATIENCE and _count(memory_folder) < SAVES):
        kills += 1
        own_dice = random.Random(f"{seed} {kills}")
        assert kill_during(lambda own_dice=own_dice: save_for_ever(vault, own_dice), dice.uniform(0, MOST_SECONDS))

    litter = [path for path in memory_folder.rglob(".*") if path.name != guard.NAME]
    assert all(path.name.startswith(".eccmem-") and path.name.endswith(".tmp") for path in litter)
    if unnamed:
        assert not litter
    seen = worktree(vault, (Scope.PROJECT, Scope.TEAM))
    for path in litter:
        path.unlink()
    print(f"{kills} kills, {len(seen.stored)} memories, {len(litter)} temporary files")
    assert not broken_files(memory_folder)
    assert seen.complete
    assert len(seen.stored) == _count(memory_folder)
    assert len(seen.stored) >= SAVES, "hardly anything was saved: the kills prove nothing"
    assert (memory_folder / "project" / guard.NAME).read_bytes() == guard.CONTENT
    assert intake.save(intake.Draft(title="After all that", body="It goes on."), vault).warnings == ()


@pytest.mark.slow
def test_a_killed_first_save_is_made_good_by_the_next(
    tmp_path: Path, home: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the very first save dies (folders, guard, ``info/exclude``), the next one finds its way."""
    dice = random.Random()
    once = in_child(lambda: _first_save(_fresh(checkout, tmp_path / "warm"), home))
    endings = {"nothing": 0, "part": 0, "all": 0}
    for number in range(FIRST_KILLS):
        repository = _fresh(checkout, tmp_path / f"{number}")
        kill_during(lambda at=repository: _first_save(at, home), dice.uniform(0, once * 1.2))
        memories = list(repository.rglob("*.md"))
        ending = "all" if len(memories) > 1 else "part" if (repository / ".ecc").exists() else "nothing"
        endings[ending] += 1

        vault = roots.resolve(repository, {}, home)
        saved = intake.save(intake.Draft(title="The next", body="It goes on."), vault)
        assert saved.warnings == ()
        seen = worktree(vault, (Scope.PROJECT,))
        assert seen.complete
        assert saved.memory in [stored.memory for stored in seen.stored]
        assert not broken_files(repository / ".ecc")
        _assert_guarded(vault)
        assert git(repository, "status", "--porcelain", "-uall") == "?? .ecc/memory/project/.gitignore\n"
        shutil.rmtree(repository)
    print(f"first saves killed: {endings}")


def test_walkers_pass_over_what_a_kill_left(vault: VaultRoots, checkout: Path) -> None:
    """A temporary file, whole or not, is neither a memory nor a defect."""
    notes = put(checkout / ".ecc" / "memory" / "project", a_memory()).parent
    (notes / ".eccmem-0123456789abcdef.tmp").write_bytes(b"---\nschema")
    (notes.parent / ".eccmem-0123456789abcdef.tmp").write_bytes(b"*\n")
    seen = worktree(vault, (Scope.PROJECT,))
    assert seen.complete
    assert [stored.memory.id for stored in seen.stored] == [a_memory().id]


def _count(memory_folder: Path) -> int:
    return sum(1 for _ in memory_folder.rglob("*.md"))


def _has_unnamed_files(folder: Path) -> bool:
    with Folder.open_base(folder) as top:
        fd, temporary = top._unnamed(0o600)
        os.close(fd)
        if temporary:
            (folder / temporary).unlink()
    return not temporary


def _fresh(checkout: Path, folder: Path) -> Path:
    """A repository of its own: as ``git init`` made the first one, for less."""
    shutil.copytree(checkout, folder)
    return folder


def _first_save(repository: Path, home: Path) -> float:
    started = time.monotonic()
    vault = roots.resolve(repository, {}, home)
    intake.save(intake.Draft(title="The first", body="In an empty vault."), vault)
    return time.monotonic() - started


def _assert_guarded(vault: VaultRoots) -> None:
    folder = tree.open_existing(vault.project)
    assert folder is not None
    with folder:
        assert guard.state(folder) is GuardState.EXACT
    wanted = guard.exclude_lines(vault.project)
    assert wanted is not None
    assert guard.exclude_is_set(*wanted)
