"""Private memories are copied from one worktree to another: whole, once, and never over another file."""

import os
import stat
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import Run, git
from eccmem import adopt, roots
from eccmem.document import serialize
from eccmem.errors import EccmemError, Refused

PRIVATE = ".ecc/memory/project"


@pytest.fixture
def side(checkout: Path) -> Path:
    """A linked worktree with one private memory."""
    folder = checkout.parent / "side"
    git(checkout, "worktree", "add", "-q", "-b", "side", str(folder))
    put(folder, memory("mem_of_side", body="Branch side needs a fresh cache."))
    return folder


def files(checkout: Path) -> dict[str, bytes]:
    """Memories of a private scope by their path."""
    top = checkout / PRIVATE
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*.md")}


def adopted(checkout: Path, home: Path, path: Path) -> adopt.Adopted:
    places = roots.resolve(checkout, {}, home)
    return adopt.adopt(adopt.source_of(path, places), places)


def test_a_memory_is_copied_byte_for_byte_and_guarded(checkout: Path, home: Path, side: Path) -> None:
    """In its kind folder, private by mode and by guard; the other worktree stays as it is."""
    path = side / PRIVATE / "notes/mem_of_side.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = files(side)

    done = adopted(checkout, home, side)

    assert done == adopt.Adopted(("project:notes/mem_of_side.md",), 0, ())
    assert files(checkout) == files(side) == before
    assert stat.S_IMODE((checkout / PRIVATE / "notes/mem_of_side.md").stat().st_mode) == 0o600
    git(checkout, "add", "-A")
    assert "mem_of_side" not in git(checkout, "ls-files")


def test_a_second_time_nothing_is_copied(checkout: Path, home: Path, side: Path) -> None:
    """And it is said."""
    adopted(checkout, home, side)

    assert adopted(checkout, home, side) == adopt.Adopted((), 1, ())


def test_it_works_both_ways_and_from_a_folder_below(checkout: Path, home: Path, side: Path) -> None:
    """Main to linked, too."""
    put(checkout, memory("mem_of_main"))

    assert adopted(side, home, checkout / ".ecc").copied == ("project:notes/mem_of_main.md",)


def test_another_memory_with_the_id_stays(checkout: Path, home: Path, side: Path) -> None:
    """Whatever its file is called: nothing is replaced, and nothing has an id twice."""
    put(checkout, memory("mem_of_side", body="Something else."), "other.md")
    before = files(checkout)

    done = adopted(checkout, home, side)

    assert (done.copied, done.here) == ((), 0)
    assert [(item.path, item.why) for item in done.left] == [
        ("notes/mem_of_side.md", "another memory with its id is here")
    ]
    assert files(checkout) == before


def test_a_broken_file_in_the_way_stays(checkout: Path, home: Path, side: Path) -> None:
    """It has no id that could be known."""
    place = checkout / PRIVATE / "notes/mem_of_side.md"
    place.parent.mkdir(parents=True)
    place.write_text("broken")

    assert adopted(checkout, home, side).left
    assert place.read_text() == "broken"


def test_what_is_no_memory_is_left_and_named(checkout: Path, home: Path, side: Path) -> None:
    """An invalid file here would make `read` refuse everything; a link is never followed."""
    secret = side.parent / "secret.md"
    secret.write_bytes(serialize(memory("mem_linked")))
    put(side, memory("mem_quarantined", body=f"The key is {fake_key()}."))
    (side / PRIVATE / "notes/bad.md").write_text("bad")
    (side / PRIVATE / "notes/link.md").symlink_to(secret)
    (side / PRIVATE / "lessons").symlink_to(side.parent)

    done = adopted(checkout, home, side)

    assert done.copied == ("project:notes/mem_of_side.md",)
    assert sorted(item.path for item in done.left) == [
        "lessons",
        "notes/bad.md",
        "notes/link.md",
        "notes/mem_quarantined.md",
    ]
    assert set(files(checkout)) == {"notes/mem_of_side.md"}
    assert fake_key() not in str(done)


def test_what_is_no_other_worktree_is_refused(checkout: Path, home: Path, side: Path, tmp_path: Path) -> None:
    """A clone is another repository; and nothing is written."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(checkout), str(clone))
    put(clone, memory("mem_of_clone"))
    for path in (clone, tmp_path, tmp_path / "nowhere", checkout, checkout / ".git"):
        with pytest.raises(Refused):
            adopted(checkout, home, path)
    assert not (checkout / ".ecc").exists()


def test_outside_of_a_repository(tmp_path: Path, home: Path) -> None:
    """There is nothing to adopt into."""
    with pytest.raises(EccmemError, match="no usable Git repository"):
        adopted(tmp_path, home, tmp_path)


def test_worktrees_of_a_bare_repository(checkout: Path, home: Path, tmp_path: Path) -> None:
    """They have a common folder as others have."""
    git(tmp_path, "clone", "-q", "--bare", str(checkout), "bare.git")
    for name in ("one", "two"):
        git(tmp_path / "bare.git", "worktree", "add", "-q", "-b", name, str(tmp_path / name))
    put(tmp_path / "one", memory("mem_of_one"))

    assert adopted(tmp_path / "two", home, tmp_path / "one").copied == ("project:notes/mem_of_one.md",)


def test_a_changed_guard_stops_it(checkout: Path, home: Path, side: Path) -> None:
    """As it stops a save."""
    (checkout / PRIVATE).mkdir(parents=True)
    (checkout / PRIVATE / ".gitignore").write_text("!*\n")

    with pytest.raises(EccmemError, match="not the fail-closed guard"):
        adopted(checkout, home, side)


def test_the_command(checkout: Path, home: Path, side: Path, run: Run, monkeypatch) -> None:
    """Text, JSON, exit codes, and what forbids it."""
    monkeypatch.setenv("ECC_DRY_RUN", "1")
    assert run("adopt", "../side").code == 3
    monkeypatch.delenv("ECC_DRY_RUN")
    monkeypatch.setenv("ECC_MEMORY_PROJECT_ROOT", "elsewhere")
    assert run("adopt", "../side").code == 2
    monkeypatch.delenv("ECC_MEMORY_PROJECT_ROOT")
    assert run("adopt").code == 2
    assert not (checkout / ".ecc").exists()

    first = run("adopt", "../side")
    assert (first.code, first.out) == (0, "Adopted 1 memory\n- project:notes/mem_of_side.md\n")
    (side / PRIVATE / "notes/bad.md").write_text("bad")
    again = run("adopt", "../side", "--json")
    assert again.code == 1
    assert (again.json["copied"], again.json["here"], again.json["left"][0]["path"]) == ([], 1, "notes/bad.md")
    assert run("adopt", "/nonexistent").err.startswith("error: that is no worktree of this repository")


def test_the_doctor_names_the_command_until_all_is_here(checkout: Path, home: Path, side: Path, run: Run) -> None:
    """With the path as it is typed."""
    (finding,) = [item for item in run("doctor", "--json").json["findings"] if "worktree" in item["rule"]]
    assert finding["remedy"] == "eccmem adopt ../side"
    command = finding["remedy"].split()[1:]

    assert run(*command).code == 0

    assert "private-memories-in-worktree" not in run("doctor").out
    (side / PRIVATE / "notes/mem_of_side.md").write_bytes(serialize(memory("mem_of_side", body="Changed since.")))
    assert "private-memories-in-worktree" in run("doctor").out
    assert os.path.realpath(side) not in run("doctor").out
