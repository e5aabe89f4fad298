"""The contents of many objects by one Git process, without holding more than one in memory."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from eccmem import limits
from eccmem.errors import EccmemError


def read(
    command: Sequence[str], folder: Path, env: Mapping[str, str], oids: Sequence[str], most: int
) -> Iterator[tuple[str, bytes | None]]:
    """Yield each object with its content, in the order asked for, and end after the first of more than ``most`` bytes.

    Args:
        command: ``git`` with its options, up to ``cat-file``.
        folder: where to run it.
        env: its environment.
        oids: what to read.
        most: so many bytes at most; a larger one is None.

    Raises:
        OSError: when it cannot be started.
        EccmemError: ``object-missing``, or ``git-failed`` when it does not answer.
    """
    process = subprocess.Popen(
        [*command, "--batch", "--buffer"],
        cwd=folder,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    # Git answers while it still reads, so both pipes have to move; and it may hang.
    feeding = Thread(target=_feed, args=(process, oids), daemon=True)
    patience = _Patience(process)
    feeding.start()
    patience.start()
    try:
        yield from _answers(process, oids, most, patience)
    finally:
        process.kill()
        patience.end()
        feeding.join()
        with process:  # closes the pipes and waits
            pass


class _Patience(Thread):
    """Stops a process that lets us wait for a minute or two; the time that our reader takes does not count."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._over = Event()
        self.answers = 0
        self.waiting = False

    def run(self) -> None:
        before = -1
        while not self._over.wait(limits.GIT_SECONDS):
            if self.waiting and self.answers == before:
                self._process.kill()
            before = self.answers

    def end(self) -> None:
        self._over.set()
        self.join()


def _feed(process: subprocess.Popen[bytes], oids: Sequence[str]) -> None:
    assert process.stdin  # noqa: S101 - for the type checker: a pipe was asked for
    # The process may be stopped meanwhile.
    with suppress(OSError), process.stdin:
        process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())


def _answers(
    process: subprocess.Popen[bytes], oids: Sequence[str], most: int, patience: _Patience
) -> Iterator[tuple[str, bytes | None]]:
    """Each blob in turn, ending after one that is too large."""
    assert process.stdout  # noqa: S101 - as above
    for oid in oids:
        patience.waiting = True
        header = process.stdout.readline().split()
        if len(header) == 2 and header[1] == b"missing":  # noqa: PLR2004
            raise EccmemError(
                "object-missing",
                f"the repository does not have the content of object {oid[:12]}",
                "fetch it: `git fetch --refetch --no-filter` in a partial clone, else see what `git fsck` says",
            )
        if len(header) != 3 or header[0].decode() != oid:  # noqa: PLR2004
            raise EccmemError("git-failed", "git cat-file gave no answer", "run `git fsck` to see why")
        size = int(header[2])
        if size > most:
            patience.waiting = False
            yield oid, None
            return
        data = process.stdout.read(size + 1)
        patience.waiting = False
        patience.answers += 1
        if len(data) != size + 1:
            raise EccmemError("git-failed", "git cat-file stopped early", "run `git fsck` to see why")
        yield oid, data[:-1]
