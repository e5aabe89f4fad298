"""The scenarios under a plain hook, pre-commit and prek, for real; and what CI says of what no hook stopped."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from conftest import Run
from scenarios import MANAGERS, MINE, SCENARIOS, TEAM, Scenario, World, build, team

RUNNERS = ("plain", *MANAGERS)
# What pre-commit and prek say themselves, of a hook that ends well and says nothing.
_OF_RUNNERS = re.compile(
    r"(eccmem\.+Passed|- (hook id: eccmem|duration: [\d.]+s)|\[(INFO|WARNING)\] .*|(Unstaged|Restored) .*patch`)?"
)
PAGE = Path(__file__).parent.parent / "docs/reference/matrix.md"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the scenarios are written for POSIX")


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One world of each kind, to be copied."""
    top = tmp_path_factory.mktemp("worlds")
    return {runner: build(top / (runner or "none"), runner).top for runner in (*RUNNERS, "")}


def copy(worlds: dict[str, Path], runner: str, tmp_path: Path, *, mine: bool = True) -> World:
    world = World(tmp_path / "world")
    shutil.copytree(worlds[runner], world.top, symlinks=True)
    if mine:
        world.lay(MINE)
    return world


def rules(text: str) -> set[str]:
    return set(re.findall(r"(?:error|warning|note)\[([a-z-]+)\]", text))


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("row", SCENARIOS, ids=lambda row: row.name)
def test_at_the_command(row: Scenario, runner: str, worlds: dict[str, Path], tmp_path: Path) -> None:
    """Stopped by the rules that the table names and by no other, or let through without another word.

    The hook was called once, and how it ended is how the command did; or it was not called at all.
    """
    world = copy(worlds, runner, tmp_path, mine=row.mine)

    done = row.do(world)

    stopped = row.stopped_under(runner)
    assert (done.code == 0) == (stopped == ()), done.out
    assert rules(done.out) == {*(stopped or ()), *row.said}, done.out
    assert world.calls == row.calls_under(runner), done.out
    if row.hook and not done.code and not row.said:
        assert [line for line in done.out.splitlines() if not _OF_RUNNERS.fullmatch(line)] == []


@pytest.mark.parametrize("row", [row for row in SCENARIOS if row.ci is not None], ids=lambda row: row.name)
def test_in_ci(row: Scenario, worlds: dict[str, Path], tmp_path: Path, run: Run, monkeypatch) -> None:
    """The same without hooks, judged in a bare clone."""
    world = copy(worlds, "", tmp_path, mine=row.mine)
    base = world.git("rev-parse", "origin/main")
    done = row.do(world)
    assert (done.code, world.calls) == (0, []), done.out
    tip = world.git("rev-parse", world.tip)
    base = world.env.get("BASE", base)
    world.git("clone", "-q", "--bare", str(world.checkout), str(world.top / "bare.git"))
    monkeypatch.chdir(world.top / "bare.git")
    monkeypatch.setenv("HOME", str(world.top / "home"))

    judged = run("doctor", "--range", f"{base}..{tip}")

    assert judged.code == (1 if row.ci else 0), judged
    assert rules(judged.out) == {*(row.ci or ()), *row.said}, judged


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


def test_ends_without_a_common_commit_are_not_judged(worlds: dict[str, Path], tmp_path: Path, run: Run, monkeypatch):
    """All would look new, or all deleted."""
    world = copy(worlds, "", tmp_path)
    world.git("checkout", "-q", "--orphan", "alone")
    world.git("commit", "-q", "-m", "alone")
    monkeypatch.chdir(world.checkout)

    done = run("doctor", "--range", "main..alone")

    assert (done.code, "no commit in common" in done.err) == (3, True)


def table() -> list[str]:
    lines = ["| scenario | at the command | `eccmem doctor --range` in a bare clone |", "|---|---|---|"]
    for row in SCENARIOS:
        local = verdict(row.stopped) if row.hook else "no hook runs"
        local += f", and says {named(row.said)}" if row.said else ""
        for stopped in dict.fromkeys(row.under.values()):
            runners = " and ".join(runner for runner in row.under if row.under[runner] == stopped)
            local += f"; under {runners} {verdict(stopped)}"
        if row.unseen:
            local += f"; under {' and '.join(row.unseen)} no hook runs"
        ci = "not judged" if row.ci is None else named((*row.ci, *row.said)) or "nothing"
        alone = "" if row.mine else ", where there is no private memory"
        lines.append(f"| {row.about}{alone} | {local} | {ci} |")
    return lines


def verdict(stopped: tuple[str, ...] | None) -> str:
    if stopped is None:
        return "stopped by the runner"
    return f"stopped: {named(stopped)}" if stopped else "passes"


def named(found: tuple[str, ...]) -> str:
    return ", ".join(f"[`{rule}`](rules.md#{rule})" for rule in found)


def test_the_page_has_the_table() -> None:
    """All rows as they are tested, and no others."""
    assert [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")] == table()
