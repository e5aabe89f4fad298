"""An index and a scan give the same answer, whatever happens to the vault or to the index."""

import os
import random
import sqlite3
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from builders import fake_key, put
from eccmem import cache, index, limits, listing, recall, roots, search
from eccmem.finding import SkipReason
from eccmem.model import DEFAULT_SCOPES, Kind, Scope, Status
from eccmem.vault import worktree
from hardship import all_at_once, common_ground, fork, give_away, in_child, try_save
from indexed import (
    QUERIES,
    answer,
    ask,
    break_it,
    by_scan,
    fill,
    home_of,
    indexed,
    random_memory,
    settle,
    small,
)


@pytest.fixture
def place(vault: roots.VaultRoots, home: Path, monkeypatch: pytest.MonkeyPatch) -> cache.CacheHome:
    """A cache home, in a world where ten files are many."""
    small(monkeypatch)
    return home_of(vault, home)


@pytest.mark.parametrize("seed", range(12))
def test_index_and_scan_are_the_same(
    seed: int, checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    """For every query, before and after random edits, deletions and additions."""
    rng = random.Random(seed)
    paths = fill(checkout, rng, 60)
    indexed(vault, place)
    for round_ in range(3):
        for query in QUERIES:
            recalled = ask(vault, place, query, rng.choice((1, 5, 100)) if query else 20)
            limit = len(recalled.found.hits) if recalled.found.hits else 20
            assert recalled.from_index or not any(map(str.isalnum, query))
            assert answer(ask(vault, place, query, limit)) == by_scan(vault, query, limit), (query, round_)
        for path in rng.sample(paths, 2):
            path.unlink(missing_ok=True)
        changed = rng.choice([path for path in paths if path.exists()])
        break_it(changed, rng)
        put(checkout, random_memory(rng, 1000 + round_, body=f"only here stands zyzzogeton {round_}"))


@pytest.mark.parametrize(
    "filters",
    [
        search.Filters(kinds=frozenset({Kind.NOTE, Kind.LESSON})),
        search.Filters(tags=("deploy",)),
        search.Filters(tags=("deploy", "redis"), since="2026-07-26T20:00:02"),
        search.Filters(harness="claude"),
        search.Filters(sources=("codex",)),
        search.Filters(sources=("nobody",)),
        search.Filters(statuses=frozenset({Status.ACTIVE})),
        search.Filters(statuses=frozenset({Status.REJECTED, Status.ACTIVE})),
    ],
)
def test_filters_are_the_same(
    filters: search.Filters, checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    """Also those that the index answers without reading a file."""
    rng = random.Random(11)
    fill(checkout, rng, 40)
    put(checkout, random_memory(rng, 700, target_harnesses=("claude", "codex")))
    put(checkout, random_memory(rng, 701, target_harnesses=("gemini",), source_harness="claude"))
    indexed(vault, place)
    put(checkout, random_memory(rng, 702, target_harnesses=("gemini",), source_harness="claude"))
    snapshot = worktree(vault, DEFAULT_SCOPES)
    for query in QUERIES:
        recalled = recall.recall(vault, DEFAULT_SCOPES, query, filters, 20, cache=place)
        assert recalled.found == search.search(snapshot, query, filters, 20)


def test_a_rare_tag_reads_few_files(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not every file that the query matches."""
    rng = random.Random(12)
    for number in range(50):
        put(checkout, random_memory(rng, number, body="redis", tags=("rare",) if number == 7 else (), status="active"))
    indexed(vault, place)
    read, whole = [], listing.read_at
    monkeypatch.setattr(listing, "read_at", lambda root, path: read.append(path) or whole(root, path))

    found = recall.recall(vault, DEFAULT_SCOPES, "redis", search.Filters(tags=("rare",)), 20, cache=place).found

    assert [hit.memory.tags for hit in found.hits] == [("rare",)]
    assert len(read) == 1


def test_all_changes_at_once_are_seen_without_a_write(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    """Also statistics: a word's rarity and the average length count what changed."""
    rng = random.Random(7)
    paths = fill(checkout, rng, 40)
    indexed(vault, place)
    before = {path.name: path.read_bytes() for path in place.folder.iterdir()}
    for path in paths[1:5]:
        path.unlink()
    for number in range(6):
        put(checkout, random_memory(rng, 500 + number, body="redis " * 50))

    for query in QUERIES:
        assert answer(ask(vault, place, query)) == by_scan(vault, query)
    assert ask(vault, place, "redis").from_index
    assert {path.name: path.read_bytes() for path in place.folder.iterdir()} == before


def test_too_many_changes_are_scanned_and_then_indexed(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    """Beyond the bound of an overlay."""
    rng = random.Random(8)
    fill(checkout, rng, 30)
    indexed(vault, place)
    for number in range(limits.OVERLAY_FILES + 1):
        put(checkout, random_memory(rng, 500 + number, scope=Scope.TEAM))

    recalled = ask(vault, place, "redis")
    assert not recalled.from_index
    assert recalled.wants == (Scope.TEAM,)
    settle()
    recall.build(vault, recalled.wants, place)
    assert ask(vault, place, "redis").from_index


def test_small_vaults_leave_nothing_behind(checkout: Path, vault: roots.VaultRoots, home: Path) -> None:
    """And no cache home is made for them."""
    fill(checkout, random.Random(1), 20)

    recalled = ask(vault, home_of(vault, home), "redis")

    assert not recalled.from_index
    assert not recalled.wants
    assert not (home / ".cache").exists()


def test_user_scope_has_its_own_file(
    checkout: Path, vault: roots.VaultRoots, home: Path, place: cache.CacheHome
) -> None:
    rng = random.Random(2)
    for number in range(30):
        put(home, random_memory(rng, number, scope=Scope.USER))
    fill(checkout, rng, 30)
    everything = tuple(Scope)
    recalled = ask(vault, place, "redis", scopes=everything)
    settle()
    recall.build(vault, recalled.wants, place)

    assert len(list(place.folder.iterdir())) == 3
    for query in QUERIES:
        for scopes in (everything, (Scope.USER,), (Scope.USER, Scope.PROJECT)):
            assert answer(ask(vault, place, query, scopes=scopes)) == by_scan(vault, query, scopes=scopes)
    assert ask(vault, place, "redis", scopes=everything).from_index


# --- Files that change so that it hardly shows ------------------------------------------------------------------


@pytest.fixture
def target(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> Path:
    """One memory among others, all indexed, none racy."""
    fill(checkout, random.Random(3), 30)
    path = put(checkout, random_memory(random.Random(4), 900, body="findable alpha", status="active"))
    indexed(vault, place)
    assert [hit.memory.id for hit in ask(vault, place, "alpha").found.hits] == ["mem_20260726_000900"]
    assert ask(vault, place, "alpha").from_index
    return path


def test_same_size_same_time_edit(target: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    status = target.stat()
    target.write_bytes(target.read_bytes().replace(b"alpha", b"omega"))
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert ask(vault, place, "alpha").found == by_scan(vault, "alpha")[0]
    assert ask(vault, place, "omega").found.hits
    assert answer(ask(vault, place, "omega")) == by_scan(vault, "omega")


def test_replaced_file(target: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """By rename, with the time and size of the old one."""
    status = target.stat()
    other = target.with_name("other.tmp")
    other.write_bytes(target.read_bytes().replace(b"alpha", b"omega"))
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(target)

    assert answer(ask(vault, place, "omega")) == by_scan(vault, "omega")
    assert ask(vault, place, "omega").found.hits


def test_edit_in_the_same_tick(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that stands still: only the content tells."""
    fill(checkout, random.Random(3), 20)
    path = put(checkout, random_memory(random.Random(4), 900, body="findable alpha", status="active"))
    now = time.time_ns()
    monkeypatch.setattr(listing, "_stamp", lambda _status: (now, now, 1, 1))
    monkeypatch.setattr(limits, "OVERLAY_FILES", 100)
    monkeypatch.setattr(recall, "needs_build", lambda *_: True)
    monkeypatch.setattr(time, "time_ns", lambda: now)
    indexed(vault, place)
    assert ask(vault, place, "alpha").from_index
    path.write_bytes(path.read_bytes().replace(b"alpha", b"omega"))

    assert answer(ask(vault, place, "alpha")) == by_scan(vault, "alpha")
    assert ask(vault, place, "omega").found.hits
    assert ask(vault, place, "omega").from_index


def test_clock_set_back(target: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """An edit that is older than the index."""
    target.write_bytes(target.read_bytes().replace(b"alpha", b"omega"))
    os.utime(target, (1, 1))

    assert answer(ask(vault, place, "alpha")) == by_scan(vault, "alpha")
    assert ask(vault, place, "omega").found.hits


def test_deleted_and_quarantined(target: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    target.write_bytes(target.read_bytes() + fake_key().encode())
    assert not ask(vault, place, "alpha").found.hits
    assert answer(ask(vault, place, "alpha")) == by_scan(vault, "alpha")

    target.unlink()
    assert answer(ask(vault, place, "alpha")) == by_scan(vault, "alpha")


def test_symlinks_and_leftovers_are_reported(target: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    target.with_name("link.md").symlink_to(target)
    target.with_name(".eccmem-0123456789abcdef.tmp").write_text("half")

    recalled = ask(vault, place, "alpha")

    assert recalled.from_index
    assert [skipped.reason for skipped in recalled.snapshot.skipped] == [SkipReason.SYMLINK]
    assert answer(recalled) == by_scan(vault, "alpha")


def test_moved_vault_has_another_index(
    target: Path, checkout: Path, vault: roots.VaultRoots, home: Path, place: cache.CacheHome
) -> None:
    moved = checkout.with_name("moved")
    checkout.rename(moved)
    there = roots.resolve(moved, {}, home)

    recalled = ask(there, place, "alpha")

    assert not recalled.from_index
    assert answer(recalled) == by_scan(there, "alpha")


def test_a_file_that_changes_while_it_is_read(
    target: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the walk and before the hit is shown: it is looked at again."""
    whole, calls = search.present, []

    def slow(*arguments: object, **named: object) -> object:
        if not calls:
            target.write_bytes(target.read_bytes().replace(b"alpha", b"omega"))
        calls.append(1)
        return whole(*arguments, **named)

    monkeypatch.setattr(search, "present", slow)
    recalled = ask(vault, place, "alpha")

    assert len(calls) == 2
    assert answer(recalled) == by_scan(vault, "alpha")


def test_unreadable_file() -> None:
    """Found readable again as soon as it is."""

    def suffer(folder: Path) -> None:
        home = folder / "home"
        there = roots.resolve(folder / "repo", {}, home)
        place = home_of(there, home)
        paths = fill(folder / "repo", random.Random(5), 30)
        paths[1].chmod(0)
        with pytest.MonkeyPatch.context() as patch:
            small(patch)
            indexed(there, place)
            recalled = ask(there, place, "redis")
            assert recalled.from_index
            assert "unreadable" in {broken.code for broken in recalled.snapshot.broken}
            assert answer(recalled) == by_scan(there, "redis")
            paths[1].chmod(0o600)
            assert answer(ask(there, place, "redis")) == by_scan(there, "redis")
            paths[2].chmod(0)
            assert answer(ask(there, place, "redis")) == by_scan(there, "redis")

    with common_ground() as folder:
        (folder / "repo/.git").mkdir(parents=True)
        (folder / "home").mkdir()
        give_away(folder)
        in_child(partial(suffer, folder), unprivileged=True)


# --- An index that is not what was written ----------------------------------------------------------------------


def cache_files(place: cache.CacheHome) -> list[Path]:
    return sorted(place.folder.glob("*.sqlite"))


def test_corruption_at_random(target: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """A thousand times: the answer is always the scan's, and none is a crash."""
    rng = random.Random(6)
    file = max(cache_files(place), key=lambda path: path.stat().st_size)
    whole = file.read_bytes()
    queries = ("redis cache", "kuberntes", "数据库", "")
    expected = {query: by_scan(vault, query) for query in queries}
    from_index = 0
    for number in range(1000):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 5, 100))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        file.write_bytes(data)
        query = queries[number % len(queries)]
        recalled = ask(vault, place, query)
        from_index += recalled.from_index
        assert answer(recalled) == expected[query], number
    assert 100 < from_index < 1000


def one_version_back(file: Path) -> None:
    """Valid in all but what made it."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE columns SET data = replace(data, '\"version\"', '\"verzion\"') WHERE name = 'meta'")
        connection.commit()


def of_another_program(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA application_id = 1")
        connection.commit()


def shortened(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def garbled(file: Path) -> None:
    file.write_bytes(random.Random(1).randbytes(20_000))


def linked(file: Path) -> None:
    file.rename(file.with_suffix(".real"))
    file.symlink_to(file.with_suffix(".real"))


def turned_into_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def opened_to_others(file: Path) -> None:
    file.chmod(0o666)


@pytest.mark.parametrize(
    "damage",
    [
        one_version_back,
        of_another_program,
        shortened,
        emptied,
        garbled,
        linked,
        turned_into_a_folder,
        opened_to_others,
    ],
)
def test_damage_is_scanned_around_and_mended(
    damage: object, target: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    for file in cache_files(place):
        damage(file)

    recalled = ask(vault, place, "alpha")

    assert not recalled.from_index
    assert answer(recalled) == by_scan(vault, "alpha")
    assert set(recalled.wants) == {Scope.PROJECT, Scope.TEAM}
    if damage is not turned_into_a_folder:
        assert recall.build(vault, recalled.wants, place) == ""
        assert ask(vault, place, "alpha").from_index


def test_a_newer_analyser_builds_anew(
    target: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or queries and documents would not agree on what a term is."""
    monkeypatch.setattr("eccmem.analyser.NAME", "lex-99")

    assert not ask(vault, place, "alpha").from_index


def test_index_that_says_something_else(
    target: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right checksums over wrong values: what is shown comes from the file."""
    ties = index.Index.ties
    monkeypatch.setattr(index.Index, "ties", lambda self: ["2099-01-01T00:00:00.000Z mem_wrong"] * len(ties(self)))

    recalled = ask(vault, place, "alpha")

    assert not recalled.from_index
    assert answer(recalled) == by_scan(vault, "alpha")


def test_without_sqlite(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some builds of Python have none."""
    fill(checkout, random.Random(3), 30)
    monkeypatch.setitem(sys.modules, "sqlite3", None)

    recalled = ask(vault, place, "redis")

    assert answer(recalled) == by_scan(vault, "redis")
    assert recall.build(vault, recalled.wants, place) == "this Python has no sqlite3"
    assert answer(ask(vault, place, "redis")) == by_scan(vault, "redis")


def test_read_only_cache_is_read() -> None:
    """And what cannot be written is scanned."""

    def suffer(folder: Path) -> None:
        home, checkout = folder / "home", folder / "repo"
        there = roots.resolve(checkout, {}, home)
        place = home_of(there, home)
        rng = random.Random(5)
        fill(checkout, rng, 30)
        with pytest.MonkeyPatch.context() as patch:
            small(patch)
            indexed(there, place)
            place.folder.chmod(0o500)
            assert ask(there, place, "redis").from_index
            for number in range(20):
                put(checkout, random_memory(rng, 500 + number))
            recalled = ask(there, place, "redis")
            assert answer(recalled) == by_scan(there, "redis")
            assert recalled.wants
            assert recall.build(there, recalled.wants, place) == "the cache cannot be written"
            place.folder.chmod(0o700)

    with common_ground() as folder:
        (folder / "repo/.git").mkdir(parents=True)
        (folder / "home").mkdir()
        give_away(folder)
        in_child(partial(suffer, folder), unprivileged=True)


# --- What never happens -----------------------------------------------------------------------------------------


def test_no_write_outside_the_cache_and_no_socket(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    """Searches and a build, watched by an audit hook in a process of its own, because hooks stay."""
    fill(checkout, random.Random(3), 30)
    time.sleep(
        2 * listing.TICK_NS / 1e9
    )  # files that are just written are racy, and more of them than an overlay takes

    def watched() -> list[str]:
        seen: list[str] = []
        allowed = str(place.folder.parent)
        changes = {"os.mkdir", "os.remove", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod"}

        def hook(event: str, args: tuple) -> None:
            if event.startswith("socket.") or event in {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.system"}:
                seen.append(event)
            writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if (writes or event in changes) and not str(args[0]).startswith(allowed):
                seen.append(f"{event} {args[0]}")

        sys.addaudithook(hook)
        for query in ("redis", "kuberntes"):
            recalled = ask(vault, place, query)
            recall.build(vault, recalled.wants, place)
        assert ask(vault, place, "redis").from_index
        return seen

    assert in_child(watched) == []


@pytest.mark.slow
def test_eight_processes_search_and_save_at_once(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    """No crash, and in the end the scan's answer."""
    fill(checkout, random.Random(3), 40)
    lasts = float(os.environ.get("ECCMEM_STRESS_SECONDS", "8"))
    until = time.monotonic() + lasts

    def work(seed: int) -> int:
        rng = random.Random(seed)
        rounds = 0
        while time.monotonic() < until:
            recalled = ask(vault, place, rng.choice(QUERIES))
            recall.build(vault, recalled.wants, place)
            if rng.random() < 0.3:
                assert try_save(vault, title=f"redis {seed} {rounds}", scope=rng.choice(("project", "team"))).id
            rounds += 1
        return rounds

    rounds = all_at_once([partial(work, seed) for seed in range(8)], seconds=60 + lasts)

    assert min(rounds) > 0
    recalled = ask(vault, place, "redis")
    recall.build(vault, recalled.wants, place)
    for query in QUERIES:
        assert answer(ask(vault, place, query)) == by_scan(vault, query)
    assert not list(place.folder.glob("*.tmp"))


def test_kill_while_building_leaves_a_usable_cache(
    target: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old one stays until the new one is whole."""
    before = [path.read_bytes() for path in cache_files(place)]

    def die() -> None:
        monkeypatch.setattr(Path, "replace", lambda *_: os._exit(0))
        recall.build(vault, (Scope.PROJECT,), place)

    pid = fork()
    if pid == 0:
        try:
            die()
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0

    assert [path.read_bytes() for path in cache_files(place)] == before
    assert ask(vault, place, "alpha").from_index
    for leftover in place.folder.glob("*.tmp"):
        os.utime(leftover, (1, 1))
    recall.build(vault, (Scope.PROJECT,), place)
    assert not list(place.folder.glob("*.tmp"))


def test_listing_sees_what_a_scan_reads(checkout: Path, vault: roots.VaultRoots) -> None:
    fill(checkout, random.Random(3), 10)

    seen = listing.look(listing.StampWalk(), vault.project, frozenset())

    assert seen.paths == sorted(str(path.relative_to(vault.project.path)) for path in vault.project.path.rglob("*.md"))
    assert listing.stored(seen.path_bytes(), seen.stamps.tobytes()).fingerprint() == seen.fingerprint()
