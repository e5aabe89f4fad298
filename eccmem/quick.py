"""The first look of a hook, before anything is imported that costs: may the commit have to do with a vault at all?

Every commit of everyone pays for this, in a repository of any size, so it imports nothing of ours and asks Git once.
When in doubt it says yes; :mod:`eccmem.gate` judges.
"""

import os
import select
from collections.abc import Mapping

# Lowercase; what is in none of the changed names is in no vault, and no rule about how Git takes its files.
_NEEDLES = (b"ecc", b".gitattributes", b".gitignore")
# Git names its index to its hooks; without it, a person has called us, to see all that is wrong.
INDEX = "GIT_INDEX_FILE"
# What every question to Git begins with, and how changes and the index are asked for: what is read of the answer
# here is judged later, so both have to be asked alike.
GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.useReplaceRefs=false")
RAW = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
STAGED = ("diff-index", "--cached", *RAW, "--ita-invisible-in-index")
SECONDS = 60  # as limits.GIT_SECONDS, without the import
_CHUNK = 65_536
_KILL = 9


def staged(env: Mapping[str, str]) -> bytes | None:
    """How the index differs from HEAD, as Git's raw output; None where that does not tell all (no commit yet, a merge).

    What a merge leaves out of what it merges may not differ from HEAD at all.
    """
    try:
        if _is_merging(env):
            return None
        return _output((*GIT, *STAGED, "HEAD"), {**env, "GIT_NO_REPLACE_OBJECTS": "1"})
    except OSError:
        return None


def _is_merging(env: Mapping[str, str]) -> bool:
    """Whether Git names another parent: in a variable, or beside its index once there was a conflict."""
    folders = (os.path.dirname(env.get(INDEX, "")), ".git")  # noqa: PTH120 - pathlib costs as much as Git
    return any(name.startswith("GITHEAD_") for name in env) or any(
        os.path.lexists(os.path.join(folder, "MERGE_HEAD"))  # noqa: PTH118
        for folder in folders
    )


def _output(command: tuple[str, ...], env: Mapping[str, str]) -> bytes | None:
    """What a command prints, or None when it fails."""
    if not hasattr(os, "posix_spawnp"):
        import subprocess  # noqa: PLC0415 - where there is no cheaper way: it costs half as much as Python's own start

        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else None
    read_end, write_end = os.pipe()
    try:
        try:
            process = os.posix_spawnp(
                command[0],
                command,
                env,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, write_end, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
            )
        finally:
            os.close(write_end)
        output = _answer(read_end)
    finally:
        os.close(read_end)
    if output is None:
        os.kill(process, _KILL)
    _, status = os.waitpid(process, 0)
    return output if status == 0 else None


def _answer(pipe: int) -> bytes | None:
    """All that comes out of a pipe; None when nothing comes for a minute: what follows asks again, and says so."""
    parts: list[bytes] = []
    while select.select([pipe], [], [], SECONDS)[0]:
        if not (part := os.read(pipe, _CHUNK)):
            return b"".join(parts)
        parts.append(part)
    return None


def may_concern_a_vault(diff: bytes) -> bool:
    """Whether any changed path may: by its name, or because this checkout has private memories that it may copy."""
    names = b"\0".join(diff.split(b"\0")[1::2]).lower()  # the other fields are object ids, in which "ecc" may stand
    return not names.isascii() or any(needle in names for needle in _NEEDLES) or _has_private_memories()


def _has_private_memories() -> bool:
    folder = os.getcwd()  # noqa: PTH109 - pathlib costs as much as Git
    while not os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118
        folder, before = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == before:
            return True
    try:
        with os.scandir(os.path.join(folder, ".ecc", "memory", "project")) as entries:  # noqa: PTH118
            kinds = [entry.path for entry in entries if not entry.name.startswith(".")]
        # Anything but the guard of a folder: a memory, or a folder that may hold some.
        return any(not name.startswith(".") for kind in kinds for name in os.listdir(kind))  # noqa: PTH208
    except FileNotFoundError:
        return False
    except OSError:
        return True
