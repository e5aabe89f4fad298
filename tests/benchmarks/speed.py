"""Times whole commands, and prints ratios against something on the same machine in the same run.

usage: python tests/benchmarks/speed.py [--memories 5000] [--runs 15]

Against ``python -c pass`` of the same interpreter always, and against the JavaScript tool when
``ECCMEM_REFERENCE_CHECKOUT`` names a checkout of it with its packages installed.
The two sides of a ratio run in turn, A B A B …, so that a machine that slows down slows both.
Nothing fails on time: the figures are for people, and for docs.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eccmem.document import serialize
from eccmem.model import Kind, Memory, Scope, Status

ECCMEM = [sys.executable, "-m", "eccmem"]
BARE = [sys.executable, "-c", "pass"]
BODY_BYTES = 1500


@dataclass(frozen=True)
class Row:
    """One line of the table: what is timed, against what, and the ratio that is wished for."""

    name: str
    command: list[str]
    against: list[str]
    goal: str
    stdin: Callable[[], bytes] = bytes


def fill(folder: Path, count: int) -> None:
    """Lay ``count`` memories of some 1.5 KiB, the same ones every time."""
    rng = random.Random(count)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(3000)]
    for number in range(count):
        kind = list(Kind)[number % len(Kind)]
        item = Memory(
            id=f"mem_20260101_{number:020x}",
            title=" ".join(rng.choices(words, k=6)),
            kind=kind,
            scope=Scope.PROJECT,
            status=Status.ACTIVE,
            source_harness="codex",
            target_harnesses=("all",),
            tags=(rng.choice(words),),
            links=(),
            created_at="2026-07-26T20:00:00.000Z",
            updated_at=f"2026-07-26T20:00:{number % 60:02}.000Z",
            body=" ".join(rng.choices(words, k=BODY_BYTES // 7)),
        )
        place = folder / ".ecc/memory/project" / kind.folder / f"{item.id}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(serialize(item))


def once(command: list[str], folder: Path, stdin: bytes) -> float:
    """Run a command and return its wall time in milliseconds."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=False, env=environment(folder))
    return (time.perf_counter() - start) * 1000


def environment(folder: Path) -> dict[str, str]:
    """The person's own, with an empty home and without what redirects a vault or stops bytecode."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("ECC_", "GIT_", "PYTHONDONTWRITE"))}
    return kept | {"HOME": str(folder)}


def pair(row: Row, folder: Path, runs: int) -> tuple[float, float, float]:
    """Median times of both sides, and the median of their ratios pair by pair."""
    left, right = [], []
    for _ in range(runs + 1):
        left.append(once(row.command, folder, row.stdin()))
        right.append(once(row.against, folder, row.stdin()))
    ratios = [a / b for a, b in zip(left[1:], right[1:], strict=True)]  # the first run warms up
    return statistics.median(left[1:]), statistics.median(right[1:]), statistics.median(ratios)


def saves() -> Callable[[], bytes]:
    """A body that was never saved before."""
    return lambda: os.urandom(8).hex().encode()


def rows(reference: str) -> tuple[list[Row], list[Row]]:
    """What is timed in an empty vault, and in a full one."""
    save = ["save", "--title", "A title", "--stdin"]
    empty = [
        Row("eccmem --version", [*ECCMEM, "--version"], BARE, "≤ 3"),
        Row("save, empty vault", [*ECCMEM, *save], BARE, "≤ 5", saves()),
    ]
    full = [
        Row("save among the memories", [*ECCMEM, *save], BARE, "≤ 8", saves()),
        Row("search, a scan", [*ECCMEM, "search", "zebra"], BARE, "-"),
    ]
    if reference:
        ecc = ["node", f"{reference}/scripts/memory.js"]
        empty.append(Row("save, empty vault / reference", [*ECCMEM, *save], [*ecc, *save], "≤ 5", saves()))
        full += [
            Row("save among / reference", [*ECCMEM, *save], [*ecc, *save], "≤ 8", saves()),
            Row("search, a scan / reference", [*ECCMEM, "search", "zebra"], [*ecc, "search", "zebra"], "≤ 1"),
            Row("doctor / reference", [*ECCMEM, "doctor"], [*ecc, "doctor"], "≤ 1"),
        ]
    return empty, full


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    reference = os.environ.get("ECCMEM_REFERENCE_CHECKOUT", "") if shutil.which("node") else ""
    print(f"{'':34} {'ours ms':>9} {'other ms':>9} {'ratio':>7}  goal")
    for number, group in enumerate(rows(reference)):
        with tempfile.TemporaryDirectory() as top:
            folder = Path(top)
            subprocess.run(["git", "init", "-q", top], check=True)
            fill(folder, options.memories if number else 0)
            for row in group:
                ours, other, ratio = pair(row, folder, options.runs)
                print(f"{row.name:34} {ours:9.1f} {other:9.1f} {ratio:7.2f}  {row.goal}")


if __name__ == "__main__":
    main()
