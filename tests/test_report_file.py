"""Where a report may be written, and how: whole or not at all, over files and never through links."""

import os
import stat
import threading
from pathlib import Path

import pytest

from eccmem.cli.report_file import append, write
from eccmem.errors import EccmemError, UsageProblem


def left(folder: Path) -> list[str]:
    """Temporary files that should be gone."""
    return [path.name for path in folder.iterdir() if path.name.startswith(".eccmem-")]


def test_a_new_file_and_an_old_one(tmp_path: Path) -> None:
    """The second replaces the first, and another name of it keeps what it had."""
    target, hard = tmp_path / "report.txt", tmp_path / "hard"
    write(target, "one")
    hard.hardlink_to(target)
    write(target, "two\n")

    assert (target.read_text(), hard.read_text()) == ("two\n", "one")
    assert left(tmp_path) == []


def test_a_link_is_replaced(tmp_path: Path) -> None:
    """To a file, to nowhere, to itself."""
    other = tmp_path / "other"
    other.write_text("other")
    for number, goal in enumerate(("other", "nowhere", "link2")):
        link = tmp_path / f"link{number}"
        link.symlink_to(goal)
        write(link, "report")
        assert (link.read_text(), link.is_symlink()) == ("report", False)
    assert other.read_text() == "other"
    assert not (tmp_path / "nowhere").exists()


def test_text_that_is_not_unicode_is_written_all_the_same(tmp_path: Path) -> None:
    """Names of files may be so."""
    write(tmp_path / "x", "a\udcffb")

    assert (tmp_path / "x").read_bytes() == rb"a\udcffb"


def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write(pipe, "report")
    reader.join(10)
    write(Path(os.devnull), "report")

    assert got == ["report"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    "path",
    [
        ".ecc/memory/report",
        ".ecc/memory/team/notes/mem_one.md",
        "a/../.ecc/memory/x",
        ".ECC/Memory/x",
        "pkg/.ecc/memory/project/x",
        "linked/x",
    ],
)
def test_a_vault_is_no_place_for_a_report(path: str, tmp_path: Path) -> None:
    """However its folder is spelled, and through a link to it."""
    (tmp_path / "a").mkdir()
    (tmp_path / ".ecc/memory/team/notes").mkdir(parents=True)
    (tmp_path / "linked").symlink_to(".ecc/memory/team")
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(UsageProblem):
        write(tmp_path / path, "report")
    assert sorted(tmp_path.rglob("*")) == before


def test_beside_a_vault_it_may_be(tmp_path: Path) -> None:
    (tmp_path / ".ecc").mkdir()
    write(tmp_path / ".ecc/report.txt", "report")

    assert (tmp_path / ".ecc/report.txt").read_text() == "report"


def test_what_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    """A folder that is not there, one that is a file, one in its place, a name too long, a full device."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    places = ["nowhere/x", "file/x", "folder", "x" * 300, "loop/x", ""]
    for place in [*(tmp_path / name for name in places), Path("/dev/full")]:
        with pytest.raises(EccmemError) as caught:
            write(place, "report")
        assert caught.value.slug == "cannot-write-output"
        assert str(tmp_path) not in caught.value.message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "loop"]


def test_a_report_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path, monkeypatch) -> None:
    """And no part of the new one."""
    target = tmp_path / "report.txt"
    write(target, "old")

    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(EccmemError):
        write(target, "new")
    assert (target.read_text(), left(tmp_path)) == ("old", [])


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_who_may_read_it_is_what_the_person_says(mask: int, tmp_path: Path) -> None:
    """As every other program makes files."""
    before = os.umask(mask)
    try:
        write(tmp_path / "x", "report")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o666 & ~mask


def test_a_summary_is_added(tmp_path: Path) -> None:
    """After what others wrote; a folder that is gone is an error."""
    place = tmp_path / "summary"
    place.write_text("before\n")
    append(place, "after\udcff\n")
    assert place.read_bytes() == b"before\nafter\\udcff\n"
    with pytest.raises(EccmemError) as caught:
        append(tmp_path / "nowhere/summary", "x")
    assert caught.value.slug == "cannot-write-output"
