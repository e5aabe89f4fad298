"""What a team does first: our hook from our repository, built and run by pre-commit in a new repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from builders import memory, put
from conftest import git
from eccmem.model import Scope

ROOT = Path(__file__).parent.parent
SHIPPED = ("eccmem", "schemas", "skills", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
PRE_COMMIT = Path(sys.executable).parent / "pre-commit"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".pre-commit-hooks.yaml").is_file(), reason="not in a checkout"),
]


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A repository with what we ship."""
    folder = tmp_path / "eccmem.git.src"
    folder.mkdir()
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "eccmem")
    return folder


def pre_commit(*args: str, **env: str) -> subprocess.CompletedProcess:
    home = os.environ["HOME"]
    settings = {"PRE_COMMIT_HOME": f"{home}/pre-commit", "HOME": home, **env}
    return subprocess.run(
        [PRE_COMMIT, *args],
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )


def test_our_repository_is_tried_and_then_runs_without_a_network(ours: Path, checkout: Path) -> None:
    """Built once from an index of packages; after that a commit opens no connection."""
    put(checkout, memory("mem_good", scope=Scope.TEAM))
    git(checkout, "add", "-A")
    tried = pre_commit("try-repo", str(ours), "eccmem", "--all-files")
    if re.search(r"No matching distribution|Could not find a version|ConnectionError|Temporary failure", tried.stdout):
        pytest.skip("pip cannot get the packages that the hook needs here")
    assert tried.returncode == 0, tried.stdout

    rev = git(ours, "rev-parse", "HEAD").strip()
    (checkout / ".pre-commit-config.yaml").write_text(
        f"default_install_hook_types: [pre-commit, pre-push]\nrepos:\n  - repo: {ours}\n    rev: {rev}\n"
        "    hooks: [{id: eccmem}]\n"
    )
    git(checkout, "add", "-A")
    built = pre_commit("install", "--install-hooks")
    assert built.returncode == 0, built.stdout
    shutil.move(ours, ours.with_name("gone"))
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "PIP_INDEX_URL", "ALL_PROXY"), "http://127.0.0.1:9")
    assert pre_commit("run", **nowhere).returncode == 0
    (checkout / ".ecc/memory/team/notes/bad.md").write_text("bad")
    git(checkout, "add", "-A")
    stopped = subprocess.run(
        ["git", "commit", "-q", "-m", "x"],
        env=os.environ | nowhere | {"PRE_COMMIT_HOME": f"{os.environ['HOME']}/pre-commit"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert stopped.returncode == 1
    assert "error[malformed-memory]" in stopped.stdout
