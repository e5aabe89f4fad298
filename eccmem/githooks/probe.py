"""Runs a hook as Git runs it, to see whether it comes to eccmem-hook.

Nothing of ours stands between Git and the hook: ``git hook run`` starts it, or, where Git is older than that, a
shell that Git starts in the same place and with the same search path.
eccmem-hook writes to a file that a variable names when it is reached.
"""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eccmem import limits
from eccmem.errors import EccmemError
from eccmem.files import FileProblem, read_regular_path
from eccmem.githooks.place import HookFile
from eccmem.githooks.shim import CHECKS
from eccmem.repo import Repo

PROBE = "ECCMEM_HOOK_PROBE"
# A push to the repository itself: hooks that talk to the other side (Git LFS uploads there) do nothing new.
_REMOTE = "."
# Through a shell alias, so that what the hook prints goes nowhere: a pipe that we close would make it fail when it
# goes on for longer than we wait.
_QUIETLY = '!f() { "$@" >/dev/null 2>&1; }; f'
_RUN = "alias.eccmem-run"


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of running a hook.

    Attributes:
        code: what it ended with; None when that is not known.
        checks: the checks that eccmem-hook was asked for; none when it was not reached.
        why: why the code is not known.
    """

    code: int | None
    checks: tuple[str, ...] = ()
    why: str = ""


def run(repository: Repo, env: Mapping[str, str], hook: HookFile) -> Ran:
    """Run one hook, with all that it runs.

    Raises:
        EccmemError: when Git cannot be run, or does not say what it is asked.
    """
    push = _push(repository) if hook.name == "pre-push" else b""
    if push is None:
        return Ran(None, why="there is no commit yet that could be pushed")
    with tempfile.TemporaryDirectory(prefix="eccmem-") as folder:
        probe, lines = Path(folder, "probe"), Path(folder, "push")
        lines.write_bytes(push)
        _, index = repository.run("rev-parse", "--git-path", "index")
        index_file = repository.checkout / os.fsdecode(index.removesuffix(b"\n"))
        # As at a commit; a push has none.
        extra = {PROBE: str(probe)} | ({} if push else {"GIT_INDEX_FILE": str(index_file)})
        running = Repo(repository.checkout, {**env, **extra}, in_hook=not push)
        command, data = _command(repository, hook, lines)
        args = (_REMOTE, _REMOTE) if push else ()
        try:
            code, _ = running.run("-c", f"{_RUN}={_QUIETLY}", "eccmem-run", *command, *args, ok=range(256), data=data)
        except EccmemError as error:
            if error.slug != "git-failed":
                raise
            return Ran(None, _reached(probe), f"it did not end within {limits.GIT_SECONDS} s, or was killed")
        return Ran(code, _reached(probe))


def _command(repository: Repo, hook: HookFile, lines: Path) -> tuple[list[str], bytes]:
    """How this Git runs a hook, and what goes to its standard input."""
    _, usage = repository.run("hook", "run", "-h", ok=range(256))
    push = hook.name == "pre-push"
    if b"usage: git hook run" in usage and (not push or b"--to-stdin" in usage):
        stdin = [f"--to-stdin={lines}"] if push else []
        return ["git", "hook", "run", "--ignore-missing", *stdin, hook.name, "--"], b""
    if not hook.executable:
        return ["true"], b""  # what Git does then
    return [str(hook.path)], lines.read_bytes()


def _push(repository: Repo) -> bytes | None:
    """What Git tells of a push of the last commit; None where there is none.

    The other side is said to have the commit before: where nothing is new, managers run nothing.
    """
    head = _commit(repository, "HEAD")
    if not head:
        return None
    known = _commit(repository, "HEAD^") or "0" * len(head)
    code, name = repository.run("symbolic-ref", "-q", "HEAD", ok=(0, 1))
    ref = os.fsdecode(name.strip()) if code == 0 else "HEAD"
    target = ref if code == 0 else "refs/heads/main"
    return os.fsencode(f"{ref} {head} {target} {known}\n")


def _commit(repository: Repo, name: str) -> str:
    code, out = repository.run("rev-parse", "-q", "--verify", f"{name}^{{commit}}", ok=range(256))
    return out.decode().strip() if code == 0 else ""


def _reached(probe: Path) -> tuple[str, ...]:
    """The checks that were asked for; what else stood on the command line may be a secret."""
    try:
        data = read_regular_path(str(probe), limits.HOOK_FILE_BYTES)
    except FileProblem:
        return ()  # nobody wrote it
    words = dict.fromkeys(line.partition(b" ")[0].decode("ascii", "replace") for line in data.splitlines())
    return tuple(word for word in words if word in CHECKS)
