"""Secrets that the judgement of memories does not see: in files that are none, and in what single commits bring."""

from collections.abc import Container, Iterator, Sequence

from eccmem import committed, limits, secretscan, vault
from eccmem.allowance import Allowance
from eccmem.checks import guard, secrets
from eccmem.finding import Finding
from eccmem.model import Scope
from eccmem.repo import Repo, Tracked
from eccmem.spots import spot
from eccmem.state import State
from eccmem.text import printable_name
from eccmem.vault import Broken, BrokenCode, Snapshot, Stored

# What is to be searched: blobs, each with its paths and the commits that have it there (none: what is judged itself).
_Wanted = dict[str, list[tuple[str, str]]]


def find(repo: Repo, state: State, parts: Sequence[Snapshot], retired: Container[str]) -> Iterator[Finding]:
    """Search what a change touches, and what any commit brought, even if a later one took it away: it is published.

    Args:
        repo: where the blobs are.
        state: what is judged.
        parts: its vaults, whose memories were searched for what is certain when they were read.
        retired: where memories lie that the change only retires: what is likely in them was published before.

    Raises:
        EccmemError: when Git cannot give what has to be searched.
    """
    wanted: _Wanted = {}
    allowance = Allowance(repo, state.allowed_at)
    fine = {committed.path_of(stored.place): stored for part in parts for stored in part.stored}
    for path, stored in fine.items():
        if (state.touched is None or path in state.touched) and stored.place.shown not in retired:
            yield from _likely(stored, "", allowance)
    for entry in state.entries:
        if _is_touched(state, entry) and entry.path not in fine:
            yield from _wanting(wanted, entry, "", state.moved)
    present = {entry.path: entry.blob for entry in state.entries} if state.commits else {}
    for item in state.commits:
        entry = item.entry
        if present.get(entry.path) == entry.blob and _is_touched(state, entry):
            continue  # it is judged as it stands
        if not guard.is_private(entry.path, state.moved) or guard.is_guard(entry.path, state.moved):
            yield from _wanting(wanted, entry, item.commit, state.moved)
        elif entry.path not in present:
            yield guard.added_private(item.commit, entry.path)
    yield from _searched(repo, wanted, parts, state.moved, allowance)
    if allowance.was_read():
        yield from secrets.of_list(allowance, complete=False)


def _is_touched(state: State, entry: Tracked) -> bool:
    return state.touched is None or entry.path in state.touched


def _searched(
    repo: Repo, wanted: _Wanted, parts: Sequence[Snapshot], moved: str | None, allowance: Allowance
) -> Iterator[Finding]:
    said = {committed.path_of(item.place) for part in parts for item in part.broken if item.code is BrokenCode.SECRET}
    for oid, data in repo.blobs(wanted, limits.SEARCHED_BYTES):
        for path, commit in wanted[oid]:
            if data is None:
                yield secrets.not_searched(printable_name(path), commit)
            elif commit or path not in said:
                yield from _leaks(path, data, commit, moved, allowance)


def _wanting(wanted: _Wanted, entry: Tracked, commit: str, moved: str | None) -> Iterator[Finding]:
    """Note a file of the team scope as wanted, unless its name alone gives a secret away."""
    where = spot(entry.path, moved)
    if where is None or where.scope is not Scope.TEAM:
        return
    if (shown := secretscan.masked(entry.path)) is not None:
        yield secrets.in_name(printable_name(shown), commit)
    elif entry.is_file and not entry.stage:
        wanted.setdefault(entry.blob, []).append((entry.path, commit))


def _leaks(path: str, data: bytes, commit: str, moved: str | None, allowance: Allowance) -> Iterator[Finding]:
    where = spot(path, moved)
    entry = vault.judge(where.place, data, review=True) if where and where.is_memory else None
    if isinstance(entry, Stored):
        yield from _likely(entry, commit, allowance)
    elif isinstance(entry, Broken) and entry.code is BrokenCode.SECRET:
        for problem in entry.problems:
            yield secrets.leaked(printable_name(path), problem.line, problem.message, commit)
    else:
        text = data.replace(b"\0", b"").decode("utf-8", "replace")  # in UTF-16, every other byte of a key is 0
        for match in secretscan.scan(text):
            if allowance.allows(match.rule, text[match.start : match.end]):
                continue
            line = text.count("\n", 0, match.start) + 1
            if match.tier == secretscan.BLOCK:
                yield secrets.leaked(printable_name(path), line, f"a suspected secret ({match.label})", commit)
            else:
                yield secrets.likely(printable_name(path), line, match.label, commit)


def _likely(stored: Stored, commit: str, allowance: Allowance) -> Iterator[Finding]:
    """What is only likely in a memory: what is certain has put it into quarantine."""
    for line, label in likely_in(stored, allowance):
        yield secrets.likely(stored.place.shown, line, label, commit)


def likely_in(stored: Stored, allowance: Allowance) -> Iterator[tuple[int, str]]:
    """The values of a valid memory that may be secrets and are not allowed: the line, and what it is in words."""
    likely = stored.likely
    if likely is None:
        likely = vault.suspects_in(stored.memory, stored.lines, review=True)
    for line, match, value in likely:
        if not allowance.allows(match.rule, value):
            yield line, match.label
