"""Limits that the environment sets lower: met as the default is, and never a way to see less in silence."""

from pathlib import Path

import pytest

from conftest import Save, git
from eccmem import hook, limits, lowered
from eccmem.cli import main
from eccmem.errors import ExitCode


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit holds for the whole process."""
    for name in lowered.LOWERABLE:
        monkeypatch.setattr(limits, name, getattr(limits, name))


@pytest.fixture
def filled(checkout: Path, save: Save) -> Path:
    """A checkout with three team memories."""
    for number in range(3):
        save(title=f"Title {number}", body=f"Word {number}.", scope="team")
    return checkout


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SCAN_ENTRIES", "2", "more than 2 files and folders"),
        ("SCAN_BYTES", "1", "more than 1 bytes of memories"),
        ("WALK_DEPTH", "1", "folders nest deeper than 1"),
    ],
)
def test_a_scan_that_is_cut_short_says_so(
    name: str,
    value: str,
    said: str,
    filled: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The doctor ends with 3, and so does a read, which may not say that something is not there."""
    (filled / ".ecc/memory/team/notes/deep/deeper").mkdir(parents=True)
    assert main(["doctor"]) == ExitCode.OK
    monkeypatch.setenv(f"{lowered.PREFIX}{name}", value)
    capfd.readouterr()

    assert main(["doctor"]) == ExitCode.CANNOT_RUN
    assert said in capfd.readouterr().out
    assert main(["read", "mem_absent"]) == ExitCode.CANNOT_RUN


def test_the_hook_does_not_let_pass_what_it_could_not_see(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lower limit is no way around the gate."""
    git(filled, "add", ".")
    assert hook.main(["all"]) == ExitCode.OK
    monkeypatch.setenv("ECCMEM_SCAN_ENTRIES", "2")

    assert hook.main(["all"]) == ExitCode.CANNOT_RUN


@pytest.mark.parametrize("value", ["0", "-1", "x", "250001", "9" * 5000, "1.5", "\u0663"])
@pytest.mark.parametrize("run", [lambda: main(["search", "x"]), lambda: hook.main(["all"]), lambda: main(["mcp"])])
def test_another_value_is_a_usage_error(
    value: str,
    run: object,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Which names the variable and what it may be."""
    monkeypatch.setenv("ECCMEM_SCAN_ENTRIES", value)

    assert run() == ExitCode.USAGE
    said = capfd.readouterr().err
    assert "ECCMEM_SCAN_ENTRIES must be a whole number from 1 to 250000" in said
    assert limits.SCAN_ENTRIES == 250_000


def test_set_to_nothing_is_not_set(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with every variable."""
    monkeypatch.setenv("ECCMEM_SCAN_ENTRIES", "")
    assert main(["search", "x"]) == ExitCode.OK
