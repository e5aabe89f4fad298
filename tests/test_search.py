"""Search: the right memories, in the right order, with the right words."""

import random

import pytest

from builders import memory
from eccmem import limits, roots, search
from eccmem.errors import Refused
from eccmem.model import Kind, Memory, Status
from eccmem.search import Filters
from eccmem.vault import Place, Snapshot, Stored


def snapshot(*memories: Memory) -> Snapshot:
    root = roots.Root(memories[0].scope, None, (), "project:")
    return Snapshot((), tuple(Stored(Place(root, f"notes/{item.id}.md"), item, {}) for item in memories))


def found(query: str, *memories: Memory, **filters: object) -> list[str]:
    return [hit.memory.id for hit in search.search(snapshot(*memories), query, Filters(**filters), 100)]


def test_title_beats_tags_beat_body() -> None:
    """Where a word stands decides the order."""
    assert found(
        "rotation",
        memory("mem_body", body="about rotation"),
        memory("mem_tag", tags=("rotation",)),
        memory("mem_title", title="Rotation"),
        memory("mem_none"),
    ) == ["mem_title", "mem_tag", "mem_body"]


def test_ties_are_broken_by_time_then_id() -> None:
    """The newest of equals comes first; of equals in time too, the smaller id."""
    new, old = "2026-08-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"
    items = [
        memory("mem_b_old", updated_at=old),
        memory("mem_z_new", updated_at=new),
        memory("mem_a_new", updated_at=new),
    ]
    for query in ("body", ""):
        assert found(query, *items) == ["mem_a_new", "mem_z_new", "mem_b_old"]


def test_the_order_of_files_never_matters() -> None:
    """Shuffled vaults give the same answer."""
    items = [memory(f"mem_{number:03}", body="word " * (number % 7)) for number in range(1, 50) if number % 7]
    expected = found("word", *items)
    for seed in range(10):
        random.Random(seed).shuffle(items)
        assert found("word", *items) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("CAFÉ", "the cafe\u0301 notes"),
        ("cafe\u0301", "the Café notes"),
        ("STRASSE", "die Straße"),
        ("migrat", "the migration"),
        ("get_user", "call get_user_by_id"),
        ("no-verify", "never use --no-verify"),
        ("轮换", "完成令牌轮换测试"),
        ("トークン", "新トークンの発行"),
        ("c++", "written in C++"),
        ("...", "and so on..."),
    ],
)
def test_found_in_any_case_and_form(query: str, text: str) -> None:
    """Case, composed or decomposed accents, beginnings of words, scripts without spaces, punctuation."""
    assert found(query, memory("mem_hit", body=text), memory("mem_miss", body="nothing of it")) == ["mem_hit"]


def test_a_word_is_not_found_inside_another() -> None:
    """``at`` is not in ``cats``."""
    assert found("at", memory(title="Cats", body="cats that")) == []


def test_only_active_memories_are_found() -> None:
    """Superseded and rejected ones are out of search, whatever the query."""
    items = [memory(f"mem_{status}", status=status) for status in Status]
    for query in ("", "body"):
        assert found(query, *items) == ["mem_active"]


def test_filters() -> None:
    """Kind, and the harness that a memory is for."""
    items = [
        memory("mem_note"),
        memory("mem_fact", kind=Kind.FACT, target_harnesses=("claude",)),
        memory("mem_codex", target_harnesses=("codex", "gemini")),
    ]
    assert found("", *items, kinds={Kind.FACT}) == ["mem_fact"]
    assert found("", *items, harness="claude") == ["mem_fact", "mem_note"]
    assert found("", *items, harness="other") == ["mem_note"]


def test_at_most_a_hundred() -> None:
    """Whatever limit is asked for."""
    hits = search.search(snapshot(*(memory(f"mem_{n:04}") for n in range(150))), "", Filters(), 1000)
    assert len(hits) == limits.RESULTS


@pytest.mark.parametrize("where", ["start", "middle", "end", "none"])
def test_an_excerpt_is_short_and_shows_the_match(where: str) -> None:
    """At most 240 characters with its marks, on one line, and the match is in it."""
    filler = "lorem ipsum\n" * 60
    body = {"start": "NEEDLE " + filler, "middle": filler + "needle " + filler, "end": filler + "Needle"}.get(
        where, filler
    )

    text = search.excerpt(body, ("needle",))

    assert len(text) <= limits.EXCERPT_CHARS
    assert "\n" not in text
    assert ("needle" in text.lower()) == (where != "none")
    assert text.startswith("…") == (where in ("middle", "end"))
    assert text.endswith("…") == (where != "end")


def test_a_short_body_is_shown_whole() -> None:
    """Nothing is cut that fits."""
    assert search.excerpt("one\n  two\tthree\n", ()) == "one two three"


@pytest.mark.parametrize("query", ["x" * 501, "a\nb", "a\x1b[0m", "\u202e"])
def test_a_bad_query_is_refused(query: str) -> None:
    """Too long, or with control characters."""
    with pytest.raises(Refused) as caught:
        search.check_query(query)
    assert caught.value.slug == "bad-query"
