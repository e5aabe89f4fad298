"""The search index of one scope: disposable, immutable, and only ever a shortcut to what a scan would find.

It holds what ranking needs of each valid active memory (terms with their frequencies, the length, id and time for
ties) and what a scan would say of every other file; never a body, a title, or anything of a document that is broken
or holds a suspected secret but where and why.
"""

import json
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eccmem import __version__, analyser, index_store, limits, listing, ranking, search, secretscan, vault
from eccmem.cache import CacheHome
from eccmem.document import Problem
from eccmem.files import FileProblem
from eccmem.finding import SkipReason
from eccmem.index_store import Damaged, Store
from eccmem.listing import Listing, Stamp
from eccmem.model import Memory, Status
from eccmem.roots import Root
from eccmem.tree import AnyFolder, Walk
from eccmem.vault import Broken, BrokenCode, Place, Stored

Progress = Callable[[int, int], None]

LAYOUT = 2
NOT_SEARCHED = 0xFFFF_FFFF  # the length of what is broken or not active
_SMALL = 0x100


def version() -> str:
    """What an index must have been made by: another analyser or other secret rules would judge otherwise."""
    return f"{LAYOUT} {__version__} {analyser.NAME} {secretscan.version()} {sys.byteorder} {array('I').itemsize}"


@dataclass(slots=True)
class Judged:
    """One file, as a scan judges it: not there, or broken, or a memory; with the bytes of its text."""

    stamp: Stamp
    entry: Stored | Broken | None
    text_bytes: int = 0
    digest: str = ""

    @property
    def searched(self) -> Memory | None:
        """The memory, if search may return it."""
        if isinstance(self.entry, Stored) and self.entry.memory.status is Status.ACTIVE:
            return self.entry.memory
        return None


def facts_of(memory: Memory) -> str:
    """What filters look at besides time and status, and the title's key; no word of it holds a space or a comma."""
    words = (memory.kind, memory.source_harness, ",".join(memory.target_harnesses), ",".join(memory.tags))
    return " ".join((*words, search.title_key(memory.title)))


def judge_file(root: Root, relative: str, folder: AnyFolder | None = None) -> Judged:
    """Read and judge one file; quicker with the folder that it is in."""
    place = Place(root, relative)
    try:
        if folder is None:
            stamp, data = listing.read_at(root, relative)
        else:
            stamp, data = listing.read_in(folder, relative.rpartition("/")[2])
    except FileProblem as problem:
        if problem.reason is SkipReason.VANISHED:
            return Judged(listing.UNKNOWN, None)
        return Judged(listing.UNKNOWN, vault.unreadable(place, problem.reason))
    return Judged(stamp, vault.judge(place, data), vault.text_size(data), listing.digest(data))


# --- Building -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Draft:
    """The columns of an index while it is built."""

    listing: Listing = field(default_factory=Listing)
    text_bytes: "array[int]" = field(default_factory=lambda: array("I"))
    lengths: "array[int]" = field(default_factory=lambda: array("I"))
    ties: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    broken: list[tuple[int, str, list[tuple[int, str]]]] = field(default_factory=list)
    digests: list[tuple[int, int, str]] = field(default_factory=list)
    watched: list[tuple[int, str]] = field(default_factory=list)
    postings: "dict[str, array[int]]" = field(default_factory=dict)

    def add(self, relative: str, judged: Judged, now: int) -> None:
        number = len(self.lengths)
        self.listing.add(relative, judged.stamp)
        self.text_bytes.append(judged.text_bytes)
        # Whether it is racy is known when all times are; far from now is certain already.
        nearest = min(abs(now - judged.stamp[0]), abs(now - judged.stamp[1]))
        if not judged.digest:
            self.watched.append((number, ""))  # what could not be read is tried again by every search
        elif nearest < listing.COARSE_TICK_NS:
            self.digests.append((number, nearest, judged.digest))
        length, tie, facts = NOT_SEARCHED, "", ""
        if isinstance(judged.entry, Broken):
            problems = [(problem.line, problem.message) for problem in judged.entry.problems]
            self.broken.append((number, judged.entry.code, problems))
        elif (memory := judged.searched) is not None:
            terms, length = ranking.weigh(memory)
            tie, facts = f"{memory.updated_at} {memory.id}", facts_of(memory)
            postings = self.postings
            for term, frequency in terms.items():
                if term in postings:
                    postings[term].extend((number, frequency))
                else:
                    postings[term] = array("I", (number, frequency))
        self.lengths.append(length)
        self.ties.append(tie)
        self.facts.append(facts)

    def columns(self, terms: list[str]) -> dict[str, bytes]:
        tick = self.listing.tick_ns()
        searched = [length for length in self.lengths if length != NOT_SEARCHED]
        meta = {
            "version": version(),
            "files": len(self.lengths),
            "count": len(searched),
            "total_length": sum(searched),
            "text_bytes": sum(self.text_bytes),
            "fingerprint": self.listing.fingerprint(),
            "watched": self.watched + [(number, text) for number, age, text in self.digests if age < tick],
        }
        return {
            "meta": json.dumps(meta).encode(),
            "paths": self.listing.path_bytes(),
            "stamps": self.listing.stamps.tobytes(),
            "text_bytes": self.text_bytes.tobytes(),
            "lengths": self.lengths.tobytes(),
            "ties": "\n".join(self.ties).encode(),
            "facts": "\n".join(self.facts).encode(),
            "broken": json.dumps(self.broken).encode(),
            "terms": "\n".join(("", *terms, "")).encode(),
            "firsts": array("I", (self.postings[term][0] for term in terms)).tobytes(),
        }


def build(root: Root, without: frozenset[str], home: CacheHome, progress: Progress | None = None) -> None:
    """Read a scope and put an index of it in the place of the one that was there.

    Raises:
        NoCache: when there is no fit place.
        Damaged: when SQLite cannot write, or is not there.
        OSError: when the disk is full and the like.
    """
    with home.replacing(home.file_of(root)) as file:
        draft = _Draft()
        total = len(listing.look(listing.StampWalk(), root, without).paths) if progress else 0
        for done, (relative, folder, name) in enumerate(Walk().files(root, without=without), 1):
            now, stamp = time.time_ns(), listing.stamp_of(folder, name)
            judged = judge_file(root, relative, folder)
            if judged.entry is not None and stamp is not None:
                # Of what cannot be read, only this stamp is known.
                draft.add(relative, judged if judged.digest else replace(judged, stamp=stamp), now)
            if progress:
                progress(done, max(done, total))
        terms = sorted(draft.postings)
        index_store.write(file, draft.columns(terms), (_packed(draft.postings.pop(term)) for term in terms))


def _packed(pairs: "array[int]") -> bytes:
    """The numbers of documents, then a frequency for each: in one byte where all fit."""
    numbers, frequencies = pairs[0::2], pairs[1::2]
    if max(frequencies) < _SMALL:
        return b"B" + numbers.tobytes() + bytes(frequencies.tolist())
    return b"I" + numbers.tobytes() + frequencies.tobytes()


# --- Reading --------------------------------------------------------------------------------------------------


class Index:
    """An open index of one scope; every method raises Damaged where the file is not what was written."""

    def __init__(self, root: Root, file: Path) -> None:
        self.root = root
        self._store = Store(file)
        try:
            meta = self._meta()
        except Damaged:
            self.close()
            raise
        self.files: int = meta["files"]
        self.count: int = meta["count"]
        self.total_length: int = meta["total_length"]
        self.scanned_bytes: int = meta["text_bytes"]
        self.fingerprint: str = meta["fingerprint"]
        self.watched: list[tuple[int, str]] = meta["watched"]
        paths = self.listing().paths if self.watched else []
        self.unreadable = {paths[number] for number, text in self.watched if not text}
        self._terms: bytes | None = None

    def _meta(self) -> dict[str, Any]:
        meta: dict[str, Any] = self._json("meta")
        if meta["version"] != version():
            raise Damaged("it is of another version")
        return meta

    def close(self) -> None:
        """Give the file back."""
        self._store.close()

    def _json(self, name: str) -> Any:  # noqa: ANN401 - what was written under this name
        return json.loads(self._store.column(name))

    def listing(self) -> Listing:
        """The files that it was built of."""
        return listing.stored(self._store.column("paths"), self._store.column("stamps"))

    def lengths(self) -> "array[int]":
        """The length of each file's memory, or NOT_SEARCHED."""
        return array("I", self._store.column("lengths"))

    def text_bytes(self) -> "array[int]":
        """How many bytes a scan counts for each file."""
        return array("I", self._store.column("text_bytes"))

    def ties(self) -> list[str]:
        """Time and id of each file's memory, with a space between."""
        return self._store.column("ties").decode().split("\n") if self.files else []

    def facts(self) -> list[str]:
        """What filters look at, of each file's memory; see :func:`facts_of`."""
        return self._store.column("facts").decode().split("\n") if self.files else []

    def broken(self) -> Iterator[tuple[int, str, BrokenCode, tuple[Problem, ...]]]:
        """The number of each file that is no valid memory, its path, and what is wrong with it."""
        found = self._json("broken")
        paths = self.listing().paths if found else []
        for number, code, problems in found:
            yield number, paths[number], BrokenCode(code), tuple(Problem(*problem) for problem in problems)

    def posting(self, term: str) -> tuple["array[int]", Iterable[int]]:
        """The documents that hold a term, in order, and how often each does."""
        terms = self._dictionary()
        place = terms.find(b"\n" + term.encode() + b"\n")
        if place < 0:
            return array("I"), b""
        data = self._store.row(terms.count(b"\n", 0, place))
        if data[:1] == b"B":
            end = 1 + (len(data) - 1) // (array("I").itemsize + 1) * array("I").itemsize
            return array("I", data[1:end]), data[end:]
        end = 1 + (len(data) - 1) // 2
        return array("I", data[1:end]), array("I", data[end:])

    def vocabulary(self) -> list[str]:
        """Every term, sorted."""
        return self._dictionary().decode().split("\n")[1:-1]

    def first_documents(self) -> "array[int]":
        """For each term the first document that holds it."""
        return array("I", self._store.column("firsts"))

    def _dictionary(self) -> bytes:
        if self._terms is None:
            self._terms = self._store.column("terms")
        return self._terms


def dirty(index: Index, now: Listing) -> set[str]:
    """The paths whose files are not those that were indexed: changed, new or gone."""
    changed: set[str] = set()
    if index.fingerprint != now.fingerprint():
        changed = listing.differing(index.listing(), now)
    if index.watched:
        paths = index.listing().paths
        if len(index.watched) > limits.OVERLAY_FILES:
            return changed | {paths[number] for number, _ in index.watched}  # more than are worth a look
        for number, text in index.watched:
            relative = paths[number]
            if not text or (relative not in changed and _digest_of(index.root, relative) != text):
                changed.add(relative)
    return changed


def _digest_of(root: Root, relative: str) -> str:
    """The hash of a file's content as it is now; empty when it cannot be read."""
    try:
        return listing.digest(listing.read_at(root, relative)[1])
    except FileProblem:
        return ""
