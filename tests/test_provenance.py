"""Where each field and each line of a memory comes from."""

import random
import time
from dataclasses import replace

import pytest

from builders import memory
from eccmem import limits, provenance
from eccmem.lineage import Lineage, Step
from eccmem.model import Kind, Memory, Scope, Status
from eccmem.provenance import Lines, Provenance

ONE = memory("mem_one", scope=Scope.TEAM, body="a\nb\nc")


class Story:
    """A lineage without a repository: each commit by its name, with what the memory is then."""

    def __init__(self) -> None:
        self._memories: dict[str, Memory | None] = {}
        self.lineage = Lineage("mem_one", self._memories)
        self._last = ""
        self._count = 0

    def commit(self, item: Memory | None, *parents: str, gone: bool = False) -> str:
        """None is a file that cannot be read; the parent is the commit before, unless named."""
        self._count += 1
        name, blob = f"commit{self._count}", f"blob{self._count}"
        self._memories[blob] = item
        above = parents or ((self._last,) if self._last else ())
        self.lineage.follow(Step(name, above, {"notes/mem_one.md": None if gone else blob}))
        self._last = name
        return name

    def trace(self, now: Memory) -> Provenance:
        return provenance.trace(self.lineage, now)


def fields(found: Provenance) -> dict[int | None, set[str]]:
    by_origin: dict[int | None, set[str]] = {}
    for name, origin in found.fields:
        by_origin.setdefault(origin, set()).add(name)
    return by_origin


def body(found: Provenance) -> list[int | None]:
    """The origin of each line; the ranges are whole, in order, and as long as they can be."""
    at = 0
    for part in found.body:
        assert part.first == at + 1
        assert part.last >= part.first
        at = part.last
    assert all(left.origin != right.origin for left, right in zip(found.body, found.body[1:], strict=False))
    return [part.origin for part in found.body for _ in range(part.first, part.last + 1)]


def test_fields_and_lines_have_the_commit_that_changed_them_last() -> None:
    """A value that comes back is new again; what never changed is of the first commit."""
    story = Story()
    story.commit(ONE)
    story.commit(replace(ONE, title="Other", body="a\nB\nc"))
    last = replace(ONE, status=Status.REJECTED, body="a\nB\nc\nd")
    story.commit(last)

    found = story.trace(last)

    assert fields(found)[2] == {"title", "status"}
    assert set(fields(found)) == {0, 2}
    assert found.body == (Lines(1, 1, 0), Lines(2, 2, 1), Lines(3, 3, 0), Lines(4, 4, 2))
    assert not found.rough


def test_what_is_not_committed_has_no_commit() -> None:
    story = Story()
    story.commit(ONE)

    found = story.trace(replace(ONE, status=Status.REJECTED, body="x\na\nb\nc"))

    assert fields(found)[None] == {"status"}
    assert body(found) == [None, 0, 0, 0]


def test_nothing_committed_at_all() -> None:
    found = Story().trace(ONE)

    assert set(fields(found)) == {None}
    assert found.body == (Lines(1, 3, None),)


def test_a_merge_hands_on_what_both_sides_did() -> None:
    """A line of its own is the merge's, whatever came from a side is of the commit there."""
    story = Story()
    start = story.commit(ONE)
    left = story.commit(replace(ONE, body="A\nb\nc"), start)
    right = story.commit(replace(ONE, body="a\nb\nC", title="Other"), start)
    merged = replace(ONE, body="A\nb\nC\nm", title="Other")
    story.commit(merged, left, right)

    found = story.trace(merged)

    assert body(found) == [1, 0, 2, 3]
    assert fields(found)[2] == {"title"}


@pytest.mark.parametrize("first", ["left", "right"])
def test_what_both_sides_did_alike_is_of_the_first_parent(first: str) -> None:
    story = Story()
    start = story.commit(ONE)
    same = replace(ONE, title="Other", body="a\nb\nc\nd")
    sides = [story.commit(replace(same, tags=(name,)), start) for name in ("left", "right")]
    merged = replace(same, tags=("both",))
    story.commit(merged, *(sides if first == "left" else sides[::-1]))

    found = story.trace(merged)

    expected = 1 if first == "left" else 2
    assert "title" in fields(found)[expected]
    assert body(found) == [0, 0, 0, expected]


def test_through_a_merge_that_did_nothing() -> None:
    story = Story()
    start = story.commit(ONE)
    side = story.commit(replace(ONE, body="a\nb\nc\nd"), start)
    story.lineage.follow(Step("other", (start,), {}))
    story.lineage.follow(Step("merge", ("other", side), {"notes/mem_one.md": "blob2"}))

    assert body(story.trace(replace(ONE, body="a\nb\nc\nd"))) == [0, 0, 0, 1]


@pytest.mark.parametrize("gone", [True, False])
def test_what_was_away_or_broken_comes_from_the_commit_that_brought_it_back(gone: bool) -> None:
    """Between the two, nobody could say what the parts were."""
    story = Story()
    story.commit(ONE)
    story.commit(None, gone=gone)
    story.commit(ONE)

    found = story.trace(ONE)

    assert set(fields(found)) == {2}
    assert body(found) == [2, 2, 2]


def test_a_move_keeps_what_it_moves() -> None:
    moved = replace(ONE, kind=Kind.DECISION)
    story = Lineage("mem_one", {"one": ONE, "two": moved})
    story.follow(Step("begin", (), {"notes/mem_one.md": "one"}))
    story.follow(Step("move", ("begin",), {"notes/mem_one.md": None, "decisions/mem_one.md": "two"}))

    found = provenance.trace(story, moved)

    assert fields(found)[1] == {"kind"}
    assert body(found) == [0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_lines_that_say_where_they_are_from(seed: int) -> None:
    """Every line is unlike all others and carries the number of the commit that wrote it."""
    rng = random.Random(seed)
    lines: list[str] = []
    story = Story()
    for number in range(25):
        for _ in range(rng.randrange(1, 4)):
            lines.insert(rng.randrange(len(lines) + 1), f"{number} {rng.random()}")
        for _ in range(rng.randrange(3)):
            if len(lines) > 1:
                lines.pop(rng.randrange(len(lines)))
        item = replace(ONE, body="\n".join(lines))
        story.commit(item)

    assert body(story.trace(item)) == [int(line.split()[0]) for line in lines]


def test_too_many_lines_at_once_are_said_to_be_rough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first and after the last difference all is exact, at any length."""
    monkeypatch.setattr(limits, "COMPARED_LINES", 4)
    for middle, rough in ((4, False), (5, True)):
        story = Story()
        old = [f"{n}" for n in range(1000)]
        story.commit(replace(ONE, body="\n".join(old)))
        new = [*old[:100], *(f"new {n}" for n in range(middle - 1)), old[100], *old[200:]]
        old_middle = old[100:200]
        assert len(old_middle) > 4
        story.commit(replace(ONE, body="\n".join([*old[:100], old[100], *old[200:]])))
        item = replace(ONE, body="\n".join(new))
        story.commit(item)
        found = story.trace(item)
        assert not found.rough  # only insertions, then only deletions
        last = replace(ONE, body="\n".join([*new[:100], *(f"x {n}" for n in range(middle)), *new[99 + middle :]]))
        story.commit(last)
        found = story.trace(last)
        assert found.rough is rough
        assert body(found)[:100] == [0] * 100
        assert body(found)[-800:] == [0] * 800


def test_too_many_versions_are_said_to_be_rough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COMPARED_VERSIONS", 3)
    for count, rough in ((3, False), (4, True)):
        story = Story()
        for number in range(count):
            item = replace(ONE, title=f"{number}")
            story.commit(item)
        found = story.trace(item)
        assert found.rough is rough
        assert body(found) == [1 if rough else 0] * 3


def test_the_worst_text_is_compared_in_time() -> None:
    """Whoever writes the commits writes the lines; bounds keep this from taking minutes."""
    story = Story()
    for number in range(50):
        item = replace(ONE, body="\n".join("01"[(n * n + number) % 3 % 2] for n in range(30_000)))
        story.commit(item)

    begun = time.monotonic()

    found = story.trace(item)

    assert len(body(found)) == 30_000
    assert found.rough
    assert time.monotonic() - begun < 20
