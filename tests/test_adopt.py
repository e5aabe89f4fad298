"""Private memories are copied from one worktree to another: whole, once, and never over another file."""

import errno
import os
import random
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import git
from eccmem import adopt, guard, repo, roots
from eccmem.document import serialize
from eccmem.errors import EccmemError, Refused
from eccmem.files import Folder
from eccmem.model import Kind, Scope
from hardship import broken_files, in_child
from test_kill import kill_during

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
    assert (checkout / PRIVATE / "notes/.gitignore").read_bytes() == guard.SHIELD
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


def test_an_id_that_the_team_has_is_left(checkout: Path, home: Path, side: Path) -> None:
    """With it in both scopes, `read` would refuse that memory here."""
    put(checkout, memory("mem_of_side", scope=Scope.TEAM))

    done = adopted(checkout, home, side)

    assert done.left == (adopt.Left("notes/mem_of_side.md", "another memory with its id is here"),)
    assert files(checkout) == {}


def test_a_file_of_another_name_is_copied_under_its_id(checkout: Path, home: Path, side: Path) -> None:
    """Once, however many files hold the memory; in which folder below its kind's, is not kept."""
    put(side, memory("mem_renamed"), "another name.md")
    put(side, memory("mem_renamed"))
    below = side / PRIVATE / "notes/deep/below.md"
    below.parent.mkdir()
    below.write_bytes(serialize(memory("mem_below")))

    done = adopted(checkout, home, side)

    assert (done.here, done.left) == (1, ())
    assert set(files(checkout)) == {f"notes/{name}.md" for name in ("mem_of_side", "mem_renamed", "mem_below")}
    assert adopted(checkout, home, side) == adopt.Adopted((), 4, ())


def test_two_memories_of_one_id_there(checkout: Path, home: Path, side: Path) -> None:
    """One is copied, and the other is left: with both, `read` would refuse that id here as it does there."""
    put(side, memory("mem_of_side", kind=Kind.LESSON))

    done = adopted(checkout, home, side)

    assert done.copied == ("project:lessons/mem_of_side.md",)
    assert done.left == (adopt.Left("notes/mem_of_side.md", "another memory with its id is here"),)


@pytest.mark.parametrize("name", ["a" * 5000, "nul\0", "locked/below"])
def test_a_path_that_the_system_refuses(name: str, checkout: Path, home: Path, monkeypatch) -> None:
    """Too long, impossible, or below a folder that may not be searched: it is refused as one that is not there."""
    monkeypatch.setattr(os, "stat", forbid("locked", os.stat))
    with pytest.raises(Refused, match="there is no such folder"):
        adopted(checkout, home, checkout / name)


def forbid(part: str, plain: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
    """Root may search every folder, so the system's answer is given here."""

    def stat_or_refuse(path: object, *args: object, **more: object) -> os.stat_result:
        if part in str(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return plain(path, *args, **more)

    return stat_or_refuse


# --- Where worktrees can be -----------------------------------------------------------------------------------


def test_a_worktree_that_was_moved_by_hand(checkout: Path, home: Path, side: Path) -> None:
    """It still says whose it is, so it can be named; Git lists it where it was."""
    moved = side.rename(side.with_name("moved"))

    assert adopted(checkout, home, moved).copied == ("project:notes/mem_of_side.md",)


def test_a_main_worktree_that_was_moved_by_hand(checkout: Path, home: Path, side: Path) -> None:
    """Nothing says any more that the linked one is ours: it is refused, and mended by what the hint names."""
    moved = checkout.rename(checkout.with_name("moved"))
    with pytest.raises(Refused) as refused:
        adopted(moved, home, side)
    assert "git worktree repair" in refused.value.hint
    git(moved, "worktree", "repair")

    assert adopted(moved, home, side).copied == ("project:notes/mem_of_side.md",)


def test_worktrees_of_a_submodule(checkout: Path, home: Path, side: Path, tmp_path: Path) -> None:
    """Among each other, both ways, and never with those of the superproject."""
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(checkout), str(other))
    git(checkout, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "module")
    module, linked = checkout / "module", tmp_path / "linked"
    git(module, "worktree", "add", "-q", "-b", "linked", str(linked))
    put(module, memory("mem_of_module"))
    put(linked, memory("mem_of_linked"))

    assert adopted(module, home, linked).copied == ("project:notes/mem_of_linked.md",)
    assert adopted(linked, home, module).copied == ("project:notes/mem_of_module.md",)
    for here, there in ((checkout, linked), (checkout, module), (module, side)):
        with pytest.raises(Refused):
            adopted(here, home, there)


def test_a_worktree_inside_of_the_checkout_and_behind_a_link(checkout: Path, home: Path, tmp_path: Path) -> None:
    """The nearest worktree counts, and a link to one is one: the person named it."""
    inner = checkout / "trees/inner"
    git(checkout, "worktree", "add", "-q", "-b", "inner", str(inner))
    put(inner, memory("mem_of_inner"))
    (tmp_path / "link").symlink_to(inner)

    assert adopted(checkout, home, tmp_path / "link").copied == ("project:notes/mem_of_inner.md",)
    assert adopted(checkout, home, inner / ".ecc/memory").here == 1


# --- Bad days -------------------------------------------------------------------------------------------------


def test_what_vanishes_meanwhile_is_named(checkout: Path, home: Path, side: Path, monkeypatch) -> None:
    """A file after its folder was listed, and a whole folder: the rest is copied."""
    put(side, memory("mem_a_goes"))
    put(side, memory("mem_goes_too", kind=Kind.RUNBOOK))
    plain = Folder.read

    def gone(self: Folder, name: str, most: int) -> bytes:
        if name == "mem_a_goes.md":
            (side / PRIVATE / "notes" / name).unlink()
            shutil.rmtree(side / PRIVATE / "runbooks")
        return plain(self, name, most)

    monkeypatch.setattr(Folder, "read", gone)
    done = adopted(checkout, home, side)

    assert done.copied == ("project:notes/mem_of_side.md",)
    assert done.left == (adopt.Left("notes/mem_a_goes.md", "vanished"), adopt.Left("runbooks", "vanished"))


def test_a_folder_that_becomes_a_link_is_not_followed(checkout: Path, home: Path, side: Path, monkeypatch) -> None:
    """Between the listing and the opening: what lies behind is not taken over."""
    outside = side.parent / "outside"
    put(outside, memory("mem_outside", kind=Kind.RUNBOOK))
    put(side, memory("mem_inside", kind=Kind.RUNBOOK))
    runbooks = side / PRIVATE / "runbooks"
    plain = Folder.folder

    def swapped(self: Folder, name: str) -> Folder:
        if name == "runbooks" and not runbooks.is_symlink():
            shutil.rmtree(runbooks)
            runbooks.symlink_to(outside / PRIVATE / "runbooks")
        return plain(self, name)

    monkeypatch.setattr(Folder, "folder", swapped)
    done = adopted(checkout, home, side)

    assert done.left == (adopt.Left("runbooks", "symlink"),)
    assert set(files(checkout)) == {"notes/mem_of_side.md"}


def test_a_file_that_becomes_a_link_is_not_followed(checkout: Path, home: Path, side: Path, monkeypatch) -> None:
    """The same, between the listing and the reading."""
    decoy = put(side.parent / "outside", memory("mem_outside"))
    plain = Folder.read

    def swapped(self: Folder, name: str, most: int) -> bytes:
        if name == "mem_of_side.md":
            (side / PRIVATE / "notes" / name).unlink()
            (side / PRIVATE / "notes" / name).symlink_to(decoy)
        return plain(self, name, most)

    monkeypatch.setattr(Folder, "read", swapped)
    done = adopted(checkout, home, side)

    assert (done.copied, [item.path for item in done.left]) == ((), ["notes/mem_of_side.md"])
    assert files(checkout) == {}


def test_a_link_in_the_way_of_the_copy(checkout: Path, home: Path, side: Path) -> None:
    """Nothing is written behind it."""
    outside = side.parent / "outside"
    outside.mkdir()
    (checkout / ".ecc").symlink_to(outside)

    with pytest.raises(EccmemError) as error:
        adopted(checkout, home, side)
    assert error.value.slug == "unsafe-path"
    assert list(outside.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are started in another way here")
def test_killed_at_any_moment_it_leaves_whole_files(checkout: Path, home: Path, side: Path) -> None:
    """After each kill all that is here is as it was there, and guarded; the next run does the rest."""
    body = "A body that takes more than one block to write, so that half of it would be seen.\n" * 200
    for number in range(40):
        put(side, memory(f"mem_number_{number:02d}", body=body))
    whole = files(side)
    once = in_child(lambda: measured(lambda: adopted(checkout, home, side)))
    counts = set()
    for _ in range(12):
        shutil.rmtree(checkout / ".ecc")
        kill_during(lambda: adopted(checkout, home, side), random.uniform(0, once))
        there = files(checkout)
        assert there.items() <= whole.items()
        counts.add(len(there))
        assert not broken_files(checkout / ".ecc")
        git(checkout, "add", "-A")
        assert "mem_number" not in git(checkout, "ls-files")
        git(checkout, "reset", "-q")

        done = adopted(checkout, home, side)

        assert (done.here, done.left, files(checkout)) == (len(there), (), whole)
    assert counts & set(range(1, 41)), "no kill came in the middle: nothing was proved"


def measured(work: Callable[[], object]) -> float:
    """How many seconds it takes."""
    started = time.monotonic()
    work()
    return time.monotonic() - started


def test_a_worktree_with_line_ends_in_its_name(checkout: Path, home: Path) -> None:
    """It is one of them, under its whole name."""
    folder = checkout.parent / "a\nb\n\nHEAD"
    git(checkout, "worktree", "add", "-q", "-b", "odd", str(folder))

    assert repo.locate(checkout, os.environ).worktrees() == [Path(os.path.realpath(checkout)), folder]
