"""The thin hook entry point, under a real ``git commit``."""

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Save, git
from eccmem import guard, hook, intake
from eccmem.roots import VaultRoots, resolve


def install(checkout: Path) -> None:
    script = checkout / ".git/hooks/pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from eccmem.hook import run; run()" guard\n')
    script.chmod(0o755)


def commit(checkout: Path, *args: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["git", "commit", "-qm", "x", *args], cwd=checkout, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("args", [(), ("-a",), ("--", ".ecc")])
def test_a_private_memory_cannot_be_committed(args: tuple, save: Save, checkout: Path) -> None:
    """Forced into the index, whichever way the commit is made; the file is named."""
    item = save().memory
    install(checkout)
    git(checkout, "add", "-f", ".ecc")

    done = commit(checkout, *args)

    assert done.returncode != 0
    assert f".ecc/memory/project/notes/{item.id}.md:1: error[private-memory-tracked]" in done.stderr
    assert git(checkout, "rev-list", "--count", "HEAD").strip() == "1"


def test_a_private_memory_of_a_moved_vault_cannot_be_committed(
    vault: VaultRoots, home: Path, checkout: Path, monkeypatch
) -> None:
    """The hook knows the override as every command does."""
    monkeypatch.setenv("ECC_MEMORY_PROJECT_ROOT", str(checkout / "vault"))
    places = resolve(checkout, {"ECC_MEMORY_PROJECT_ROOT": "vault"}, home)
    intake.save(intake.Draft(title="t", body="b"), places)
    install(checkout)
    git(checkout, "add", "-f", "vault/project/notes")

    assert commit(checkout).returncode != 0


@pytest.mark.parametrize("content", ["", "!*\n", "*\n!.gitignore\n!*.md\n"])
def test_a_guard_of_other_content_cannot_be_committed(content: str, save: Save, checkout: Path) -> None:
    """Committed, it would open every clone."""
    save()
    install(checkout)
    (checkout / ".ecc/memory/project/.gitignore").write_text(content)
    git(checkout, "add", "-f", ".ecc/memory/project/.gitignore")

    done = commit(checkout)

    assert done.returncode != 0
    assert ".ecc/memory/project/.gitignore:1: error[guard-weakened]" in done.stderr


def test_the_guard_and_team_memories_can_be_committed(save: Save, checkout: Path) -> None:
    """And nothing is said."""
    save()
    save(title="Team", scope="team")
    install(checkout)
    git(checkout, "add", "-A")

    done = commit(checkout)

    assert (done.returncode, done.stderr) == (0, "")


def test_outside_of_a_repository_it_cannot_judge(tmp_path: Path, monkeypatch, capsys) -> None:
    """Exit 3, never silence."""
    monkeypatch.chdir(tmp_path)

    assert hook.main(["guard"]) == 3
    assert "no usable Git repository" in capsys.readouterr().err


def test_without_git_it_cannot_judge(checkout: Path, monkeypatch, capsys) -> None:
    """Exit 3 as well."""
    monkeypatch.setenv("PATH", "/nonexistent")

    assert hook.main(["guard"]) == 3
    assert capsys.readouterr().err.startswith("error: Git cannot be run")


def test_a_deleted_working_directory_and_a_bug_are_one_line(checkout: Path, monkeypatch, capsys) -> None:
    """Neither may end with 1, which means findings."""
    code = (
        "import os, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone');"
        "from eccmem.hook import main; sys.exit(main(['guard']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)

    monkeypatch.setattr("eccmem.repo.Repo.listing", lambda *_: 1 / 0)
    assert hook.main(["guard"]) == 70
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("argv", ["", "nope", "guard extra", "guard --base", "guard --pre-push origin"])
def test_usage(argv: str, capsys) -> None:
    """Exit 2 and what can be said."""
    assert hook.main(argv.split()) == 2
    assert capsys.readouterr().err == (
        "error: usage: eccmem-hook doctor|secrets|guard|immutable|links|all [--base REV] [--pre-push REMOTE URL]; "
        "name one check\n"
    )


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help(word: str, capsys) -> None:
    """On standard output, and nothing is judged."""
    assert hook.main([word]) == 0
    assert capsys.readouterr().out.startswith("usage: eccmem-hook doctor|")


def test_it_starts_without_the_command_lines_packages(checkout: Path) -> None:
    """Every commit of everyone waits for it."""
    code = (
        "import sys; from eccmem.hook import main; main(['guard']);"
        "print(*sorted({'typer', 'pydantic', 'git', 'jsonschema', 'mcp', 'yaml', 'sqlite3'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_blobs_of_the_guard_are_git_s(checkout: Path, tmp_path: Path) -> None:
    """Written down because they are what a reviewer can compare; here they are computed by Git itself."""
    for number, algorithm in enumerate(("sha1", "sha256")):
        repository = tmp_path / algorithm
        repository.mkdir()
        git(repository, "init", "-q", f"--object-format={algorithm}")
        (repository / "guard").write_bytes(guard.CONTENT)
        assert git(repository, "hash-object", "guard").strip() == guard.BLOBS[number]


def test_a_repository_whose_folder_is_elsewhere(tmp_path: Path, home: Path, monkeypatch) -> None:
    """`git --git-dir=X --work-tree=Y commit`, as people keep dotfiles: only the variables lead to the repository."""
    git_dir, tree = tmp_path / "dotfiles.git", tmp_path / "tree"
    tree.mkdir()
    git(tmp_path, "init", "-q", "--bare", str(git_dir))
    script = git_dir / "hooks/pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from eccmem.hook import run; run()" all\n')
    script.chmod(0o755)
    (tree / ".ecc/memory/team/notes").mkdir(parents=True)
    (tree / ".ecc/memory/team/notes/bad.md").write_text("bad")
    where = (f"--git-dir={git_dir}", f"--work-tree={tree}")
    git(tree, *where, "add", "-A")

    done = subprocess.run(
        ["git", *where, "commit", "-q", "-m", "x"], cwd=tree, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "error[malformed-memory]" in done.stderr


def test_why_not_all_was_seen_is_said_with_every_word(checkout: Path, monkeypatch, capsys) -> None:
    """It ends with 3, which no word may do in silence."""
    deep = checkout / ".ecc/memory/team/notes/a/b/c/d/e/f/g/h/i/mem_deep.md"
    deep.parent.mkdir(parents=True)
    deep.write_text("x")
    git(checkout, "add", "-A")
    for word in hook.CHECKS:
        assert hook.main([word]) == 3
        assert "error[scan-cut-short]" in capsys.readouterr().err, word


@pytest.mark.parametrize("place", ["notes", "notes/deep/er"])
def test_a_copy_of_a_private_memory_is_stopped_wherever_that_lies(place: str, save: Save, checkout: Path) -> None:
    """The first look has to know that there are private memories at all."""
    item = save().memory
    source = checkout / ".ecc/memory/project/notes" / f"{item.id}.md"
    target = checkout / ".ecc/memory/project" / place / "mem_moved.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)
    (checkout / "page.txt").write_bytes(target.read_bytes())
    script = checkout / ".git/hooks/pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from eccmem.hook import run; run()" all\n')
    script.chmod(0o755)
    git(checkout, "add", "page.txt")

    done = commit(checkout)

    assert done.returncode == 1
    assert "page.txt:1: error[private-memory-copied]" in done.stderr
