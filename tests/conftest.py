"""What every test has: an empty home, no Git settings of the person who runs it, and builders for the obvious."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from eccmem import intake, roots
from eccmem.cli import main
from serving import Client

# Scrubbed once, at import: a developer's configuration must not decide a test.
_KEPT = ("ECCMEM_REFERENCE_CHECKOUT", "ECCMEM_STRESS_SECONDS")
for _name in [name for name in os.environ if name.startswith(("GIT_", "ECC_", "ECCMEM_")) and name not in _KEPT]:
    del os.environ[_name]
# Unbuffered, an output that cannot be written fails at once, and what happens at exit would not be seen.
os.environ.pop("PYTHONUNBUFFERED", None)
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
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
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


# --- Commands, as a person or a harness runs them ---------------------------------------------------------------


@dataclass(frozen=True)
class Done:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process: ``run("search", "word")``."""

    def _run(*argv: str) -> Done:
        capsys.readouterr()
        code = main(argv)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return _run


@pytest.fixture
def start() -> Run:
    """Run a command in a process of its own: ``start("save", …, stdin=b"…", env={…}, cwd=…)``."""

    def _start(*argv: str, stdin: bytes = b"", cwd: Path | None = None, **env: str | None) -> Done:
        # From the checkout or as installed: wherever this test imported it from.
        source = str(Path(sys.modules["eccmem"].__file__).parent.parent)
        merged = {**os.environ, "PYTHONPATH": source, **env}
        done = subprocess.run(
            [sys.executable, "-m", "eccmem", *argv],
            input=stdin,
            capture_output=True,
            cwd=cwd,
            env={name: value for name, value in merged.items() if value is not None},
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return _start


@pytest.fixture
def body(tmp_path: Path) -> Callable[..., str]:
    """Write a body to a file and return its path: ``body("text")``."""

    def _body(content: str | bytes = "A body.") -> str:
        path = tmp_path / "body.md"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return _body


Serve = Callable[..., Client]


@pytest.fixture
def serve(checkout: Path, home: Path) -> Iterator[Serve]:
    """Start an MCP server: ``serve(ECC_MEMORY_HARNESS="claude")``; in the checkout unless ``cwd`` is named."""
    with ExitStack() as stack:

        def begin(cwd: Path | None = None, **env: str) -> Client:
            return stack.enter_context(Client(cwd or checkout, home, **env))

        yield begin


@pytest.fixture
def client(serve: Serve) -> Client:
    """A client of an MCP server, which have shaken hands."""
    client = serve()
    client.begin()
    return client
