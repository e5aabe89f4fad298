"""What pre-commit and prek read of this repository: the manifest for others, and our own configuration."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from conftest import git
from eccmem import hook
from eccmem.githooks import shim

CHECKOUT = Path(__file__).parents[1]
MANIFEST = ".pre-commit-hooks.yaml"
CONFIG = ".pre-commit-config.yaml"
# Keys that both managers know; prek has more, at which pre-commit warns.
KEYS = {
    "id",
    "name",
    "description",
    "entry",
    "language",
    "always_run",
    "pass_filenames",
    "require_serial",
    "stages",
    "minimum_pre_commit_version",
}


@pytest.fixture(params=["pre-commit", "prek"])
def manager(request: pytest.FixtureRequest) -> str:
    """The command of each manager, of the environment that runs the tests."""
    return str(Path(sys.executable).parent / request.param)


def run(*command: str, cwd: Path = CHECKOUT, **env: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PRE_COMMIT", "PREK"))}
    done = subprocess.run(command, cwd=cwd, env=kept | env, capture_output=True, text=True, check=False, timeout=120)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


def manifest() -> list[dict]:
    return yaml.safe_load((CHECKOUT / MANIFEST).read_text("utf-8"))


def test_the_manifest_is_valid(manager: str, home: Path) -> None:
    """To both, without a warning."""
    said = run(manager, "validate-manifest", MANIFEST)

    assert "warn" not in said.lower()


def test_an_invalid_manifest_would_be_seen(manager: str, home: Path, tmp_path: Path) -> None:
    """The test above can fail."""
    broken = tmp_path / MANIFEST
    broken.write_text((CHECKOUT / MANIFEST).read_text("utf-8").replace("language: python", "language: none-such"))

    with pytest.raises(AssertionError):
        run(manager, "validate-manifest", str(broken))


def test_every_entry_is_a_check_of_the_program() -> None:
    """Each once, under an id of its own; the one that does all comes first."""
    hooks = manifest()

    assert len({item["id"] for item in hooks}) == len(hooks)
    assert (hooks[0]["id"], hooks[0]["entry"]) == ("eccmem", "eccmem-hook all")
    assert [item["entry"].split() for item in hooks[1:]] == [
        ["eccmem-hook", check] for check in hook.CHECKS if check != "all"
    ]
    for item in hooks[1:]:
        assert item["id"] == item["entry"].replace("eccmem-hook ", "eccmem-")


@pytest.mark.parametrize("item", manifest(), ids=lambda item: item["id"])
def test_a_hook_asks_git_itself_and_always(item: dict) -> None:
    """It is never left out for want of files, gets no names, runs once, and at no other hook of Git."""
    assert set(item) == KEYS
    assert item["language"] == "python"
    assert (item["always_run"], item["pass_filenames"], item["require_serial"]) == (True, False, True)
    assert item["stages"] == [*shim.NAMES, "manual"]
    assert item["minimum_pre_commit_version"] == "3.2.0"
    assert item["name"] == item["name"].lower()


def test_our_own_configuration_is_valid(manager: str, home: Path) -> None:
    said = run(manager, "validate-config", CONFIG)

    assert "warn" not in said.lower()


def test_our_own_hook_runs_on_a_fresh_clone_without_a_network(
    manager: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing of ours installed, from the source alone; and it stops what it has to stop."""
    clone = tmp_path / "clone"
    clone.mkdir()
    git(clone, "init", "-q", "-b", "main")
    shutil.copytree(CHECKOUT / "eccmem", clone / "eccmem", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / CONFIG, clone)
    git(clone, "add", ".")
    # As python3: this interpreter, without its packages.
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    (tools / "python3").chmod(0o755)
    path = os.pathsep.join((str(tools), os.environ["PATH"]))
    offline = {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "https_proxy": "http://127.0.0.1:9", "PATH": path}

    assert "Passed" in run(manager, "run", "eccmem", "--all-files", cwd=clone, **offline)

    private = clone / ".ecc/memory/project/notes/mem_x.md"
    private.parent.mkdir(parents=True)
    private.write_text("x")
    git(clone, "add", "-f", ".ecc")
    with pytest.raises(AssertionError, match="private-memory-tracked"):
        run(manager, "run", "eccmem", "--all-files", cwd=clone, **offline)


def test_a_source_archive_has_what_is_tested_here() -> None:
    """Whoever packages it can offer the hooks, and run these tests."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))

    include = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {f"/{MANIFEST}", f"/{CONFIG}", "/hooks"} <= set(include)
