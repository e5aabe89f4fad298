"""``eccmem doctor`` over what is staged or committed: options, formats, where reports go."""

import json
import os
import stat
from pathlib import Path

import pytest

from builders import memory, put
from conftest import Run, git
from eccmem import contract
from eccmem.model import Scope

TEAM = ".ecc/memory/team"


@pytest.fixture
def bad(checkout: Path) -> Path:
    """A checkout whose last commit has a bad memory and a file that is only odd."""
    put(checkout, memory("mem_one", scope=Scope.TEAM))
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "-m", "good")
    (checkout / TEAM / "notes/bad.md").write_text("bad")
    (checkout / TEAM / "notes/odd.txt").write_text("odd")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "-m", "bad")
    return checkout


def test_each_door(bad: Path, run: Run) -> None:
    """The index, a commit, a range, from a folder below too; and a range that has nothing to do with it."""
    for args in (("--staged",), ("--rev", "HEAD"), ("--range", "HEAD^..HEAD"), ("--range", "HEAD^..")):
        done = run("doctor", *args)
        assert (done.code, f"{TEAM}/notes/bad.md:1: error[malformed-memory]" in done.out) == (1, True), args
    assert run("doctor", "--rev", "HEAD^").code == 0
    assert run("doctor", "--range", "..HEAD^").out == "Memory doctor: 0 memories judged\n" + _totals(0, 0, 0)
    os.chdir(bad / ".ecc")
    assert run("doctor", "--staged").code == 1


def _totals(errors: int, warnings: int, notes: int) -> str:
    return f"Findings: {errors} error{'s' * (errors != 1)}, {warnings} warnings, {notes} note{'s' * (notes != 1)}\n"


def test_the_working_tree_does_not_matter(bad: Path, run: Run) -> None:
    """What lies on disk is another question."""
    (bad / TEAM / "notes/bad.md").unlink()

    assert run("doctor", "--rev", "HEAD").code == 1
    assert run("doctor", "--scope", "team").code == 0


def test_a_bare_repository(bad: Path, run: Run, monkeypatch) -> None:
    """There is no working tree, and none is needed."""
    git(bad.parent, "clone", "-q", "--bare", str(bad), "bare.git")
    monkeypatch.chdir(bad.parent / "bare.git")

    assert run("doctor", "--range", "HEAD^..HEAD").code == 1
    assert run("doctor", "--rev", "HEAD^").code == 0


def test_variables_of_git_are_not_obeyed(bad: Path, run: Run, monkeypatch, tmp_path: Path) -> None:
    """Exported by a hook or a person, they would lead to another repository or index."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))

    assert run("doctor", "--staged").code == 1


@pytest.mark.parametrize(("severity", "code"), [("error", 0), ("warning", 0), ("note", 1)])
def test_what_fails(severity: str, code: int, bad: Path, run: Run) -> None:
    """From that severity on."""
    git(bad, "rm", "-q", f"{TEAM}/notes/bad.md")

    assert run("doctor", "--staged", "--fail-on", severity).code == code
    assert run("doctor", "--staged", "--fail-on", severity, "--exit-zero").code == 0


def test_exit_zero_does_not_hide_that_nothing_could_be_judged(bad: Path, run: Run) -> None:
    """Three stays three."""
    deep = bad / TEAM / "notes/a/b/c/d/e/f/g/h/i"
    deep.mkdir(parents=True)
    (deep / "mem_deep.md").write_text("x")
    git(bad, "add", "-A")

    assert run("doctor", "--staged", "--exit-zero").code == 3
    assert run("doctor", "--rev", "nope", "--exit-zero").code == 3


@pytest.mark.parametrize(
    "args",
    [
        "--staged --rev HEAD",
        "--rev HEAD --range A..B",
        "--base HEAD",
        "--staged --scope team",
        "--range HEAD",
        "--range HEAD^...HEAD",
        "--range ..",
        "--fail-on nothing",
        "--format xml",
        "--rev HEAD --rev HEAD",
        "--rev HEAD --output .ecc/memory/team/report.json",
        "--rev HEAD --output .ECC/MEMORY/x.json",
    ],
)
def test_what_does_not_fit_together(args: str, bad: Path, run: Run) -> None:
    """Exit 2, and one line."""
    done = run("doctor", *args.split())

    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("wanted", [("--json",), ("--format", "json"), ("--format=json",)])
def test_an_error_for_a_program(wanted: tuple, bad: Path, run: Run) -> None:
    """However it asked for JSON."""
    assert run("doctor", "--rev", "nope", *wanted).json["error"]["code"] == "unknown-revision"


@pytest.mark.parametrize("name", ["--output=x", "-h", "@{-1}", "", "a\nb", "x" * 10_000, "HEAD^{tree}", ":/bad"])
def test_odd_names_of_revisions(name: str, bad: Path, run: Run) -> None:
    """They are never options, and never a traceback."""
    done = run("doctor", f"--rev={name}")

    assert done.code in (1, 3)
    assert done.err.count("\n") <= 1
    assert not (bad / "x").exists()


def test_formats(bad: Path, run: Run, monkeypatch, tmp_path: Path) -> None:
    """Each says the same; GitHub gets a summary besides."""
    payload = run("doctor", "--rev", "HEAD", "--format", "json").json
    assert contract.violations("doctor", payload) == []
    assert [item["rule"] for item in payload["findings"]] == ["malformed-memory", "unexpected-file"]
    results = run("doctor", "--rev", "HEAD", "--format", "sarif").json["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["malformed-memory", "unexpected-file"]
    assert len(json.loads(run("doctor", "--rev", "HEAD", "--format", "gitlab").out)) == 2
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = run("doctor", "--rev", "HEAD", "--format", "github")
    assert (done.code, done.out.startswith("::error file=.ecc/memory/team/notes/bad.md,line=1")) == (1, True)
    assert summary.read_text().startswith("before\n")
    assert "malformed-memory" in summary.read_text()


def test_formats_of_the_working_tree(bad: Path, run: Run) -> None:
    """They are not for commits alone."""
    assert [r["ruleId"] for r in run("doctor", "--format", "sarif").json["runs"][0]["results"]] == ["malformed-memory"]


def test_a_report_in_a_file(bad: Path, run: Run, tmp_path: Path) -> None:
    """Whole, over one of an earlier run; a link is replaced, never followed; the exit code stays."""
    target, other = tmp_path / "report.json", tmp_path / "other"
    other.write_text("other")
    for before in (lambda: None, lambda: target.write_text("old"), lambda: (target.unlink(), target.symlink_to(other))):
        before()
        done = run("doctor", "--rev", "HEAD", "--json", "--output", str(target))
        assert (done.code, done.out) == (1, "")
        assert json.loads(target.read_text())["findingCount"] == 2
    assert other.read_text() == "other"
    assert not target.is_symlink()
    assert [path.name for path in tmp_path.iterdir() if "eccmem" in path.name] == []


def test_a_report_is_for_whom_the_person_s_files_are(bad: Path, run: Run, tmp_path: Path) -> None:
    """Its mode is that of any new file, which the umask says."""
    for mask in (0o022, 0o077):
        before = os.umask(mask)
        try:
            run("doctor", "--rev", "HEAD", "--output", str(tmp_path / f"{mask}.txt"))
        finally:
            assert os.umask(before) == mask
        assert stat.S_IMODE((tmp_path / f"{mask}.txt").stat().st_mode) == 0o666 & ~mask


def test_the_index_of_a_bare_repository(bad: Path, run: Run, tmp_path: Path, monkeypatch) -> None:
    """There is none; that all were deleted is not so."""
    git(tmp_path, "clone", "-q", "--bare", str(bad), "bare.git")
    monkeypatch.chdir(tmp_path / "bare.git")

    done = run("doctor", "--staged")

    assert (done.code, done.out) == (3, "")
    assert done.err == "error: a bare repository has no index; judge a commit: --rev or --range\n"


def test_a_file_that_is_only_intended_to_be_added(checkout: Path, run: Run) -> None:
    """It is in no commit of the index; an empty file that was added is."""
    place = checkout / ".ecc/memory/team/notes"
    place.mkdir(parents=True)
    for name in ("mem_meant.md", "mem_empty.md"):
        (place / name).touch()
    git(checkout, "add", "-N", ".ecc/memory/team/notes/mem_meant.md")
    assert run("doctor", "--staged").code == 0
    git(checkout, "add", ".ecc/memory/team/notes/mem_empty.md")

    found = run("doctor", "--staged", "--json").json["findings"]
    assert [item["path"].rpartition("/")[2] for item in found] == ["mem_empty.md"]


def test_a_report_that_cannot_be_written(bad: Path, run: Run, tmp_path: Path) -> None:
    """One line, and nothing half-written."""
    done = run("doctor", "--rev", "HEAD", "--output", str(tmp_path / "nowhere/report.txt"))

    assert (done.code, done.err.count("\n")) == (3, 1)
    assert str(tmp_path) not in done.err


def test_a_report_to_a_device(bad: Path, run: Run, start: Run) -> None:
    """It is written to, not replaced."""
    done = start("doctor", "--rev", "HEAD", "--output", "/dev/stdout", cwd=bad)

    assert done.code == 1
    assert "error[malformed-memory]" in done.out
    assert Path("/dev/stdout").exists()
