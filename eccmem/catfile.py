"""The contents of many objects by one Git process, without holding more than one in memory."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer

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
    watch = Timer(limits.GIT_SECONDS, process.kill)
    watch.daemon = True
    feeding.start()
    watch.start()
    try:
        yield from _answers(process, oids, most)
    finally:
        watch.cancel()
        process.kill()
        watch.join()
        feeding.join()
        with process:  # closes the pipes and waits
            pass


def _feed(process: subprocess.Popen[bytes], oids: Sequence[str]) -> None:
    assert process.stdin  # noqa: S101 - for the type checker: a pipe was asked for
    # The process may be stopped meanwhile.
    with suppress(OSError), process.stdin:
        process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())


def _answers(process: subprocess.Popen[bytes], oids: Sequence[str], most: int) -> Iterator[tuple[str, bytes | None]]:
    """Each blob in turn, ending after one that is too large."""
    assert process.stdout  # noqa: S101 - as above
    for oid in oids:
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
            yield oid, None
            return
        data = process.stdout.read(size + 1)
        if len(data) != size + 1:
            raise EccmemError("git-failed", "git cat-file stopped early", "run `git fsck` to see why")
        yield oid, data[:-1]
