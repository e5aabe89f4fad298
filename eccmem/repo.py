"""The one door to Git: plain plumbing, plain values out.

What needs no Git process is in :mod:`eccmem.gitdir`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eccmem import gitdir, limits
from eccmem.errors import EccmemError
from eccmem.quick import GIT, INDEX

if TYPE_CHECKING:  # 4 ms that a private save does not need
    import re
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# Exported by Git to its hooks: they would point our questions at another repository or index.
_GIT_DIR = "GIT_DIR"
_OBJECTS = "GIT_OBJECT_DIRECTORY"
_LOCATORS = (
    _GIT_DIR,
    "GIT_WORK_TREE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    _OBJECTS,
    "GIT_NAMESPACE",
)
# On a server, before a push is accepted: its objects are apart from the others (git-receive-pack).
_QUARANTINE = "GIT_QUARANTINE_PATH"
# Exported by `git --literal-pathspecs` and its like, they change what our questions mean.
_MEANINGS = (
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
)
# A push sends the objects as they are: here, replacements and grafts would show others in their place.
AS_PUSHED = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": f"{os.devnull}/none"}
FILE_MODES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rule that makes Git ignore a path: its file as Git names it, its line, its pattern."""

    source: str
    line: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Tracked:
    """An entry of the index or of a tree.

    Its mode is ``100644``, ``100755``, ``120000`` (a symlink) or ``160000`` (a submodule); names that are not UTF-8
    keep their bytes as surrogates; the stage is not 0 while a merge is unresolved.
    """

    mode: str
    blob: str
    path: str
    stage: int = 0

    @property
    def is_file(self) -> bool:
        """Whether it is a file, and neither a symlink nor a submodule."""
        return self.mode in FILE_MODES


def locate(start: Path, env: Mapping[str, str], *, in_hook: bool = False) -> Repo:
    """The repository that a folder belongs to, with a working tree or bare.

    Raises:
        EccmemError: ``not-a-repository``.
    """
    named = os.path.realpath(start / env[_GIT_DIR]) if in_hook and env.get(_GIT_DIR) else ""
    for folder in (start, *start.parents):
        if gitdir.common_dir(folder):
            if named and named != gitdir.of(folder):
                break  # `git --git-dir=… --work-tree=…`, from within the working tree of another one
            return Repo(folder, env, in_hook=in_hook)
        if folder.name != ".git" and gitdir.is_git_dir(folder):
            return Repo(folder, env, in_hook=in_hook, bare=True)
    if named:
        return Repo(start, env, in_hook=True, located=True)
    raise gitdir.no_repository()


class Repo:
    """Questions to one repository.

    Args:
        checkout: the top folder of the working tree, or the folder of a bare repository.
        env: the environment for Git, less what would point it elsewhere.
        in_hook: whether Git called us to judge a commit; then the index that it names is the one to read
            (``commit -a`` and ``commit <path>`` use a temporary one).
        located: whether to go where ``GIT_DIR`` and its like point: in a hook of a repository that has its
            folder elsewhere (``git --git-dir``), which nothing else leads to.
        bare: whether there is no working tree.
    """

    def __init__(
        self,
        checkout: Path,
        env: Mapping[str, str],
        *,
        in_hook: bool = False,
        located: bool = False,
        bare: bool = False,
    ) -> None:
        self.checkout = checkout
        self.bare = bare
        # What Git keeps of this working tree, and what it keeps of the repository.
        named = os.path.realpath(checkout / env.get(_GIT_DIR, "")) if located else ""
        self.git_dir = named or (os.path.realpath(checkout) if bare else gitdir.of(checkout))
        dropped = {*_MEANINGS, *(() if located else _LOCATORS), *(() if in_hook else (INDEX,))}
        if env.get(_QUARANTINE):
            dropped.discard(_OBJECTS)
        self._env = {name: value for name, value in env.items() if name not in dropped}
        self._env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", **AS_PUSHED}

    def shared(self, name: str) -> Path:
        """A file that Git keeps of the repository, which all its worktrees share."""
        return gitdir.shared(self.git_dir) / name

    def run(self, *args: str, ok: Sequence[int] = (0,), data: bytes = b"") -> tuple[int, bytes]:
        """Run one Git command in the checkout and return its code and output.

        Raises:
            EccmemError: ``git-missing``, or ``git-failed`` for a code that is not in ``ok``.
        """
        import subprocess  # noqa: PLC0415 - 4 ms that a private save does not need

        try:
            done = subprocess.run(
                [*GIT, *args],
                cwd=self.checkout,
                env=self._env,
                input=data,
                capture_output=True,
                timeout=limits.GIT_SECONDS,
                check=False,
            )
        except OSError:
            raise self._cannot_start() from None
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

    def blank(self, folder: Path) -> Repo:
        """An empty repository in a folder, free of anybody's settings: to ask how Git takes the files there.

        Raises:
            OSError: when it cannot be made.
        """
        git_dir = folder / ".git"
        for name in ("objects", "refs"):
            (git_dir / name).mkdir(parents=True)
        (git_dir / "HEAD").write_text("ref: refs/heads/main\n", "ascii")
        env = {name: value for name, value in self._env.items() if not name.startswith("GIT_")}
        env |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(git_dir)}
        return Repo(folder, env | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"})

    def _cannot_start(self) -> EccmemError:
        if not self.checkout.is_dir():
            return EccmemError("git-failed", "the working tree vanished meanwhile", "run the command again")
        return EccmemError("git-missing", "Git cannot be run", "install Git, or put it on PATH")

    def blobs(self, oids: Iterable[str], most: int) -> Iterator[tuple[str, bytes | None]]:
        """Yield each blob with its content, each once; None for one of more than ``most`` bytes.

        Object ids only, never names of revisions or paths: a line break in a name would shift all answers after it.

        Raises:
            EccmemError: ``object-missing`` when the repository does not have one of them.
        """
        from eccmem import catfile  # noqa: PLC0415 - only those who judge commits read blobs

        wanted = list(dict.fromkeys(oids))
        while wanted:
            batch = wanted[: limits.BLOBS_AT_ONCE]
            done = 0
            try:
                for oid, data in catfile.read([*GIT, "cat-file"], self.checkout, self._env, batch, most):
                    yield oid, data
                    done += 1
            except OSError:
                raise self._cannot_start() from None
            # It ends early after one that is too large, instead of reading the rest of that.
            wanted = wanted[done:]

    def hashed(self, paths: Sequence[str]) -> list[str]:
        """The object id that each file of the working tree would get, with the filters that its attributes name.

        Raises:
            EccmemError: ``git-failed`` when one of them cannot be read.
        """
        if not paths:
            return []
        _, out = self.run("hash-object", "--stdin-paths", data=b"".join(map(_quoted, paths)))
        return out.decode().split()

    def inside(self, path: Path) -> str | None:
        """A path relative to the checkout, with ``/``; None when it lies elsewhere."""
        return path.relative_to(self.checkout).as_posix() if path.is_relative_to(self.checkout) else None

    def why_ignored(self, paths: Sequence[str]) -> list[Ignored | None]:
        """For each path (relative to the checkout, existing, tracked or not) the rule that ignores it, or None."""
        # A path that begins with a colon would be taken for a pathspec.
        data = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        _, out = self.run("check-ignore", "-v", "-n", "-z", "--stdin", "--no-index", ok=(0, 1), data=data)
        fields = [os.fsdecode(field) for field in out.split(b"\0")]
        rules = [Ignored(*fields[index : index + 3]) for index in range(0, len(fields) - 1, 4)]
        return [rule if rule.pattern and not rule.pattern.startswith("!") else None for rule in rules]

    def tracked(self, only: re.Pattern[bytes] | None = None) -> list[Tracked]:
        """The entries of the index, or of it those whose name a pattern finds: most of them may be others."""
        return list(entries(self.listing(), only))

    def listing(self, paths: Sequence[str] = ()) -> bytes:
        """The index as ``git ls-files -s -z`` lists it, or of it some files and folders."""
        return self.run("ls-files", "-s", "-z", "--full-name", "--", *(f":(top,literal){path}" for path in paths))[1]

    def worktrees(self) -> list[Path]:
        """The working trees of the repository, the main one first, this one included."""
        _, out = self.run("worktree", "list", "--porcelain")
        found = []
        for record in (b"\n\n" + out).split(b"\n\nworktree ")[1:]:
            # Its commit is on the next line, or the word bare; -z is of Git 2.36, and a name may have line ends.
            name = min((record.partition(end)[0] for end in (b"\nHEAD ", b"\nbare\n")), key=len)
            found.append(Path(os.fsdecode(name)))
        return found


def _quoted(path: str) -> bytes:
    """A path on a line of its own, in the form that Git prints and reads: a name may hold line breaks and quotes."""
    return b'"' + b"".join(b"\\%03o" % byte for byte in os.fsencode(path)) + b'"\n'


def entries(listing: bytes, only: re.Pattern[bytes] | None = None) -> Iterator[Tracked]:
    """The entries of a listing, or of it those whose name a pattern finds."""
    for record in filter(only.search if only else None, listing.split(b"\0")[:-1]):
        meta, _, name = record.partition(b"\t")
        mode, blob, stage = meta.decode().split(" ")
        yield Tracked(mode, blob, os.fsdecode(name), int(stage))
