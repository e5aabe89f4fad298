"""The thin hook entry point, under a real ``git commit``."""

import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from builders import memory, put
from conftest import Save, git
from eccmem import guard, hook, intake, limits, quick
from eccmem.model import Scope
from eccmem.roots import VaultRoots, resolve

TEAM_MEMORY = memory("mem_one", scope=Scope.TEAM)


def install(checkout: Path, word: str = "guard", folder: Path | None = None) -> None:
    script = (folder or checkout / ".git/hooks") / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from eccmem.hook import run; run()" {word}\n')
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
    install(checkout, "all")
    git(checkout, "add", "page.txt")

    done = commit(checkout)

    assert done.returncode == 1
    assert "page.txt:1: error[private-memory-copied]" in done.stderr


# --- Merges, pushes and what managers say ---------------------------------------------------------------------


@pytest.fixture
def published(checkout: Path) -> Path:
    """A checkout whose main is published with one team memory; no private memory is there."""
    git(checkout.parent, "init", "-q", "--bare", "-b", "main", "up.git")
    put(checkout, TEAM_MEMORY)
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "base")
    git(checkout, "remote", "add", "origin", "../up.git")
    git(checkout, "push", "-qu", "origin", "main")
    git(checkout, "remote", "set-head", "origin", "main")
    return checkout


@pytest.mark.parametrize("where", ["main worktree", "linked worktree"])
def test_a_merge_that_leaves_out_a_memory(where: str, published: Path) -> None:
    """It differs from HEAD in nothing, so the first look may not answer."""
    git(published, "switch", "-qc", "topic", "HEAD^")
    git(published, "commit", "-q", "--allow-empty", "-m", "topic")
    folder = published
    if where == "linked worktree":
        git(published, "switch", "-q", "main")
        git(published, "worktree", "add", "-q", "../side", "topic")
        folder = published.parent / "side"
    install(published, "all")
    git(folder, "merge", "-q", "--no-commit", "origin/main")
    git(folder, "rm", "-qf", ".ecc/memory/team/notes/mem_one.md")

    done = commit(folder)

    assert done.returncode == 1
    assert "error[memory-deleted]" in done.stderr


@pytest.mark.parametrize("name", ["PRE_COMMIT_TO_REF", "PRE_COMMIT_LOCAL_BRANCH"])
def test_what_a_manager_said_of_a_push_does_not_hide_the_index(
    name: str, save: Save, published: Path, monkeypatch
) -> None:
    """A hook at a push that commits hands its variables on."""
    save()
    install(published, "all")
    git(published, "add", "-f", ".ecc/memory/project/notes")
    monkeypatch.setenv(name, "HEAD")
    monkeypatch.setenv("PRE_COMMIT_REMOTE_NAME", "origin")

    done = commit(published)

    assert done.returncode == 1
    assert "error[private-memory-tracked]" in done.stderr


def test_a_push_out_of_a_hook_of_a_commit(published: Path, monkeypatch, capsys) -> None:
    """The other way round: then Git's index is named too."""
    put(published, replace(TEAM_MEMORY, body="Changed."))
    git(published, "commit", "-qam", "changed")
    monkeypatch.setenv("GIT_INDEX_FILE", str(published / ".git/index"))
    for name, value in (("TO_REF", "HEAD"), ("REMOTE_NAME", "origin"), ("REMOTE_BRANCH", "refs/heads/main")):
        monkeypatch.setenv(f"PRE_COMMIT_{name}", value)

    assert hook.main(["all"]) == 1
    assert "error[memory-modified]" in capsys.readouterr().err


@pytest.mark.parametrize("start", ["main", "HEAD~1"])
def test_a_range_that_a_manager_was_asked_for(start: str, published: Path, monkeypatch, capsys) -> None:
    """As in CI, where the tip may be what the default branch has."""
    put(published, replace(TEAM_MEMORY, body="Changed."))
    git(published, "switch", "-qc", "topic")
    git(published, "commit", "-qam", "changed")
    git(published, "push", "-q", "origin", "topic:main", "topic")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", start)
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")

    assert hook.main(["all"]) == 1
    assert "error[memory-modified]" in capsys.readouterr().err
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "1" * 40)
    assert hook.main(["all"]) == 3


@pytest.mark.parametrize("named", [False, True])
def test_a_forced_push_under_a_manager(named: bool, published: Path, monkeypatch, capsys) -> None:
    """One names what is replaced, another the commit below it."""
    known, below = (git(published, "rev-parse", name).strip() for name in ("HEAD", "HEAD^"))
    put(published, replace(TEAM_MEMORY, body="Changed."))
    git(published, "commit", "-qa", "--amend", "-m", "amended")
    for name, value in (
        ("FROM_REF", known if named else below),
        ("TO_REF", "HEAD"),
        ("REMOTE_NAME", "origin"),
        ("REMOTE_BRANCH", "refs/heads/main"),
    ):
        monkeypatch.setenv(f"PRE_COMMIT_{name}", value)

    assert hook.main(["all"]) == 1
    assert "error[memory-modified]" in capsys.readouterr().err
    assert hook.main(["all", "--base", below]) == 0


def test_a_push_without_its_lines(checkout: Path, monkeypatch, capsys) -> None:
    """Closed input is not the same as no lines; and any byte may be among them."""
    monkeypatch.setattr(sys, "stdin", None)
    assert hook.main(["all", "--pre-push", "origin", "url"]) == 3
    assert "error: standard input is closed" in capsys.readouterr().err
    for text, code in ((b"", 0), (b"\xff\n", 3)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert hook.main(["all", "--pre-push", "origin", "url"]) == code


def test_a_stop_during_the_first_look(checkout: Path, monkeypatch) -> None:
    """One Ctrl-C is enough."""

    def stopped(_env: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    monkeypatch.setattr("eccmem.quick.staged", stopped)
    assert hook.main(["all"]) == 130


def test_a_git_that_hangs(checkout: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    """Neither the first look nor what follows waits forever, and no process is left."""
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec sleep 60\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    monkeypatch.setattr(quick, "SECONDS", 1)
    monkeypatch.setattr(limits, "GIT_SECONDS", 1)

    assert hook.main(["all"]) == 3
    assert "gave no answer" in capsys.readouterr().err
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_the_first_look_waits_as_long_as_all_others() -> None:
    """It cannot import the bound."""
    assert quick.SECONDS == limits.GIT_SECONDS


def test_a_repository_elsewhere_from_within_another(published: Path, tmp_path: Path) -> None:
    """Git says where: the one around the working tree has nothing to do with the commit."""
    work = published / "work"
    work.mkdir()
    options = (f"--git-dir={tmp_path / 'other.git'}", f"--work-tree={work}")
    git(work, *options, "init", "-q")
    install(tmp_path / "other.git", "all", folder=tmp_path / "other.git/hooks")
    (work / ".ecc/memory/team/notes").mkdir(parents=True)
    (work / ".ecc/memory/team/notes/mem_bad.md").write_text("no memory")
    git(work, *options, "add", "-A")

    done = subprocess.run(
        ["git", *options, "commit", "-qm", "x"], cwd=work, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert ".ecc/memory/team/notes/mem_bad.md:1: error[malformed-memory]" in done.stderr
