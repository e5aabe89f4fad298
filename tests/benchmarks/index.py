"""Times cold searches with and without an index, and prints ratios of one run on one machine.

usage: python tests/benchmarks/index.py [--runs 9] [--large]

Against the JavaScript tool when ``ECCMEM_REFERENCE_CHECKOUT`` names a checkout of it with its packages installed.
What is compared runs in turn, A B A B …, so that a machine that slows down slows both.
``--large`` adds 100,000 memories: some minutes and 500 MB of disk.
Nothing fails on time: the figures are for people, and for docs.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from speed import ECCMEM, fill

SMALL, MIDDLE, LARGE, HUGE = 1_000, 4_900, 20_000, 100_000


class Vault:
    """A checkout of so many memories, with a home of its own outside of it."""

    def __init__(self, top: Path, count: int) -> None:
        self.folder = top / str(count)
        self.home = top / f"home-{count}"
        self.home.mkdir()
        self.folder.mkdir()
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        fill(self.folder, count)
        self.some = sorted(self.folder.rglob("*.md"))
        words = self.some[count // 2].read_text().split("---", 2)[2].split()
        # One word, two, four, and one that no memory holds.
        self.queries = (words[3], f"{words[5]} {words[9]}", " ".join(words[11:15]), "absentword")
        self.asked = 0

    def cold(self, command: list[str], *, cache: Path | None = None) -> float:
        """The wall time of a search in a process of its own, in milliseconds."""
        query = self.queries[self.asked % len(self.queries)]
        kept = {n: v for n, v in os.environ.items() if not n.startswith(("ECC_", "GIT_", "XDG_", "PYTHONDONTWRITE"))}
        env = kept | {"HOME": str(self.home), "XDG_CACHE_HOME": str(cache or self.home / ".cache")}
        start = time.perf_counter()
        subprocess.run([*command, "search", *query.split()], cwd=self.folder, env=env, capture_output=True, check=True)
        return (time.perf_counter() - start) * 1000

    def scan(self) -> float:
        """As :meth:`cold`, without an index: a cache in a repository is refused."""
        return self.cold(ECCMEM, cache=self.folder / "refused")

    def answered(self) -> tuple[float, float]:
        """Until the first search without an index has answered, and until it has built one, in milliseconds."""
        self.drop()
        env = os.environ | {"HOME": str(self.home), "XDG_CACHE_HOME": str(self.home / ".cache")}
        start = time.perf_counter()
        process = subprocess.Popen(
            [*ECCMEM, "search", *self.queries[2].split()], cwd=self.folder, env=env, stdout=subprocess.PIPE
        )
        process.stdout.readline()
        first = time.perf_counter()
        process.stdout.read()
        process.wait()
        return (first - start) * 1000, (time.perf_counter() - first) * 1000

    def drop(self) -> None:
        """Delete the index."""
        shutil.rmtree(self.home / ".cache", ignore_errors=True)


def in_turn(runs: int, sides: Mapping[str, Callable[[], float]], vaults: list[Vault]) -> dict[str, float]:
    """Median times of several things that run in turn, each with the same queries."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for run in range(runs + 1):
        for vault in vaults:
            vault.asked = run
        for name, side in sides.items():
            times[name].append(side())
    return {name: statistics.median(found[1:]) for name, found in times.items()}  # the first run warms up


def row(name: str, ours: float, other: float, goal: str, *, inverse: bool = False) -> None:
    """One line of the table."""
    ratio = other / ours if inverse else ours / other
    print(f"{name:46} {ours:9.0f} {other:9.0f} {ratio:7.2f}  {goal}")


def one_size(vault: Vault, reference: list[str], runs: int, goal: str) -> None:
    """A fresh index against a scan and against the reference."""
    sides = {"ours": partial(vault.cold, ECCMEM), "scan": vault.scan}
    if reference:
        sides["reference"] = partial(vault.cold, reference)
    times = in_turn(runs, sides, [vault])
    count = len(vault.some)
    row(f"{count:,}: cold search / scan (times faster)", times["ours"], times["scan"], "-", inverse=True)
    if reference:
        row(f"{count:,}: cold search / reference (times faster)", times["ours"], times["reference"], goal, inverse=True)


def first_search(vault: Vault, reference: list[str], runs: int) -> None:
    """Without an index: how long the answer takes, and how long the build."""
    pairs, scans, others = [], [], []
    for _ in range(max(3, runs // 3)):
        pairs.append(vault.answered())
        scans.append(vault.scan())
        if reference:
            others.append(vault.cold(reference))
    answer, build = (statistics.median(column) for column in zip(*pairs, strict=True))
    count = len(vault.some)
    row(f"{count:,}: first search, until the answer / scan", answer, statistics.median(scans), "≈ 1")
    if others:
        row(f"{count:,}: first search / reference", answer, statistics.median(others), "≤ 1")
        row(f"{count:,}: the build after it / reference", build, statistics.median(others), "≤ 2.5")


def changes(vault: Vault, runs: int) -> None:
    """One changed file against none: the same vault with a cache from before the change, and one from after it."""
    before, after = vault.home / "before", vault.home / "after"
    vault.cold(ECCMEM, cache=before)  # builds
    path = vault.some[7]
    path.write_bytes(path.read_bytes() + b"changed\n")
    time.sleep(0.1)
    vault.cold(ECCMEM, cache=after)
    sides = {"changed": lambda: vault.cold(ECCMEM, cache=before), "not": lambda: vault.cold(ECCMEM, cache=after)}
    times = in_turn(runs, sides, [vault])
    row(f"{len(vault.some):,}: one file changed / unchanged", times["changed"], times["not"], "≤ 1.5")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--large", action="store_true", help="also 100,000 memories")
    options = parser.parse_args()
    checkout = os.environ.get("ECCMEM_REFERENCE_CHECKOUT", "") if shutil.which("node") else ""
    reference = ["node", f"{checkout}/scripts/memory.js"] if checkout else []
    print(f"{'':46} {'ours ms':>9} {'other ms':>9} {'ratio':>7}  goal")
    with tempfile.TemporaryDirectory() as top:
        small, middle, large = (Vault(Path(top), count) for count in (SMALL, MIDDLE, LARGE))
        for vault in (middle, large):
            vault.cold(ECCMEM)
        one_size(small, reference, options.runs, "≥ 4")
        one_size(middle, reference, options.runs, "≥ 10")
        first_search(middle, reference, options.runs)
        changes(large, options.runs)
        if options.large:
            huge = Vault(Path(top), HUGE)
            answer, build = huge.answered()
            print(f"{HUGE:,}: first search {answer / 1000:.1f} s, the build after it {build / 1000:.1f} s")
            sides = {"huge": lambda: huge.cold(ECCMEM), "small": lambda: small.cold(ECCMEM)}
            times = in_turn(options.runs, sides, [huge, small])
            row(f"{HUGE:,} / {SMALL:,}, cold search", times["huge"], times["small"], "≤ 9")
            changes(huge, options.runs)


if __name__ == "__main__":
    sys.exit(main())
