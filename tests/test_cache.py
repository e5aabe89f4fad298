"""Where the cache lives, and that nobody else's is taken."""

import os
import random
import stat
import sys
from pathlib import Path

import pytest

from eccmem import cache, index, limits, recall, roots
from eccmem.cache import CacheHome, NoCache
from eccmem.model import Scope
from hardship import IS_ROOT, in_child
from indexed import answer, ask, by_scan, fill, home_of, indexed, small

needs_root = pytest.mark.skipif(not IS_ROOT, reason="only root can give a file to another user")


def test_where_it_is(vault: roots.VaultRoots, home: Path, tmp_path: Path) -> None:
    """The platform's place, unless an absolute one is named."""
    platform = "Library/Caches" if sys.platform == "darwin" else ".cache"
    named = tmp_path / "elsewhere"

    assert cache.find(vault, {}, home).folder == home / platform / "eccmem"
    assert cache.find(vault, {"XDG_CACHE_HOME": str(named)}, home).folder == named / "eccmem"
    assert cache.find(vault, {"XDG_CACHE_HOME": "relative"}, home).folder == home / platform / "eccmem"
    assert cache.find(vault, {"XDG_CACHE_HOME": str(named)}, None).folder == named / "eccmem"


@pytest.mark.parametrize("home", [None, Path("relative")])
def test_without_a_home(vault: roots.VaultRoots, home: Path | None) -> None:
    with pytest.raises(NoCache, match="no home"):
        cache.find(vault, {}, home)


def test_never_in_a_repository(vault: roots.VaultRoots, checkout: Path, home: Path) -> None:
    """Also not through a link, and not where a submodule or a worktree has a ``.git`` file."""
    (home / ".git").write_text("gitdir: elsewhere")
    below = vault.project.path / "cache"
    for env in ({"XDG_CACHE_HOME": str(checkout / "cache")}, {}, {"XDG_CACHE_HOME": str(below)}):
        with pytest.raises(NoCache, match="repository"):
            cache.find(vault, env, home)


def test_never_in_a_vault(home: Path, tmp_path: Path) -> None:
    """The user's, which may lie outside of any repository."""
    where = roots.resolve(tmp_path, {}, home)

    with pytest.raises(NoCache, match="vault"):
        cache.find(where, {"XDG_CACHE_HOME": str(where.of(Scope.USER).path / "cache")}, home)


def test_modes_and_names(checkout: Path, vault: roots.VaultRoots, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the owner alone, whatever the umask; one file for each scope, whose name says nothing."""
    small(monkeypatch)
    fill(checkout, random.Random(1), 30)
    place = home_of(vault, home)
    before = os.umask(0)
    try:
        indexed(vault, place)
    finally:
        os.umask(before)

    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    files = list(place.folder.iterdir())
    assert len(files) == 2
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert all(len(file.stem) == 32 and file.suffix == ".sqlite" for file in files)
    assert place.file_of(vault.project) in files


@pytest.fixture
def searched(
    checkout: Path, vault: roots.VaultRoots, home: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[roots.VaultRoots, CacheHome]:
    """A vault with an index that is in use."""
    small(monkeypatch)
    fill(checkout, random.Random(1), 30)
    place = home_of(vault, home)
    indexed(vault, place)
    assert ask(vault, place, "redis").from_index
    return vault, place


def is_refused(searched: tuple[roots.VaultRoots, CacheHome]) -> None:
    where, place = searched
    recalled = ask(where, place, "redis")
    assert not recalled.from_index
    assert answer(recalled) == by_scan(where, "redis")


@needs_root
@pytest.mark.parametrize("what", ["file", "folder", "above"])
def test_planted_by_another_user(what: str, searched: tuple[roots.VaultRoots, CacheHome], home: Path) -> None:
    """Not read, and a build does not follow into it."""
    where, place = searched
    planted = {"file": place.file_of(where.project), "folder": place.folder, "above": place.folder.parent}[what]
    os.chown(planted, 65534, 65534)
    if what != "file":
        with pytest.raises(NoCache, match="another user"):
            home_of(where, home)
        assert recall.build(where, [Scope.PROJECT], place)
    else:
        os.chown(place.file_of(where.team), 65534, 65534)
    is_refused(searched)


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_writable_by_others(mode: int, searched: tuple[roots.VaultRoots, CacheHome], home: Path) -> None:
    searched[1].folder.chmod(mode)

    with pytest.raises(NoCache, match="others may write"):
        home_of(searched[0], home)
    is_refused(searched)


@pytest.mark.parametrize("above", [False, True])
def test_a_symlinked_folder(above: bool, searched: tuple[roots.VaultRoots, CacheHome], home: Path) -> None:
    """It may lead to a place that others fill."""
    folder = searched[1].folder.parent if above else searched[1].folder
    real = home / "real"
    folder.rename(real)
    folder.symlink_to(real)
    before = sorted(real.rglob("*"))

    with pytest.raises(NoCache, match="symlink"):
        home_of(searched[0], home)
    is_refused(searched)
    assert recall.build(searched[0], [Scope.PROJECT], searched[1])
    assert sorted(real.rglob("*")) == before


def test_too_large(searched: tuple[roots.VaultRoots, CacheHome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INDEX_BYTES", 1000)

    is_refused(searched)


def test_read_only_home(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be made: what is searched is scanned."""
    small(monkeypatch)
    fill(checkout, random.Random(1), 30)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, which not even root can make folders in")
    where = roots.resolve(checkout, {}, blocked)
    place = home_of(where, blocked)

    recalled = ask(where, place, "redis")

    assert recalled.wants
    assert recall.build(where, recalled.wants, place) == "the cache folder cannot be made"


def test_a_full_disk_leaves_the_old_one(
    searched: tuple[roots.VaultRoots, CacheHome],
) -> None:
    """And no litter."""
    where, place = searched

    def suffer() -> str:
        import resource  # noqa: PLC0415 - not on Windows
        import signal  # noqa: PLC0415 - only here

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        return recall.build(where, [Scope.PROJECT], place)

    before = {path.name: path.read_bytes() for path in place.folder.iterdir()}
    assert in_child(suffer) == "SQLite cannot write it"
    assert {path.name: path.read_bytes() for path in place.folder.iterdir()} == before


def test_old_ones_are_tidied_away(searched: tuple[roots.VaultRoots, CacheHome]) -> None:
    """Only files of ours that nobody built for long, and what killed builds left."""
    where, place = searched
    for name in ("0" * 32 + ".sqlite", "1234.tmp", "notes.txt"):
        (place.folder / name).write_text("old")
        os.utime(place.folder / name, (1, 1))
    (place.folder / "5678.tmp").write_text("of a build that runs")

    index.build(where.project, frozenset(), place)

    assert {path.name for path in place.folder.iterdir()} == {
        "notes.txt",
        "5678.tmp",
        place.file_of(where.project).name,
        place.file_of(where.team).name,
    }
