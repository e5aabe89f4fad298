"""The plain parser and typer agree: a command line means one thing."""

import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eccmem.cli import app, plain
from eccmem.cli.dispatch import COMMANDS, load
from eccmem.errors import UsageProblem

WORDS = [
    "--title", "--stdin", "--body-file", "--kind", "--scope", "--tag", "--link", "--json", "--limit", "--target",
    "--target-harness", "--from", "--as", "--supersedes", "--source-harness", "--title=a=b", "--scope=team", "--json=1",
    "--", "-", "-x", "--nope", "--tit", "", "word", "two words", "note", "project", "5", "é",
]  # fmt: skip


def by_typer(name: str, argv: list[str]) -> dict | None:
    """What typer calls the command with, less what it leaves at its default; None when it refuses."""
    command = load(name)
    calls = []

    def recorder(**values: object) -> int:
        calls.append(values)
        return 0

    recorder.__signature__ = inspect.signature(command)
    recorder.__annotations__ = command.__annotations__
    try:
        app.run({name: recorder}, [name, *argv])
    except UsageProblem:
        return None
    return {key: value for key, value in calls[0].items() if value not in (None, False)} if calls else None


@pytest.mark.parametrize("name", COMMANDS)
@settings(max_examples=250, deadline=None, derandomize=True)
@given(argv=st.lists(st.sampled_from(WORDS), max_size=7))
def test_what_is_plain_means_the_same_to_typer(name: str, argv: list[str]) -> None:
    """Whatever the plain parser takes, typer takes, with the same values."""
    values = plain.parse(load(name), argv)

    if values is not None:
        assert values == by_typer(name, argv)


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("save", ["--title", "t", "--stdin", "--tag", "a", "--tag=b", "--json"]),
        ("search", ["two", "words", "--limit", "5", "--kind", "note"]),
        ("read", ["mem_one", "--json"]),
        ("handoff", ["--from", "codex", "--target", "claude", "--title=T", "--body-file", "f"]),
    ],
)
def test_usual_command_lines_are_plain(name: str, argv: list[str]) -> None:
    """Or nothing would be gained."""
    assert plain.parse(load(name), argv) == by_typer(name, argv) != {}


@pytest.mark.parametrize(
    "argv", [["--help"], ["--titel", "x"], ["--title"], ["--title", "--stdin"], ["--json=yes"], ["extra"]]
)
def test_what_is_not_plain_is_left_to_typer(argv: list[str]) -> None:
    """Help, slips, missing values, values that look like options."""
    assert plain.parse(load("save"), argv) is None
