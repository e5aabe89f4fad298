"""``eccmem secrets``: finds what is there, wherever it is from, and says no part of it, in no output."""

import os
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import fake_value
from conftest import Run, git
from eccmem import allowlist, contract, limits, secretscan, secretsearch
from eccmem.allowance import Allowance
from eccmem.cli import main
from eccmem.errors import ExitCode
from eccmem.secretscan.fingerprint import fingerprint
from eccmem.secretscan.rules import rules
from secrets_made import made

GITHUB = next(rule for rule in rules().rows if rule.id == "github-token")


@pytest.fixture
def key() -> str:
    return made(GITHUB, random.Random(7))


def rows(run: Run, *argv: str) -> list[tuple[object, ...]]:
    payload = run("secrets", "--json", *argv).json
    assert contract.violations("secrets", payload) == []
    return [(row["path"], row["line"], row["column"], row["rule"], row["tier"]) for row in payload["secrets"]]


# --- Where it looks -------------------------------------------------------------------------------------------


def test_files_on_disk(checkout: Path, run: Run, key: str) -> None:
    """Tracked ones and those that could be added; an ignored one only when it is named."""
    (checkout / ".gitignore").write_text("private.env\n")
    (checkout / "private.env").write_text(f"A={key}\n")
    (checkout / "new.txt").write_text(f"one\ntwo {key}.\n")
    (checkout / "deep").mkdir()
    (checkout / "deep/tracked.txt").write_text(f"x={key}\n")
    (checkout / "link.txt").symlink_to("new.txt")
    git(checkout, "add", "deep")

    assert rows(run) == [
        ("deep/tracked.txt", 1, 3, "github-token", "block"),
        ("new.txt", 2, 5, "github-token", "block"),
    ]
    assert rows(run, "private.env") == [("private.env", 1, 3, "github-token", "block")]
    assert {row[0] for row in rows(run, ".")} == {"private.env", "new.txt", "deep/tracked.txt"}
    assert run("secrets").code == ExitCode.FINDINGS
    assert run("secrets", "--exit-zero").code == ExitCode.OK
    assert run("secrets", "README.md").code == ExitCode.OK


def test_standard_input(checkout: Path, run: Run, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also outside of a repository."""
    monkeypatch.chdir(checkout.parent)
    (checkout.parent / "in.txt").write_text(f"{key}\n")
    with (checkout.parent / "in.txt").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert rows(run, "--stdin") == [("standard input", 1, 1, "github-token", "block")]


def test_what_is_staged_and_not_what_lies_there(checkout: Path, run: Run, key: str) -> None:
    """The index counts, and only what HEAD has not got already."""
    (checkout / "a.txt").write_text(f"{key}\n")
    git(checkout, "add", "a.txt")
    (checkout / "a.txt").write_text("clean\n")

    assert rows(run, "--staged") == [("a.txt", 1, 1, "github-token", "block")]
    assert rows(run) == []
    git(checkout, "commit", "-q", "-m", "leak")
    assert rows(run, "--staged") == []
    assert rows(run, "--rev", "HEAD") == [("a.txt", 1, 1, "github-token", "block")]
    assert rows(run, "--rev", "HEAD~1") == []


def test_what_was_taken_away_again_is_in_the_history(checkout: Path, run: Run, key: str) -> None:
    """Each content once, with the commit that brought it."""
    (checkout / "a.txt").write_text(f"{key}\n")
    git(checkout, "add", "a.txt")
    git(checkout, "commit", "-q", "-m", "leak")
    leak = git(checkout, "rev-parse", "HEAD").strip()
    git(checkout, "mv", "a.txt", "b.txt")
    git(checkout, "commit", "-q", "-m", "move")
    git(checkout, "rm", "-q", "b.txt")
    git(checkout, "commit", "-q", "-m", "clean")

    for argv in (["--history"], ["--range", "HEAD~3..HEAD"]):
        found = run("secrets", "--json", *argv).json["secrets"]
        assert [(row["path"], row["commit"] == leak) for row in found] == [("a.txt", True), ("b.txt", False)]
    assert rows(run, "--range", "HEAD~1..HEAD") == []


def test_a_shallow_clone_cannot_tell(checkout: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its history ends early: 3, and not nothing found."""
    git(checkout, "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "-q", "--depth=1", checkout.as_uri(), "shallow")
    monkeypatch.chdir(tmp_path / "shallow")

    assert run("secrets", "--history").code == ExitCode.CANNOT_RUN


def test_a_bare_repository_has_commits_alone(
    checkout: Path, run: Run, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does not have is not clean."""
    (checkout / "a.txt").write_text(f"{key}\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "leak")
    git(tmp_path, "clone", "-q", "--bare", str(checkout), "bare.git")
    monkeypatch.chdir(tmp_path / "bare.git")

    for argv in ([], ["--staged"]):
        done = run("secrets", *argv)
        assert (done.code, "bare repository" in done.err) == (ExitCode.CANNOT_RUN, True)
    for argv in (["--rev", "HEAD"], ["--history"], ["--range", "HEAD~1..HEAD"]):
        assert [row[0] for row in rows(run, *argv)] == ["a.txt"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_text_in_other_encodings(encoding: str, checkout: Path, run: Run, key: str) -> None:
    """UTF-16 has NULs and is no binary file."""
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (checkout / "a.txt").write_bytes(f"{mark}k {key}\n".encode(encoding))

    assert [row[:2] + row[3:] for row in rows(run)] == [("a.txt", 1, "github-token", "block")]


def test_what_is_not_searched_is_said(checkout: Path, run: Run, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A binary file is counted; one that is too large, or no file, makes the answer incomplete."""
    (checkout / "a.bin").write_bytes(b"\0" + key.encode())
    done = run("secrets")
    assert (done.code, "1 binary file was not searched" in done.out) == (ExitCode.OK, True)
    monkeypatch.setattr(limits, "SEARCHED_FILE_BYTES", 20)
    (checkout / "large.txt").write_text(f"{key}\n")
    done = run("secrets")
    assert done.code == ExitCode.CANNOT_RUN
    assert "large.txt" in done.out
    git(checkout, "add", "large.txt")
    assert run("secrets", "--staged", "--format", "sarif").code == ExitCode.CANNOT_RUN
    os.mkfifo(checkout / "pipe")
    assert run("secrets", "pipe").code == ExitCode.CANNOT_RUN
    assert run("secrets", "absent").code == ExitCode.CANNOT_RUN


def test_a_secret_in_a_name_is_found_and_not_shown(checkout: Path, run: Run, key: str) -> None:
    """Neither in the finding of the name nor in those of the text."""
    (checkout / f"of-{key}.txt").write_text(f"password = {fake_value()}\n")

    for form in ("text", "json", "sarif", "github", "gitlab"):
        done = run("secrets", "--format", form)
        assert key[8:] not in done.out + done.err
    assert [row[:2] for row in rows(run)] == [("of-***.txt", None), ("of-***.txt", 1)]


def test_too_much_is_said_to_be_too_much(checkout: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends early fails."""
    monkeypatch.setattr(limits, "LEAKS", 2)
    rng = random.Random(3)
    (checkout / "a.txt").write_text("\n".join(made(GITHUB, rng) for _ in range(5)))

    payload = run("secrets", "--json").json
    assert (payload["secretCount"], payload["cutShort"]) == (2, True)


def test_a_long_text_is_searched_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each secret once, at its place, wherever the pieces end."""
    monkeypatch.setattr(limits, "SEARCHED_CHARS", 400)
    monkeypatch.setattr(limits, "SEARCHED_OVERLAP", 100)
    rng = random.Random(11)
    lines = ["x " * rng.randrange(40) + (made(GITHUB, rng) if n % 3 == 0 else "word") for n in range(60)]
    text = "\n".join(lines)

    found = [(leak.line, leak.column) for leak in secretsearch.search("a", text, Allowance())]

    assert found == [(n + 1, line.index("gh") + 1) for n, line in enumerate(lines) if n % 3 == 0]


@pytest.mark.parametrize(
    "argv",
    [
        ["--stdin", "a.txt"],
        ["--rev", "HEAD", "--staged"],
        ["--range", "HEAD"],
        ["--reason", "x"],
        ["allow", "nothing", "--reason", "x"],
        ["allow", f"github-token/{'0' * 12}"],
        ["allow", f"github-token/{'0' * 12}", "--reason", "x", "--expires", "2020-01-01"],
        ["allow", f"github-token/{'0' * 12}", "--reason", "x", "--expires", "soon"],
        ["allow", f"github-token/{'0' * 12}", "--reason", "a\x1bb"],
        ["--format", "yaml"],
    ],
)
def test_a_wrong_command_line(argv: list[str], checkout: Path, run: Run) -> None:
    """Says so."""
    assert run("secrets", *argv).code == ExitCode.USAGE


# --- No part of it is said ------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_output_has_four_characters_of_a_secret(
    data: st.DataObject, checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of its variable part, for any rule, in any format, of any command that meets it."""
    rule = data.draw(st.sampled_from(rules().rows), label="rule")
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    secret = made(rule, rng)
    # What another one has too is the shape, which is no secret.
    pieces = _pieces(secret) - _pieces(made(rule, rng)) - _pieces(made(rule, rng))
    # A report without it has words of our own.
    without = _said(checkout, "No key.", capfd) + f" {rule.id} {rule.label}"

    said = _said(checkout, f"The key:\n\n{secret}\n", capfd)

    assert not {piece for piece in pieces - OURS if piece in said and piece not in without}


def _said(checkout: Path, text: str, capfd: pytest.CaptureFixture[str]) -> str:
    """All that the commands print that meet a text."""
    (checkout / "a.txt").write_text(text, "utf-8")
    capfd.readouterr()
    said = ""
    for argv in (
        *(["secrets", "--format", form] for form in ("text", "json", "sarif", "github", "gitlab")),
        ["save", "--title", "A title", "--body-file", "a.txt", "--scope", "user"],
    ):
        main(argv)
        out, err = capfd.readouterr()
        said += re.sub("[0-9a-f]{12,}", "", out + err)  # a fingerprint has four digits of anything at times
    return said


def _pieces(text: str) -> set[str]:
    return {word[at : at + 4] for word in re.findall("[A-Za-z0-9]+", text) for at in range(len(word) - 3)}


# Words of our own that a report may have.
OURS = {
    piece
    for path in Path(secretscan.__file__).parent.parent.rglob("*.py")
    for piece in _pieces(path.read_text("utf-8"))
}


# --- What is allowed ------------------------------------------------------------------------------------------


def entry(value: str, rule: str = "assigned-password", days: int = 30) -> str:
    today = datetime.now(UTC).date()
    made_entry = allowlist.Entry(fingerprint(rule, value), "An example", "Tester", today, today + timedelta(days=days))
    return allowlist.to_toml(made_entry)


def test_an_entry_that_is_printed_allows_once_it_is_committed(checkout: Path, run: Run, tmp_path: Path) -> None:
    """Not before, and not from the disk."""
    (checkout / "a.txt").write_text(f'password = "{fake_value()}"\n')
    (found,) = run("secrets", "--json").json["secrets"]
    git(checkout, "config", "user.name", 'Ada "the" Tester')
    done = run("secrets", "allow", found["fingerprint"], "--reason", 'It\'s the "example"')
    (checkout / ".ecc").mkdir()
    (checkout / allowlist.PATH).write_text(done.out)

    assert len(rows(run)) == 1
    git(checkout, "add", ".")
    assert len(rows(run, "--staged")) == 1
    git(checkout, "commit", "-q", "-m", "allow")
    assert rows(run) == []
    assert rows(run, "--rev", "HEAD") == []
    assert len(rows(run, "--range", "HEAD~1..HEAD")) == 1, "a change cannot allow what it brings"
    assert secretscan.scan((checkout / allowlist.PATH).read_text()) == []


def test_an_entry_is_for_one_value_and_one_rule(checkout: Path, run: Run, key: str) -> None:
    """Another value of the same name is found, and so is the value under another rule."""
    (checkout / ".ecc").mkdir()
    (checkout / allowlist.PATH).write_text(entry(fake_value()) + "\n" + entry(key, "assigned-password"))
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "allow")
    (checkout / "a.txt").write_text(f'password = "{fake_value()}"\npassword = "{fake_value()[::-1]}"\n{key}\n')

    assert [row[1] for row in rows(run)] == [2, 3]


VALID = entry("x")


@pytest.mark.parametrize(
    "text",
    [
        "allow = 3",
        "[allow]\n",
        "[[allow]]\n",
        VALID + VALID,
        VALID + "more = 1\n",
        VALID.replace("reason", "why"),
        VALID.replace("An example", " "),
        VALID.replace("An example", "a\\u001bb"),
        VALID.replace("An example", "x" * 300),
        re.sub(r"expires = .*", 'expires = "2099-01-01"', VALID),
        re.sub(r"expires = .*", "expires = 2099-01-01T00:00:00Z", VALID),
        re.sub(r"/[0-9a-f]{12}", "/0", VALID),
        "[[allow]]\nfingerprint = " + "[" * 10_000,
        "\0",
        "# " + "x" * limits.CONFIG_BYTES,
        "\n".join("[[allow]]" for _ in range(limits.ALLOWED_SECRETS + 1)),
    ],
)
def test_a_list_with_a_mistake_allows_nothing(text: str, checkout: Path, run: Run) -> None:
    """And is an error with its place, never a traceback, and shows nothing of its text."""
    (checkout / ".ecc").mkdir()
    (checkout / allowlist.PATH).write_text(text)
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "list")

    done = run("secrets")
    assert done.code == ExitCode.FINDINGS
    assert ".ecc/secret-allow.toml:1: error[secret-allow-invalid]" in done.out
    assert not allowlist.parse(text.encode()).entries


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\xff" * 10])
def test_a_list_that_is_no_text(data: bytes) -> None:
    """Allows nothing."""
    assert allowlist.parse(data).problem


def test_a_link_in_the_place_of_the_list(checkout: Path, run: Run) -> None:
    """Is no list, whatever it leads to."""
    (checkout / ".ecc").mkdir()
    (checkout / "other.toml").write_text(entry(fake_value()))
    (checkout / allowlist.PATH).symlink_to("../other.toml")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "list")
    (checkout / "a.txt").write_text(f'password = "{fake_value()}"\n')

    done = run("secrets")
    assert "error[secret-allow-invalid]" in done.out
    assert "a.txt:1: warning[likely-secret]" in done.out


def test_the_last_day_counts() -> None:
    """And the day after it does not."""
    for text, allowed in ((entry("v", days=0), True), (entry("v", days=-1), False)):
        allowance = Allowance()
        allowance._list = allowlist.parse(text.encode())
        assert allowance.allows("assigned-password", "v") == allowed


def test_fingerprints_are_the_same_everywhere() -> None:
    """Recorded once: a list outlives the program that made it."""
    assert fingerprint("github-token", "value") == RECORDED
    assert fingerprint("gitlab-token", "value").partition("/")[2] != RECORDED.partition("/")[2]


RECORDED = "github-token/5996f19c83e5"
