"""What ``log`` and ``read --history`` share: the commits, asked in an environment that leads to no other repository."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from eccmem import log as logbook
from eccmem.log import Log
from eccmem.roots import VaultRoots

# Git's configuration and its own files stay the person's. All else of Git's would point a question at another
# repository or change what it means, and GitPython's would name another Git.
_KEPT = ("GIT_CONFIG", "GIT_EXEC_PATH", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_TRACE")


def log_of(roots: VaultRoots, wanted: str) -> Log:
    """What the commits tell of a memory of the team scope.

    Raises:
        EccmemError: as :func:`eccmem.log.of`.
    """
    with _plain_environment():
        return logbook.of(roots.team, wanted)


@contextmanager
def _plain_environment() -> Iterator[None]:
    """GitPython takes the environment of the process, and can add to it but take nothing away."""
    names = [name for name in os.environ if name.startswith("GIT_") and not name.startswith(_KEPT)]
    taken = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(taken)
