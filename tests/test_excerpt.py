"""Excerpts: short, on one line, with the best of a body and the places of what was found."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eccmem import analyser, limits
from eccmem.excerpt import Excerpt, excerpt

FILLER = "lorem ipsum\n" * 60


@pytest.mark.parametrize("where", ["start", "middle", "end", "none"])
def test_an_excerpt_is_short_and_shows_the_match(where: str) -> None:
    """At most 240 characters with its marks of cuts, on one line, and the match is in it."""
    body = {"start": "NEEDLE " + FILLER, "middle": FILLER + "needle " + FILLER, "end": FILLER + "Needle"}.get(
        where, FILLER
    )

    shown = excerpt(body, ("needl",))

    assert len(shown.text) <= limits.EXCERPT_CHARS
    assert "\n" not in shown.text
    assert [shown.text[start:end].lower() for start, end in shown.marks] == ["needle"] * (where != "none")
    assert shown.text.startswith("…") == (where in ("middle", "end"))
    assert shown.text.endswith("…") == (where != "end")


def test_a_short_body_is_shown_whole() -> None:
    """Nothing is cut that fits."""
    assert excerpt("one\n  two\tthree\n", ()) == Excerpt("one two three")
    assert excerpt("x" * 240, ()) == Excerpt("x" * 240)


def test_the_window_with_the_most_terms_wins() -> None:
    """The earliest of equals; one term often is less than two terms once."""
    body = f"alpha alpha alpha {FILLER} alpha and beta, first {FILLER} beta and alpha, second {FILLER}"
    shown = excerpt(body, ("alpha", "beta"))
    assert "alpha and beta, first" in shown.text
    assert "second" not in shown.text


def test_a_word_inside_another_is_not_shown() -> None:
    """The reference shows the cat for ``at``."""
    shown = excerpt(f"The cat sat on a mat. {FILLER} We met at the pool.", ("at", "pool"))
    assert [shown.text[start:end] for start, end in shown.marks] == ["at", "pool"]


def test_cuts_are_between_words() -> None:
    """Before and after."""
    body = " ".join(f"word{number}" for number in range(200))
    shown = excerpt(body, ("word100",))
    pieces = shown.text.strip("…").split()
    assert set(pieces) <= set(body.split())


@pytest.mark.parametrize("unit", ["e\u0301\u0323", "👩\u200d💻", "❤\ufe0f", "👍🏽", "กั้", "한"])
def test_no_character_is_cut_in_two(unit: str) -> None:
    """Nor an emoji of several, where there is no space to cut at."""
    body = unit * 300 + "needle" + unit * 300
    shown = excerpt(body, ("needl",))
    assert len(shown.text) <= limits.EXCERPT_CHARS
    assert shown.text.strip("…").replace(unit, "") in ("", "needle")


def test_an_emoji_is_marked_as_it_stands() -> None:
    """It has no terms."""
    shown = excerpt(f"{FILLER} done 🚀 at last", ("🚀",))
    assert [shown.text[start:end] for start, end in shown.marks] == ["🚀"]


def test_marks_are_merged() -> None:
    """Pairs of neighbours overlap; a reader sees one word."""
    assert excerpt("所有数据库的迁移", ("数据", "据库")).marks == ((2, 5),)


@settings(max_examples=300, deadline=None)
@given(body=st.one_of(st.text(max_size=400), st.text("ab é文\u0301\u200d👩", max_size=600)), data=st.data())
def test_any_body(body: str, data: st.DataObject) -> None:
    """Short, on one line, marks in order and inside, and what is shown is in the body."""
    terms = sorted(set(analyser.terms(body)))
    wanted = data.draw(st.lists(st.sampled_from(terms), max_size=4)) if terms else []

    shown = excerpt(body, wanted)

    assert len(shown.text) <= limits.EXCERPT_CHARS
    ends = [place for mark in shown.marks for place in mark]
    assert ends == sorted(set(ends))
    assert not ends or ends[-1] <= len(shown.text)
    assert bool(ends) == bool(wanted)
    line = " ".join(body.split())
    if len(line) <= limits.EXCERPT_CHARS:
        assert " ".join(shown.text.split()) == line
    assert unicodedata.is_normalized("NFC", shown.text) or not unicodedata.is_normalized("NFC", body)
