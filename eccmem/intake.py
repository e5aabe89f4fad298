"""The one way a memory enters a vault: a draft is judged, then written once and never again.

Nothing is written, not even a folder, before the draft has passed every check.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from eccmem import document, guard, limits, refusals
from eccmem.document import InvalidDocument
from eccmem.errors import Refused
from eccmem.files import FileProblem, writing
from eccmem.model import (
    ALL_HARNESSES,
    ANSWERS,
    SCHEMA,
    SUPERSEDES,
    TRUST,
    InvalidMemory,
    Kind,
    Memory,
    Scope,
    Status,
    memory_id,
    normalise,
    with_named,
)
from eccmem.roots import VaultRoots
from eccmem.text import trim
from eccmem.tree import Walk, mode_of, open_or_make
from eccmem.vault import not_of_user, worktree


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a caller may choose; ``trust`` and ``status`` are not in it.

    ``supersedes`` names memories that this one replaces, ``answers`` hand-offs that it answers: each must exist, is
    linked, and is named by a trailer.
    """

    title: str
    body: str
    kind: str = Kind.NOTE
    scope: str = Scope.PROJECT
    source_harness: str = "unknown"
    target_harnesses: tuple[str, ...] = (ALL_HARNESSES,)
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """A memory that was written, and what the person should know about it."""

    memory: Memory
    warnings: tuple[str, ...]

    def warned(self, warnings: list[str]) -> "Saved":
        """The same, with more to know."""
        return replace(self, warnings=(*self.warnings, *warnings))


def utc_now() -> str:
    """The time as memories have it: UTC, in milliseconds."""
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{nanoseconds // 1_000_000:03d}Z"


def new_id(now: str) -> str:
    """A fresh id: the day, and 80 random bits, so that two branches never choose the same."""
    return f"mem_{now[:10].replace('-', '')}_{os.urandom(10).hex()}"


def save(
    draft: Draft,
    roots: VaultRoots,
    *,
    clock: Callable[[], str] = utc_now,
    make_id: Callable[[str], str] = new_id,
    environments: Iterable[Mapping[str, str]] = (),
) -> Saved:
    """Judge a draft and write it; values of secrets in environments, where some are given, are refused too.

    Raises:
        Refused: when the draft may not enter the vault; nothing was written.
        EccmemError: when the machine does not let us write; nothing was written.
    """
    now = clock()
    memory = _normalise(draft, make_id(now), now)
    refusals.refuse_hidden_text(memory)
    refusals.refuse_secrets(memory)
    for environment in environments:
        refusals.refuse_known(memory, environment)
    data = document.serialize(memory)
    if len(data) > limits.DOCUMENT_BYTES:
        raise Refused("invalid-memory", f"the document is too large: at most {limits.DOCUMENT_BYTES} bytes")
    _refuse_unknown_named(memory, draft, roots)
    warnings = _refuse_duplicates(memory, data, roots) + _unknown_links(memory, roots)
    return Saved(memory, (*warnings, *lay(memory, data, roots)))


def relative_path(memory: Memory) -> str:
    """Where a memory belongs, below its scope."""
    return f"{memory.kind.folder}/{memory.id}.md"


def lay(memory: Memory, data: bytes, roots: VaultRoots) -> tuple[str, ...]:
    """Create the file of a judged memory, after what guards it; return what the person should know of the guard.

    Raises:
        Refused: when there is a file of that name.
        EccmemError: when the machine does not let us write; nothing was written.
    """
    root = roots.of(memory.scope)
    name = f"{memory.id}.md"
    relative = relative_path(memory)
    with open_or_make(root) as scope_folder:
        prepared = guard.prepare(roots, memory.scope, scope_folder)
        with writing(root.show(relative)):
            mode = mode_of(root)
            with scope_folder.make(memory.kind.folder, mode) as folder:
                guard.shield(root, root.show(memory.kind.folder), folder)
                try:
                    folder.create(name, data, mode & 0o666)
                except FileExistsError:
                    raise _already_there(memory.id) from None
    return prepared.warnings


def _already_there(memory_id: str) -> Refused:
    return Refused(
        "memory-exists",
        f"memory {memory_id} already exists: memories are never overwritten",
        "save a new one",
    )


# --- What is refused ------------------------------------------------------------------------------------------


def _normalise(draft: Draft, own_id: str, now: str) -> Memory:
    """The memory that a draft asks for."""
    try:
        superseded, answered = _ids(draft.supersedes, "supersedes"), _ids(draft.answers, "answers")
        linked = tuple(map(trim, draft.links))
        named = (item for item in dict.fromkeys((*superseded, *answered)) if item not in linked)
        return normalise(
            {
                "schema": SCHEMA,
                "id": own_id,
                "title": draft.title,
                "kind": draft.kind,
                "scope": draft.scope,
                "trust": TRUST,
                "status": Status.ACTIVE,
                "source_harness": draft.source_harness,
                "target_harnesses": draft.target_harnesses,
                "tags": draft.tags,
                "links": (*draft.links, *named),
                "created_at": now,
                "updated_at": now,
                "body": with_named(with_named(draft.body, SUPERSEDES, superseded), ANSWERS, answered),
            }
        )
    except InvalidMemory as error:
        raise Refused("invalid-memory", "; ".join(problem.message for problem in error.problems)) from None
    except ValueError as error:
        raise Refused("invalid-memory", str(error)) from None


def _ids(values: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(memory_id(item, name) for item in values))


# Which memories a new one may supersede: a link must resolve for everyone who can read it.
_REACH = {
    Scope.PROJECT: (Scope.PROJECT, Scope.TEAM),
    Scope.TEAM: (Scope.TEAM,),
    Scope.USER: (Scope.USER,),
}


def _refuse_unknown_named(memory: Memory, draft: Draft, roots: VaultRoots) -> None:
    """Refuse to supersede what is not there, and to answer what is no hand-off."""
    if not (draft.supersedes or draft.answers):
        return
    snapshot = worktree(roots, _REACH[memory.scope])
    kinds = {stored.memory.id: stored.memory.kind for stored in snapshot.stored}
    hint = "search for the id" if snapshot.complete else "parts of the vault are unreadable: run eccmem doctor"
    for items, done in ((draft.supersedes, "superseded"), (draft.answers, "answered")):
        for item in map(trim, items):
            if item not in kinds:
                raise Refused(
                    "memory-not-found",
                    f"memory {item}, to be {done}, is not in the {_reach(memory)} scope",
                    hint,
                )
    for item in map(trim, draft.answers):
        if kinds[item] is not Kind.HANDOFF:
            raise Refused("not-a-handoff", f"memory {item} is no hand-off: only those are answered", "use --link")


def _reach(memory: Memory) -> str:
    return " or ".join(_REACH[memory.scope])


def _unknown_links(memory: Memory, roots: VaultRoots) -> list[str]:
    """Warn of links that resolve to nothing: a memory is never edited, so the typo would stay."""
    if not memory.links:
        return []
    walk = Walk()
    names = {
        name.removesuffix(".md")
        for scope in _REACH[memory.scope]
        for _, _, name in walk.files(roots.of(scope), without=not_of_user(roots, scope))
    }
    return [
        f"link {item} is not in the {_reach(memory)} scope: it leads nowhere for who can read this memory"
        for item in memory.links
        if item not in names
    ]


_ID_AS_FILE = re.compile(r"mem_[a-z0-9][a-z0-9_-]{2,127}\.md")


def _refuse_duplicates(memory: Memory, data: bytes, roots: VaultRoots) -> list[str]:
    """Refuse an id that is taken, and a memory that says what an active one says; return warnings.

    Both are found by a walk: files are named by their ids, and two memories that differ in id and times only have
    sizes that differ as their ids do (or by one byte a line, when a checkout turned LF into CRLF).
    Only files of such a size are read, and files whose name is no id.
    """
    rest = len(data) - len(memory.id)
    line_ends = data.count(b"\n")
    walk = Walk()
    for relative, folder, name in walk.files(roots.of(memory.scope), without=not_of_user(roots, memory.scope)):
        if name == f"{memory.id}.md":
            raise _already_there(memory.id)
        if _ID_AS_FILE.fullmatch(name):
            if not relative.startswith(f"{memory.kind.folder}/"):
                continue
            same_size = rest + len(name) - len(".md")
            if folder.size(name) not in (same_size, same_size + line_ends):
                continue
        try:
            other = document.parse(folder.read(name, limits.DOCUMENT_BYTES))
        except (FileProblem, InvalidDocument):
            continue  # the doctor's business: a bad file must not stop a good save
        if other.id == memory.id:
            raise _already_there(memory.id)
        if other.status is Status.ACTIVE and _same(memory, other):
            raise Refused(
                "duplicate-memory",
                f"the {memory.scope} scope already holds this memory as {other.id}",
                f"read it with: eccmem read {other.id}",
            )
    return [f"duplicates were not looked for in all of the scope: {why}" for why in walk.cut_short]


def _same(memory: Memory, other: Memory) -> bool:
    """Whether two memories are the same in all but id, times and line ends."""
    body = other.body.replace("\r\n", "\n")
    same = replace(memory, id=other.id, created_at=other.created_at, updated_at=other.updated_at)
    return replace(same, body=same.body.replace("\r\n", "\n")) == replace(other, body=body)
