"""The vault, read once: a Snapshot, of which everything else is a pure function."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from eccmem import document, limits, secretscan
from eccmem.document import InvalidDocument, Problem
from eccmem.files import FileProblem
from eccmem.finding import Skipped, SkipReason
from eccmem.model import Memory, Scope
from eccmem.roots import Root, VaultRoots
from eccmem.secretscan import BLOCK, Match
from eccmem.tree import Walk


class BrokenCode(StrEnum):
    """Why a file in the vault is not taken as a memory; the words are the reference's."""

    INVALID = "invalid-document"
    LOCATION = "location-mismatch"
    SECRET = "suspected-secret"  # noqa: S105 - a code, not a secret
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file of the vault is: below which root, and its path from there."""

    root: Root
    relative: str

    @property
    def shown(self) -> str:
        """The path as findings have it: ``.ecc/memory/team/notes/x.md``."""
        return self.root.show(self.relative)

    @property
    def vault_path(self) -> str:
        """The path as the reference's JSON has it: ``team:notes/x.md``."""
        return self.root.vault_path(self.relative)


# A suspected secret: its line in the document, how it was found, and itself, which is never shown.
Suspect = tuple[int, Match, str]


@dataclass(frozen=True, slots=True)
class Stored:
    """A valid memory in its place, with the line of each of its fields.

    ``likely`` are the values that may be secrets, each with its line, the match, and itself, never to be shown; None
    where they were not looked for.
    """

    place: Place
    memory: Memory
    lines: Mapping[str, int]
    likely: tuple[Suspect, ...] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that is no valid memory, with what is wrong; it is out of search and read."""

    place: Place
    code: BrokenCode
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A file that is judged no more, because an earlier commit brought it: what others may refer to."""

    place: Place
    id: str
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The memories of some scopes at one moment.

    ``cut_short`` says why the scan did not see everything; it is empty when it did.
    ``leftovers`` are temporary files of writes that were killed.
    Of commits only: ``known``, ``others`` (files that are no memories), and ``elsewhere``, the ids of memories that
    are there and were not looked at.
    """

    scopes: tuple[Scope, ...]
    stored: tuple[Stored, ...] = ()
    broken: tuple[Broken, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    cut_short: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    scanned_bytes: int = 0
    known: tuple[Known, ...] = ()
    others: tuple[Place, ...] = ()
    elsewhere: frozenset[str] = frozenset()

    @property
    def complete(self) -> bool:
        """Whether all that could be a memory was seen and is valid: only then can absence be claimed."""
        return not (self.cut_short or self.broken or self.skipped)


def worktree(
    roots: VaultRoots,
    scopes: Iterable[Scope],
    wanted: Callable[[str, bytes], bool] | None = None,
    *,
    review: bool = False,
) -> Snapshot:
    """Read the scopes from the working tree, within the bounds of one scan.

    Args:
        roots: where the scopes are.
        scopes: which to read.
        wanted: by a path within its scope and its bytes, whether a document is of interest; others are read and not
            judged, which takes most of the time. None judges all.
        review: see :func:`judge`.

    Raises:
        EccmemError: when a scope has no place (no home folder).
    """
    chosen = tuple(scopes)
    walk = Walk()
    stored: list[Stored] = []
    broken: list[Broken] = []
    scanned = 0
    for scope in chosen:
        root = roots.of(scope)
        for relative, folder, name in walk.files(root, without=not_of_user(roots, scope)):
            if scanned >= limits.SCAN_BYTES:
                walk.cut(f"more than {limits.SCAN_BYTES} bytes of memories")
                break
            place = Place(root, relative)
            try:
                data = folder.read(name, limits.DOCUMENT_BYTES)
            except FileProblem as problem:
                broken += _unreadable(place, problem.reason)
                continue
            scanned += text_size(data)
            if wanted is not None and not wanted(relative, data):
                continue
            entry = judge(place, data, review=review)
            if isinstance(entry, Stored):
                stored.append(entry)
            else:
                broken.append(entry)
    seen = (tuple(walk.skipped), tuple(walk.cut_short), tuple(walk.leftovers))
    return Snapshot(chosen, tuple(stored), tuple(broken), *seen, scanned)


def text_size(data: bytes) -> int:
    """The bytes of a document as the reference counts them: of its text, without a byte order mark."""
    return len(data.removeprefix(_BOM))


def not_of_user(roots: VaultRoots, scope: Scope) -> frozenset[str]:
    """Names below a scope's root that are other scopes: where the checkout is the home folder."""
    if scope is Scope.USER and roots.user_holds_vault:
        return frozenset({Scope.PROJECT.value, Scope.TEAM.value})
    return frozenset()


_BOM = b"\xef\xbb\xbf"
# Decoded values: an escape in the file's JSON must not hide a secret.
_TEXTS = ("id", "title", "source_harness", "target_harnesses", "tags", "links")
_UNREADABLE = {
    SkipReason.SYMLINK: "a symlink: replace it with the file itself",
    SkipReason.NOT_REGULAR: "not a regular file: remove it",
    SkipReason.TOO_LARGE: f"the file is too large: at most {limits.DOCUMENT_BYTES} bytes; split the memory in two",
    SkipReason.UNREADABLE: "the file cannot be read: check its permissions",
}


def unreadable(place: Place, reason: SkipReason) -> Broken:
    """What a file is that cannot be read, for this reason."""
    code = BrokenCode.UNREADABLE if reason is SkipReason.UNREADABLE else BrokenCode.INVALID
    return Broken(place, code, (Problem(1, _UNREADABLE[reason]),))


def _unreadable(place: Place, reason: SkipReason) -> list[Broken]:
    # A file that vanished between the listing and now is no defect of the vault.
    return [] if reason is SkipReason.VANISHED else [unreadable(place, reason)]


def known(place: Place, data: bytes) -> Known | None:
    """What is to be known of a document that is not judged; None where it is no memory."""
    seen = document.glance(data)
    if seen is None:
        try:
            memory = document.parse(data)
        except InvalidDocument:
            return None
        seen = memory.id, memory.links
    return Known(place, *seen)


def judge(place: Place, data: bytes, *, review: bool = False) -> Stored | Broken:
    """Say whether bytes in a place of the vault are a memory that belongs there.

    Args:
        place: where they lie.
        data: the bytes.
        review: whether to look for what is only likely to be a secret too, which takes as long again.
    """
    try:
        found = document.load(data)
    except InvalidDocument as error:
        return Broken(place, BrokenCode.INVALID, error.problems)
    memory = found.memory
    folder, _, below = place.relative.partition("/")
    if memory.scope is not place.root.scope:
        message = f"the memory says scope {memory.scope} and lies in {place.root.scope}"
        return Broken(place, BrokenCode.LOCATION, (Problem(found.lines["scope"], message),))
    if not below or folder != memory.kind.folder:
        message = f"a memory of kind {memory.kind} belongs in the folder {memory.kind.folder}"
        return Broken(place, BrokenCode.LOCATION, (Problem(found.lines["kind"], message),))
    suspects = suspects_in(memory, found.lines, review=review)
    certain = tuple(suspect for suspect in suspects if suspect[1].tier == BLOCK)
    if certain:
        problems = tuple(Problem(line, f"a suspected secret ({match.label})") for line, match, _ in certain)
        return Broken(place, BrokenCode.SECRET, problems)
    return Stored(place, memory, found.lines, suspects if review else None)


def suspects_in(memory: Memory, lines: Mapping[str, int], *, review: bool) -> tuple[Suspect, ...]:
    """What :func:`secrets_in` a memory, by the lines of its document."""
    found = secrets_in(memory, review=review)
    return tuple((lines[name] + line - 1, match, value) for name, line, match, value in found)


def secrets_in(memory: Memory, *, review: bool = True) -> Iterator[tuple[str, int, Match, str]]:
    """Every suspected secret of a memory: the field, the line within it, the match, and the value, never to be shown.

    Without ``review`` only what is certain enough to put a memory into quarantine.
    """
    texts = {name: " ".join(value) if isinstance(value := getattr(memory, name), tuple) else value for name in _TEXTS}
    names = list(texts)
    # An empty line between: what one field says must not make a secret of the next.
    together = "\n\n".join(texts.values())
    for match in secretscan.scan(together, review=review):
        field = names[together.count("\n", 0, match.start) // 2]
        yield field, 1, match, together[match.start : match.end]
    for match in secretscan.scan(memory.body, review=review):
        line = memory.body.count("\n", 0, match.start) + 1
        yield "body", line, match, memory.body[match.start : match.end]
