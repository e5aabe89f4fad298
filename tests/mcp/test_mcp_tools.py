"""What the tools do for a harness, and what they refuse, without a process around them."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builders import fake_key, memory, put
from conftest import git
from eccmem import inbox, limits, vault
from eccmem.cache import CacheHome
from eccmem.mcp import tools as toolwork
from eccmem.mcp.place import Surroundings
from eccmem.mcp.tools import FAILED, NOTICE, Answer, Tools
from eccmem.model import DEFAULT_SCOPES, Scope
from eccmem.roots import VaultRoots
from eccmem.shelf import Shelf
from serving import written

Ask = Callable[..., dict[str, Any]]
TOKEN = fake_key()


@pytest.fixture
def tools(checkout: Path, home: Path) -> Tools:
    """Those of codex, in the checkout."""
    return Tools(
        harness="codex",
        user_scope=False,
        dry_run=False,
        around=Surroundings(here=Path.cwd, env=os.environ, home=home),
        shelf=Shelf(),
        builds=lambda *_: None,
    )


def payload(answer: Answer) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer.text)
    assert answer.failed is ("error" in found)
    return found


def ask(tools: Tools, tool: str, **arguments: object) -> dict[str, Any]:
    return payload(tools.call(tool, arguments))


def refused(tools: Tools, tool: str, **arguments: object) -> str:
    found = ask(tools, tool, **arguments)
    assert set(found) == {"error"}
    assert set(found["error"]) == {"code", "message"}
    assert found["error"]["code"] == FAILED[tool]
    message: str = found["error"]["message"]
    return message


def test_save_search_read(tools: Tools, checkout: Path) -> None:
    """A memory goes in and comes out; what comes out is labelled before anything else."""
    saved = ask(tools, "memory_save", title="Staging", body="It is blue.", kind="fact", tags=["infra"])["memory"]
    found = ask(tools, "memory_search", query="blue")
    read = ask(tools, "memory_read", id=saved["id"])

    assert (saved["sourceHarness"], saved["trust"], saved["status"]) == ("codex", "unreviewed", "active")
    assert (saved["targetHarnesses"], saved["scope"], saved["kind"]) == (["all"], "project", "fact")
    assert [result["memory"]["id"] for result in found["results"]] == [saved["id"]]
    assert read["memory"] == saved | {"body": "It is blue."}
    for answer in (found, read):
        assert next(iter(answer.items())) == ("notice", NOTICE)
    assert written(checkout / ".ecc") == [f"{saved['id']}.md"]


def test_a_handoff_says_where_it_was_written_and_can_be_answered(tools: Tools, checkout: Path) -> None:
    """As with the commands: who reads it later is told how far all has moved, and an answer ends the wait."""
    claude = replace(tools, harness="claude")
    saved = ask(tools, "memory_save", title="Rotation", body="Half done.", kind="handoff")["memory"]
    head = git(checkout, "rev-parse", "HEAD").strip()
    git(checkout, "commit", "-q", "--allow-empty", "-m", "more")

    read = ask(claude, "memory_read", id=saved["id"])
    assert read["memory"]["body"] == f"Half done.\n\nBranch: main\nHead: {head}"
    assert read["writtenAt"] == {
        "branch": "main", "head": head, "known": True, "commitsSince": 1, "commitsLeft": 0, "filesChanged": 0,
    }  # fmt: skip

    def waits() -> list[str]:
        snapshot = vault.worktree(tools.around.vault(DEFAULT_SCOPES, ()), DEFAULT_SCOPES)
        return [item.memory.id for item in inbox.waiting(snapshot, "claude")]

    assert waits() == [saved["id"]]
    note = ask(claude, "memory_save", title="A note", body="Text.")["memory"]
    assert "is no hand-off" in refused(claude, "memory_save", title="x", body="y", answers=[note["id"]])
    answer = ask(claude, "memory_save", title="Done", body="All of it.", answers=[saved["id"]])["memory"]
    assert answer["links"] == [saved["id"]]
    assert waits() == []
    assert "writtenAt" not in ask(claude, "memory_read", id=answer["id"])


def test_a_handoff_reaches_whom_it_is_for(tools: Tools) -> None:
    """Codex saves it for claude; claude finds and reads it, gemini does neither."""
    wanted = {"kind": "handoff", "targetHarnesses": ["claude"]}
    saved = ask(tools, "memory_save", title="Rotation", body="Switch staging.", **wanted)["memory"]
    claude, gemini = replace(tools, harness="claude"), replace(tools, harness="gemini")

    assert (
        ask(claude, "memory_search", query="rotation", kinds=["handoff"])["results"][0]["memory"]["id"] == saved["id"]
    )
    assert ask(claude, "memory_read", id=saved["id"])["memory"]["sourceHarness"] == "codex"
    assert ask(gemini, "memory_search", query="rotation")["results"] == []
    assert saved["id"] not in refused(gemini, "memory_read", id=saved["id"])
    assert ask(gemini, "memory_doctor")["memoryCount"] == 0
    assert ask(claude, "memory_doctor")["memoryCount"] == 1


def test_nobody_speaks_for_another(tools: Tools, checkout: Path) -> None:
    """No argument names who saves or who searches, under any spelling."""
    for name in ("sourceHarness", "source_harness", "source", "harness", "targetHarness", "trust", "status", "id"):
        assert "not known" in refused(tools, "memory_save", title="t", body="b", **{name: "claude"})
    assert "not known" in refused(tools, "memory_search", targetHarness="claude")
    assert "not known" in refused(tools, "memory_read", id="mem_abc", targetHarness="claude")
    assert "not known" in refused(tools, "memory_doctor", harness="claude")
    assert written(checkout) == []


def test_what_a_client_adds_is_dropped(tools: Tools) -> None:
    """Exactly one name, in every tool."""
    saved = ask(tools, "memory_save", title="t", body="b", wait_for_previous=True)["memory"]
    for tool, arguments in (("memory_search", {}), ("memory_read", {"id": saved["id"]}), ("memory_doctor", {})):
        assert "error" not in ask(tools, tool, wait_for_previous=True, **arguments)
        assert "not known" in refused(tools, tool, wait_for_previou=True, **arguments)


def test_the_user_scope_needs_leave_and_a_name(tools: Tools, home: Path) -> None:
    """Without leave it is refused in every tool, and nothing is made; with it, it still has to be named."""
    for tool, arguments in (
        ("memory_save", {"title": "t", "body": "b", "scope": "user"}),
        ("memory_search", {"scopes": ["project", "user"]}),
        ("memory_read", {"id": "mem_abc", "scope": "user"}),
        ("memory_doctor", {"scopes": ["user"]}),
    ):
        assert "user scope is not allowed" in refused(tools, tool, **arguments)
    assert not (home / ".ecc").exists()

    may = replace(tools, user_scope=True)
    saved = ask(may, "memory_save", title="mine", body="b", scope="user")["memory"]
    assert ask(may, "memory_search", query="mine")["results"] == []
    assert len(ask(may, "memory_search", query="mine", scopes=["user"])["results"]) == 1
    refused(may, "memory_read", id=saved["id"])
    assert ask(may, "memory_read", id=saved["id"], scope="user")["memory"]["title"] == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"title": "t", "body": f"token {TOKEN}"}, "suspected secret"),
        ({"title": TOKEN, "body": "b"}, "suspected secret"),
        ({"title": "t", "body": "b\U000e0041\U000e0042"}, "invisible text"),
        ({"title": "t", "body": "x" * (limits.BODY_BYTES + 1)}, "body is too long"),
        ({"title": "t", "body": "é" * limits.BODY_BYTES}, "body is too large"),
        ({"title": "t" * 201, "body": "b"}, "title is too long"),
        ({"title": "\U0001f600" * 101, "body": "b"}, "title is too long"),
        ({"title": " ", "body": "b"}, "title must not be empty"),
        ({"title": "", "body": "b"}, "title must not be empty"),
        ({"body": "b"}, "title is required"),
        ({"title": 1, "body": "b"}, "title must be of type string"),
        ({"title": "t", "body": None}, "body must be of type string"),
        ({"title": "t", "body": "b", "kind": "secret"}, "kind must be one of context, "),
        ({"title": "t", "body": "b", "scope": "world"}, "scope must be one of project, team, user"),
        ({"title": "t", "body": "b", "tags": "x"}, "tags must be of type array"),
        ({"title": "t", "body": "b", "tags": [1]}, "each of tags must be of type string"),
        ({"title": "t", "body": "b", "tags": ["A b"]}, "each of tags"),
        ({"title": "t", "body": "b", "tags": ["a", "a"]}, "tags must not repeat"),
        ({"title": "t", "body": "b", "tags": [f"t{n}" for n in range(33)]}, "tags has too many values: at most 32"),
        ({"title": "t", "body": "b", "links": ["../../x"]}, "each of links"),
        ({"title": "t", "body": "b", "targetHarnesses": ["../x"]}, "each of target_harnesses"),
    ],
)
def test_what_is_not_saved(tools: Tools, checkout: Path, arguments: dict[str, object], said: str) -> None:
    """Refused in words that say what to mend and repeat nothing; nothing is written, not even a folder."""
    message = refused(tools, "memory_save", **arguments)

    assert said in message
    assert TOKEN not in message
    assert str(checkout) not in message
    assert not (checkout / ".ecc").exists()


@pytest.mark.parametrize(
    "wanted", ["../../etc/passwd", "mem_../x", "mem_a/b", "/etc/passwd", "mem_x\0", "", "MEM_ABC", "mem_ab", "x" * 200]
)
def test_an_id_is_no_path(tools: Tools, wanted: str) -> None:
    """Nothing is looked for."""
    assert wanted not in (message := refused(tools, "memory_read", id=wanted)) or not wanted
    assert "mem_" in message


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "x" * 501},
        {"query": "a\nb"},
        {"limit": 0},
        {"limit": 101},
        {"limit": 1.5},
        {"limit": True},
        {"limit": "5"},
        {"kinds": ["x"]},
        {"scopes": ["project", "nowhere"]},
        {"tags": ["A"]},
        {"query": None},
    ],
)
def test_what_is_not_searched(tools: Tools, arguments: dict[str, object]) -> None:
    """Each with the code of a search."""
    assert refused(tools, "memory_search", **arguments)


def test_search_keeps_to_its_limits(tools: Tools) -> None:
    """As many as asked for, of the kinds and tags asked for; 3.0 is a whole number."""
    for number in range(5):
        ask(tools, "memory_save", title=f"T {number}", body=f"b {number}", kind="fact", tags=["x", f"t{number}"])
    ask(tools, "memory_save", title="T note", body="b note")

    assert len(ask(tools, "memory_search", limit=3.0)["results"]) == 3
    assert len(ask(tools, "memory_search", query="T", kinds=["fact"])["results"]) == 5
    assert len(ask(tools, "memory_search", tags=["x", "t3"])["results"]) == 1


def test_backlinks_are_filtered_before_they_are_capped(tools: Tools, checkout: Path) -> None:
    """120 links that are for another harness take no place of the five that are for this one."""
    for number in range(126):
        targets = ["all"] if number > 120 else ["claude"]
        links = ["mem_target"] if number else []
        name = "mem_target" if not number else f"mem_x{number:03}"
        targets = ["all"] if not number else targets
        put(checkout, memory(name, target_harnesses=tuple(targets), links=tuple(links)))

    read = ask(tools, "memory_read", id="mem_target")
    assert [each["id"] for each in read["backlinks"]] == [f"mem_x{number}" for number in range(121, 126)]
    assert read["backlinksTruncated"] is False
    claude = ask(replace(tools, harness="claude"), "memory_read", id="mem_target")
    assert (len(claude["backlinks"]), claude["backlinksTruncated"]) == (100, True)


def test_doctor_counts_what_is_for_this_harness(tools: Tools, checkout: Path) -> None:
    """150 broken links of another harness are not among them; without a list or a path."""
    for number in range(152):
        targets = ["codex"] if number < 2 else ["claude"]
        name = f"mem_x{number:03}"
        put(checkout, memory(name, target_harnesses=tuple(targets), links=("mem_gone",)))

    mine, theirs = ask(tools, "memory_doctor"), ask(replace(tools, harness="claude"), "memory_doctor")
    assert (mine["memoryCount"], mine["brokenLinkCount"], mine["ok"]) == (2, 2, False)
    assert (theirs["memoryCount"], theirs["brokenLinkCount"]) == (150, 150)
    assert mine["findings"]["broken-link"]["count"] == 2
    assert "mem_x" not in json.dumps(mine)
    assert not [name for name, value in mine.items() if isinstance(value, list)]


def test_a_broken_file_stops_reads_and_not_searches(tools: Tools, checkout: Path) -> None:
    """A read says that it cannot know, and names no file; a search says that it saw less."""
    saved = ask(tools, "memory_save", title="t", body="b")["memory"]
    (checkout / ".ecc/memory/project/notes/mem_broken_one.md").write_text("nothing\n")

    for wanted in (saved["id"], "mem_nowhere"):
        error = ask(tools, "memory_read", id=wanted)["error"]
        assert error["code"] == "MEMORY_READ_INCOMPLETE"
        assert "mem_broken" not in error["message"]
        assert "eccmem doctor" in error["message"]
    found = ask(tools, "memory_search", query="t")
    assert len(found["results"]) == 1
    assert found["diagnostics"]["invalidFileCount"] == 1
    assert "mem_broken" not in json.dumps(found)
    assert ask(tools, "memory_doctor")["invalidFileCount"] == 1


def test_nothing_is_written_in_a_dry_run(tools: Tools, checkout: Path) -> None:
    """What only looks, still looks."""
    dry = replace(tools, dry_run=True)

    assert "ECC_DRY_RUN" in refused(dry, "memory_save", title="t", body="b")
    assert ask(dry, "memory_search")["results"] == []
    assert not (checkout / ".ecc").exists()


def test_a_team_memory_that_git_ignores_is_saved_with_a_warning(tools: Tools, checkout: Path) -> None:
    """As the command does it."""
    (checkout / ".gitignore").write_text(".ecc/\n")

    saved = ask(tools, "memory_save", title="t", body="b", scope="team")
    assert any("Git ignores the team scope" in warning for warning in saved["warnings"])


def test_an_answer_fits_into_a_message(tools: Tools, checkout: Path) -> None:
    """100 memories with the longest links: as many as fit, and a word that there are more."""
    links = [f"mem_{n:02}{'x' * 126}" for n in range(64)]
    for number in range(100):
        name = f"mem_x{number:03}"
        targets = [f"{'t' * 60}{n:03}" for n in range(30)] + ["all"]
        put(
            checkout,
            memory(name, links=tuple(links), target_harnesses=tuple(targets), title="\u65e5" * 190 + f" {number}"),
        )

    answer = tools.call("memory_search", {"limit": 100})
    found = payload(answer)
    assert toolwork.fits(answer.text)
    assert len(json.dumps(answer.text)) <= limits.MESSAGE_BYTES
    assert 0 < len(found["results"]) < 100
    assert found["resultsTruncated"] is True


def test_a_wanted_index_is_asked_for(tools: Tools, save: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """When a search had to scan more files than it should; not in a dry run."""
    monkeypatch.setattr(limits, "INDEX_FILES", 3)
    monkeypatch.setattr(limits, "OVERLAY_FILES", 3)
    for number in range(4):
        save(title=f"T {number}", body=f"{number}")
    wanted: list[tuple[Scope, ...]] = []

    def note(_roots: VaultRoots, scopes: tuple[Scope, ...], _home: CacheHome) -> None:
        wanted.append(scopes)

    ask(replace(tools, builds=note, dry_run=True), "memory_search")
    assert wanted == []
    ask(replace(tools, builds=note), "memory_search")
    assert wanted == [(Scope.PROJECT,)]
