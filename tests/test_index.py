"""What is in an index, and what is not."""

import json
import random
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from eccmem import analyser, cache, index, index_store, limits, listing, ranking, roots, vault
from eccmem.index_store import Damaged, Store
from eccmem.model import Status
from indexed import ask, fill, home_of, indexed, settle, small


@pytest.fixture
def place(vault: roots.VaultRoots, home: Path, monkeypatch: pytest.MonkeyPatch) -> cache.CacheHome:
    """A cache home, in a world where ten files are many."""
    small(monkeypatch)
    return home_of(vault, home)


def test_it_holds_no_text_and_nothing_of_what_is_broken(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome
) -> None:
    """Neither bodies nor titles; of a quarantined document neither its words nor its id."""
    fill(checkout, random.Random(1), 20)
    put(checkout, memory("mem_plain", title="Unmistakable Headline", body="Curiously verbatim sentence."))
    put(checkout, memory("mem_leaky", title="Leakytitle", body=f"quarantinedword {fake_key()}"))
    put(checkout, memory("mem_retired", title="Retiredtitle", body="retiredword", status=Status.REJECTED))
    broken = put(checkout, memory("mem_broken", title="Brokentitle", body="brokenword"))
    broken.write_text(broken.read_text().replace('"active"', '"actief"'))
    indexed(vault, place)

    data = b"".join(file.read_bytes() for file in place.folder.iterdir()).lower()

    assert b"mem_plain" in data
    assert b"unmistak" in data  # a term
    for absent in ("Unmistakable Headline", "Curiously verbatim", "sentence.", fake_key(), "quarantin", "leakytitl",
                   "brokentitl", "brokenword", "retiredtitl", "retiredword"):  # fmt: skip
        assert absent.lower().encode() not in data, absent
    paths = b"mem_leaky.md", b"mem_broken.md", b"mem_retired.md"
    assert all(data.count(path[:-3]) == data.count(path) for path in paths)  # their files' names, and no ids


def test_it_says_what_a_weighing_says(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """Term by term."""
    fill(checkout, random.Random(2), 40)
    index.build(vault.project, frozenset(), place)
    built = index.Index(vault.project, place.file_of(vault.project))
    stored = vault_memories(vault)

    weighed = {path: ranking.weigh(item) for path, item in stored.items()}
    paths = built.listing().paths
    assert built.count == len(stored)
    assert built.total_length == sum(length for _, length in weighed.values())
    assert set(built.vocabulary()) == {term for terms, _ in weighed.values() for term in terms}
    for term in (*built.vocabulary(), "absent", "", "\n"):
        expected = {path: terms[term] for path, (terms, _) in weighed.items() if term in terms}
        numbers, frequencies = built.posting(term)
        assert {paths[n]: f for n, f in zip(numbers, frequencies, strict=True)} == expected
    built.close()


def vault_memories(where: roots.VaultRoots) -> dict:
    """The valid active memories of the project scope, by path."""
    snapshot = vault.worktree(where, [where.project.scope])
    return {s.place.relative: s.memory for s in snapshot.stored if s.memory.status is Status.ACTIVE}


def test_large_frequencies(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """More than a byte holds."""
    put(checkout, memory("mem_many", title="t", body="again " * 10_000))
    index.build(vault.project, frozenset(), place)
    built = index.Index(vault.project, place.file_of(vault.project))

    assert list(built.posting("again")[1]) == [10_000]
    built.close()


def test_an_empty_scope(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    vault.project.path.mkdir(parents=True)
    index.build(vault.project, frozenset(), place)
    built = index.Index(vault.project, place.file_of(vault.project))

    assert (built.files, built.count, built.ties(), built.vocabulary(), list(built.broken())) == (0, 0, [], [], [])
    assert built.listing().paths == []
    built.close()


def test_names_that_are_no_text(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """Bytes that are not UTF-8, and a line break."""
    folder = vault.project.path / "notes"
    folder.mkdir(parents=True)
    try:
        (folder / b"caf\xe9.md".decode("utf-8", "surrogateescape")).write_bytes(b"no memory")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    (folder / "two\nlines.md").write_bytes(b"no memory")
    index.build(vault.project, frozenset(), place)
    built = index.Index(vault.project, place.file_of(vault.project))
    seen = listing.look(listing.StampWalk(), vault.project, frozenset())

    assert built.listing().paths == seen.paths
    assert built.fingerprint == seen.fingerprint()
    built.close()


def test_racy_files_are_watched_for_a_tick(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """And no longer: else every search of a fresh clone would read all of it."""
    put(checkout, memory("mem_old"))
    settle()
    put(checkout, memory("mem_new"))
    index.build(vault.project, frozenset(), place)
    built = index.Index(vault.project, place.file_of(vault.project))

    paths = built.listing().paths
    assert [paths[number] for number, _ in built.watched] == ["notes/mem_new.md"]
    built.close()


def test_whole_seconds_make_a_longer_tick() -> None:
    """FAT and its like."""
    coarse, fine = listing.Listing(), listing.Listing()
    coarse.add("a.md", (5_000_000_000, 5_000_000_000, 1, 1))
    fine.add("a.md", (5_000_000_001, 5_000_000_000, 1, 1))

    assert (coarse.tick_ns(), fine.tick_ns()) == (listing.COARSE_TICK_NS, listing.TICK_NS)


def test_the_version_names_all_that_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another analyser, other secret rules, another release."""
    first = index.version()
    assert analyser.NAME in first
    monkeypatch.setattr(index.secretscan, "version", lambda: "other rules")
    second = index.version()
    monkeypatch.setattr(index, "__version__", "99")

    assert len({first, second, index.version()}) == 3


def test_every_row_is_checked(tmp_path: Path) -> None:
    """A swapped row has the wrong name, a missing one is damage."""
    import sqlite3  # noqa: PLC0415 - as its owner does

    file = tmp_path / "file.sqlite"
    index_store.write(file, {"one": b"1", "two": b"2"}, [b"first", b"second"])
    store = Store(file)
    assert (store.column("one"), store.row(1)) == (b"1", b"second")
    store.close()
    connection = sqlite3.connect(file)
    connection.executescript(
        "UPDATE rows SET number = 9 WHERE number = 1; DELETE FROM columns WHERE name = 'one';"
        "UPDATE columns SET data = 'text'"
    )
    connection.close()

    store = Store(file)
    for ask_for in (lambda: store.row(1), lambda: store.row(9), lambda: store.column("one"),
                    lambda: store.column("two")):  # fmt: skip
        with pytest.raises(Damaged):
            ask_for()
    store.close()


def test_a_large_vault_asks_sqlite_only_then(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """Problems of broken files come back as they were found."""
    fill(checkout, random.Random(3), 30)
    indexed(vault, place)
    recalled = ask(vault, place, "redis")

    assert recalled.from_index
    assert recalled.snapshot.broken
    assert json.dumps([broken.code for broken in recalled.snapshot.broken])
    assert limits.INDEX_FILES == 10


@pytest.mark.parametrize("overlay", [4, 256])
def test_what_differs_between_listings(overlay: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether little changed or much, what is compared row by row is what is found."""
    monkeypatch.setattr(limits, "OVERLAY_FILES", overlay)
    rng = random.Random(9)
    for _ in range(300):
        names = sorted(f"notes/{number:03}.md" for number in rng.sample(range(60), rng.randint(0, 40)))
        old, now = listing.Listing(), listing.Listing()
        for name in names:
            old.add(name, (1, 2, 3, 4))
        chance = rng.choice((0.0, 0.05, 0.5))
        for name in sorted({*names, *(f"notes/{n:03}.md" for n in rng.sample(range(60), rng.randint(0, 4)))}):
            if rng.random() >= chance:
                now.add(name, (1, 2, 3, rng.choice((4, 4, 4, 5))))
        if rng.random() < 0.1:
            now.paths.reverse()

        assert listing.differing(old, now) == {row[0] for row in set(old.rows()) ^ set(now.rows())}
