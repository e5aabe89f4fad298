"""The one door to vault files: what each way of opening, reading and creating promises, on every platform's path."""

import os
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from errno import EEXIST, ELOOP, ENOENT, ENOTDIR
from pathlib import Path

import pytest

from eccmem import files
from eccmem.errors import EccmemError
from eccmem.files import FileProblem, Folder
from eccmem.files_portable import PortableFolder
from eccmem.finding import SkipReason
from eccmem.tree import AnyFolder
from hardship import common_ground, in_child, time_limit, tree

DATA = bytes(range(256)) * 300 + b"the end"

Door = Callable[[Path], AnyFolder]


@pytest.fixture(params=["descriptors", "descriptors without unnamed files", "portable"])
def door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Door:
    """Each way in which a platform opens folders."""
    if request.param == "portable":
        return PortableFolder.open_base
    if not files.HAS_DESCRIPTORS:
        pytest.skip("no descriptors of folders here")
    if request.param.endswith("files"):
        monkeypatch.setattr(files, "_UNNAMED", 0)
    return Folder.open_base


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """An empty folder, and next to it what must never be reached."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "foreign.md").write_bytes(b"foreign")
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def no_hanging() -> Iterator[None]:
    """Whatever lies there, no call waits."""
    with time_limit(60):
        yield


def occupy(path: Path, what: str) -> None:
    """Put something in the way."""
    outside = path.parent.parent / "outside"
    match what:
        case "file":
            path.write_bytes(b"was here first")
        case "folder":
            path.mkdir()
        case "link to a file":
            path.symlink_to(outside / "foreign.md")
        case "link to a folder":
            path.symlink_to(outside, target_is_directory=True)
        case "dangling link":
            path.symlink_to(outside / "nothing.md")
        case "link loop":
            path.symlink_to(path.name)
        case "FIFO":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                before = Path.cwd()
                os.chdir(path.parent)  # a socket's path may have 108 bytes only
                listener.bind(path.name)
                os.chdir(before)


LINKS = ["link to a file", "link to a folder", "dangling link", "link loop"]
EVERYTHING = ["file", "folder", *LINKS, "FIFO", "socket"]


# --- Folders --------------------------------------------------------------------------------------------------


def test_a_folder_opens_what_is_below_it(door: Door, here: Path) -> None:
    """Component by component, and a base may be reached through links: it is trusted."""
    (here / "a" / "b").mkdir(parents=True)
    (here / "a" / "b" / "x.md").write_bytes(b"x")
    link = here.parent / "link"
    link.symlink_to(here, target_is_directory=True)
    with door(link) as top, top.folder("a") as a, a.folder("b") as b:
        assert b.read("x.md", 10) == b"x"
        assert (b.status().st_ino, b.status().st_dev) == ((here / "a/b").stat().st_ino, here.stat().st_dev)


@pytest.mark.parametrize("what", EVERYTHING)
def test_only_a_folder_opens_as_one(door: Door, here: Path, what: str) -> None:
    """A link is told apart from a file, because the person must do something else about it."""
    occupy(here / "name", what)
    with door(here) as top:
        if what == "folder":
            with top.folder("name"), top.make("name", 0o700):
                return
        expected = ELOOP if what in LINKS else ENOTDIR
        for opened in (top.folder, lambda name: top.make(name, 0o700)):
            with pytest.raises(OSError, match=os.strerror(expected)) as caught:
                opened("name")
            assert caught.value.errno == expected


def test_a_folder_that_is_not_there(door: Door, here: Path) -> None:
    """The caller can tell absence from everything else."""
    with door(here) as top, pytest.raises(FileNotFoundError):
        top.folder("name")
    with pytest.raises(FileNotFoundError):
        door(here / "name")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_make_honours_the_umask(door: Door, here: Path, mask: int) -> None:
    """A new folder has the mode that was asked for, less what the person masks; an old one keeps its own."""
    (here / "old").mkdir(mode=0o755)
    before = os.umask(mask)
    try:
        with door(here) as top, top.make("new", 0o775), top.make("old", 0o700):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((here / "new").stat().st_mode) == 0o775 & ~mask
    assert stat.S_IMODE((here / "old").stat().st_mode) == 0o755


# --- Reading --------------------------------------------------------------------------------------------------


def test_reads_exact_bytes_up_to_the_limit(door: Door, here: Path) -> None:
    """Every byte, also at the limit; one more is too large."""
    (here / "x.md").write_bytes(DATA)
    (here / "empty.md").write_bytes(b"")
    with door(here) as top:
        assert top.read("x.md", len(DATA)) == DATA
        assert top.read("empty.md", 0) == b""
        with pytest.raises(FileProblem) as caught:
            top.read("x.md", len(DATA) - 1)
    assert caught.value.reason is SkipReason.TOO_LARGE


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        *((link, SkipReason.SYMLINK) for link in LINKS),
        ("folder", SkipReason.NOT_REGULAR),
        ("FIFO", SkipReason.NOT_REGULAR),
        ("socket", SkipReason.NOT_REGULAR),
        ("nothing", SkipReason.VANISHED),
    ],
)
def test_refuses_to_read_what_is_no_file(door: Door, here: Path, what: str, reason: SkipReason) -> None:
    """Nothing is followed, nothing is waited for, and the reason is the right one."""
    occupy(here / "x.md", what)
    with door(here) as top, pytest.raises(FileProblem) as caught:
        top.read("x.md", 1000)
    assert caught.value.reason is reason


@pytest.mark.parametrize(
    ("times", "more", "found"),
    [(1, b"678", b"12345678"), (1, b"6789", None), (1000, b"6", None)],
    ids=["a little", "too much", "without end"],
)
def test_a_file_that_grows_while_it_is_read(
    door: Door, here: Path, times: int, more: bytes, found: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there at the end is read, and the limit holds for it; it is never waited for."""
    path = here / "x.md"
    path.write_bytes(b"12345")
    plain = os.read
    grows = iter(range(times))

    def reading(fd: int, size: int) -> bytes:
        if next(grows, None) is not None:
            with path.open("ab") as file:
                file.write(more)
        return plain(fd, size)

    monkeypatch.setattr(files.os, "read", reading)
    with door(here) as top:
        if found is not None:
            assert top.read("x.md", 8) == found
            return
        with pytest.raises(FileProblem) as caught:
            top.read("x.md", 8)
    assert caught.value.reason is SkipReason.TOO_LARGE


def test_a_file_without_permission(door: Door) -> None:
    """Unreadable is a reason of its own."""
    with common_ground() as ground:
        (ground / "x.md").touch(mode=0)

        def reason() -> SkipReason:
            with door(ground) as top, pytest.raises(FileProblem) as caught:
                top.read("x.md", 10)
            return caught.value.reason

        assert in_child(reason, unprivileged=True) is SkipReason.UNREADABLE


def test_sizes(door: Door, here: Path) -> None:
    """Sizes are of the entry itself, and absence is a value."""
    (here / "x.md").write_bytes(DATA)
    (here / "link").symlink_to("x.md")
    with door(here) as top:
        assert top.size("x.md") == len(DATA)
        assert top.size("link") == len("x.md")
        assert top.size("nothing") == -1


def test_entries(door: Door, here: Path) -> None:
    """All of them, of every kind; a loop that is left early leaves nothing open."""
    for what in EVERYTHING:
        occupy(here / what.replace(" ", "-"), what)
    with door(here) as top:
        assert {entry.name for entry in top.entries()} == {what.replace(" ", "-") for what in EVERYTHING}
        assert sum(1 for _ in top.entries()) == len(EVERYTHING), "a second look sees the same"
        for _entry in top.entries():
            break


# --- Creating -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"x", DATA], ids=len)
def test_creates_exact_bytes(door: Door, here: Path, data: bytes) -> None:
    """The file is what was given, and nothing else is left in the folder."""
    with door(here) as top:
        top.create("x.md", data, 0o600)
    assert tree(here) == {"x.md": (stat.S_IFREG, data)}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666])
def test_create_honours_the_umask(door: Door, here: Path, mode: int, mask: int) -> None:
    """A private memory is private, a team's memory as open as the person lets files be; one name, one link."""
    before = os.umask(mask)
    try:
        with door(here) as top:
            top.create("x.md", b"x", mode)
    finally:
        os.umask(before)
    status = (here / "x.md").stat()
    assert stat.S_IMODE(status.st_mode) == mode & ~mask
    assert status.st_nlink == 1


@pytest.mark.parametrize("what", EVERYTHING)
def test_create_never_replaces(door: Door, here: Path, what: str) -> None:
    """Whatever has the name keeps it, where it points stays untouched, and no litter is left."""
    occupy(here / "x.md", what)
    before = tree(here.parent)
    with door(here) as top, pytest.raises(FileExistsError) as caught:
        top.create("x.md", b"new", 0o600)
    assert caught.value.errno == EEXIST
    assert tree(here.parent) == before


def test_the_system_takes_a_few_bytes_at_a_time(door: Door, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short write is not the end of the file."""
    plain = os.write
    monkeypatch.setattr(files.os, "write", lambda fd, data: plain(fd, bytes(data[:1000])))
    with door(here) as top:
        top.create("x.md", DATA, 0o600)
    assert (here / "x.md").read_bytes() == DATA


@pytest.mark.parametrize("call", ["write", "fsync", "link"])
def test_a_create_that_fails_leaves_nothing(door: Door, here: Path, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever step fails, there is no file and no litter, and the same name can be tried again."""

    def fail(*args: object, **more: object) -> None:
        raise OSError(5, "Input/output error")

    with door(here) as top:
        with monkeypatch.context() as patch:
            patch.setattr(files.os, call, fail)
            with pytest.raises(OSError, match="Input/output error"):
                top.create("x.md", DATA, 0o600)
        assert tree(here) == {}
        top.create("x.md", DATA, 0o600)
    assert (here / "x.md").read_bytes() == DATA


def test_a_folder_that_vanished(door: Door, here: Path) -> None:
    """What is held open and gone says so, for everything that is asked of it."""
    gone = here / "gone"
    gone.mkdir()
    with door(here) as top, top.folder("gone") as folder:
        gone.rmdir()
        assert folder.size("x.md") == -1
        for ask in (
            lambda: folder.create("x.md", b"x", 0o600),
            lambda: folder.make("x", 0o700),
            lambda: folder.append("x.md", b"x"),
        ):
            with pytest.raises(OSError, match=os.strerror(ENOENT)):
                ask()
        with pytest.raises(FileProblem) as caught:
            folder.read("x.md", 10)
        assert caught.value.reason is SkipReason.VANISHED
    assert tree(here) == {}


# --- Appending ------------------------------------------------------------------------------------------------


def test_append_adds_or_makes(door: Door, here: Path) -> None:
    """For Git's own text files only, and never through a link."""
    with door(here) as top:
        top.append("exclude", b"one\n")
        top.append("exclude", b"two\n")
    assert tree(here) == {"exclude": (stat.S_IFREG, b"one\ntwo\n")}


@pytest.mark.parametrize("what", LINKS)
def test_append_follows_no_link(door: Door, here: Path, what: str) -> None:
    """A link is refused, and where it points stays untouched."""
    occupy(here / "exclude", what)
    before = tree(here.parent)
    with door(here) as top, pytest.raises(OSError, match=os.strerror(ELOOP)):
        top.append("exclude", b"one\n")
    assert tree(here.parent) == before


def test_append_does_not_wait(door: Door, here: Path) -> None:
    """A FIFO without a reader is an error, not an endless wait."""
    occupy(here / "exclude", "FIFO")
    with door(here) as top, time_limit(5), pytest.raises(OSError):  # noqa: PT011 - which one depends on the system
        top.append("exclude", b"one\n")


@pytest.mark.parametrize("before", [None, b"", b"was here\n"])
def test_an_append_that_fails_half_way(
    door: Door, here: Path, before: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a pattern would ignore something else: what was added is taken back."""
    if before is not None:
        (here / "exclude").write_bytes(before)
    plain = os.write

    def short(fd: int, data: bytes) -> int:
        if len(data) < 10:
            raise OSError(28, "No space left on device")
        return plain(fd, bytes(data[:5]))

    monkeypatch.setattr(files.os, "write", short)
    with door(here) as top, pytest.raises(OSError, match="No space left"):
        top.append("exclude", b"/.ecc/memory/project/*\n")
    assert (here / "exclude").read_bytes() == (before or b"")


# --- Resources ------------------------------------------------------------------------------------------------


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open descriptors cannot be counted here")
def test_no_descriptor_is_left_open(door: Door, here: Path) -> None:
    """A thousand operations, failing ones included, end with as many open descriptors as they began with."""
    for what in EVERYTHING:
        occupy(here / what.replace(" ", "-"), what)

    def everything(top: AnyFolder, number: int) -> None:
        with top.make("sub", 0o700) as sub:
            sub.create(f"{number}.md", b"x", 0o600)
            sub.read(f"{number}.md", 10)
            sub.append("log", b"x")
            for _entry in sub.entries():
                break
        for what in EVERYTHING:
            name = what.replace(" ", "-")
            if what != "FIFO":
                with suppress(OSError):
                    top.append(name, b"x")
            with suppress(OSError), top.folder(name):
                pass
            with suppress(OSError), top.make(name, 0o700):
                pass
            with suppress(FileProblem):
                top.read(name, 3)
            with suppress(FileExistsError):
                top.create(name, b"x", 0o600)

    with door(here) as top:
        everything(top, 0)
        before = open_descriptors()
        for number in range(1, 32):
            everything(top, number)
        assert open_descriptors() == before


# --- The portable way -----------------------------------------------------------------------------------------


def swap(path: Path, how: str) -> None:
    """Take a folder away and put something else under its name."""
    path.rename(path.with_name("away"))
    if how == "a link":
        path.symlink_to(path.parent.parent / "outside", target_is_directory=True)
    elif how == "a link to itself":
        path.symlink_to("away", target_is_directory=True)
    else:
        path.mkdir()
        (path / "foreign.md").write_bytes(b"foreign")


@pytest.mark.parametrize("how", ["a link", "a link to itself", "another folder"])
@pytest.mark.parametrize("depth", [1, 2])
def test_the_portable_way_sees_that_a_folder_was_swapped(here: Path, how: str, depth: int) -> None:
    """Whatever is asked of a folder whose path leads elsewhere by now is refused, and nothing is read or made."""
    victim = here / "vault"
    (victim / "notes").mkdir(parents=True)
    with PortableFolder.open_base(here) as top, top.folder("vault") as held, held.folder("notes") as below:
        folder = (held, below)[depth - 1]
        if depth == 2 and how == "another folder":
            swap(victim / "notes", how)
        else:
            swap(victim, how)
        before = tree(here.parent)
        for ask in (
            lambda: folder.create("new.md", b"x", 0o600),
            lambda: folder.make("new", 0o700),
            lambda: folder.folder("notes"),
            lambda: folder.append("foreign.md", b"x"),
            lambda: list(folder.entries()),
        ):
            with pytest.raises(OSError, match=os.strerror(ELOOP)):
                ask()
        with pytest.raises(FileProblem) as caught:
            folder.read("foreign.md", 100)
        assert caught.value.reason is SkipReason.SYMLINK
        assert tree(here.parent) == before


def test_the_portable_way_does_not_report_what_went_elsewhere(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window cannot be closed, but a file that was linked through it is not called saved."""
    victim = here / "vault"
    victim.mkdir()
    plain = os.link

    def linking(source: str, target: str) -> None:
        swap(victim, "another folder")
        Path(source).write_bytes(b"x")
        plain(source, target)
        (here / "vault").rename(here / "other")
        (here / "away").rename(victim)

    with PortableFolder.open_base(here) as top, top.folder("vault") as folder:
        with monkeypatch.context() as patch:
            patch.setattr(files.os, "link", linking)
            with pytest.raises(OSError):  # noqa: PT011 - that it fails is the point
                folder.create("new.md", b"x", 0o600)
        assert (here / "other" / "new.md").exists()


@pytest.mark.skipif(not files.HAS_DESCRIPTORS, reason="no descriptors of folders here")
def test_a_held_folder_stays_the_folder(here: Path) -> None:
    """With descriptors there is nothing to detect: whatever takes the name, we are where we were."""
    victim = here / "vault"
    victim.mkdir()
    with Folder.open_base(here) as top, top.folder("vault") as folder:
        swap(victim, "a link")
        before = tree(here.parent / "outside")
        folder.create("new.md", b"x", 0o600)
        with pytest.raises(FileProblem):
            folder.read("foreign.md", 100)
    assert (here / "away" / "new.md").read_bytes() == b"x"
    assert tree(here.parent / "outside") == before


# --- What the person is told ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [*range(1, 134), 9999])
def test_every_refusal_of_the_system_becomes_one_sentence(number: int) -> None:
    """It names the vault path, gives a hint, and repeats nothing of the system's message, which has real paths."""
    with pytest.raises((EccmemError, FileExistsError)) as caught, files.writing("project:notes/x.md"):
        raise OSError(number, os.strerror(number), "/home/somebody/secret")
    if number == EEXIST:
        assert isinstance(caught.value, FileExistsError)
        return
    assert isinstance(caught.value, EccmemError)
    assert "project:notes/x.md" in caught.value.message
    assert "/home" not in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint
    assert caught.value.slug == ("unsafe-path" if number == ELOOP else "cannot-write")


@pytest.mark.parametrize("number", [*range(1, 134), 9999])
def test_every_refusal_to_read_has_a_reason(number: int) -> None:
    """Nothing but a FileProblem comes out, so a scan goes on."""
    with pytest.raises(FileProblem), files.reading():
        raise OSError(number, os.strerror(number))


# --- Other programs' files ------------------------------------------------------------------------------------


def test_a_file_of_others_is_swapped_whole(here, door):
    """Its mode stays, nothing is left beside it, and None deletes it."""
    (here / "settings").write_bytes(b"old")
    (here / "settings").chmod(0o640)

    with door(here) as folder:
        folder.swap("settings", b"old", b"new and longer")
        assert (here / "settings").read_bytes() == b"new and longer"
        assert (here / "settings").stat().st_mode & 0o777 == 0o640
        assert [path.name for path in here.iterdir()] == ["settings"]
        folder.swap("settings", b"new and longer", None)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("there", [b"other", b"old and more", b"", None])
@pytest.mark.parametrize("after", [b"new", None])
def test_a_file_that_was_changed_is_not_swapped(here, door, there, after):
    """Nor one that is gone, or became a link; nothing is left beside it."""
    if there is None:
        (here / "elsewhere").write_bytes(b"old")
        (here / "settings").symlink_to("elsewhere")
    else:
        (here / "settings").write_bytes(there)
    before = sorted(here.iterdir())

    with door(here) as folder, pytest.raises(EccmemError) as error:
        folder.swap("settings", b"old", after)

    assert error.value.slug == "changed-meanwhile"
    assert sorted(here.iterdir()) == before
    assert (here / "settings").read_bytes() == (b"old" if there is None else there)
