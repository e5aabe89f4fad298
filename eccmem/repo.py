"""The one door to Git: plain plumbing, plain values out.

What needs no Git process is read from the repository's own files, whose layout is documented
(gitrepository-layout): a process costs more than everything else in a save.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eccmem import limits
from eccmem.errors import EccmemError

# Exported by Git to its hooks: they would point our questions at another repository or index.
_INDEX = "GIT_INDEX_FILE"
_LOCATORS = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
)
_SAFE = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false")
_POINTER = "gitdir: "


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rule that makes Git ignore a path: its file as Git names it, its line, its pattern."""

    source: str
    line: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Tracked:
    """An entry of the index: its mode (``100644``, ``120000`` a symlink, ``160000`` a submodule), blob and path."""

    mode: str
    blob: str
    path: str


def common_dir(checkout: Path) -> Path | None:
    """The folder that all worktrees of a repository share, or None where there is no usable repository.

    Reads ``.git`` (a folder, or a file that points to one) and ``commondir``; starts no process.
    """
    git_dir = checkout / ".git"
    # os.path throughout: pathlib raises where a folder may not be looked into, and then there is no usable repository.
    if os.path.isfile(git_dir):  # noqa: PTH113
        pointer = _pointer(git_dir)
        if not pointer.startswith(_POINTER):
            return None
        git_dir = checkout / pointer.removeprefix(_POINTER)
    shared = _pointer(git_dir / "commondir")
    common = Path(os.path.realpath(git_dir / shared if shared else git_dir))
    parts_there = (os.path.isdir(common / part) for part in ("objects", "refs"))  # noqa: PTH112
    return common if os.path.exists(git_dir / "HEAD") and all(parts_there) else None  # noqa: PTH110


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


class Repo:
    """Questions to the repository of one checkout.

    Args:
        checkout: the top folder of the working tree.
        env: the environment for Git, less what would point it elsewhere.
        in_hook: whether Git called us to judge a commit; then the index that it names is the one to read
            (``commit -a`` and ``commit <path>`` use a temporary one).
    """

    def __init__(self, checkout: Path, env: Mapping[str, str], *, in_hook: bool = False) -> None:
        self.checkout = checkout
        dropped = _LOCATORS if in_hook else (*_LOCATORS, _INDEX)
        self._env = {name: value for name, value in env.items() if name not in dropped}
        self._env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}

    def run(self, *args: str, ok: Sequence[int] = (0,), data: bytes = b"") -> tuple[int, bytes]:
        """Run one Git command in the checkout and return its code and output.

        Raises:
            EccmemError: ``git-missing``, or ``git-failed`` for a code that is not in ``ok``.
        """
        import subprocess  # noqa: PLC0415 - 4 ms that a private save does not need

        try:
            done = subprocess.run(
                [*_SAFE, *args],
                cwd=self.checkout,
                env=self._env,
                input=data,
                capture_output=True,
                timeout=limits.GIT_SECONDS,
                check=False,
            )
        except OSError:
            if not self.checkout.is_dir():
                raise EccmemError(
                    "git-failed", "the working tree vanished meanwhile", "run the command again"
                ) from None
            raise EccmemError("git-missing", "Git cannot be run", "install Git, or put it on PATH") from None
        except subprocess.TimeoutExpired:
            raise EccmemError(
                "git-failed", f"git {args[0]} gave no answer in {limits.GIT_SECONDS} s", "try it by hand"
            ) from None
        if done.returncode not in ok:
            # Git's own message may hold personal paths; the command is enough to see it again.
            raise EccmemError(
                "git-failed",
                f"git {args[0]} failed with code {done.returncode}",
                "run `git status` to see why",
            )
        return done.returncode, done.stdout

    def inside(self, path: Path) -> str | None:
        """A path relative to the checkout, with ``/``; None when it lies elsewhere."""
        return path.relative_to(self.checkout).as_posix() if path.is_relative_to(self.checkout) else None

    def why_ignored(self, paths: Sequence[str]) -> list[Ignored | None]:
        """For each path (relative to the checkout, existing, tracked or not) the rule that ignores it, or None."""
        data = b"".join(os.fsencode(path) + b"\0" for path in paths)
        _, out = self.run("check-ignore", "-v", "-n", "-z", "--stdin", "--no-index", ok=(0, 1), data=data)
        fields = [os.fsdecode(field) for field in out.split(b"\0")]
        rules = [Ignored(*fields[index : index + 3]) for index in range(0, len(fields) - 1, 4)]
        return [rule if rule.pattern and not rule.pattern.startswith("!") else None for rule in rules]

    def tracked(self) -> list[Tracked]:
        """Every entry of the index; names that are not UTF-8 keep their bytes as surrogates."""
        _, out = self.run("ls-files", "-s", "-z")
        entries = []
        for record in out.split(b"\0")[:-1]:
            meta, _, name = record.partition(b"\t")
            mode, blob, _stage = meta.decode().split(" ")
            entries.append(Tracked(mode, blob, os.fsdecode(name)))
        return entries

    def worktrees(self) -> list[Path]:
        """The working trees of the repository, the main one first, this one included."""
        _, out = self.run("worktree", "list", "--porcelain")
        return [
            Path(os.fsdecode(line.removeprefix(b"worktree ")))
            for line in out.split(b"\n")
            if line.startswith(b"worktree ")
        ]
