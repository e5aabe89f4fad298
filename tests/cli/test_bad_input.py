"""Whatever is typed or lies around: one line, the right exit code, nothing half-written, never a traceback."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import memory, put

Run = Callable
SAVE = ("save", "--title", "t")
LONG = "x" * 10_000_000


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("nope",), 2),
        ((LONG,), 2),
        (("--nope",), 2),
        (("init", "--scope", "org"), 2),
        (("init", "--scope"), 2),
        (("init", "extra"), 2),
        (("save",), 2),
        (SAVE, 2),
        ((*SAVE, "--stdin", "--body-file", "README.md"), 2),
        ((*SAVE, "--body-file", "README.md", "--body-file", "README.md"), 2),
        ((*SAVE, "--title", "u", "--body-file", "README.md"), 2),
        ((*SAVE, "--kind", "note", "--kind", "fact", "--body-file", "README.md"), 2),
        ((*SAVE, "--scope", "team", "--scope", "user", "--body-file", "README.md"), 2),
        ((*SAVE, "--source-harness", "a", "--source-harness", "b", "--body-file", "README.md"), 2),
        ((*SAVE, "--kind", "memo", "--body-file", "README.md"), 2),
        ((*SAVE, "--kind", "", "--body-file", "README.md"), 2),
        ((*SAVE, "positional", "--body-file", "README.md"), 2),
        ((*SAVE, "--trust", "trusted", "--body-file", "README.md"), 2),
        ((*SAVE, "--status", "superseded", "--body-file", "README.md"), 2),
        ((*SAVE, "--body", "inline"), 2),
        ((*SAVE, "--body-file", ""), 1),
        ((*SAVE, "--body-file", "absent.md"), 1),
        ((*SAVE, "--body-file", "."), 1),
        ((*SAVE, "--body-file", "nul\0byte"), 1),
        ((*SAVE, "--body-file", LONG), 1),
        (("save", "--title", "", "--body-file", "README.md"), 1),
        (("save", "--title", LONG, "--body-file", "README.md"), 1),
        ((*SAVE, "--tag", "", "--body-file", "README.md"), 1),
        ((*SAVE, "--tag", LONG, "--body-file", "README.md"), 1),
        ((*SAVE, "--tag", "a", "--tag", "a", "--body-file", "README.md"), 1),
        ((*SAVE, "--link", "../../x", "--body-file", "README.md"), 1),
        ((*SAVE, "--target", "", "--body-file", "README.md"), 1),
        ((*SAVE, "--source-harness", "", "--body-file", "README.md"), 1),
        ((*SAVE, "--supersedes", LONG, "--body-file", "README.md"), 1),
        (("handoff", "--target", "b", "--title", "t", "--body-file", "README.md"), 2),
        (("handoff", "--from", "a", "--title", "t", "--body-file", "README.md"), 2),
        (("handoff", "--from", "a", "--from", "b", "--target", "c", "--title", "t", "--body-file", "README.md"), 2),
        (("handoff", "--from", "a", "--target", "b", "--kind", "note", "--title", "t"), 2),
        (("search", LONG), 1),
        (("search", "a\nb"), 1),
        (("search", "--limit", "0"), 2),
        (("search", "--limit", "-1"), 2),
        (("search", "--limit", "ten"), 2),
        (("search", "--limit", ""), 2),
        (("search", "--limit", "1", "--limit", "2"), 2),
        (("search", "--limit", "٣"), 2),
        (("search", "--kind", "memo"), 2),
        (("search", "--since", "2026-02-30"), 2),
        (("search", "--since", "2026-13"), 2),
        (("search", "--since", "2026-07-26T25:00:00Z"), 2),
        (("search", "--target-harness", ""), 2),
        (("search", "--target-harness", "Not A Slug"), 2),
        (("search", "--target-harness", LONG), 2),
        (("search", "--status", "gone"), 2),
        (("search", "--tag", "Not A Slug"), 2),
        (("search", "--source-harness", ""), 2),
        (("search", "--since", "yesterday"), 2),
        (("search", "--since", "2026-07", "--since", "2026-08"), 2),
        (("search", "--rerank", "nobody"), 2),
        (("read",), 2),
        (("read", "a", "b"), 2),
        (("read", ""), 1),
        (("read", "../../etc/passwd"), 1),
        (("read", LONG), 1),
        (("read", "mem_absent"), 1),
        (("doctor", "extra"), 2),
        (("doctor", "--scope", "everything"), 2),
        (("retire", "mem_absent"), 2),
        (("retire", "mem_absent", "--as", "active"), 2),
        (("retire", "mem_absent", "--as", "superseded"), 1),
        (("retire", "mem_absent", "--as", "superseded", "--as", "rejected"), 2),
        (("demo", "extra"), 2),
    ],
    ids=lambda value: " ".join(value)[:60].replace("\0", "NUL") if isinstance(value, tuple) else None,
)
def test_one_line_and_the_right_code(argv: tuple, code: int, run: Run, checkout: Path) -> None:
    """On standard error for people, as an object on standard output for programs."""
    done = run(*argv)

    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert len(done.err) < 1500
    as_json = run(*argv, "--json")
    if argv[0] in ("init", "save", "handoff", "search", "read", "doctor"):
        assert as_json.code == code
        assert set(as_json.json) == {"error"}
        assert set(as_json.json["error"]) == {"code", "message", "hint"}
        assert as_json.err == ""
    assert not (checkout / ".ecc").exists()


def test_limits_above_a_hundred_mean_a_hundred(run: Run, checkout: Path) -> None:
    """As the reference has it."""
    put(checkout, memory("mem_one"))

    assert run("search", "--limit", "9" * 5000).code == 0


@pytest.mark.parametrize(
    ("stdin", "says"),
    [
        (b"", "body must not be empty"),
        (b"\xff\xfeh\x00i\x00", "UTF-16"),
        (b"abc \xff", "not UTF-8 (at byte 5)"),
        (b"x" * 200_000, "the body is too large: at most 65536 bytes"),
        (b"x" * 70_000, "body is too large: at most 65536 bytes"),
        (b"\x1b[31m", "control"),
    ],
)
def test_a_bad_body_on_standard_input(stdin: bytes, says: str, start: Run, checkout: Path) -> None:
    """Bounded, strict UTF-8, no control characters."""
    done = start(*SAVE, "--stdin", stdin=stdin)

    assert done.code == 1
    assert says in done.err
    assert done.err.count("\n") == 1
    assert not (checkout / ".ecc").exists()


def test_one_byte_order_mark_is_dropped(start: Run, checkout: Path) -> None:
    """Editors on Windows write one."""
    start(*SAVE, "--stdin", stdin=b"\xef\xbb\xbfbody")

    assert next(checkout.rglob("mem_*.md")).read_bytes().endswith(b"---\n\nbody\n")


def test_a_slow_nonblocking_pipe_is_waited_for(checkout: Path) -> None:
    """Some harnesses hand on a non-blocking standard input that is empty for a moment (EAGAIN)."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    process = subprocess.Popen([sys.executable, "-m", "eccmem", *SAVE, "--stdin"], stdin=reader, cwd=checkout)
    os.close(reader)
    time.sleep(1)
    os.write(writer, b"late body")
    os.close(writer)

    assert process.wait(timeout=30) == 0


def test_closed_standard_streams(checkout: Path) -> None:
    """``<&-`` and ``>&-``: no traceback, and no other file is taken for standard input."""
    command = f"{sys.executable} -m eccmem"
    for line, code in (
        (f"{command} save --title t --stdin <&-", 2),
        (f"{command} search >&-", 0),
        (f"{command} read mem_absent 2>&-", 1),
    ):
        done = subprocess.run(["sh", "-c", line], cwd=checkout, capture_output=True, text=True, check=False)
        assert done.returncode == code, (line, done.stderr)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["fifo", "symlink", "device"])
def test_a_body_file_must_be_a_regular_file(target: str, run: Run, checkout: Path) -> None:
    """A pipe would be waited for, a link could lead anywhere."""
    path = checkout / "body"
    if target == "fifo":
        os.mkfifo(path)
    elif target == "symlink":
        path.symlink_to("README.md")
    name = "/dev/zero" if target == "device" else str(path)

    done = run(*SAVE, "--body-file", name)

    assert done.code == 1
    assert "name a regular file" in done.err


def test_an_output_that_closes_early_is_no_error(start: Run, checkout: Path) -> None:
    """``eccmem search | head -1``."""
    for number in range(100):
        put(checkout, memory(f"mem_{number:04}", title="t" * 200, body="word " * 100))
    line = f"{sys.executable} -m eccmem search --limit 100 --json | head -1; {sys.executable} -m eccmem --help | true"

    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=checkout, check=False)

    assert done.stdout == "{\n"
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this platform has no /dev/full")
def test_an_output_that_is_full_is_said(checkout: Path) -> None:
    """Not swallowed: the person did not get the answer."""
    for argv in (["search"], ["--version"], ["--help"], ["search", "--help"], ["hook"]):
        program = (
            ["-c", "from eccmem.hook import run; run()", "--version"] if argv == ["hook"] else ["-m", "eccmem", *argv]
        )
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, *program], stdout=full, stderr=subprocess.PIPE, cwd=checkout, check=False
            )
        assert (done.returncode, done.stderr) == (3, b"error: standard output cannot be written; is the disk full?\n")


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_any_locale(locale: str, start: Run, checkout: Path) -> None:
    """Text degrades to escapes, JSON stays valid and whole."""
    put(checkout, memory("mem_one", title="Café 文 😀", body="naïve"))
    env = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}

    assert start("search", **env).code == 0
    done = start("search", "--json", **env)
    assert done.out.isascii()
    assert done.json["results"][0]["memory"]["title"] == "Café 文 😀"


def test_no_home(start: Run, checkout: Path) -> None:
    """Project and team need none; the user scope says so."""
    gone = {"HOME": None, "USERPROFILE": None}
    assert start("doctor", **gone).code == 0
    # With no HOME the system's user database answers, which tests must not write to: look only.
    assert start("search", "--scope", "user", **gone).code == 0


def test_a_deleted_working_directory(start: Run, tmp_path: Path, home: Path) -> None:
    """Every command says so in one line."""
    code = (
        "import os, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone');"
        "from eccmem.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    for command in ("init", "search", "doctor"):
        done = subprocess.run(
            [sys.executable, "-c", code, command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 3
        assert done.stderr == "error: the working directory no longer exists; cd to one that does\n"


@pytest.mark.parametrize("value", ["\x1b[0m", " \t", "x" * 5000, "new\nline"])
def test_an_override_that_is_no_path(value: str, start: Run, checkout: Path) -> None:
    """A usage error that names the variable."""
    done = start("search", ECC_MEMORY_PROJECT_ROOT=value)

    assert done.code == 2
    assert "ECC_MEMORY_PROJECT_ROOT is not a usable path" in done.err


@pytest.mark.parametrize("git_dir", ["garbage file", "garbage pointer", "empty folder"])
def test_a_garbage_repository_can_still_be_saved_to(git_dir: str, start: Run, tmp_path: Path, home: Path) -> None:
    """The guard is written; there is no repository that could commit anything."""
    folder = tmp_path / "broken"
    folder.mkdir()
    if git_dir == "empty folder":
        (folder / ".git").mkdir()
    else:
        (folder / ".git").write_text("\0garbage" if git_dir == "garbage file" else "gitdir: ../../nowhere")

    assert start(*SAVE, "--stdin", stdin=b"b", cwd=folder).code == 0
    assert start(*SAVE, "--scope", "team", "--stdin", stdin=b"b", cwd=folder).code == 0
    assert start("doctor", cwd=folder).code == 0
    assert (folder / ".ecc/memory/project/.gitignore").read_text() == "*\n!.gitignore\n"


@pytest.mark.parametrize("component", [".ecc", ".ecc/memory", ".ecc/memory/project", ".ecc/memory/project/notes"])
@pytest.mark.parametrize("kind", ["symlink", "file"])
def test_something_else_where_a_folder_should_be(component: str, kind: str, run: Run, checkout: Path) -> None:
    """Refused by name; nothing is written through it."""
    outside = checkout.parent / "outside"
    outside.mkdir()
    path = checkout / component
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "symlink":
        path.symlink_to(outside)
    else:
        path.write_text("in the way")

    done = run(*SAVE, "--body-file", "README.md")

    assert done.code == 3
    assert done.err.startswith("error: cannot write .ecc/memory/project/")
    assert list(outside.rglob("*")) == []
    assert run("search").code == 0
    # A file that is no memory's, in the place of a kind's folder, hides nothing; all else could.
    hides_nothing = kind == "file" and component.endswith("notes")
    assert run("read", "mem_one").code == (1 if hides_nothing else 3)


def test_a_bug_is_one_line_without_memory_text(run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 70, the kind of error only; the traceback with ECCMEM_DEBUG=1 alone."""

    def broken(*_args: object) -> None:
        raise RuntimeError("the text of a memory")

    monkeypatch.setattr("eccmem.vault.worktree", broken)
    done = run("search")
    assert done.code == 70
    assert done.err == "error: eccmem failed (RuntimeError); this is our fault; set ECCMEM_DEBUG=1 and report it\n"
    monkeypatch.setenv("ECCMEM_DEBUG", "1")
    assert "Traceback" in run("search").err


def test_an_interrupt_is_130(run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As shells expect."""

    def interrupted(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("eccmem.vault.worktree", interrupted)
    assert run("search").code == 130
