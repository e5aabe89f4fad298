"""Measures how well search finds, on labelled collections, beside the figures recorded for other rankings.

usage: python tests/benchmarks/recall.py [--data DIR] [--rerank NAME] [COLLECTION ...]

DIR holds one ``NAME.tar.gz`` for each collection: ``docs.jsonl``, ``queries.jsonl``, ``qrels.tsv``. They are read
where they are; they are for evaluation and not ours to ship.
With ``--rerank`` each line shows what a reranker installed as an entry point of ``eccmem.rerankers`` makes of it.
"""

import argparse
import json
import math
import statistics
import tarfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eccmem import analyser, ranking, rerank
from eccmem.model import Kind, Memory, Scope, Status

DATA = Path(__file__).resolve().parents[2].parent / "shared/data/recall"
# R@5, MRR@10, nDCG@10 of the reference, as recorded in research/recall.md §2.1: not measured by this script.
REFERENCE = {
    "locomo-session": (0.685, 0.564, 0.613),
    "locomo-obs": (0.379, 0.359, 0.355),
    "locomo-turn": (0.214, 0.165, 0.185),
    "cranfield": (0.153, 0.342, 0.208),
    "cosqa": (0.178, 0.123, 0.151),
    "tldr-nl2bash": (0.132, 0.086, 0.112),
    "eccmem-gold": (0.698, 0.649, 0.668),
    "cmrc2018-zh": (0.170, 0.161, 0.164),
    "xquad-zh": (0.136, 0.111, 0.119),
    "xquad-en": (0.529, 0.418, 0.466),
    "xquad-ar": (0.622, 0.505, 0.555),
    "xquad-tr": (0.631, 0.505, 0.553),
    "xquad-th": (0.656, 0.523, 0.574),
    "xquad-hi": (0.463, 0.328, 0.388),
}
# nDCG@10 that a change may not fall below.
BARS = {
    "locomo-obs": 0.56,
    "cosqa": 0.42,
    "cranfield": 0.39,
    "eccmem-gold": 0.91,
    "xquad-zh": 0.96,
    "xquad-en": 0.97,
    "xquad-ar": 0.88,
    "xquad-th": 0.91,
}
Figures = tuple[float, float, float]


class Whole:
    """Every memory analysed once, for many queries: the plain meaning of a collection."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = memories
        self._terms: dict[str, dict[int, int]] = defaultdict(dict)
        self._lengths = []
        for key, memory in enumerate(memories):
            weights, length = ranking.weigh(memory)
            self._lengths.append(length)
            for term, weight in weights.items():
                self._terms[term][key] = weight
        self.count = len(memories)
        self.total_length = sum(self._lengths)

    def frequency(self, term: str) -> int:
        return len(self._terms.get(term, ()))

    def postings(self, term: str) -> Iterable[tuple[int, int]]:
        return self._terms.get(term, {}).items()

    def length(self, key: int) -> int:
        return self._lengths[key]

    def tie(self, key: int) -> tuple[str, str]:
        return self._memories[key].updated_at, self._memories[key].id

    def vocabulary(self) -> Iterable[str]:
        return self._terms.keys()

    def containing(self, text: str) -> Iterable[int]:
        wholes = ("\n".join((item.title, " ".join(item.tags), item.body)) for item in self._memories)
        return [key for key, whole in enumerate(wholes) if text in analyser.fold(whole)]


@dataclass(frozen=True)
class Labelled:
    """A collection: its memories, its queries, and which memories answer which query."""

    memories: list[Memory]
    queries: dict[str, str]
    answers: dict[str, set[str]]


def load(archive: Path) -> Labelled:
    """Read a collection from its archive."""
    lines = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and (name := Path(member.name).name) in ("docs.jsonl", "queries.jsonl", "qrels.tsv"):
                lines[name] = [line for line in tar.extractfile(member).read().decode().split("\n") if line]
    answers: dict[str, set[str]] = defaultdict(set)
    for line in lines["qrels.tsv"]:
        query, answer, grade = line.split("\t")
        if float(grade) > 0:
            answers[query].add(answer)
    queries = {row["id"]: row["text"] for row in map(json.loads, lines["queries.jsonl"]) if row["id"] in answers}
    return Labelled([document(json.loads(line)) for line in lines["docs.jsonl"]], queries, answers)


def document(row: dict) -> Memory:
    """A document as a memory; its id is kept, whatever it looks like."""
    when = "2026-07-26T20:00:00.000Z"
    return Memory(
        id=row["id"],
        title=row["title"],
        kind=Kind.NOTE,
        scope=Scope.PROJECT,
        status=Status.ACTIVE,
        source_harness="unknown",
        target_harnesses=("all",),
        tags=tuple(row["tags"]),
        links=(),
        created_at=when,
        updated_at=when,
        body=row["body"],
    )


def figures(ids: Sequence[str], wanted: set[str]) -> Figures:
    """R@5, MRR@10 and nDCG@10 of one answer."""
    gains = [item in wanted for item in ids[:10]]
    first = next((1 / place for place, gain in enumerate(gains, 1) if gain), 0.0)
    gained = sum(1 / math.log2(place + 1) for place, gain in enumerate(gains, 1) if gain)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(wanted), 10) + 1))
    return sum(gains[:5]) / len(wanted), first, gained / ideal


def measure(labelled: Labelled, again: Callable | None) -> tuple[Figures, Figures | None]:
    """The means over all queries, and the same after a reranker."""
    collection = Whole(labelled.memories)
    before, after = [], []
    for name, text in labelled.queries.items():
        found = ranking.rank(collection, text[:500]).ranked[: rerank.CANDIDATES]
        memories = [labelled.memories[row.key] for row in found]
        ids = [memory.id for memory in memories]
        before.append(figures(ids, labelled.answers[name]))
        if again:
            rows = [
                (item.id, f"{item.title}\n{item.body}", row.score) for item, row in zip(memories, found, strict=True)
            ]
            after.append(figures([ids[place] for place in again(text, rows)], labelled.answers[name]))
    return mean(before), mean(after) if again else None


def mean(rows: Sequence[Figures]) -> Figures:
    return tuple(statistics.fmean(column) for column in zip(*rows, strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("collections", nargs="*")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rerank", metavar="NAME")
    options = parser.parse_args()
    again = rerank.load(options.rerank) if options.rerank else None
    archives = sorted(options.data.glob("*.tar.gz"))
    wanted = [path for path in archives if not options.collections or path.name[:-7] in options.collections]
    if not wanted:
        parser.error(f"no collections in {options.data}")
    print(f"{'collection':16}{'queries':>8}   R@5   MRR  nDCG   bar  recorded reference: R@5   MRR  nDCG{'s':>8}")
    for path in wanted:
        name = path.name.removesuffix(".tar.gz")
        start = time.perf_counter()
        labelled = load(path)
        ours, reranked = measure(labelled, again)
        bar = f"{BARS[name]:.2f}" if name in BARS else "-"
        theirs = " ".join(f"{value:5.3f}" for value in REFERENCE[name]) if name in REFERENCE else "    -     -     -"
        low = " below the bar" if ours[2] < BARS.get(name, 0) else ""
        shown = " ".join(f"{value:5.3f}" for value in ours)
        took = time.perf_counter() - start
        print(f"{name:16}{len(labelled.queries):8} {shown}  {bar:>4}{'':20} {theirs}{took:8.1f}{low}")
        if reranked:
            print(f"{'  ' + options.rerank:24} {' '.join(f'{value:5.3f}' for value in reranked)}")


if __name__ == "__main__":
    main()
