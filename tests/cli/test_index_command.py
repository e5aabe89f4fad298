"""``eccmem index``, and what a search does with it, as a person sees them."""

import random
import sys
from pathlib import Path

import pytest

from conftest import Run
from eccmem import contract
from eccmem.cli import console
from indexed import fill, settle, small


@pytest.fixture(autouse=True)
def _platform_cache(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the test's home, in a world where ten files are many."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    small(monkeypatch)


def cache_files(home: Path) -> list[Path]:
    return sorted((home / (".cache" if sys.platform != "darwin" else "Library/Caches")).rglob("*.sqlite"))


def test_from_none_to_fresh_to_dropped(run: Run, checkout: Path, home: Path) -> None:
    """The whole life of one."""
    paths = fill(checkout, random.Random(1), 30)
    assert run("index", "status").out == ("project: no index (there is none yet)\nteam: no index (there is none yet)\n")

    settle()
    done = run("index", "rebuild", "--json")
    assert done.code == 0
    assert contract.violations("index", done.json) == []
    project = done.json["scopes"][0]
    assert project["file"] == f"eccmem/{Path(project['file']).name}"
    assert project["files"] >= project["memories"] > 0
    assert project["changed"] == 0
    assert sum(scope["files"] for scope in done.json["scopes"]) == len(paths)
    assert "fresh" in run("index", "status").out
    assert str(home) not in done.out

    paths[3].unlink()
    assert "1 changed since" in run("index", "status").out

    assert contract.violations("index", run("index", "status", "--json").json) == []
    assert run("index", "drop").out == "project: dropped\nteam: dropped\n"
    assert run("index", "drop", "--scope", "team").out == "team: no index (there is none that is ours to delete)\n"
    assert cache_files(home) == []


def test_a_search_builds_what_the_next_one_uses(run: Run, checkout: Path, home: Path) -> None:
    """With the same answer."""
    fill(checkout, random.Random(2), 30)
    settle()
    first = run("search", "redis", "--json")
    assert len(cache_files(home)) == 2
    second = run("search", "redis", "--json")

    assert first.code == second.code == 0
    assert first.json == second.json


def test_dry_run_builds_and_drops_nothing(
    run: Run, checkout: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(checkout, random.Random(3), 30)
    monkeypatch.setenv("ECC_DRY_RUN", "1")

    assert run("search", "redis").code == 0
    assert run("index", "rebuild").code == 3
    assert run("index", "drop").code == 3
    assert run("index", "status").code == 0
    assert cache_files(home) == []


def test_no_place_for_one(run: Run, checkout: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says why, and search goes on."""
    fill(checkout, random.Random(3), 30)
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout / "cache"))

    assert run("index", "status", "--scope", "team").out == (
        "team: no index (the cache folder lies in a Git repository)\n"
    )
    assert run("index", "rebuild").err == (
        "error: the index cannot be built: the cache folder lies in a Git repository; searches scan without one\n"
    )
    assert run("search", "redis").code == 0


def test_damaged_one(run: Run, checkout: Path, home: Path) -> None:
    fill(checkout, random.Random(3), 30)
    run("index", "rebuild")
    for file in cache_files(home):
        file.write_bytes(b"garbage")

    assert "not usable, and will be replaced" in run("index", "status").out
    assert run("search", "redis").code == 0
    assert "memories" in run("index", "status").out


@pytest.mark.parametrize("argv", [[], ["renew"], ["status", "drop"]])
def test_what_is_no_verb(run: Run, checkout: Path, argv: list[str]) -> None:
    assert run("index", *argv).code == 2


class Terminal:
    """A standard error that is one, and remembers."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_progress_is_drawn_and_cleared_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a second; a short work shows nothing."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    for seconds, drawn in ((0.05, False), (0.5, True)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        with console.progress("indexing") as progress:
            for done in range(1, 11):
                now[0] += seconds
                progress(done, 10)
        assert bool(terminal.text) is drawn
    assert "\rindexing [########################] 10 of 10" in terminal.text
    assert terminal.text.endswith(" \r")
    assert "\n" not in terminal.text


def test_progress_is_silent_elsewhere(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs of a CI job need no bars."""
    monkeypatch.setattr(console, "_QUIET_SECONDS", -1)
    with console.progress("indexing") as progress:
        progress(1, 2)

    assert capsys.readouterr() == ("", "")
