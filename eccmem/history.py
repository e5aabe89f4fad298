"""The commits of a repository, asked through GitPython: what each did to the files of a folder, and the objects.

GitPython starts Git and does nothing more: its objects cannot read a repository of SHA-256, its diffs are empty where a
name is not UTF-8, its index is not the one of a hook, and its blame follows renames.
So all is plumbing, with object ids and names that end with NUL, as in :mod:`eccmem.repo`.

GitPython hands on the environment of the process as it is; who calls this takes out of it what would point Git at
another repository.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING

from eccmem import claims, limits, quick, repo
from eccmem.errors import EccmemError

if TYPE_CHECKING:  # 100 ms and two processes, which other commands do not need
    from git import Repo

# As in repo.py: git diff-tree opens the index, and would ask the program that core.fsmonitor names.
_SAFE = (*quick.GIT, "--literal-pathspecs")
# A partial clone would fetch what it lacks, one object after the other; nothing of ours opens a connection.
_OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
_PIPE = -1  # subprocess.PIPE, which GitPython hands on
_FATAL = 128
_META = re.compile(r":[0-7]{6} ([0-7]{6}) [0-9a-f]{40,64} ([0-9a-f]{40,64}) [A-Z][0-9]*")
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOTHING = "000000"
# So many bytes are asked of one process.
_BATCH_BYTES = 32 * 1024 * 1024


@contextmanager
def opened(checkout: Path) -> "Iterator[Commits]":
    """The commits of the repository of a working tree.

    Raises:
        EccmemError: ``git-missing``, or ``git-failed``.
    """
    try:
        import git  # noqa: PLC0415 - see above
    except ModuleNotFoundError:
        raise  # eccmem is not installed whole
    except ImportError:
        raise _no_git() from None
    try:
        repository = git.Repo(str(checkout), expand_vars=False)
    except git.exc.GitError:
        raise EccmemError("git-failed", "GitPython cannot open the repository", "run `git status` to see why") from None
    with repository:
        yield Commits(repository, checkout)


class Commits:
    """Questions about the commits that lead to HEAD."""

    def __init__(self, repository: "Repo", checkout: Path) -> None:
        self._git = repository.git
        self._top = str(checkout)

    # --- Commits ----------------------------------------------------------------------------------------------

    def head(self) -> str | None:
        """The last commit, or None where there is none yet."""
        return self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1)).decode().strip() or None

    def parents(self, head: str) -> dict[str, tuple[str, ...]]:
        """All commits that lead to one, children first, each with its parents.

        Raises:
            EccmemError: ``history-too-large``, or as :meth:`contents`.
        """
        # Not those of a folder: Git would open every folder twice, here and for the changes.
        most = limits.HISTORY_COMMITS
        out = self._run("rev-list", "--parents", "--topo-order", f"--max-count={most + 1}", head)
        found = {commit: tuple(parents) for commit, *parents in map(str.split, out.decode().splitlines())}
        if len(found) > most:
            raise _too_large(f"there are more than {most} commits")
        return found

    def is_shallow(self) -> bool:
        """Whether the clone ends at some commits, so that those before them are not here."""
        return self._run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def cut(self, commits: Iterable[str]) -> frozenset[str]:
        """Which of some commits a shallow clone ends at: they have parents, and Git acts as if they had none."""
        out = self._run("rev-list", "--no-walk=unsorted", "--parents", "--stdin", data=_lines(commits))
        alone = [line for line in out.decode().splitlines() if _OID.fullmatch(line)]
        found = self.contents(alone, limits.COMMIT_BYTES)
        return frozenset(commit for commit, raw in found if raw is None or claims.parse(raw).parents)

    def changes(self, parents: Mapping[str, Sequence[str]], folder: str) -> dict[str, dict[str, str | None]]:
        """How the files below a folder differ in each commit from its first parent; where it has none, from nothing.

        Returns:
            For each commit that differs, by path below the folder: the blob, or None where the path goes.
            What is no file has its mode before its id.
        """
        # Only the first parent: how a merge differs from the others follows from what those hold.
        data = _lines(" ".join((commit, *above[:1])) for commit, above in parents.items())
        options = ("--stdin", "-r", "--root", "--raw", "-z", "--no-renames", "--no-abbrev")
        fields = iter(self._run("diff-tree", *options, "--", folder, data=data).split(b"\0")[:-1])
        prefix = b"" if folder == "." else os.fsencode(f"{folder}/")
        found: dict[str, dict[str, str | None]] = {}
        commit = ""
        for record in fields:
            text = record.decode("ascii", "replace")
            if _OID.fullmatch(text):
                commit = text
                continue
            meta, name = _META.fullmatch(text), next(fields, b"")
            if meta is None or not commit:
                raise EccmemError("git-failed", "Git's answer cannot be understood", "is `git --version` very old?")
            if name.startswith(prefix):
                mode, oid = meta.groups()
                what = None if mode == _NOTHING else oid if mode in repo.FILE_MODES else f"{mode} {oid}"
                found.setdefault(commit, {})[os.fsdecode(name.removeprefix(prefix))] = what
        return found

    # --- Objects ----------------------------------------------------------------------------------------------

    def contents(self, oids: Iterable[str], most: int) -> Iterator[tuple[str, bytes | None]]:
        """Yield each object once with its content, or None for one of more than ``most`` bytes.

        Raises:
            EccmemError: ``object-missing``, ``history-too-large``, ``git-missing`` or ``git-failed``.
        """
        wanted = dict.fromkeys(oids)
        if not wanted:
            return
        sizes = {}
        for line in self._run("cat-file", "--batch-check", data=_lines(wanted)).decode().splitlines():
            oid, *kind_and_size = line.split(" ")
            if len(kind_and_size) != 2:  # noqa: PLR2004 - or "missing"
                raise _object_missing()
            sizes[oid] = int(kind_and_size[1])
        yield from ((oid, None) for oid, size in sizes.items() if size > most)
        small = {oid: size for oid, size in sizes.items() if size <= most}
        if sum(small.values()) > limits.SCAN_BYTES:
            raise _too_large(f"there are more than {limits.SCAN_BYTES} bytes to read in the commits")
        for batch in _batches(small):
            yield from _parted(self._run("cat-file", "--batch", data=_lines(batch)), batch)

    def _run(self, *args: str, ok: Sequence[int] = (0,), data: bytes = b"") -> bytes:
        from git.exc import GitCommandNotFound  # noqa: PLC0415 - loaded by now

        # With -C, because GitPython puts values in place of $NAME in a folder, and goes on in another when it is gone.
        command = [*_SAFE, "-C", self._top, *args]
        try:
            process = self._git.execute(command, istream=_PIPE, as_process=True, env=_OFFLINE | repo.AS_PUSHED)
        except (GitCommandNotFound, OSError):
            raise _no_git() from None
        late = Event()

        def stop() -> None:
            late.set()
            process.terminate()

        # Not GitPython's own timeout: after a Ctrl-C its thread would keep us alive.
        watch = Timer(limits.GIT_SECONDS, stop)
        watch.daemon = True
        try:
            watch.start()  # in here: a Ctrl-C may come while the thread starts
            out: bytes = process.communicate(data)[0]
        finally:
            watch.cancel()
            if process.poll() is None:  # the person stopped us
                process.terminate()
        if process.returncode in ok:
            return out
        if late.is_set():
            raise EccmemError("git-failed", f"git {args[0]} gave no answer in {limits.GIT_SECONDS} s", "try it by hand")
        if process.returncode == _FATAL and args[0] != "rev-parse":
            raise _object_missing()
        raise EccmemError(
            "git-failed", f"git {args[0]} failed with code {process.returncode}", "run `git status` to see why"
        )


def _batches(sizes: Mapping[str, int]) -> Iterator[list[str]]:
    batch: list[str] = []
    total = 0
    for oid, size in sizes.items():
        batch.append(oid)
        total += size
        if total > _BATCH_BYTES:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def _parted(out: bytes, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The answers of ``git cat-file --batch``: a line with id, kind and size, the content, a line end."""
    at = 0
    for oid in oids:
        end = out.find(b"\n", at)
        header = out[at:end].decode("ascii", "replace").split(" ")
        if end < 0 or header[0] != oid or len(header) != 3:  # noqa: PLR2004
            raise _object_missing()
        at = end + 1 + int(header[2]) + 1
        yield oid, out[end + 1 : at - 1]


def _lines(items: Iterable[str]) -> bytes:
    return "".join(f"{item}\n" for item in items).encode()


# --- What can go wrong ----------------------------------------------------------------------------------------


def _no_git() -> EccmemError:
    return EccmemError("git-missing", "Git cannot be run", "install Git, or put it on PATH")


def _too_large(why: str) -> EccmemError:
    return EccmemError("history-too-large", f"{why}, so nothing is claimed about one memory", "ask with git log")


def _object_missing() -> EccmemError:
    return EccmemError(
        "object-missing",
        "the repository does not have all objects of its history, or some are damaged",
        "in a partial clone: `git fetch --refetch --no-filter`; else see what `git fsck` says",
    )
