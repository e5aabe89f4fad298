"""Searches many random and mutated texts for credentials: nothing is raised, and no text is slow.

usage: python tests/benchmarks/fuzz.py [--count 100000] [--seed 1]

A text may take 10 microseconds a byte of the processor's time, and never less than two milliseconds, which the first
use of a pattern takes; one that takes longer is measured three times more, because a machine has other work.
A text that is too slow or that raises is shown by the seed and its number, from which it is made again.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from eccmem import secretscan
from eccmem.secretscan.rules import rules
from secrets_made import mutated

PER_BYTE = 10e-6
LEAST = 2e-3


def seconds(text: str) -> float:
    began = time.process_time()
    for match in secretscan.scan(text):
        if not 0 <= match.start < match.end <= len(text):
            raise AssertionError(match)
    return time.process_time() - began


def main() -> int:
    """Print what was slow, and how slow the slowest was."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    worst, slow, size, total = 0.0, 0, 0, 0.0
    for number, text in enumerate(mutated(rules().rows, options.count, options.seed)):
        length = len(text.encode())
        try:
            taken = seconds(text)
            allowed = max(PER_BYTE * length, LEAST)
            if taken > allowed:
                taken = min(taken, *(seconds(text) for _ in range(3)))
        except Exception:
            print(f"text {number} of seed {options.seed} raises")
            raise
        size += length
        total += taken
        worst = max(worst, taken / max(length, LEAST / PER_BYTE))
        if taken > allowed:
            slow += 1
            print(f"text {number} of seed {options.seed}: {length} bytes take {taken * 1000:.1f} ms")
    print(f"{options.count:,} texts of {size / 2**20:.1f} MiB: {total / size * 1e6:.2f} microseconds a byte, "
          f"the slowest {worst * 1e6:.2f}; too slow: {slow}")  # fmt: skip
    return slow > 0


if __name__ == "__main__":
    raise SystemExit(main())
