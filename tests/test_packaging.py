"""What is shipped is whole: the wheel finds its schemas, the source archive can be built, tested and read again."""

import importlib.util
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from eccmem import contract

CHECKOUT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow

# Backends write nothing but the archive, but a broken one could: so they work where the caller says, offline.
BUILD = (
    [sys.executable, "-m", "hatchling", "build", "-t", "{kind}", "-d", "{target}"]
    if importlib.util.find_spec("hatchling")
    else [sys.executable, "-m", "build", "--{kind}", "--outdir", "{target}"]  # which fetches hatchling
)


def build(source: Path, kind: str, target: Path) -> Path:
    """Build a wheel or a source archive and return it."""
    command = [part.format(kind=kind, target=target) for part in BUILD]
    done = subprocess.run(command, cwd=source, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = target.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel, built from the checkout."""
    return build(CHECKOUT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    """The one folder of a source archive, unpacked."""
    target = tmp_path_factory.mktemp("sdist")
    archive = build(CHECKOUT, "sdist", target)
    with tarfile.open(archive) as opened:
        # Known from 3.11.4 on.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        opened.extractall(target / "unpacked", **safely)
    (folder,) = (target / "unpacked").iterdir()
    return folder


def contents(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


SCHEMAS = sorted(path.name for path in (CHECKOUT / "schemas").glob("*.json"))
LOADS = """
import json, pathlib
from eccmem import contract
place = pathlib.Path(contract.__file__).parents[1]
print(json.dumps([str(place), contract.schema("memory"), contract.violations("error", {"error": {}})]))
"""


@pytest.fixture(params=["wheel", "sdist", "checkout"])
def installed(request, tmp_path) -> Path:
    """A folder to import from: an unpacked wheel, an unpacked source archive, the checkout."""
    if request.param == "checkout":
        return CHECKOUT
    if request.param == "sdist":
        return request.getfixturevalue("sdist")
    with zipfile.ZipFile(request.getfixturevalue("wheel")) as opened:
        opened.extractall(tmp_path / "site")
    return tmp_path / "site"


def test_the_schemas_are_found(installed, tmp_path, monkeypatch):
    """Wherever the package lies, and wherever it is called from, it finds the schemas that came with it."""
    monkeypatch.setenv("PYTHONPATH", str(installed))
    done = subprocess.run([sys.executable, "-c", LOADS], cwd=tmp_path, check=True, capture_output=True, text=True)
    place, schema, violations = json.loads(done.stdout)
    assert Path(place).samefile(installed)
    assert schema == contract.schema("memory")
    assert violations == ["error.code: required", "error.message: required", "error.hint: required"]


def test_a_wheel_holds_package_and_schemas_alone(wheel):
    """No tests and no documentation get installed, and each schema lies in the package, once."""
    names = contents(wheel)
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"eccmem"}
    assert sorted(name.split("/")[-1] for name in names if name.startswith("eccmem/schemas/")) == SCHEMAS
    assert [name for name in names if name.startswith("eccmem/skills/")] == ["eccmem/skills/eccmem/SKILL.md"]
    modules = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "eccmem").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules


def test_a_wheel_has_both_commands(wheel):
    """The program and the thin entry point of the hooks are installed under their names."""
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith("entry_points.txt"))
        lines = opened.read(name).decode().split("\n")
    assert {"[console_scripts]", "eccmem = eccmem.cli:run", "eccmem-hook = eccmem.hook:run"} <= set(lines)


def test_a_source_archive_has_what_a_packager_needs(sdist):
    """Schemas, tests with their data, documentation and licence are in it."""
    names = {path.relative_to(sdist).as_posix() for path in sdist.rglob("*")}
    assert {f"schemas/{name}" for name in SCHEMAS} <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/conftest.py", "skills/eccmem/SKILL.md"} <= names
    assert {"claude.json", "codex.json", "copilot.json", "gemini.json", "opencode.js"} == {
        name.rpartition("/")[2] for name in names if name.startswith("hooks/session-start/")
    }
    tracked = [*CHECKOUT.glob("tests/**/*.py"), *CHECKOUT.glob("tests/data/**/*.*"), *CHECKOUT.glob("docs/**/*.md")]
    assert {path.relative_to(CHECKOUT).as_posix() for path in tracked} <= names
    assert any(name.startswith("docs/") for name in names)


def test_a_wheel_of_the_source_archive_is_the_same(sdist, wheel, tmp_path):
    """Nothing that the build needs is missing from the source archive."""
    again = build(sdist, "wheel", tmp_path / "again")
    assert again.name == wheel.name
    assert contents(again) == contents(wheel)
