"""``eccmem artifacts``, as a person and a program see it."""

import os
from pathlib import Path

import pytest

from conftest import Run, git
from eccmem import contract

ADR = "# {}\n\n## Status\n\n{}\n\n## Context\n"


@pytest.fixture
def documents(checkout: Path) -> Path:
    """A repository with a few documents of each kind, all staged."""
    for path, text in {
        "docs/adr/0001-queue.md": ADR.format("1. One queue", "Superseded by [2](0002-split.md)"),
        "docs/adr/0002-split.md": ADR.format("2. Split it", "Accepted"),
        "docs/adr/0003-faster.md": ADR.format("3. Faster", "Proposed\n\nSupersedes [2](0002-split.md)"),
        "docs/runbooks/Down.md": "# It is down\n",
        "AGENTS.md": "# Rules\n",
    }.items():
        target = checkout / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    git(checkout, "add", ".")
    return checkout


def test_what_a_person_reads(run: Run, documents: Path) -> None:
    """A line for each document, by path; below it what took its place."""
    done = run("artifacts")

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "rules       unknown     AGENTS.md  Rules\n"
        "adr         superseded  docs/adr/0001-queue.md  1. One queue\n"
        "  replaced by docs/adr/0002-split.md\n"
        "adr         accepted    docs/adr/0002-split.md  2. Split it\n"
        "  a proposed document says that it supersedes this one\n"
        "adr         proposed    docs/adr/0003-faster.md  3. Faster\n"
        "runbook     unknown     docs/runbooks/Down.md  It is down\n"
    )


def test_what_a_program_reads(run: Run, documents: Path) -> None:
    """The same, by the schema."""
    done = run("artifacts", "--json")

    assert done.code == 0
    assert contract.violations("artifacts", done.json) == []
    assert done.json["artifactCount"] == 5
    assert done.json["artifacts"][1] == {
        "path": "docs/adr/0001-queue.md",
        "kind": "adr",
        "title": "1. One queue",
        "number": "0001",
        "status": "superseded",
        "raw": "Superseded by 2",
        "source": "section",
        "by": ["docs/adr/0002-split.md"],
        "partial": False,
        "pending": False,
        "supersedes": [],
    }


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["--kind", "rules"], ["AGENTS.md"]),
        (["--kind", "rules", "--kind", "runbook"], ["AGENTS.md", "Down.md"]),
        (["--status", "accepted"], ["0002-split.md"]),
        (["--status", "accepted", "--status", "proposed", "--kind", "adr"], ["0002-split.md", "0003-faster.md"]),
        (["docs/adr"], ["0001-queue.md", "0002-split.md", "0003-faster.md"]),
        (["docs/adr/"], ["0001-queue.md", "0002-split.md", "0003-faster.md"]),
        (["docs/adr/0001-queue.md", "AGENTS.md"], ["AGENTS.md", "0001-queue.md"]),
        (["."], ["AGENTS.md", "0001-queue.md", "0002-split.md", "0003-faster.md", "Down.md"]),
        (["docs/adr", "--status", "rejected"], []),
    ],
)
def test_a_choice(run: Run, documents: Path, argv: list[str], names: list[str]) -> None:
    """Of kinds, statuses and paths."""
    done = run("artifacts", "--json", *argv)

    assert done.code == 0
    assert [item["path"].rpartition("/")[2] for item in done.json["artifacts"]] == names


def test_paths_are_relative_to_the_working_directory(
    run: Run, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is listed is relative to the repository."""
    monkeypatch.chdir(documents / "docs")

    assert run("artifacts", "runbooks").out == "runbook     unknown     docs/runbooks/Down.md  It is down\n"
    assert run("artifacts", "../AGENTS.md").code == 0
    assert run("artifacts", str(documents / "AGENTS.md")).code == 0


def test_a_revision(run: Run, documents: Path) -> None:
    """What a commit has, whatever lies on disk now."""
    git(documents, "commit", "-qm", "documents")
    (documents / "AGENTS.md").write_text("# Other rules\n")

    assert "Rules" in run("artifacts", "--rev", "HEAD", "AGENTS.md").out
    assert "Other rules" in run("artifacts", "AGENTS.md").out
    assert run("artifacts", "--rev", "HEAD~1").out == "No governed documents.\n"


def test_what_is_untracked_is_not_looked_at(run: Run, documents: Path) -> None:
    """Nobody has seen it yet."""
    (documents / "docs/adr/0004-new.md").write_text("# 4\n")

    done = run("artifacts", "docs/adr/0004-new.md")

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: no governed document is there;")


@pytest.mark.parametrize(
    ("argv", "code", "slug"),
    [
        (["--kind", "memo"], 2, "usage"),
        (["--status", "active"], 2, "usage"),
        (["--rev", "HEAD", "--rev", "HEAD"], 2, "usage"),
        (["/etc/passwd"], 2, "usage"),
        (["../elsewhere"], 2, "usage"),
        (["--rev", "nowhere"], 3, "unknown-revision"),
        (["--rev", "--output=x"], 3, "unknown-revision"),
        (["README.md"], 1, "not-an-artifact"),
    ],
)
def test_bad_input(run: Run, documents: Path, argv: list[str], code: int, slug: str) -> None:
    """One word for programs, and a code by whose fault it is."""
    done = run("artifacts", "--json", *[f"--rev={argv[1]}"] if argv[:1] == ["--rev"] and len(argv) == 2 else argv)

    assert (done.code, done.json["error"]["code"]) == (code, slug)


def test_outside_of_a_repository(run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to look at."""
    monkeypatch.chdir(tmp_path)

    assert run("artifacts").code == 3


def test_a_configuration_of_ours_that_is_wrong_stops(run: Run, documents: Path) -> None:
    """It may say where the documents are; one of a tool is passed over with a warning."""
    (documents / ".adr-dir").write_text("/outside\n")
    git(documents, "add", ".adr-dir")

    warned = run("artifacts", "AGENTS.md")
    assert (warned.code, warned.err) == (
        0,
        "warning: .adr-dir: the folder that it names is not in the repository\n",
    )
    assert run("artifacts", "--json").json["problems"] == [
        {"path": ".adr-dir", "message": "the folder that it names is not in the repository"}
    ]

    (documents / "pyproject.toml").write_text("[tool.eccmem.artifacts]\nfolders = []\n")
    git(documents, "add", "pyproject.toml")
    stopped = run("artifacts")
    assert (stopped.code, stopped.out) == (1, "")
    assert "pyproject.toml: [tool.eccmem.artifacts] has the unknown key 'folders'" in stopped.err


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be there")
def test_hostile_titles_and_names_are_harmless(run: Run, documents: Path) -> None:
    """No escape sequence, no line of its own, no command for a CI runner reaches the terminal."""
    name = os.fsdecode(b"docs/adr/0004-\x1b[2J\n::error::x\xff.md")
    (documents / name).write_text(
        ADR.format("\x1b]0;owned\x07 ##[error] \u202eevil", "Superseded by [\x1b[31m](\x1b[2J)")
    )
    git(documents, "add", ".")

    done = run("artifacts")

    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert "##[" not in done.out
    assert not any(line.startswith("::") for line in done.out.splitlines())
    assert contract.violations("artifacts", run("artifacts", "--json").json) == []
