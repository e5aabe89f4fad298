"""What a memory says cannot steer a terminal."""

import json

import pytest

from eccmem.cli.console import json_text
from eccmem.output.terminal import clean, line


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("plain text\n\tindented", "plain text\n\tindented"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]52;c;aGk=\x1b\\after", "after"),
        ("\x1bP1$r\x1b\\after", "after"),
        ("\x9b31mred", "red"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1b(0line drawing", "line drawing"),
        ("\x1bcreset", "reset"),
        ("a\rb\x08c\x00d\x7fe\x85f", "abcdef"),
        ("\u202egnp.exe", "gnp.exe"),
        ("a\u2066b\u2069c\u200ed\u200fe\u061cf", "abcdef"),
        ("hidden\U000e0041\U000e0042", "hidden"),
        ("::error::x\n  ::set-env name=A::b", "\\::error::x\n  \\::set-env name=A::b"),
        ("\x1b[0m::error::x", "\\::error::x"),
        ("std::vector", "std::vector"),
        ("a ##[add-mask]b", "a #\\#[add-mask]b"),
        ("###[x", "##\\#[x"),
        ("\x1b[", ""),
        ("\x1b", ""),
        ("نص עברית 文字 😀 e\u0301", "نص עברית 文字 😀 e\u0301"),
    ],
)
def test_control_data_is_removed(hostile: str, shown: str) -> None:
    """Sequences whole, single characters one by one; all other text stays."""
    assert clean(hostile) == shown


def test_nothing_unsafe_ever_remains() -> None:
    """Removing one sequence must not join its surroundings into another."""
    for nested in ("\x1b\x1b[31m[31m", "\x1b]\x1b]0;a\x07\x07", "\x1b[\x1b[0m0m", "\x9b\x1b[m31m"):
        assert "\x1b" not in clean(nested)
        assert "\x9b" not in clean(nested)


def test_one_line_of_bounded_length() -> None:
    """For titles and names."""
    assert line("a\nb\tc\u2028d\r\ne") == "a b c d e"
    assert line("x" * 300) == "x" * 199 + "…"


def test_json_cannot_command_a_ci_runner() -> None:
    """The runner looks for its commands in all that a job prints; the payload is the same for who reads JSON."""
    text = json_text({"title": "a ##[add-mask]b"})

    assert "##[" not in text
    assert json.loads(text) == {"title": "a ##[add-mask]b"}
