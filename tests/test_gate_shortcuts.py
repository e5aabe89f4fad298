"""The two shortcuts of the hook never decide otherwise than the whole judgement."""

import os
import random
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import git
from eccmem import document, quick, repo, roots, spots
from eccmem import gate as gates
from eccmem.document import InvalidDocument, serialize
from eccmem.gate import Gate
from eccmem.model import Kind, Memory, Scope, Status

TEAM = ".ecc/memory/team"
IDS = [f"mem_{letter * 3}" for letter in "abcdefgh"]


def team(rng: random.Random, memory_id: str) -> Memory:
    body = rng.choice(["One.", "Two.", f"Key {fake_key()}.", f"New.\n\nSupersedes: {rng.choice(IDS)}"])
    links = [rng.choice(IDS)] if rng.random() < 0.4 else []
    links += [word for word in body.split() if word.startswith("mem_") and word not in links]
    return memory(
        memory_id,
        scope=Scope.TEAM,
        kind=rng.choice([Kind.NOTE, Kind.NOTE, Kind.FACT]),
        status=rng.choice([Status.ACTIVE, Status.ACTIVE, Status.SUPERSEDED]),
        links=tuple(links),
        body=body,
    )


def change(rng: random.Random, checkout: Path) -> None:
    """Something that people and tools do to a vault, or to something else."""
    there = sorted((checkout / TEAM).rglob("*.md"))
    what = rng.randrange(9)
    if what <= 2:
        put(checkout, team(rng, rng.choice(IDS)))
    elif what == 3 and there:
        rng.choice(there).unlink()
    elif what == 4 and there:
        rng.choice(there).write_text("bad")
    elif what == 5 and there:
        path = rng.choice(there)
        path.rename(path.with_name(f"{rng.choice(IDS)}.md"))
    elif what == 6:
        (checkout / rng.choice([".gitattributes", ".ecc/.gitattributes"])).write_text(
            rng.choice(["*.md -diff\n", "*.md text\n"])
        )
    elif what == 7 and there:
        path = rng.choice(there)
        if path.read_bytes() != b"bad":
            path.write_bytes(path.read_bytes().replace(b'"active"', b'"superseded"'))
    else:
        (checkout / f"src{rng.randrange(3)}.py").write_text(str(rng.random()))


def sound(checkout: Path) -> bool:
    """Whether every memory is valid and named by its id."""
    for path in (checkout / TEAM).rglob("*.md"):
        try:
            if document.parse(path.read_bytes()).id != path.stem:
                return False
        except InvalidDocument:
            return False
    return True


@pytest.mark.parametrize("seed", range(30))
def test_names_of_untouched_memories_decide_nothing(seed: int, checkout: Path, monkeypatch) -> None:
    """With all of them read, and with the usual ones known by their names, the findings are the same.

    But for what is written down: where an earlier commit left a file whose name is not its id, or no memory at all.
    """
    rng = random.Random(seed)
    for item in IDS[:5]:
        path = checkout / TEAM / f"notes/{item}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(serialize(memory(item, scope=Scope.TEAM, links=(rng.choice(IDS[:5]),))))
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "-m", "base")
    private = roots.resolve(checkout, {}, None).project
    repository = repo.locate(checkout, os.environ)
    quickly = spots.take_usual
    for _ in range(4):
        for _ in range(rng.randint(1, 3)):
            change(rng, checkout)
        git(checkout, "add", "-A")
        lean = Gate(repo=repository).staged({}, private, whole=False)
        monkeypatch.setattr(gates.spots, "take_usual", lambda listing, _touched: (frozenset(), listing))
        full = Gate(repo=repository).staged({}, private, whole=False)
        monkeypatch.setattr(gates.spots, "take_usual", quickly)

        assert (lean is None) == (full is None)
        if full:
            ours, all_read = set(lean.findings), set(full.findings)
            assert ours <= all_read
            missed = {finding.rule.id for finding in all_read - ours}
            assert missed <= (set() if sound(checkout) else {"duplicate-id", "broken-link"})
        diff = quick.staged(os.environ)
        assert diff is not None
        assert quick.may_concern_a_vault(diff) or full is None
        git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
