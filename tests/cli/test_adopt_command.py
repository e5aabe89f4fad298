"""``eccmem adopt`` as a person, a script and a program see it, and what the doctor says before and after."""

import os
import shlex
import shutil
from pathlib import Path

import pytest

from builders import memory, put
from conftest import Run, git
from eccmem import contract
from eccmem.document import serialize

PRIVATE = ".ecc/memory/project"
RULE = "private-memories-in-worktree"


def linked(checkout: Path, name: str, *path: str) -> Path:
    """A worktree on a branch of its own, beside the checkout or where it is said."""
    folder = checkout.parent.joinpath(*path or (name,))
    git(checkout, "worktree", "add", "-q", "-b", f"branch/{name}", str(folder))
    return folder


@pytest.fixture
def side(checkout: Path) -> Path:
    """A linked worktree with two private memories."""
    folder = linked(checkout, "side")
    put(folder, memory("mem_one"))
    put(folder, memory("mem_two", body="Another."))
    return folder


def named(run: Run) -> dict[str, str]:
    """What the doctor says of worktrees: path and remedy."""
    return {item["path"]: item["remedy"] for item in run("doctor", "--json").json["findings"] if item["rule"] == RULE}


def test_what_it_says(side: Path, run: Run) -> None:
    """What was copied, then what was there, then what was left and why, without what a terminal would obey."""
    first = run("adopt", "../side")
    assert (first.code, first.err) == (0, "")
    assert first.out == "Adopted 2 memories from ../side\n- project:notes/mem_one.md\n- project:notes/mem_two.md\n"

    (side / PRIVATE / "notes/mem_one.md").write_bytes(serialize(memory("mem_one", body="Changed since.")))
    (side / PRIVATE / "notes/a\x1b[31m.md").write_text("no memory")
    second = run("adopt", f"{side}/.ecc")

    assert (second.code, second.err) == (1, "")
    assert second.out.splitlines() == [
        "Adopted 0 memories from ../side",
        "Here already: 1",
        "Left: notes/a.md (line 1: a memory starts with a line that is exactly ---)",
        "Left: notes/mem_one.md (another memory with its id is here)",
    ]


def test_the_payload(side: Path, run: Run) -> None:
    """It fits its schema, whatever happened."""
    (side / PRIVATE / "notes/bad.md").write_text("no memory")

    done = run("adopt", "../side", "--json")

    assert done.code == 1
    assert contract.violations("adopt", done.json) == []
    assert (len(done.json["copied"]), done.json["here"], done.json["warnings"]) == (2, 0, [])
    assert [item["path"] for item in done.json["left"]] == ["notes/bad.md"]
    again = run("adopt", "../side", "--json")
    assert contract.violations("adopt", again.json) == []
    assert (again.json["copied"], again.json["here"]) == ([], 2)


@pytest.mark.parametrize("empty", ["no vault", "no memory"])
def test_nothing_to_adopt(empty: str, checkout: Path, run: Run) -> None:
    """It says so and ends well: a script that adopts before it removes need not ask; and makes nothing here."""
    bare = linked(checkout, "bare")
    if empty == "no memory":
        (bare / PRIVATE / "notes").mkdir(parents=True)

    done = run("adopt", "../bare")

    assert (done.code, done.out) == (0, "There are no private memories in ../bare\n")
    assert not (checkout / ".ecc").exists()


def test_what_cannot_be_looked_into_is_not_nothing(checkout: Path, side: Path, run: Run) -> None:
    """A vault behind a link is not followed, and no claim is made that there is none."""
    moved = (side / ".ecc").rename(checkout.parent / "elsewhere")
    (side / ".ecc").symlink_to(moved)

    done = run("adopt", "../side")

    assert (done.code, done.out) == (1, "Adopted 0 memories from ../side\nLeft: the rest (symlink)\n")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (".", "that is this worktree itself"),
        (".git", "that is this worktree itself"),
        ("..", "that is no worktree of this repository"),
        ("../nowhere", "there is no such folder"),
        ("README.md", "there is no such folder"),
        ("a" * 5000, "there is no such folder"),
    ],
)
def test_other_paths_are_refused(path: str, said: str, checkout: Path, side: Path, run: Run) -> None:
    """With the reason and no personal path, and nothing is made."""
    done = run("adopt", path, "--json")

    assert (done.code, done.json["error"]["code"]) == (1, "not-a-worktree")
    assert done.json["error"]["message"] == said
    assert str(checkout.parent) not in done.out
    assert not (checkout / ".ecc").exists()


def test_command_lines_that_do_not_say_what_to_do(side: Path, run: Run) -> None:
    """None, two, an option that is not there."""
    assert [run("adopt", *argv).code for argv in ([], ["../side", "../side"], ["../side", "--force"])] == [2, 2, 2]


def test_what_forbids_it(checkout: Path, side: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run, and a vault that is in no worktree."""
    with monkeypatch.context() as dry:
        dry.setenv("ECC_DRY_RUN", "1")
        assert run("adopt", "../side").code == 3
    monkeypatch.setenv("ECC_MEMORY_PROJECT_ROOT", "elsewhere")
    done = run("adopt", "../side")
    assert (done.code, done.err) == (
        2,
        "error: with ECC_MEMORY_PROJECT_ROOT no vault lies in a worktree; unset ECC_MEMORY_PROJECT_ROOT\n",
    )
    assert not (checkout / ".ecc").exists()
    assert not (checkout / "elsewhere").exists()


# --- The doctor -----------------------------------------------------------------------------------------------


def test_the_doctor_names_the_command_until_all_is_here(checkout: Path, side: Path, run: Run) -> None:
    """And again when a memory is changed there, or saved there, afterwards."""
    assert named(run) == {"../side": "eccmem adopt ../side"}
    assert run("adopt", "../side").code == 0
    assert named(run) == {}

    put(side, memory("mem_one", body="Changed since."))
    assert named(run) == {"../side": "eccmem adopt ../side"}
    assert "holds 1 private memory," in run("doctor").out
    assert os.path.realpath(side) not in run("doctor").out


@pytest.mark.parametrize("place", [("a side's $(x) tree",), ("repo", "-dash"), ("repo", "trees", "-dash")])
def test_its_command_works_as_it_is_typed(place: tuple[str, ...], checkout: Path, run: Run) -> None:
    """Blanks, quotes, and what begins like an option."""
    put(linked(checkout, "odd", *place), memory("mem_odd"))

    (command,) = named(run).values()
    program, *argv = shlex.split(command)

    assert program == "eccmem"
    assert run(*argv).out.startswith("Adopted 1 memory from ")
    assert named(run) == {}


def test_the_doctor_in_the_worktree_itself(checkout: Path, side: Path, run: Run, monkeypatch) -> None:
    """The originals are what is deleted, so it goes on saying so there; the main worktree cannot be removed."""
    put(checkout, memory("mem_main"))
    run("adopt", "../side")
    monkeypatch.chdir(side)

    assert list(named(run)) == [f"{PRIVATE}/"]


def test_each_worktree_is_compared_with_this_one(checkout: Path, side: Path, run: Run) -> None:
    """One that holds the same, one that holds more, one that holds nothing."""
    third = linked(checkout, "third")
    linked(checkout, "empty")
    put(third, memory("mem_one"))
    put(third, memory("mem_third"))
    run("adopt", "../side")

    assert named(run) == {"../third": "eccmem adopt ../third"}


def test_another_repository_where_a_worktree_was(checkout: Path, side: Path, run: Run) -> None:
    """Its memories are not ours to take over, and adopt would refuse them."""
    shutil.rmtree(side)
    git(checkout.parent, "clone", "-q", str(checkout), str(side))
    put(side, memory("mem_of_clone"))

    assert named(run) == {}


def test_the_doctor_with_a_vault_elsewhere(checkout: Path, side: Path, run: Run, monkeypatch) -> None:
    """The command would be refused, so it says how it is not."""
    (checkout / "vault").mkdir()
    monkeypatch.setenv("ECC_MEMORY_PROJECT_ROOT", "vault")

    (remedy,) = named(run).values()

    assert remedy.endswith("run eccmem adopt with its path in another worktree, without ECC_MEMORY_PROJECT_ROOT")
