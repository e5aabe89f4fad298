"""``eccmem hooks``, as a person and a program see it."""

import os
import sys
from pathlib import Path

import pytest

from conftest import Run, git
from eccmem import contract
from eccmem.githooks import install as installing
from eccmem.githooks import place, probe, script, shim

TOOLS = Path(sys.executable).parent


@pytest.fixture(autouse=True)
def _tools(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout without hooks, and the programs of this environment first on PATH: others may have older ones."""
    for file in (checkout / ".git/hooks").glob("*"):
        file.unlink()
    (checkout / ".git/hooks").mkdir(exist_ok=True)
    monkeypatch.setenv("PATH", os.pathsep.join((str(TOOLS), os.environ["PATH"])))


def hook_of(checkout: Path, name: str, text: str) -> Path:
    file = checkout / ".git/hooks" / name
    file.write_text(text)
    file.chmod(0o755)
    return file


def test_from_none_to_proved(run: Run, checkout: Path) -> None:
    """What there is, what to do, that it is done, and the proof."""
    missing = run("hooks", "status")
    assert missing.code == 1
    assert missing.out == "".join(
        f"{name}: no, .git/hooks/{name}: there is no such hook\n    eccmem hooks install\n" for name in shim.NAMES
    )
    made = run("hooks", "install")
    assert (made.code, made.out) == (0, "".join(f"Made .git/hooks/{name}\n" for name in shim.NAMES))
    again = run("hooks", "install")
    assert (again.code, again.out) == (0, "".join(f".git/hooks/{name}: there already\n" for name in shim.NAMES))
    there = run("hooks", "status")
    assert there.code == 0
    assert there.out.splitlines()[0] == "pre-commit: yes, .git/hooks/pre-commit: it is a shim of eccmem (all)"
    proved = run("hooks", "status", "--run")
    assert proved.code == 0
    assert proved.out.splitlines()[2] == (
        "pre-push: yes, .git/hooks/pre-push: it was run, and came to eccmem-hook (all)"
    )


def test_the_shims_name_the_program_of_this_environment(run: Run, checkout: Path) -> None:
    """An absolute path, whichever way this was called; so it needs no PATH."""
    run("hooks", "install")

    for name in shim.NAMES:
        program = shim.program_of(name, (checkout / ".git/hooks" / name).read_bytes())
        assert program
        assert program.is_absolute()
        assert program.name.startswith("eccmem-hook")
        assert program.exists()


def test_without_the_program_nothing_is_installed(
    run: Run, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such hooks would stop everything."""
    without = [part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "eccmem-hook").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(without))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "eccmem")])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    done = run("hooks", "install", "--json")

    assert done.code == 3
    assert done.json["error"]["code"] == "no-hook-program"
    assert list((checkout / ".git/hooks").iterdir()) == []


def test_a_program_that_is_not_on_path_is_said(run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed hooks do not need it, one of a person does."""
    run("hooks", "install")
    assert "note:" not in run("hooks", "status").out
    without = [part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "eccmem-hook").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(without))

    done = run("hooks", "status")

    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("note: eccmem-hook is not on the PATH of Git's hooks")
    assert run("hooks", "status", "--json").json["programOnPath"] is False
    hook_of(checkout, "pre-commit", "eccmem-hook all\n")
    assert run("hooks", "status").code == 1


@pytest.mark.parametrize("argv", [("status",), ("status", "--run"), ("install",)])
def test_payloads_keep_to_the_schema(run: Run, checkout: Path, argv: tuple) -> None:
    """Before and after, with a hook of another in between."""
    for text in (None, "#!/bin/sh\nexit 0\n", shim.text("pre-commit").decode()):
        if text is not None:
            hook_of(checkout, "pre-commit", text)
        for name in ("pre-merge-commit", "pre-push"):
            (checkout / ".git/hooks" / name).unlink(missing_ok=True)
        done = run("hooks", *argv, "--json")
        assert contract.violations("hooks", done.json) == []
        assert done.json["ok"] is (done.code == 0)
        assert [item["name"] for item in done.json["hooks"]] == list(shim.NAMES)
        assert str(checkout) not in done.out
    assert contract.violations("hooks", done.json | {"hooks": done.json["hooks"][:2]}) != []


def test_a_foreign_hook(run: Run, checkout: Path) -> None:
    """Nothing is written, and the line to add is on a line of its own, to be copied."""
    file = hook_of(checkout, "pre-commit", "#!/bin/sh\nexit 0\n")

    done = run("hooks", "install")

    assert done.code == 1
    assert done.out.startswith("Nothing was written: a hook is there already that is not ours.\n")
    assert "    eccmem-hook all || exit $?\n" in done.out
    assert [each.name for each in file.parent.iterdir()] == ["pre-commit"]
    assert file.read_text() == "#!/bin/sh\nexit 0\n"


def test_what_cannot_be_told_ends_with_3(run: Run, checkout: Path) -> None:
    """Unless something is certain that is worse."""
    run("hooks", "install")
    hook_of(checkout, "pre-push", '#!/bin/sh\nif true; then eccmem-hook all --pre-push "$@"; fi\n')

    done = run("hooks", "status")
    assert done.code == 3
    assert done.out.splitlines()[-1] == "    eccmem hooks status --run"
    assert run("hooks", "status", "--run").code == 0

    (checkout / ".git/hooks/pre-commit").unlink()
    assert run("hooks", "status").code == 1


def test_dry_run_writes_and_runs_nothing(run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECC_DRY_RUN", "1")
    seen = checkout / "seen"
    hook_of(checkout, "pre-push", f"#!/bin/sh\n: >{seen}\n")

    for argv in (("install",), ("status", "--run")):
        done = run("hooks", *argv, "--json")
        assert (done.code, done.json["error"]["code"]) == (3, "dry-run")
    assert not seen.exists()
    assert [file.name for file in (checkout / ".git/hooks").iterdir()] == ["pre-push"]
    assert run("hooks", "status").code == 1


@pytest.mark.parametrize("argv", [[], ["remove"], ["status", "install"], ["install", "--run"], ["status", "--nope"]])
def test_what_is_no_command(run: Run, checkout: Path, argv: list[str]) -> None:
    assert run("hooks", *argv).code == 2
    assert list((checkout / ".git/hooks").iterdir()) == []


def test_a_hook_that_proves_itself_ends(run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook may ask for the status; asking for a run there would never end."""
    monkeypatch.setenv(probe.PROBE, str(checkout / "probe"))

    assert run("hooks", "status", "--run").code == 2
    assert run("hooks", "status").code == 1


def test_outside_of_a_repository(start: Run, home: Path) -> None:
    """It cannot be told."""
    for argv in (("status",), ("status", "--run"), ("install",)):
        done = start("hooks", *argv, cwd=home)
        assert done.code == 3
        assert done.err.startswith("error: there is no usable Git repository here")


def test_without_git(start: Run, checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = start("hooks", "status", cwd=checkout, PATH=str(tmp_path / "empty"))

    assert done.code == 3
    assert done.err == "error: Git cannot be run; install Git, or put it on PATH\n"


def test_where_hooks_cannot_be_written(run: Run, checkout: Path) -> None:
    """A file where the folder should be: said in one line, nothing half-written."""
    (checkout / ".git/hooks").rmdir()
    (checkout / ".git/hooks").write_text("")

    done = run("hooks", "install")

    assert done.code == 3
    assert done.err == "error: cannot write .git/hooks: a file is where a folder should be; move it away\n"


def test_names_from_elsewhere_cannot_speak_to_the_terminal(run: Run, checkout: Path) -> None:
    """A configuration and a folder come with a pull; what they are called is shown without what a terminal obeys."""
    git(checkout, "config", "core.hooksPath", "evil\x1b[2Jfolder\n")
    (checkout / "lefthook.yml").write_text('pre-commit:\n  "\x1b[2J": x\n')

    for argv in (("status",), ("install",), ("status",)):
        done = run("hooks", *argv)
        assert "\x1b" not in done.out + done.err
    assert (checkout / "evil\x1b[2Jfolder\n/pre-commit").is_file()
    assert run("hooks", "status", "--run").code == 0


def test_the_schema_has_the_words_of_the_program() -> None:
    """Kinds, outcomes, checks: each in both."""
    row = contract.schema("hooks")["properties"]["hooks"]["items"]["properties"]

    assert row["kind"]["enum"] == list(place.Kind)
    assert row["outcome"]["enum"] == list(installing.Outcome)
    assert row["reaches"]["enum"] == list(script.Reach)
    assert row["checks"]["items"]["enum"] == list(shim.CHECKS)
    assert row["name"]["enum"] == list(shim.NAMES)
