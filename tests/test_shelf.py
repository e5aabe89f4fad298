"""Indexes that stay open give the answers that fresh ones give, and no others."""

import random
from pathlib import Path

import pytest

from builders import memory, put
from eccmem import cache, limits, recall, roots
from eccmem.model import DEFAULT_SCOPES, Scope
from eccmem.recall import Recalled
from eccmem.search import Filters
from eccmem.shelf import Shelf
from indexed import QUERIES, answer, ask, break_it, fill, home_of, indexed, small


@pytest.fixture
def place(vault: roots.VaultRoots, home: Path, monkeypatch: pytest.MonkeyPatch) -> cache.CacheHome:
    """A cache home, in a world where ten files are many."""
    small(monkeypatch)
    return home_of(vault, home)


def warm(vault: roots.VaultRoots, place: cache.CacheHome, shelf: Shelf, query: str) -> Recalled:
    return recall.recall(vault, DEFAULT_SCOPES, query, Filters(), 20, cache=place, shelf=shelf)


def opened(shelf: Shelf) -> dict[Path, object]:
    return {file: index for file, (_, index) in shelf._open.items()}


def test_warm_and_cold_are_the_same(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """For every query, with the same indexes open, while memories come, change and go."""
    rng = random.Random(7)
    paths = fill(checkout, rng, 60)
    indexed(vault, place)
    shelf = Shelf()
    warm(vault, place, shelf, "redis")
    first = opened(shelf)
    for round_ in range(3):
        for query in QUERIES:
            recalled = warm(vault, place, shelf, query)
            assert recalled.from_index or not any(map(str.isalnum, query))
            assert answer(recalled) == answer(ask(vault, place, query, 20)), (query, round_)
        paths.pop().unlink()
        break_it(paths[-1], rng)
        put(checkout, memory(f"mem_new{round_}", title=f"new {round_}", body="zyzzogeton", scope=Scope.TEAM))
        assert len(warm(vault, place, shelf, "zyzzogeton").found.hits) == round_ + 1
    assert opened(shelf) == first
    assert len(first) == 2


def test_a_new_index_takes_the_place(checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome) -> None:
    """The old one is closed; one that was deleted or damaged is not used again."""
    fill(checkout, random.Random(1), 30)
    indexed(vault, place)
    shelf = Shelf()
    assert warm(vault, place, shelf, "redis").from_index
    first = opened(shelf)
    put(checkout, memory("mem_new_one", body="zyzzogeton"))
    recall.build(vault, DEFAULT_SCOPES, place)
    assert warm(vault, place, shelf, "zyzzogeton").from_index
    assert not set(map(id, opened(shelf).values())) & set(map(id, first.values()))

    file = place.file_of(vault.project)
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 2 :] = b"x" * len(damaged[len(damaged) // 2 :])
    file.write_bytes(damaged)
    recalled = warm(vault, place, shelf, "zyzzogeton")
    assert not recalled.from_index
    assert len(recalled.found.hits) == 1
    assert opened(shelf) == {}

    for scope in DEFAULT_SCOPES:
        place.drop(place.file_of(vault.of(scope)))
    assert not warm(vault, place, shelf, "zyzzogeton").from_index
    assert opened(shelf) == {}


def test_few_stay_open(
    checkout: Path, vault: roots.VaultRoots, place: cache.CacheHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was opened first goes first."""
    fill(checkout, random.Random(1), 30)
    indexed(vault, place)
    monkeypatch.setattr(limits, "OPEN_INDEXES", 1)
    shelf = Shelf()
    for scope in DEFAULT_SCOPES:
        taken = shelf.take(vault.of(scope), place)
        assert list(opened(shelf).values()) == [taken]
