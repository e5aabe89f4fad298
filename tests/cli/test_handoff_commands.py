"""Hand-offs as people and harnesses use them: written, found, read, answered, copied."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import Run, git
from eccmem import contract, document
from eccmem.cli import handoff as command
from eccmem.model import Kind

HANDOFF = ("handoff", "--from", "codex", "--target", "claude", "--title", "T")


def head(checkout: Path) -> str:
    return git(checkout, "rev-parse", "HEAD").strip()


@pytest.fixture
def handed_off(run: Run, checkout: Path, body: Callable[..., str]) -> str:
    """The id of a hand-off from codex to claude."""
    done = run(*HANDOFF, "--body-file", body("Go on."), "--json")
    assert done.code == 0
    return done.json["memory"]["id"]


def test_a_hand_off_records_where_the_repository_stood(run: Run, checkout: Path, handed_off: str) -> None:
    """In its body, as trailers, so that every other tool keeps them."""
    shown = run("read", handed_off, "--json").json

    assert shown["memory"]["body"] == f"Go on.\n\nBranch: main\nHead: {head(checkout)}"
    assert contract.violations("read", shown) == []
    assert shown["writtenAt"] == {
        "branch": "main",
        "head": head(checkout),
        "known": True,
        "commitsSince": 0,
        "commitsLeft": 0,
        "filesChanged": 0,
    }


def test_reading_one_says_how_far_the_repository_has_moved(run: Run, checkout: Path, handed_off: str) -> None:
    """Above the fence, where all that is ours stands."""
    short = head(checkout)[:12]
    (checkout / "README.md").write_text("changed\n")
    git(checkout, "commit", "-qam", "second")

    said = run("read", handed_off).out.partition("\n---")[0]

    assert f"Written at: main {short}; since then 1 commit, 1 file changed\n" in f"{said}\n"


def test_a_hand_off_from_another_repository_is_read_all_the_same(run: Run, checkout: Path) -> None:
    """With a commit that is not here; and one that says nothing has no line, nor has a note that says it."""
    foreign = f"Go on.\n\nBranch: main\nHead: {'1' * 40}"
    put(checkout, memory("mem_foreign", kind=Kind.HANDOFF, body=foreign))
    put(checkout, memory("mem_note", body=foreign))
    put(checkout, memory("mem_plain", kind=Kind.HANDOFF))

    assert (
        "Written at: main 111111111111; this repository does not have that commit\n" in run("read", "mem_foreign").out
    )
    assert run("read", "mem_foreign", "--json").json["writtenAt"]["commitsSince"] is None
    for other in ("mem_note", "mem_plain"):
        assert "Written at" not in run("read", other).out
        assert "writtenAt" not in run("read", other, "--json").json


def test_outside_of_a_repository_nothing_is_recorded(start: Run, home: Path, tmp_path: Path) -> None:
    """And nothing is warned of."""
    done = start(*HANDOFF, "--stdin", "--json", stdin=b"Go on.", cwd=tmp_path)

    assert (done.code, done.err) == (0, "")
    assert start("read", done.json["memory"]["id"], "--json", cwd=tmp_path).json["memory"]["body"] == "Go on."


def test_without_git_a_hand_off_is_saved_and_a_warning_given(start: Run, checkout: Path, tmp_path: Path) -> None:
    """And read: what cannot be told stops neither."""
    (tmp_path / "empty").mkdir()
    put(checkout, memory("mem_there", kind=Kind.HANDOFF, body=f"Go.\n\nHead: {'1' * 40}"))

    done = start(*HANDOFF, "--stdin", "--json", stdin=b"Go on.", PATH=str(tmp_path / "empty"))
    shown = start("read", "mem_there", PATH=str(tmp_path / "empty"))

    assert done.code == 0
    assert any("the branch and the commit are not recorded" in text for text in done.json["warnings"])
    assert "how far the repository has moved since cannot be told" in shown.out


# --- The inbox ------------------------------------------------------------------------------------------------


def test_the_inbox_lists_what_waits_and_an_answer_takes_it_out(
    run: Run, checkout: Path, handed_off: str, body: Callable[..., str]
) -> None:
    """From codex to claude, and to nobody else."""
    waiting = run("inbox", "--harness", "claude")
    listed = run("inbox", "--harness", "claude", "--json").json

    assert re.sub("just now|1 minute old", "AGE", waiting.out) == (
        f"[unreviewed] {handed_off} — T\n  from codex, AGE, at main {head(checkout)[:12]}\n"
    )
    assert contract.violations("inbox", listed) == []
    assert [item["memory"]["id"] for item in listed["handoffs"]] == [handed_off]
    assert (listed["handoffs"][0]["branch"], listed["handoffs"][0]["head"]) == ("main", head(checkout))
    assert "body" not in listed["handoffs"][0]["memory"]
    assert run("inbox", "--harness", "gemini").out == "Nothing waits for gemini.\n"

    answer = run("save", "--title", "Done", "--answers", handed_off, "--body-file", body("Done."), "--json")
    assert answer.json["memory"]["links"] == [handed_off]
    assert run("inbox", "--harness", "claude").out == "Nothing waits for claude.\n"


def test_a_hand_off_can_answer_one(run: Run, handed_off: str, body: Callable[..., str]) -> None:
    """The work comes back, with the trailers in one paragraph."""
    back = ("handoff", "--from", "claude", "--target", "codex", "--title", "Back", "--answers", handed_off)
    assert run(*back, "--body-file", body("Yours again.")).code == 0

    (waiting,) = run("inbox", "--harness", "codex", "--json").json["handoffs"]
    text = run("read", waiting["memory"]["id"], "--json").json["memory"]["body"]
    assert text.rpartition("\n\n")[2].split("\n")[2:] == [f"Answers: {handed_off}"]
    assert waiting["head"]


def test_the_inbox_asks_who(run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch, handed_off: str) -> None:
    """The environment may say it; what is no name is a usage error."""
    assert run("inbox").code == 2
    assert run("inbox", "--harness", "No Name").code == 2
    assert run("inbox", "--harness", "a", "--harness", "b").code == 2
    monkeypatch.setenv("ECC_MEMORY_HARNESS", "claude")
    assert handed_off in run("inbox").out
    monkeypatch.setenv("ECC_MEMORY_HARNESS", "../claude")
    assert "ECC_MEMORY_HARNESS must be" in run("inbox").err


def test_the_inbox_says_when_it_did_not_see_everything(run: Run, checkout: Path, handed_off: str) -> None:
    """A broken file may be an answer, or a hand-off."""
    (checkout / ".ecc/memory/project/handoffs/mem_broken.md").write_text("no memory\n")

    done = run("inbox", "--harness", "claude")

    assert handed_off in done.out
    assert "not everything was searched" in done.err
    assert run("inbox", "--harness", "claude", "--json").json["diagnostics"]["invalidFileCount"] == 1


def test_the_inbox_is_cut_at_a_hundred_and_says_so(run: Run, checkout: Path) -> None:
    """The count goes on."""
    for number in range(101):
        put(checkout, memory(f"mem_{number:03}", kind=Kind.HANDOFF))

    listed = run("inbox", "--harness", "x", "--json").json
    assert (len(listed["handoffs"]), listed["handoffCount"]) == (100, 101)
    assert run("inbox", "--harness", "x").out.endswith("… and 1 more\n")


def test_a_title_commands_no_terminal(run: Run, checkout: Path) -> None:
    """Nor a runner of CI, and a branch neither: the body that names it came with the repository."""
    put(checkout, memory("mem_sly", kind=Kind.HANDOFF, title="##[error]\u2028x", body="B.\n\nBranch: ##[add]\u200fm"))

    out = run("inbox", "--harness", "x").out

    assert "##[" not in out
    assert len(out.splitlines()) == 2
    assert "\u200f" not in out


# --- The editor -----------------------------------------------------------------------------------------------


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Make a program the editor; it has ``path`` and ``text``, and what it was given is in the returned file."""
    monkeypatch.setattr(command, "_at_a_terminal", lambda: True)

    def _editor(program: str) -> Path:
        script, calls = tmp_path / "an editor.py", tmp_path / "calls"
        script.write_text(
            "import sys, pathlib\npath = pathlib.Path(sys.argv[-1])\n"
            f"calls = pathlib.Path({str(calls)!r})\n"
            "calls.write_text((calls.read_text() if calls.exists() else '') + path.read_text() + '\\0')\n"
            f"text = path.read_text()\n{program}\n"
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"'{sys.executable}' '{script}'")
        return calls

    return _editor


def test_at_a_terminal_the_editor_opens_with_the_headings(run: Run, checkout: Path, editor) -> None:
    """What was filled in is saved, without the hints."""
    calls = editor("path.write_text(text.replace('Next action: ', 'Next action: push'))")

    done = run(*HANDOFF, "--json")

    for heading in ("Objective and state", "Evidence", "Files and work items", "Remaining work, risks, next action"):
        assert f"## {heading}\n" in calls.read_text()
    saved = run("read", done.json["memory"]["id"], "--json").json["memory"]["body"]
    assert saved.startswith("## Remaining work, risks, next action\n\nNext action: push\n\nBranch: main\n")


def test_the_commit_is_that_of_when_the_editor_closes(run: Run, checkout: Path, editor) -> None:
    """Who writes may commit meanwhile."""
    editor(
        "import subprocess\nsubprocess.run(['git', 'commit', '-q', '--allow-empty', '-m', 'meanwhile'], check=True)\n"
        "path.write_text(text.replace('Next action: ', 'Next action: push'))"
    )
    before = head(checkout)

    done = run(*HANDOFF, "--json")

    assert run("read", done.json["memory"]["id"], "--json").json["writtenAt"]["head"] == head(checkout) != before


def test_a_text_that_is_refused_comes_back_to_be_mended(run: Run, checkout: Path, editor) -> None:
    """First the next action is missing, then there is a secret; nothing that was typed is lost."""
    key = f"'AKIA' + '{fake_key()[4:]}'"
    calls = editor(
        f"path.write_text('typed\\n' + text if 'typed' not in text else text.replace({key}, 'gone') if {key} in text"
        f" else text.replace('Next action: ', 'Next action: ' + {key}))"
    )

    done = run(*HANDOFF)

    assert done.code == 0
    assert len(calls.read_text().split("\0")) - 1 == 3
    assert "the next action is empty" in done.err
    assert "suspected secret" in done.err
    (saved,) = (checkout / ".ecc/memory/project/handoffs").glob("mem_*.md")
    assert "typed" in saved.read_text()
    assert fake_key() not in saved.read_text() + done.out + done.err


@pytest.mark.parametrize(
    ("program", "code", "says"),
    [
        ("pass", 1, "the next action is empty"),
        ("path.write_text('more' + text)", 1, "the next action is empty"),
        ("path.unlink()", 1, "what the editor left cannot be read: it is not there"),
        ("path.write_bytes(b'\\xff\\xfe')", 1, "what the editor left is UTF-16"),
        ("raise SystemExit(7)", 3, "the editor ended with 7"),
    ],
)
def test_what_an_editor_may_do_instead(run: Run, checkout: Path, editor, program: str, code: int, says: str) -> None:
    """Nothing is saved, the end comes, and no path of the machine is told."""
    calls = editor(program)

    done = run(*HANDOFF)

    assert (done.code, done.out) == (code, "")
    assert says in done.err
    assert "/" not in done.err
    assert len(calls.read_text().split("\0")) <= 21
    assert not (checkout / ".ecc").exists()


@pytest.mark.parametrize(
    ("name", "code", "slug"), [(None, 2, "usage"), ("'", 2, "usage"), ("no-such-editor-here", 3, "no-editor")]
)
def test_an_editor_that_is_none(run: Run, checkout: Path, editor, monkeypatch, name, code: int, slug: str) -> None:
    """Not named, or not there."""
    editor("pass")
    monkeypatch.setenv("EDITOR", name) if name else monkeypatch.delenv("EDITOR")

    done = run(*HANDOFF, "--json")

    assert (done.code, done.json["error"]["code"]) == (code, slug)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_editor_opens_at_a_real_terminal_alone(checkout: Path, editor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A harness that forgot the body gets a usage error instead of an editor that waits for nobody."""
    import pty  # noqa: PLC0415 - not on Windows

    calls = editor("path.write_text(text.replace('Next action: ', 'Next action: push'))")
    argv = [sys.executable, "-m", "eccmem", *HANDOFF]
    env = {**os.environ, "PYTHONPATH": str(Path(sys.modules["eccmem"].__file__).parent.parent)}
    alone = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert (alone.returncode, calls.exists()) == (2, False)

    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            argv, env=env, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, timeout=60, check=False
        )
    finally:
        os.close(theirs)
        os.close(ours)

    assert (done.returncode, done.stderr) == (0, b"")
    assert calls.exists()


# --- A copy for a worktree ------------------------------------------------------------------------------------


@pytest.fixture
def other(checkout: Path, tmp_path: Path) -> Path:
    """Another worktree of the repository."""
    path = tmp_path / "other"
    git(checkout, "worktree", "add", "-q", str(path))
    return path


def copied(run: Run, path: Path, body: str, *more: str):
    return run(*HANDOFF, "--body-file", body, "--to-worktree", str(path), "--json", *more)


def test_a_copy_lies_in_the_worktree_and_not_in_its_commits(run: Run, checkout: Path, other: Path, body) -> None:
    """Byte for byte the memory, for its owner alone, and ignored by what is made beside it."""
    done = copied(run, other, body())
    name = f"{done.json['memory']['id']}.md"

    assert done.code == 0
    copy = other / ".context" / name
    assert copy.read_bytes() == (checkout / ".ecc/memory/project/handoffs" / name).read_bytes()
    assert document.parse(copy.read_bytes()).title == "T"
    assert copy.stat().st_mode & 0o077 == 0
    git(other, "add", "-A")
    assert git(other, "status", "--short") == ""
    assert str(other) not in done.out + done.err


def test_a_vault_elsewhere_changes_nothing_about_the_copy(
    run: Run, checkout: Path, other: Path, tmp_path: Path, body, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worktree is one of the repository that is worked in, wherever the memories lie."""
    monkeypatch.setenv("ECC_MEMORY_PROJECT_ROOT", str(tmp_path / "elsewhere"))

    done = copied(run, other, body())

    assert done.code == 0
    assert (other / ".context" / f"{done.json['memory']['id']}.md").exists()


def test_a_private_copy_that_could_be_committed_is_refused(run: Run, checkout: Path, other: Path, body) -> None:
    """Before anything is saved; where Git ignores the folder it is made, and one for the team in any case."""
    (other / ".context").mkdir()
    (other / ".context/notes.md").write_text("theirs\n")

    refused = copied(run, other, body())
    assert (refused.code, refused.json["error"]["code"]) == (1, "not-ignored")
    assert not (checkout / ".ecc").exists()
    assert copied(run, other, body(), "--scope", "team").code == 0

    with (checkout / ".git/info/exclude").open("a") as exclude:
        exclude.write("/.context/\n")
    assert copied(run, other, body()).code == 0
    assert not (other / ".context/.gitignore").exists()


def test_what_is_no_worktree_gets_no_copy(run: Run, checkout: Path, tmp_path: Path, body) -> None:
    """Nothing is saved either."""
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    git(stranger, "init", "-q")

    for path in (stranger, tmp_path / "missing"):
        done = copied(run, path, body())
        assert (done.code, done.json["error"]["code"]) == (1, "not-a-worktree")
    assert not (checkout / ".ecc").exists()


def test_a_link_leads_no_copy_elsewhere(run: Run, checkout: Path, other: Path, tmp_path: Path, body) -> None:
    """Nothing is saved either."""
    (other / ".context").symlink_to(tmp_path)
    before = sorted(tmp_path.iterdir())

    done = copied(run, other, body())

    assert (done.code, done.json["error"]["code"]) == (3, "unsafe-path")
    assert [path for path in sorted(tmp_path.iterdir()) if path.name != "body.md"] == before
    assert not (checkout / ".ecc").exists()


def test_a_copy_that_fails_is_said_and_the_hand_off_is_saved(run: Run, checkout: Path, other: Path, body) -> None:
    """Its id is printed, and the exit code tells."""
    (other / ".context").write_text("a file\n")
    with (checkout / ".git/info/exclude").open("a") as exclude:
        exclude.write("/.context/\n/.context\n")

    done = copied(run, other, body())

    assert done.code == 3
    assert any("was not copied" in text for text in done.json["warnings"])
    assert run("read", done.json["memory"]["id"]).code == 0
