"""The skill: in the form that harnesses read, where they look, and never over another file."""

import re
from pathlib import Path

import pytest
import yaml

from conftest import Run
from eccmem import contract, secretscan, skill
from eccmem.cli.dispatch import COMMANDS
from eccmem.model import Kind

PLACES = (".agents/skills/eccmem/SKILL.md", ".claude/skills/eccmem/SKILL.md")


def test_the_page_is_a_skill() -> None:
    """The form of agentskills.io: name as the folder, a description within its limit, a short body."""
    _, head, body = skill.text().split("---\n", 2)
    fields = yaml.safe_load(head)

    assert set(fields) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert fields["name"] == skill.NAME
    assert re.fullmatch("[a-z0-9-]{1,64}", fields["name"])
    assert 0 < len(fields["description"]) <= 1024
    assert len(fields["compatibility"]) <= 500
    assert len(body.splitlines()) < 500
    assert secretscan.scan(skill.text()) == []


def test_the_page_names_what_there_is() -> None:
    """Commands, kinds and tools."""
    text = skill.text()

    assert set(re.findall("eccmem ([a-z-]+)", text.partition("---\n\n")[2])) - {"command"} <= set(COMMANDS)
    assert {f"memory_{verb}" for verb in ("save", "search", "read", "doctor")} == set(re.findall("memory_[a-z]+", text))
    for kind in Kind:
        assert f"`{kind}`" in text


def test_it_is_shown(run: Run, checkout: Path) -> None:
    """As it is, and as JSON."""
    assert run("skill", "show").out == skill.text()
    payload = run("skill", "show", "--json").json
    assert (payload["text"], contract.violations("skill", payload)) == (skill.text(), [])


def test_it_is_installed_where_harnesses_look(run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the top of the checkout, from wherever; a second time changes nothing."""
    (checkout / "below").mkdir()
    monkeypatch.chdir(checkout / "below")

    done = run("skill", "install", "--json")

    assert (done.code, contract.violations("skill", done.json)) == (0, [])
    assert [item["path"] for item in done.json["files"]] == list(PLACES)
    for place in PLACES:
        assert (checkout / place).read_text("utf-8") == skill.text()
    assert run("skill", "install").out == "".join(f"{place}: there already\n" for place in PLACES)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (("claude",), PLACES[1:]),
        (("codex",), PLACES[:1]),
        (("gemini", "codex"), PLACES[:1]),
        (("codex", "claude"), PLACES),
    ],
)
def test_a_named_harness_gets_its_own(run: Run, checkout: Path, named: tuple[str, ...], expected) -> None:
    """And nothing is made for others."""
    run("skill", "install", *(word for name in named for word in ("--harness", name)))

    assert [place for place in PLACES if (checkout / place).exists()] == list(expected)


def test_another_text_is_left(run: Run, checkout: Path) -> None:
    """It may be the person's own; the exit code says that it is not ours."""
    own = checkout / PLACES[1]
    own.parent.mkdir(parents=True)
    own.write_text("mine\n")

    done = run("skill", "install")

    assert done.code == 1
    assert done.out == f"{PLACES[0]}: made\n{PLACES[1]}: left as it is, it is another text\n"
    assert own.read_text() == "mine\n"


def test_a_link_is_not_followed(run: Run, checkout: Path, tmp_path: Path) -> None:
    """Nothing is written elsewhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (checkout / ".claude").symlink_to(outside)

    done = run("skill", "install", "--harness", "claude", "--json")

    assert (done.code, done.json["error"]["code"]) == (3, "unsafe-path")
    assert list(outside.iterdir()) == []


def test_bad_command_lines(run: Run, checkout: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong word, an option that belongs elsewhere, a dry run, no repository."""
    assert run("skill").code == 2
    assert run("skill", "drop").code == 2
    assert run("skill", "show", "--harness", "codex").code == 2
    assert run("skill", "install", "--harness", "A B").code == 2
    monkeypatch.chdir(home)
    assert run("skill", "install").code == 3
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("ECC_DRY_RUN", "1")
    assert run("skill", "install").code == 3
    assert not (checkout / ".agents").exists()
