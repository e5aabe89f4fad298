"""What the tests of bad days share: a process to suffer in, a time limit, and whole trees as values."""

import os
import pickle
import pwd
import select
import shutil
import signal
import stat
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest

from eccmem import document, intake
from eccmem.errors import EccmemError
from eccmem.model import SCHEMA, TRUST, Memory, normalise
from eccmem.roots import VaultRoots

T = TypeVar("T")
IS_ROOT = os.geteuid() == 0


def fork() -> int:
    """Fork without the warning that a test runner's idle threads would raise in newer Pythons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def in_child(work: Callable[[], T], *, unprivileged: bool = False, seconds: float = 60) -> T:
    """Return what ``work`` returns in a forked process: limits and identities do not come back from there.

    Args:
        work: its answer must be picklable; what it needs must be imported before.
        unprivileged: become ``nobody`` first, where we are root: root may write and read anything.
        seconds: how long it may take; then it is killed, and the test fails.
    """
    return _answer(*_start(work, unprivileged=unprivileged), seconds)


def all_at_once(works: Sequence[Callable[[], T]], *, seconds: float = 60) -> list[T]:
    """Return what each ``work`` returns in a process of its own; they begin together."""
    gate, opener = os.pipe()

    def wait_and(work: Callable[[], T]) -> T:
        os.close(opener)
        os.read(gate, 1)  # until the last copy of the other end is closed
        return work()

    started = [_start(partial(wait_and, work)) for work in works]
    os.close(gate)
    os.close(opener)
    return [_answer(pid, answers, seconds) for pid, answers in started]


def _start(work: Callable[[], object], *, unprivileged: bool = False) -> tuple[int, int]:
    answers, answer = os.pipe()
    pid = fork()
    if pid == 0:
        _suffer(work, answer, unprivileged=unprivileged)
    os.close(answer)
    return pid, answers


def _answer(pid: int, answers: int, seconds: float) -> T:
    data = b""
    try:
        while select.select([answers], [], [], seconds)[0]:
            if not (chunk := os.read(answers, 65536)):
                break
            data += chunk
        else:
            os.kill(pid, signal.SIGKILL)
            pytest.fail(f"the child took longer than {seconds} s")
    finally:
        os.close(answers)
        os.waitpid(pid, 0)
    well, value = pickle.loads(data)
    if not well:
        pytest.fail(f"in the child: {value}")
    return value


def _suffer(work: Callable[[], object], answer: int, *, unprivileged: bool) -> None:
    """Work, answer, and end without the clean-up that is the parent's."""
    try:
        try:
            if unprivileged and IS_ROOT:
                nobody = pwd.getpwnam("nobody")
                os.setgroups([])
                os.setgid(nobody.pw_gid)
                os.setuid(nobody.pw_uid)
            said = pickle.dumps((True, work()))
        except BaseException:  # noqa: BLE001 - the parent raises it
            said = pickle.dumps((False, traceback.format_exc()))
        os.write(answer, said)
    finally:
        os._exit(0)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Fail the test, even out of a system call that never returns."""

    def ring(_number: int, _frame: object) -> None:
        pytest.fail(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def common_ground() -> Iterator[Path]:
    """A folder that a child without privileges can reach: the runner's own folders are for their owner only."""
    folder = Path(tempfile.mkdtemp(prefix="eccmem-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for path in folder.rglob("*"):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(folder)


def give_away(folder: Path) -> None:
    """Make ``nobody`` the owner of a tree, where we are root."""
    if IS_ROOT:
        nobody = pwd.getpwnam("nobody")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)


class Outcome(NamedTuple):
    """How a save ended: the memory's id, or the error's slug; both as plain values."""

    id: str = ""
    slug: str = ""
    message: str = ""
    warnings: tuple[str, ...] = ()


def try_save(roots: VaultRoots, **draft: str) -> Outcome:
    """Save, and say how it ended; what is neither a success nor an EccmemError goes through."""
    try:
        saved = intake.save(intake.Draft(**{"title": "A title", "body": "A body."} | draft), roots)
    except EccmemError as error:
        return Outcome(slug=error.slug, message=f"{error.message} {error.hint}")
    return Outcome(id=saved.memory.id, warnings=saved.warnings)


def a_memory(own_id: str = "mem_20260726_good", **fields: object) -> Memory:
    """A valid memory, with any of its fields given."""
    return normalise(
        {
            "schema": SCHEMA,
            "id": own_id,
            "title": "A good memory",
            "kind": "note",
            "scope": "project",
            "trust": TRUST,
            "status": "active",
            "source_harness": "unknown",
            "target_harnesses": ["all"],
            "tags": [],
            "links": [],
            "created_at": "2026-07-26T20:00:00.000Z",
            "updated_at": "2026-07-26T20:00:00.000Z",
            "body": "Worth remembering.",
        }
        | fields
    )


def put(folder: Path, memory: Memory) -> Path:
    """Write a memory below a scope's folder, as another program would."""
    path = folder / memory.kind.folder / f"{memory.id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(document.serialize(memory))
    return path


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything below a folder: the type of each entry, and its bytes or where it points to."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = stat.S_IFMT(path.lstat().st_mode)
        if kind == stat.S_IFLNK:
            data = os.fsencode(path.readlink())
        else:
            data = path.read_bytes() if kind == stat.S_IFREG else b""
        found[str(path.relative_to(folder))] = kind, data
    return found


def broken_files(vault: Path) -> list[str]:
    """The files of a vault that are no whole memory under their own name, or are litter."""
    bad = []
    for path in vault.rglob("*"):
        if path.is_dir() or path.name == ".gitignore":
            continue
        try:
            memory = document.parse(path.read_bytes())
        except document.InvalidDocument as error:
            bad.append(f"{path.relative_to(vault)}: {error}")
            continue
        if (path.parent.name, path.name) != (memory.kind.folder, f"{memory.id}.md"):
            bad.append(f"{path.relative_to(vault)}: holds {memory.id}")
    return bad
