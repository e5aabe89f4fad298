"""Measures how well governed documents are found and their statuses read, on real repositories with labels.

usage: python tests/benchmarks/artifacts.py [--labels FILE] [--show] [--only all|tuned|aside] FOLDER

FOLDER holds the repositories, each as a checkout or a Git directory: ``OWNER+NAME``, ``OWNER/NAME`` or ``NAME``, or a
folder ``repo`` in it. FILE has one JSON object a line: ``repo``, ``commit``, ``path``, ``kind``, ``status``,
``superseded_by``, and where it applies ``superseded_by_reverse`` and ``partial``. A repository without the commit of
its labels is read at HEAD, and the table says so.

A third of the repositories, chosen by the hash of their names, is held aside: the rules were never tuned on it.
With ``--show`` every document that was taken wrongly is printed, but none of those that are held aside.
"""

import argparse
import hashlib
import json
import os
import posixpath
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eccmem import revisions
from eccmem.artifacts import survey, trees
from eccmem.artifacts.values import Artifact
from eccmem.errors import EccmemError
from eccmem.repo import Repo, locate

LABELS = Path(__file__).resolve().parents[2].parent / "shared/data/governed-documents.jsonl"
BARS = {"adr": (0.98, 0.98), "runbook": (0.98, 0.95), "rules": (0.98, 1.0)}
KINDS = ("adr", "runbook", "rules", "rfc", "postmortem")
WITH_STATUS = ("adr", "rfc")
# So many rules of one repository were labelled at most, and of proposals a sample: what has no label says nothing.
MOST_LABELS = {"rules": 6, "rfc": 0}
Row = Mapping[str, object]


@dataclass
class Counts:
    """What one part of the repositories comes to."""

    repositories: int = 0
    documents: int = 0
    right: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    missed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrongly: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    unlabelled: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    judged: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    same: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrong: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    superseded: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    noticed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    targets: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    reached: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    reverse: int = 0
    reversed_right: int = 0


def is_aside(repo: str) -> bool:
    """Whether a repository is of the third that nothing is tuned on."""
    return hashlib.sha256(repo.encode()).digest()[0] % 3 == 0


def place(folder: Path, name: str) -> Repo | None:
    """The repository of a name."""
    for stem in (name.replace("/", "+"), name, name.rpartition("/")[2]):
        for candidate in (folder / stem / "repo", folder / stem):
            if candidate.is_dir():
                try:
                    return locate(Path(os.path.realpath(candidate)), os.environ)
                except EccmemError:
                    continue
    return None


def judge(
    rows: Sequence[Row], found: Mapping[str, Artifact], tell: Callable[[str, str], None]
) -> Iterator[tuple[str, str]]:
    """What is right and what is wrong in one repository: pairs of a count's name and a kind."""
    labels = {str(row["path"]): row for row in rows}
    complete = labelled_wholly(rows)
    for path, artifact in found.items():
        if str(labels.get(path, {}).get("kind", "")) != artifact.kind:
            yield ("wrongly" if artifact.kind in complete else "unlabelled"), artifact.kind
            tell(path, f"taken for {artifact.kind}, labelled {labels.get(path, {}).get('kind')}")
    for path, row in labels.items():
        kind = str(row["kind"])
        if kind in ("template", "index"):
            continue
        artifact = found.get(path)
        if artifact is None or artifact.kind != kind:
            yield "missed", kind
            tell(path, f"missed, labelled {kind}")
            continue
        yield "right", kind
        if kind in WITH_STATUS:
            yield from status(row, artifact, tell)


def labelled_wholly(rows: Sequence[Row]) -> frozenset[str]:
    """The kinds of which a repository has all its labels: it has some, and not as many as were taken at most."""
    counted = Counter(str(row["kind"]) for row in rows)
    return frozenset(kind for kind in counted if counted[kind] < MOST_LABELS.get(kind, len(rows) + 1))


def status(row: Row, artifact: Artifact, tell: Callable[[str, str], None]) -> Iterator[tuple[str, str]]:
    """The same for the status of a document: its own, then what others say of it."""
    kind = str(row["kind"])
    by_others = artifact.source == "reverse"
    own = str(row["status"])
    reverse = [str(item) for item in row.get("superseded_by_reverse", ())]
    expected = {own, "superseded"} if reverse else {own}
    yield "judged", kind
    if artifact.status in expected:
        yield "same", kind
    else:
        if artifact.status != "unknown":
            yield "wrong", kind
        tell(
            artifact.path,
            f"{artifact.status} of {artifact.raw!r} in {artifact.source}, labelled {own} {row['raw_status']!r}",
        )
    if own == "superseded":
        yield "superseded", kind
        if artifact.status == "superseded":
            yield "noticed", kind
        labelled = [str(item) for item in row["superseded_by"]]
        if labelled:
            yield "targets", kind
            if all(any(same_target(item, by) for by in artifact.by) for item in labelled):
                yield "reached", kind
            else:
                tell(artifact.path, f"targets {artifact.by}, labelled {labelled}")
    if reverse:
        yield "reverse", ""
        if by_others or artifact.pending or any(same_target(item, by) for item in reverse for by in artifact.by):
            yield "reversed_right", ""
        else:
            tell(artifact.path, f"nobody was seen to take its place; labelled {reverse}")
    elif by_others and own != "superseded":
        tell(artifact.path, f"superseded by {artifact.by} according to them alone")


def same_target(labelled: str, read: str) -> bool:
    """Whether two ways to name a document mean the same: by its file, or by its number."""
    names = [posixpath.basename(text.partition("#")[0].rstrip("/")).lower() for text in (labelled, read)]
    if names[0] == names[1] or names[0].partition(".")[0] == names[1].partition(".")[0]:
        return True
    numbers = [re.search(r"\d+", name) for name in names]
    return all(numbers) and len({int(number[0]) for number in numbers if number}) == 1


def measure(
    folder: Path, labels: Mapping[str, Sequence[Row]], wanted: Iterable[str], *, show: bool
) -> tuple[Counts, list[str]]:
    """The counts of some repositories, and what is to be said about them."""
    counts = Counts()
    notes = []
    for name in wanted:
        rows = labels[name]
        repo = place(folder, name)
        if repo is None:
            notes.append(f"{name}: not in the folder")
            continue
        commit = str(rows[0]["commit"])
        if revisions.find(repo, commit) is None:
            notes.append(f"{name}: without {commit[:12]}, read at HEAD")
            commit = "HEAD"
        tree = trees.of_revision(repo, commit)
        found = survey.survey(tree, survey.config_of(tree))
        counts.repositories += 1
        counts.documents += len(rows)

        def tell(path: str, what: str, name: str = name) -> None:
            if show and not is_aside(name):
                print(f"{name} {path}: {what}")

        for count, kind in judge(rows, found, tell):
            if kind:
                getattr(counts, count)[kind] += 1
            else:
                setattr(counts, count, getattr(counts, count) + 1)
    return counts, notes


def share(part: int, whole: int) -> str:
    """A share with what it is of."""
    return f"{part / whole:.3f} ({part}/{whole})" if whole else "none"


def table(title: str, counts: Counts) -> None:
    """Print the figures of one part."""
    print(f"\n{title}: {counts.repositories} repositories, {counts.documents} labelled documents")
    print("| kind | precision | recall | bars | where none is labelled |\n|---|---|---|---|---|")
    for kind in KINDS:
        right = counts.right[kind]
        bars = " / ".join(f"{bar}" for bar in BARS.get(kind, ()))
        found = share(right, right + counts.wrongly[kind]) if MOST_LABELS.get(kind, 1) else "not labelled wholly"
        print(
            f"| {kind} | {found} | {share(right, right + counts.missed[kind])} | {bars} | {counts.unlabelled[kind]} |"
        )
    print("| status of | right | wrong, not unknown | superseded found | all targets right |\n|---|---|---|---|---|")
    for kind in WITH_STATUS:
        print(
            f"| {kind} | {share(counts.same[kind], counts.judged[kind])} | {counts.wrong[kind]} "
            f"| {share(counts.noticed[kind], counts.superseded[kind])} "
            f"| {share(counts.reached[kind], counts.targets[kind])} |"
        )
    print(f"told by the successor alone: {share(counts.reversed_right, counts.reverse)}")


def main() -> None:
    """Print a table for each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--only", choices=("all", "tuned", "aside"), default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    labels: dict[str, list[Row]] = defaultdict(list)
    for line in options.labels.read_text("utf-8").split("\n"):
        if line:
            row = json.loads(line)
            labels[row["repo"]].append(row)
    parts = {
        "all": sorted(labels),
        "tuned": [name for name in sorted(labels) if not is_aside(name)],
        "aside": [name for name in sorted(labels) if is_aside(name)],
    }
    for part in [options.only] if options.only else parts:
        start = time.monotonic()
        counts, notes = measure(options.folder, labels, parts[part], show=options.show and part != "aside")
        table(part, counts)
        print(f"{time.monotonic() - start:.1f} s")
        if part != "tuned" or options.only:
            print("".join(f"\n{note}" for note in notes))


if __name__ == "__main__":
    main()
