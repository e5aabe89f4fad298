"""Each rule has an example that breaks it and one that keeps it, built in a real repository and judged at its doors.

What is committed has five: the hook at a commit and at a push, and the doctor of the index, a range and a commit.
"""

import io
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from builders import fake_key, fake_value
from conftest import Run, git
from eccmem import checks, doctor, hook, roots, vault
from eccmem.errors import ExitCode
from eccmem.finding import Rule, Severity
from eccmem.model import DEFAULT_SCOPES
from eccmem.secretscan.fingerprint import fingerprint
from hardship import common_ground, give_away, in_child

EXAMPLES = Path(__file__).parent.parent / "data/rules"
PAGE = Path(__file__).parent.parent.parent / "docs/reference/rules.md"
# What only files on disk, or the machine, can be; every other rule is judged where a commit is.
ON_DISK = {
    *(rule.id for rule in checks.rules_of(["machine"])),
    *("unreadable", "not-a-regular-file", "leftover-temporary-file", "private-memory-not-ignored", "guard-changed"),
    *("guard-missing", "guard-crlf", "guard-not-in-exclude", "user-memory-not-ignored", "likely-secret"),
}
# Only a search for secrets looks at all that these are about.
SEARCHED = {"secret-in-file", "secret-allow-unused"}
OF_COMMITS = [rule for rule in checks.RULES if rule.id not in ON_DISK | SEARCHED]
# Only this checkout has its private memories.
STAGED_ALONE = {"private-memory-copied"}
# The doctor of files on disk sees none of these.
COMMITS_ALONE = {
    *(rule.id for rule in checks.rules_of(["history", "review"])),
    *("submodule-in-vault", "unexpected-file", "likely-secret-committed"),
}
# Two such files cannot lie on every disk, so the example has them in the index.
NO_FILES = {"case-collision"}
# Another user has to look, who cannot reach the folders of a test: it has a test of its own.
AS_NOBODY = "unreadable"
OF_DISK = [rule for rule in checks.RULES if rule.id in ON_DISK and rule.id != AS_NOBODY]
OF_SEARCH = [rule for rule in checks.RULES if rule.id in SEARCHED]
MADE: dict[str, Callable[[], str]] = {
    "a made-up key": fake_key,
    "a made-up value": fake_value,
    "its fingerprint": lambda: fingerprint("assigned-password", fake_value()),
}
_SAID = re.compile(r"^(.+):([0-9]+): (note|warning|error)\[([a-z-]+)\] ", re.MULTILINE)


@dataclass(frozen=True)
class Said:
    """A finding, as whoever stands at the door reads it."""

    rule: str
    severity: str
    place: tuple[str, int]


# --- Building -------------------------------------------------------------------------------------------------


def lay(source: Path, target: Path) -> None:
    """Copy the files of one part of an example, with their real names."""
    for file in sorted(source.rglob("*")):
        if file.is_file():
            parts = [part.replace("dot-", ".", 1) if part.startswith("dot-") else part for part in file.parts]
            place = target.joinpath(*parts[len(source.parts) :])
            place.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text("utf-8")
            for name, made in MADE.items():
                text = text.replace(f"{{{{{name}}}}}", made())
            place.write_text(text, "utf-8")


def symlink(checkout: Path, path: str, target: str) -> None:
    (checkout / path).unlink(missing_ok=True)
    (checkout / path).parent.mkdir(parents=True, exist_ok=True)
    (checkout / path).symlink_to(target)


def pipe(checkout: Path, path: str) -> None:
    (checkout / path).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(checkout / path)


def stage(checkout: Path, path: str, source: str) -> None:
    blob = git(checkout, "hash-object", "-w", source).strip()
    git(checkout, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")


def gitlink(checkout: Path, path: str) -> None:
    head = git(checkout, "rev-parse", "HEAD").strip()
    git(checkout, "update-index", "--add", "--cacheinfo", f"160000,{head},{path}")


def submodule(checkout: Path, path: str) -> None:
    git(checkout, "rm", "-r", "-q", "--cached", path)
    git(checkout / path, "init", "-q")
    git(checkout / path, "add", "-A")
    git(checkout / path, "commit", "-q", "-m", "x")
    git(checkout, "-c", "advice.addEmbeddedRepo=false", "add", path)


def crlf(checkout: Path, path: str) -> None:
    (checkout / path).write_bytes((checkout / path).read_bytes().replace(b"\n", b"\r\n"))


def exclude(checkout: Path, line: str) -> None:
    (checkout / ".git/info").mkdir(exist_ok=True)
    with (checkout / ".git/info/exclude").open("a") as file:
        file.write(f"{line}\n")


# What has to be there when everything is staged, and what comes after it.
BEFORE: dict[str, Callable[..., object]] = {
    "remove": lambda checkout, path: (checkout / path).unlink(),
    "symlink": symlink,
    "exclude": exclude,
}
AFTER: dict[str, Callable[..., object]] = {
    "pipe": pipe,
    "stage": stage,
    "gitlink": gitlink,
    "submodule": submodule,
    "force": lambda checkout, path: git(checkout, "add", "-f", path),
    "crlf": crlf,
    "chmod": lambda checkout, mode, path: (checkout / path).chmod(int(mode, 8)),
    "break-git": lambda checkout: (checkout / ".git/index").write_bytes(b"broken"),
}
# Read by the test itself.
AROUND = {"home", "by-path"}


def steps(example: Path) -> list[list[str]]:
    """The directives of an example; a pattern for ``exclude`` may hold blanks."""
    lines = (example / "steps").read_text("utf-8").splitlines() if (example / "steps").exists() else []
    found = [line.split(" ", 1 if line.startswith("exclude ") else -1) for line in lines]
    assert {step[0] for step in found} <= {*BEFORE, *AFTER, *AROUND}
    return found


def build(example: Path, checkout: Path) -> None:
    """Publish the base of an example, and stage what it changes."""
    if (example / "base").is_dir():
        lay(example / "base", checkout)
        git(checkout, "add", "-A")
        git(checkout, "commit", "-q", "-m", "base")
        git(checkout, "push", "-q")
    lay(example / "change", checkout)
    for table in (BEFORE, AFTER):
        for word, *arguments in steps(example):
            if word in table:
                table[word](checkout, *arguments)
        if table is BEFORE:
            git(checkout, "add", "-A")
    if (example / "worktree").is_dir():
        git(checkout, "worktree", "add", "-q", "-b", "side", str(checkout.parent / "side"))
        lay(example / "worktree", checkout.parent / "side")


def expected(example: Path) -> tuple[str, int]:
    path, _, line = (example / "expect").read_text().strip().rpartition(":")
    return (path, int(line)) if line.isdigit() else ((example / "expect").read_text().strip(), 1)


# --- Doors ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Doors:
    """The ways in which an example is judged; each gives the exit code and what was said."""

    run: Run
    checkout: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def doctor(self, *argv: str) -> tuple[int, list[Said]]:
        done = self.run("doctor", "--format", "json", *argv)
        found = done.json["findings"]
        return done.code, [Said(item["rule"], item["severity"], (item["path"], item["line"])) for item in found]

    def hook(self, *argv: str, data: str = "") -> tuple[int, list[Said]]:
        with self.monkeypatch.context() as patch:
            patch.setenv("GIT_INDEX_FILE", str(self.checkout / ".git/index"))
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data.encode())))
            code = hook.main(["all", *argv])
        said = self.capsys.readouterr().err
        return code, [Said(rule, word, (path, int(line))) for path, line, word, rule in _SAID.findall(said)]

    def on_disk(self, example: Path) -> tuple[int, list[Said]]:
        words = {step[0] for step in steps(example)}
        if "by-path" in words:
            self.monkeypatch.setattr("eccmem.checks.machine.HAS_DESCRIPTORS", False)
        if "home" not in words:
            return self.doctor()
        self.monkeypatch.setenv("HOME", str(self.checkout))
        return self.doctor("--scope", "user")

    def search(self) -> tuple[int, list[Said]]:
        done = self.run("secrets")
        return done.code, [Said(rule, word, (path, int(line))) for path, line, word, rule in _SAID.findall(done.out)]

    def of_commits(self, rule: Rule) -> Iterator[tuple[str, int, list[Said]]]:
        """Where what is staged is judged, then where the same is judged as a commit."""
        yield "hook", *self.hook()
        yield "--staged", *self.doctor("--staged")
        if rule.id in STAGED_ALONE:
            return
        git(self.checkout, "commit", "-q", "-m", "change", "--allow-empty", "--no-verify")
        old, new = git(self.checkout, "rev-parse", "origin/main", "HEAD").split()
        pushed = f"refs/heads/main {new} refs/heads/main {old}\n"
        yield "push", *self.hook("--pre-push", "origin", "../upstream.git", data=pushed)
        yield "--range", *self.doctor("--range", "origin/main..HEAD")
        yield "--rev", *self.doctor("--rev", "HEAD", "--base", "origin/main")


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository and its upstream, with one commit that both have, to be copied."""
    top = tmp_path_factory.mktemp("published")
    git(top, "init", "-q", "--bare", "-b", "main", "--template=", "upstream.git")
    git(top, "init", "-q", "-b", "main", "--template=", "repo")
    (top / "repo/README.md").write_text("# A repository\n")
    git(top / "repo", "add", "README.md")
    git(top / "repo", "commit", "-q", "-m", "first")
    git(top / "repo", "remote", "add", "origin", "../upstream.git")
    git(top / "repo", "push", "-q", "-u", "origin", "main")
    return top


@pytest.fixture
def doors(
    published: Path,
    tmp_path: Path,
    home: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Doors:
    shutil.copytree(published, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path / "repo")
    return Doors(run, tmp_path / "repo", monkeypatch, capsys)


def assert_broken(rule: Rule, code: int, found: list[Said], door: str = "") -> None:
    assert Said(rule.id, rule.severity.word, expected(EXAMPLES / rule.id / "fail")) in found, door
    assert (code != ExitCode.OK) == (rule.severity is Severity.ERROR), door


def assert_kept(rule: Rule, code: int, found: list[Said], door: str = "") -> None:
    assert [item for item in found if item.rule == rule.id] == [], door
    assert (code, [item for item in found if item.severity == "error"]) == (ExitCode.OK, []), door


# --- Tests ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", OF_COMMITS, ids=lambda rule: rule.id)
def test_what_breaks_a_rule_of_commits_is_found_at_every_door(rule: Rule, doors: Doors) -> None:
    """At its place; an error stops it, and a warning or a note alone does not."""
    build(EXAMPLES / rule.id / "fail", doors.checkout)

    is_on_disk = rule.id not in COMMITS_ALONE | STAGED_ALONE | NO_FILES
    assert (rule.id in {item.rule for item in doors.doctor()[1]}) == is_on_disk
    for door, code, found in doors.of_commits(rule):
        assert_broken(rule, code, found, door)


@pytest.mark.parametrize("rule", OF_COMMITS, ids=lambda rule: rule.id)
def test_what_keeps_a_rule_of_commits_passes_every_door(rule: Rule, doors: Doors) -> None:
    """And nothing else about it is an error."""
    build(EXAMPLES / rule.id / "pass", doors.checkout)

    for door, code, found in doors.of_commits(rule):
        assert_kept(rule, code, found, door)


@pytest.mark.parametrize("rule", OF_DISK, ids=lambda rule: rule.id)
def test_what_breaks_a_rule_of_the_disk_is_found(rule: Rule, doors: Doors) -> None:
    """By the doctor."""
    build(EXAMPLES / rule.id / "fail", doors.checkout)

    assert_broken(rule, *doors.on_disk(EXAMPLES / rule.id / "fail"))


@pytest.mark.parametrize("rule", OF_DISK, ids=lambda rule: rule.id)
def test_what_keeps_a_rule_of_the_disk_passes(rule: Rule, doors: Doors) -> None:
    """And nothing else about it is an error."""
    build(EXAMPLES / rule.id / "pass", doors.checkout)

    assert_kept(rule, *doors.on_disk(EXAMPLES / rule.id / "pass"))


@pytest.mark.parametrize("rule", OF_SEARCH, ids=lambda rule: rule.id)
def test_what_breaks_a_rule_of_a_search_is_found(rule: Rule, doors: Doors) -> None:
    """By `eccmem secrets`."""
    build(EXAMPLES / rule.id / "fail", doors.checkout)

    assert_broken(rule, *doors.search())


@pytest.mark.parametrize("rule", OF_SEARCH, ids=lambda rule: rule.id)
def test_what_keeps_a_rule_of_a_search_passes(rule: Rule, doors: Doors) -> None:
    """And nothing else about it is an error."""
    build(EXAMPLES / rule.id / "pass", doors.checkout)

    assert_kept(rule, *doors.search())


@pytest.mark.parametrize("kind", ["fail", "pass"])
def test_a_folder_that_cannot_be_read(kind: str) -> None:
    """Seen by a user without privileges: root may read anything."""
    example = EXAMPLES / AS_NOBODY / kind
    with common_ground() as folder:
        lay(example / "change", folder)
        give_away(folder)
        for word, *arguments in steps(example):
            AFTER[word](folder, *arguments)
        places = roots.resolve(folder, {}, None)

        report = in_child(
            lambda: doctor.examine(vault.worktree(places, DEFAULT_SCOPES), places, os.environ), unprivileged=True
        )

    found = [(item.rule.id, (item.path, item.line)) for item in report.findings]
    assert found == ([(AS_NOBODY, expected(example))] if kind == "fail" else [])
    assert report.exit_code() == (ExitCode.CANNOT_RUN if kind == "fail" else ExitCode.OK)


def test_every_rule_has_its_examples() -> None:
    """Both, and no folder is for a rule that is gone."""
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}

    assert folders == {rule.id for rule in checks.RULES}
    for rule in checks.RULES:
        assert (EXAMPLES / rule.id / "fail").is_dir()
        assert (EXAMPLES / rule.id / "pass").is_dir()


def test_examples_hold_what_their_page_says() -> None:
    """So that whoever adds one finds every part and every directive there, and no part is silently unused."""
    page = (EXAMPLES / "README.md").read_text("utf-8")
    parts = {item.name for example in EXAMPLES.glob("*/*") for item in example.iterdir()}

    assert parts <= {name.rstrip("/") for name in re.findall(r"^\| `([a-z]+/?)` \|", page, flags=re.MULTILINE)}
    assert set(re.findall(r"^\| `([a-z-]+)(?: [A-Z ]+)?` \|", page, flags=re.MULTILINE)) - {"steps", "expect"} == {
        *BEFORE,
        *AFTER,
        *AROUND,
    }


def test_our_own_repository_can_be_checked_out_everywhere() -> None:
    """No name starts with a dot, which our hook would take for a vault, and none differs from another only in case."""
    paths = [str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*")]

    assert [path for path in paths if "/." in f"/{path}"] == []
    assert len({path.casefold() for path in paths}) == len(paths)
    assert all(re.fullmatch(r"[A-Za-z0-9._/-]+", path) for path in paths)


def test_the_page_says_which_rules_a_word_of_the_hook_has() -> None:
    """As the program has it."""
    table = dict(re.findall(r"^\| `([a-z]+)` \| (.*) \|$", PAGE.read_text("utf-8"), flags=re.MULTILINE))

    assert set(table) == set(hook.CHECKS) - {"all"}
    for word, rules in table.items():
        assert set(re.findall(r"`([a-z-]+)`", rules)) == {rule.id for rule in checks.rules_of(hook.CHECKS[word])}
    assert checks.rules_of(hook.CHECKS["all"]) == {
        rule for word in table for rule in checks.rules_of(hook.CHECKS[word])
    }


def test_the_page_says_where_a_rule_is_judged() -> None:
    """As the examples prove."""
    rows = re.findall(
        r"^\| (?:files on disk|what is staged).* \| (`.*`) \|$", PAGE.read_text("utf-8"), flags=re.MULTILINE
    )

    assert [set(re.findall(r"`([a-z-]+)`", row)) for row in rows] == [ON_DISK, COMMITS_ALONE, STAGED_ALONE]
