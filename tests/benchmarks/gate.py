"""Times the hook and the doctor of commits in a large repository; prints ratios against Git and bare Python.

usage: python tests/benchmarks/gate.py [--files 100000] [--memories 5000] [--runs 15]

Every row runs in turn with what it is compared to, A B A B …, so that a machine that slows down slows both.
Nothing fails on time: the figures are for people, and for docs.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from eccmem import guard
from eccmem.document import serialize
from eccmem.model import Kind, Memory, Scope, Status

HOOK = [sys.executable, "-c", "from eccmem.hook import run; run()", "all"]
BARE = [sys.executable, "-c", "pass"]
DIFF = ["git", "diff-index", "--cached", "--quiet", "HEAD"]
TEAM = ".ecc/memory/team"
CONFIG = """\
repos:
  - repo: local
    hooks:
      - {id: nothing, name: nothing, language: system, entry: "true", always_run: true, pass_filenames: false}
"""


def memory(number: int) -> Memory:
    """One of some 2 KiB, the same one every time."""
    return Memory(
        id=f"mem_20260101_{number:020x}",
        title=f"Title of number {number}",
        kind=list(Kind)[number % len(Kind)],
        scope=Scope.TEAM,
        status=Status.ACTIVE,
        source_harness="codex",
        target_harnesses=("all",),
        tags=("benchmark",),
        links=(f"mem_20260101_{number - 1:020x}",) if number % 10 == 1 else (),
        created_at="2026-07-26T20:00:00.000Z",
        updated_at="2026-07-26T20:00:00.000Z",
        body=f"Memory {number}. " + "What was learned, in a sentence of some words. " * 40,
    )


def files(count: int, memories: int) -> Iterator[tuple[str, bytes]]:
    """What the repository tracks."""
    for number in range(count - memories):
        yield f"src/d{number // 1000}/f{number}.py", b"x = %d\n" % number
    for item in map(memory, range(memories)):
        yield f"{TEAM}/{item.kind.folder}/{item.id}.md", serialize(item)
    yield ".ecc/memory/project/.gitignore", guard.CONTENT
    yield ".ecc/.gitattributes", guard.ATTRIBUTES


def build(folder: Path, tracked: Iterator[tuple[str, bytes]]) -> None:
    """A repository with one commit, by fast-import: a hundred thousand files in a few seconds."""
    git(folder, "init", "-q", "-b", "main")
    stream = bytearray(b"commit refs/heads/main\ncommitter B <b@example.invalid> 1700000000 +0000\ndata 1\nx\n")
    for path, data in tracked:
        stream += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=bytes(stream), check=True)
    git(folder, "reset", "-q", "--hard")
    git(folder, "gc", "-q")


def git(folder: Path, *args: str) -> None:
    """Run Git, which has to work."""
    subprocess.run(["git", *args], cwd=folder, check=True, env=environment(folder), capture_output=True)


def environment(folder: Path) -> dict[str, str]:
    """As a hook has it, with an empty home."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("ECC_", "GIT_", "PYTHONDONTWRITE"))}
    who = {"GIT_AUTHOR_NAME": "B", "GIT_AUTHOR_EMAIL": "b@example.invalid"}
    who |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}
    return kept | who | {"HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}


def once(command: list[str], folder: Path, *, index: bool = False) -> float:
    """The wall time of a command in milliseconds; it has to end well."""
    env = environment(folder) | ({"GIT_INDEX_FILE": ".git/index"} if index else {})
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, env=env)
    taken = (time.perf_counter() - start) * 1000
    assert done.returncode == 0, (command, done.stderr)
    return taken


def compare(name: str, goal: str, folder: Path, runs: int, ratio: Callable[[float, float, float], float]) -> None:
    """The hook against bare Python and one look of Git at the index."""
    rows = [(once(HOOK, folder, index=True), once(BARE, folder), once(DIFF_OK, folder)) for _ in range(runs + 1)]
    ours, bare, look = (statistics.median(column) for column in zip(*rows[1:], strict=True))
    found = statistics.median(ratio(*row) for row in rows[1:])
    print(f"{name:44} {ours:8.1f} {bare:8.1f} {look:8.1f} {found:7.2f}  {goal}")


# `--quiet` says with code 1 that something is staged.
DIFF_OK = ["sh", "-c", f"{' '.join(DIFF)} || true"]


def hooks(folder: Path, runs: int) -> None:
    """A commit that touches no vault, and one that adds a memory, in a large repository."""
    (folder / "src/d0/f0.py").write_text("x = -1\n")
    git(folder, "add", "src")
    compare(
        "commit without a vault",
        "≤ 2.5 (less one git, / bare)",
        folder,
        runs,
        lambda ours, bare, look: (ours - look) / bare,
    )
    git(folder, "reset", "-q", "--hard")
    add(folder, [memory(10**6)])
    compare("commit of one memory", "≤ 6 (/ git and bare)", folder, runs, lambda ours, bare, look: ours / (bare + look))
    git(folder, "reset", "-q", "--hard")


def add(folder: Path, items: list[Memory]) -> None:
    """Stage memories."""
    for item in items:
        path = folder / TEAM / item.kind.folder / f"{item.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(serialize(item))
    git(folder, "add", ".ecc")


def many_staged(folder: Path, runs: int) -> None:
    """A thousand new memories in one commit, against what pre-commit takes for a hook that does nothing."""
    add(folder, [memory(number) for number in range(10**7, 10**7 + 1000)])
    (folder / ".pre-commit-config.yaml").write_text(CONFIG)
    git(folder, "add", ".pre-commit-config.yaml")
    empty = [sys.executable, "-m", "pre_commit", "run"]
    rows = [(once(HOOK, folder, index=True), once(empty, folder)) for _ in range(runs + 1)][1:]
    ours, other = (statistics.median(column) for column in zip(*rows, strict=True))
    ratio = statistics.median(a / b for a, b in rows)
    print(f"{'1,000 staged memories / empty pre-commit':44} {ours:8.1f} {other:8.1f} {'':8} {ratio:7.2f}  < 1")
    git(folder, "reset", "-q", "--hard")


def long_range(folder: Path) -> None:
    """Peak memory of the doctor over a range that adds thousands of memories."""
    build(folder, iter([("README.md", b"x\n")]))
    base = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True).stdout
    add(folder, [memory(number) for number in range(5000)])
    git(folder, "commit", "-q", "-m", "many")
    start = time.perf_counter()
    command = [sys.executable, "-m", "eccmem", "doctor", "--range", f"{base.strip()}..HEAD"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, env=environment(folder))
    assert done.returncode == 0, done.stdout
    taken = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{'range of 5,000 memories':44} {taken * 1000:8.1f} {'':8} {'':8} {'':7}  peak {peak:.0f} MB, ≤ 150")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    print(f"{'':44} {'ours ms':>8} {'bare ms':>8} {'git ms':>8} {'ratio':>7}  goal")
    with tempfile.TemporaryDirectory() as top:
        small, large = Path(top, "small"), Path(top, "large")
        small.mkdir()
        large.mkdir()
        long_range(small)  # first: the peak is that of the largest child so far
        build(large, files(options.files, options.memories))
        hooks(large, options.runs)
        many_staged(large, options.runs)


if __name__ == "__main__":
    main()
