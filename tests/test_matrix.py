"""The scenarios under a plain hook, pre-commit and prek, for real; and what CI says of what no hook stopped."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from conftest import Run
from scenarios import SCENARIOS, TEAM, Scenario, World, build, team

MANAGERS = ("plain", "pre-commit", "prek")
PAGE = Path(__file__).parent.parent / "docs/reference/matrix.md"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the scenarios are written for POSIX")


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One world of each kind, to be copied."""
    top = tmp_path_factory.mktemp("worlds")
    return {manager: build(top / (manager or "none"), manager).top for manager in (*MANAGERS, "")}


def copy(worlds: dict[str, Path], manager: str, tmp_path: Path) -> World:
    top = tmp_path / "world"
    shutil.copytree(worlds[manager], top, symlinks=True)
    return World(top)


def rules(text: str, severity: str = "error") -> set[str]:
    return set(re.findall(rf"{severity}\[([a-z-]+)\]", text))


@pytest.mark.parametrize("manager", MANAGERS)
@pytest.mark.parametrize("row", SCENARIOS, ids=lambda row: row.name)
def test_at_the_command(row: Scenario, manager: str, worlds: dict[str, Path], tmp_path: Path) -> None:
    """Stopped by the rules that the table names, or let through without a word."""
    done = row.do(copy(worlds, manager, tmp_path))

    assert (done.code != 0) == bool(row.stopped), done.out
    assert set(row.stopped) <= rules(done.out), done.out
    if not row.stopped:
        assert rules(done.out) == set(), done.out


@pytest.mark.parametrize("row", [row for row in SCENARIOS if row.ci is not None], ids=lambda row: row.name)
def test_in_ci(row: Scenario, worlds: dict[str, Path], tmp_path: Path) -> None:
    """The same without hooks, judged in a bare clone."""
    world = copy(worlds, "", tmp_path)
    base = world.git("rev-parse", "origin/main")
    done = row.do(world)
    assert done.code == 0, done.out
    tip = world.git("rev-parse", world.tip)
    base = world.env.get("BASE", base)
    world.git("clone", "-q", "--bare", str(world.checkout), str(world.top / "bare.git"))

    command = [sys.executable, "-m", "eccmem", "doctor", "--range", f"{base}..{tip}"]
    source = Path(sys.modules["eccmem"].__file__ or "").parent.parent
    judged = world.run(*command, cwd=world.top / "bare.git", PYTHONPATH=str(source))

    assert judged.code == (1 if row.ci else 0), judged.out
    assert set(row.ci or ()) <= rules(judged.out), judged.out
    if not row.ci:
        assert rules(judged.out) == set(), judged.out


def test_without_history_there_is_no_judgement(worlds: dict[str, Path], tmp_path: Path, run: Run, monkeypatch) -> None:
    """At depth 1 it says what to fetch; at depth 2 the merge commit of a pull request is judged exactly."""
    world = copy(worlds, "", tmp_path)
    world.git("switch", "-q", "-c", "topic")
    world.write(f"{TEAM}/notes/mem_bad.md", "bad")
    world.published(body="Any Node will do.")
    world.stage()
    world.git("commit", "-q", "-m", "bad")
    world.git("switch", "-q", "main")
    world.lay(team("mem_main"))
    world.stage()
    world.git("commit", "-q", "-m", "main")
    world.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    source = f"file://{world.checkout}"
    for depth in ("1", "2"):
        world.git("clone", "-q", "--depth", depth, source, str(world.top / depth))

    monkeypatch.chdir(world.top / "1")
    for command in (("--range", "HEAD^1..HEAD"), ("--rev", "HEAD", "--base", "HEAD^1")):
        done = run("doctor", *command)
        assert (done.code, "fetch-depth: 0" in done.err) == (3, True)
    monkeypatch.chdir(world.top / "2")
    done = run("doctor", "--rev", "HEAD", "--base", "HEAD^1", "--json")
    assert sorted((item["rule"], item["path"]) for item in done.json["findings"]) == [
        ("malformed-memory", f"{TEAM}/notes/mem_bad.md"),
        ("memory-modified", f"{TEAM}/notes/mem_published.md"),
    ]
    done = run("doctor", "--range", "HEAD^1..HEAD")
    assert (done.code, "fetch-depth: 0" in done.err, "--base HEAD^1" in done.err) == (3, True, True)


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_name_that_is_not_utf_8(manager: str, worlds: dict[str, Path], tmp_path: Path) -> None:
    """Judged, but for pre-commit, which fails before any hook runs: the commit is stopped all the same."""
    world = copy(worlds, manager, tmp_path)
    world.write(TEAM.encode() + b"/notes/\xff.md", "bad")
    world.stage()

    done = world.commit()

    assert done.code != 0
    assert rules(done.out) == (set() if manager == "pre-commit" else {"malformed-memory"})


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_push_of_two_branches(manager: str, worlds: dict[str, Path], tmp_path: Path) -> None:
    """A plain hook judges both; the managers show a hook the first one only, which the page says."""
    world = copy(worlds, manager, tmp_path)
    for name in ("good", "worse"):
        world.git("switch", "-q", "-c", name, "main")
        world.write(f"{name}.txt", "x")
        world.stage()
        world.git("commit", "-q", "-m", name)
    world.write(f"{TEAM}/notes/mem_bad.md", "bad")
    world.stage()
    world.git("commit", "-q", "-m", "bad")

    done = world.push("origin", "good", "worse")

    assert ("malformed-memory" in rules(done.out)) == (manager == "plain")


def test_ends_without_a_common_commit_are_not_judged(worlds: dict[str, Path], tmp_path: Path, run: Run, monkeypatch):
    """All would look new, or all deleted."""
    world = copy(worlds, "", tmp_path)
    world.git("checkout", "-q", "--orphan", "alone")
    world.git("commit", "-q", "-m", "alone")
    monkeypatch.chdir(world.checkout)

    done = run("doctor", "--range", "main..alone")

    assert (done.code, "no commit in common" in done.err) == (3, True)


def table() -> str:
    lines = ["| scenario | at the command | `eccmem doctor --range` in a bare clone |", "|---|---|---|"]
    for row in SCENARIOS:
        passed = "passes" if row.hook else "no hook runs"
        local = f"stopped: {named(row.stopped)}" if row.stopped else passed
        ci = "not judged" if row.ci is None else named(row.ci) or "nothing"
        lines.append(f"| {row.about} | {local} | {ci} |")
    return "\n".join(lines) + "\n"


def named(found: tuple[str, ...]) -> str:
    return ", ".join(f"[`{rule}`](rules.md#{rule})" for rule in found)


def test_the_page_has_the_table() -> None:
    """All rows, as they are tested."""
    assert table() in PAGE.read_text("utf-8")
