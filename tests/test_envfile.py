"""Env files: the values that programs would take from them may stand in no memory."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import fake_value
from conftest import Run
from eccmem import envfile
from eccmem.errors import ExitCode


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A_KEY=one two", {"A_KEY": "one two"}),
        ("export A_KEY = 'one # two' # three", {"A_KEY": "one # two"}),
        ('A_KEY="one \\"two\\" three" rest', {"A_KEY": 'one "two" three'}),
        ("A_KEY=one # two", {"A_KEY": "one"}),
        ("A_KEY=one#two\r\nB=3", {"A_KEY": "one#two", "B": "3"}),
        ("A_KEY=`one`", {"A_KEY": "one"}),
        ("A_KEY=first\nA_KEY=last", {"A_KEY": "last"}),
        ("# A_KEY=one\nno assignment\n=x\n1=x\n", {}),
        ("A_KEY=", {"A_KEY": ""}),
        ("A_KEY='never closed", {"A_KEY": "'never closed"}),
    ],
)
def test_what_an_env_file_says(text: str, found: dict) -> None:
    """As the usual readers take it."""
    assert envfile.parse(text) == found


@given(text=st.text(max_size=200))
def test_any_text(text: str) -> None:
    """None raises, and each value is of the text."""
    assert all(isinstance(value, str) for value in envfile.parse(text).values())


def test_a_long_line_takes_no_time_to_speak_of() -> None:
    """No quote and no backslash makes it slow."""
    for piece in ("\\", '"', "'\\", " #", "=", "A="):
        envfile.parse(f'A="{piece * 100_000}\nA={piece * 100_000}')


def test_its_values_are_refused(checkout: Path, run: Run) -> None:
    """By the name of the variable, and only where the name says that it is a secret; for each file that is named."""
    (checkout / ".env").write_text(f"CITY=Xanadu-by-the-sea\nDEPLOY_KEY='{fake_value()}'\n")
    (checkout / "other.env").write_text("OTHER_TOKEN=correct horse battery\n")
    for text, said in (
        (f"It is {fake_value()}.", "DEPLOY_KEY"),
        ("It is correct horse battery.", "OTHER_TOKEN"),
        ("It is Xanadu-by-the-sea.", None),
    ):
        (checkout / "body.txt").write_text(text)
        argv = ["--title", "A title", "--body-file", "body.txt", "--env-file", ".env", "--env-file", "other.env"]
        for command in (["save"], ["handoff", "--from", "codex", "--target", "claude"]):
            done = run(*command, *argv)
            if said is None:
                assert done.code == ExitCode.OK
            else:
                assert done.code == ExitCode.FINDINGS
                assert f"holds the value of the variable {said}" in done.err
                assert fake_value() not in done.err


def test_a_file_that_cannot_be_read_stops_the_save(checkout: Path, run: Run) -> None:
    """Its values would pass unseen."""
    (checkout / "body.txt").write_text("Words.")
    (checkout / "link.env").symlink_to("body.txt")
    for name in ("absent.env", ".", "link.env"):
        done = run("save", "--title", "A title", "--body-file", "body.txt", "--env-file", name)
        assert (done.code, f"--env-file {name} cannot be read" in done.err) == (ExitCode.FINDINGS, True)
    assert not (checkout / ".ecc").exists()
