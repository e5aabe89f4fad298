"""Which repository a folder belongs to, without a process: it costs more than everything else in a save.

Read from the repository's own files, whose layout is documented (gitrepository-layout).
"""

import os
from pathlib import Path

from eccmem import limits
from eccmem.errors import EccmemError

_POINTER = "gitdir: "


def common_dir(checkout: Path) -> Path | None:
    """The folder that all worktrees of a repository share, or None where there is no usable repository.

    Reads ``.git`` (a folder, or a file that points to one) and ``commondir``; starts no process.
    """
    if not (folder := of(checkout)):
        return None
    common = shared(folder)
    return common if os.path.exists(f"{folder}/HEAD") and _has_objects(common) else None  # noqa: PTH110


def shared(folder: str) -> Path:
    """The folder that a repository's own folder, as that of a linked worktree, shares with others; or itself."""
    return Path(os.path.realpath(os.path.join(folder, _pointer(Path(folder, "commondir")))))  # noqa: PTH118 - as below


def of(checkout: Path) -> str:
    """The folder of a working tree's own repository, its links followed, or nothing where ``.git`` names none."""
    found = checkout / ".git"
    # os.path throughout: pathlib raises where a folder may not be looked into, and then there is no usable repository.
    if os.path.isfile(found):  # noqa: PTH113
        pointer = _pointer(found)
        if not pointer.startswith(_POINTER):
            return ""
        found = checkout / pointer.removeprefix(_POINTER)
    return os.path.realpath(found)


def _has_objects(common: Path) -> bool:
    return all(os.path.isdir(common / part) for part in ("objects", "refs"))  # noqa: PTH112


def is_git_dir(folder: Path) -> bool:
    """Whether a folder is a repository itself."""
    return os.path.isfile(folder / "HEAD") and _has_objects(folder)  # noqa: PTH113


def _pointer(path: Path) -> str:
    try:
        with path.open("rb") as file:
            text = os.fsdecode(file.read(limits.POINTER_BYTES)).rstrip("\r\n")
    except OSError:
        return ""
    return "" if "\0" in text else text


def enclosing(start: Path) -> tuple[Path, Path] | None:
    """The working tree that a folder is or lies in, with its common folder; None where no repository has it.

    As Git looks for it: a ``.git`` that is no repository is passed over.
    """
    for folder in (start, *start.parents):
        if common := common_dir(folder):
            return folder, common
    return None


def checkout_of(start: Path) -> tuple[Path, Path]:
    """As :func:`enclosing`, where there has to be one.

    Raises:
        EccmemError: ``not-a-repository``.
    """
    found = enclosing(start)
    if found is None:
        raise no_repository()
    return found


def no_repository() -> EccmemError:
    """The error where there has to be one and there is none."""
    return EccmemError("not-a-repository", "there is no usable Git repository here", "run it inside a checkout")
