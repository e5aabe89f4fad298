"""What every test has: an empty home, no Git settings of the person who runs it, and builders for the obvious."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from eccmem import intake, roots

# Scrubbed once, at import: a developer's configuration must not decide a test.
for _name in [name for name in os.environ if name.startswith(("GIT_", "ECC_", "ECCMEM_"))]:
    del os.environ[_name]
os.environ |= {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.invalid",
    "GIT_COMMITTER_NAME": "Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.invalid",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, outside of every repository."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


def git(folder: Path, *args: str) -> str:
    """Run Git in a folder and return what it prints."""
    done = subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh Git repository with one commit, which is the working directory."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "README.md").write_text("# A repository\n")
    git(folder, "add", "README.md")
    git(folder, "commit", "-q", "-m", "first")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def vault(checkout: Path, home: Path) -> roots.VaultRoots:
    """The roots as seen from the checkout."""
    return roots.resolve(checkout, {}, home)


Save = Callable[..., intake.Saved]


@pytest.fixture
def save(vault: roots.VaultRoots) -> Save:
    """Save a memory through the intake: ``save(title="…", body="…", scope="team")``."""

    def _save(title: str = "A title", body: str = "A body.", **more: object) -> intake.Saved:
        return intake.save(intake.Draft(title=title, body=body, **more), vault)  # type: ignore[arg-type]

    return _save
