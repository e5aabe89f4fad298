"""What of a state is said, and what is not: nothing of what a change does not touch, and never less than it does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import git
from eccmem import judgement, limits, repo, revisions
from eccmem.document import serialize
from eccmem.finding import by_place
from eccmem.gate import Gate
from eccmem.judgement import State
from eccmem.model import Kind, Memory, Scope, Status
from eccmem.report import Report

TEAM = ".ecc/memory/team"
LARGE = b"x\n" * limits.DOCUMENT_BYTES


def team(memory_id: str = "mem_one", **changes: object) -> Memory:
    return memory(memory_id, scope=Scope.TEAM, **changes)


def commit(checkout: Path) -> str:
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
    return git(checkout, "rev-parse", "HEAD").strip()


@pytest.fixture
def base(checkout: Path) -> str:
    """A commit with one memory, which counts as published."""
    put(checkout, team(body="Published."))
    return commit(checkout)


def ranged(checkout: Path, start: str, tip: str = "HEAD", **more: object) -> Report:
    return Gate(repo=repo.locate(checkout, os.environ), **more).ranged(start, tip)


def rules(report: Report) -> list[str]:
    return [finding.rule.id for finding in report.findings]


def places(report: Report) -> list[tuple[str, str]]:
    return [(finding.rule.id, finding.path.removeprefix(f"{TEAM}/notes/")) for finding in report.findings]


def lay(checkout: Path, name: str, data: bytes) -> Path:
    place = checkout / TEAM / "notes" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return place


# --- What became of a published memory ------------------------------------------------------------------------


def test_a_file_may_get_the_name_that_its_memory_has(checkout: Path) -> None:
    """What it says stays; together with a change of what it says it is one."""
    place = lay(checkout, "odd.md", serialize(team()))
    base = commit(checkout)
    place.rename(place.with_name("mem_one.md"))
    commit(checkout)
    assert rules(ranged(checkout, base)) == []

    put(checkout, team(body="Something else."))
    commit(checkout)
    assert places(ranged(checkout, base)) == [("memory-modified", "mem_one.md")]


@pytest.mark.parametrize(
    "where", [".ecc/memory/team/facts", "pkg/.ecc/memory/team/notes", "docs", ".ECC/memory/team/notes"]
)
def test_a_memory_that_moves_out_of_its_place_is_gone(where: str, checkout: Path, base: str) -> None:
    """To another kind, another vault, or none."""
    old = checkout / TEAM / "notes/mem_one.md"
    new = checkout / where / "mem_one.md"
    new.parent.mkdir(parents=True)
    old.rename(new)
    commit(checkout)

    assert ("memory-deleted", "mem_one.md") in places(ranged(checkout, base))


def test_a_memory_that_becomes_something_else_in_its_place(checkout: Path, base: str) -> None:
    """A folder, a link, a file that is no memory, the memory of another."""
    place = checkout / TEAM / "notes/mem_one.md"
    expected = {
        "folder": "memory-deleted",
        "link": "memory-modified",
        "file": "memory-modified",
        "other": "memory-modified",
    }
    for kind, rule in expected.items():
        place.unlink()
        if kind == "folder":
            lay(checkout, "mem_one.md/mem_two.md", serialize(team("mem_two")))
        elif kind == "link":
            place.symlink_to("README.md")
        else:
            place.write_bytes(b"no memory" if kind == "file" else serialize(team("mem_two", body="Published.")))
        tip = commit(checkout)
        assert rule in rules(ranged(checkout, base, tip)), kind
        git(checkout, "reset", "-q", "--hard", base)


def test_several_changes_of_one_memory_are_each_told(checkout: Path, base: str) -> None:
    """And never what it said or says."""
    put(checkout, team(body="Something else.", title="Another title", tags=("new",), status=Status.REJECTED))
    commit(checkout)

    (found,) = ranged(checkout, base).findings

    assert found.message == "the published memory mem_one changes its title, tags, body"


def test_a_commit_that_brings_a_changed_memory_back_is_fine(checkout: Path, base: str) -> None:
    """Together they change nothing."""
    put(checkout, team(body="Something else."))
    commit(checkout)
    put(checkout, team(body="Published."))
    commit(checkout)

    assert rules(ranged(checkout, base)) == []


def test_memories_of_several_vaults_are_told_apart(checkout: Path, base: str) -> None:
    """The same id is deleted in one and stays in another."""
    other = put(checkout / "pkg", team(body="Published."))
    base = commit(checkout)
    other.unlink()
    commit(checkout)

    found = ranged(checkout, base).findings

    assert [(item.rule.id, item.path) for item in found] == [("memory-deleted", f"pkg/{TEAM}/notes/mem_one.md")]


# --- What a change touches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["aaa.md", "zzz.md"])
def test_an_id_that_is_there_already_is_told_at_the_new_file(name: str, checkout: Path, base: str) -> None:
    """Whichever of them comes first, and though the other is untouched."""
    lay(checkout, name, serialize(team(body="Another.")))
    commit(checkout)

    assert ("duplicate-id", name) in places(ranged(checkout, base))
    assert ("duplicate-id", "mem_one.md") not in places(ranged(checkout, base))


def test_a_link_to_what_is_deleted_is_told_where_it_is(checkout: Path, base: str) -> None:
    """In an untouched memory; a link that led nowhere before is not this change's doing."""
    put(checkout, team("mem_two", links=("mem_one", "mem_nowhere")))
    base = commit(checkout)
    (checkout / TEAM / "notes/mem_one.md").unlink()
    commit(checkout)

    assert places(ranged(checkout, base)) == [("memory-deleted", "mem_one.md"), ("broken-link", "mem_two.md")]


def test_old_problems_come_with_rules_only_where_they_are_touched(checkout: Path) -> None:
    lay(checkout, "bad.md", b"bad")
    lay(checkout, "worse.md", b"worse")
    base = commit(checkout)
    lay(checkout, "worse.md", b"even worse")
    commit(checkout)

    assert places(ranged(checkout, base)) == [("malformed-memory", "worse.md")]


# --- Secrets --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mem_big.md", "big.txt"])
@pytest.mark.parametrize("removed", [False, True])
def test_a_file_that_is_too_large_to_be_searched_for_secrets_is_not_passed_over(
    name: str, removed: bool, checkout: Path, base: str
) -> None:
    """It is published all the same, by the commit that brings it; what cannot be judged is never nothing."""
    lay(checkout, name, LARGE + fake_key().encode())
    commit(checkout)
    if removed:
        (checkout / TEAM / "notes" / name).unlink()
        commit(checkout)

    report = ranged(checkout, base)

    assert report.exit_code() != 0, report.findings


def test_a_secret_that_a_merge_alone_brings(checkout: Path, base: str) -> None:
    """And a later commit takes away."""
    git(checkout, "switch", "-q", "-c", "side")
    (checkout / "other").write_text("x")
    commit(checkout)
    git(checkout, "switch", "-q", "main")
    (checkout / "more").write_text("x")
    commit(checkout)
    git(checkout, "merge", "-q", "--no-commit", "side")
    leak = lay(checkout, "x.txt", fake_key().encode())
    commit(checkout)
    leak.unlink()
    commit(checkout)

    assert places(ranged(checkout, base)) == [("secret-in-memory", "x.txt")]


def test_a_secret_in_a_range_is_told_whatever_counts_as_published(checkout: Path, base: str) -> None:
    """``--base`` says what may not be changed, and takes no commit out of the range."""
    lay(checkout, "x.txt", fake_key().encode())
    tip = commit(checkout)

    assert "secret-in-memory" in rules(ranged(checkout, base, base=tip))


def test_a_secret_is_told_once_though_two_commits_bring_it(checkout: Path, base: str) -> None:
    """The same content at the same path; at another path it is another finding."""
    for name in ("x.txt", "x.txt", "y.txt"):
        place = lay(checkout, name, fake_key().encode())
        commit(checkout)
        place.unlink()
        commit(checkout)

    found = places(ranged(checkout, base))
    assert sorted(set(found)) == [("secret-in-memory", "x.txt"), ("secret-in-memory", "y.txt")]


def test_no_message_has_text_of_a_file(checkout: Path, base: str) -> None:
    """Of a broken memory, a secret, a changed memory, a forged front matter."""
    word = "zebra"
    lay(checkout, "bad.md", f"---\n{word}: {word}\n---\n{word}".encode())
    lay(checkout, "bad2.md", serialize(team("mem_bad")).replace(b"kind: note", f"kind: {word}".encode()))
    lay(checkout, "leak.md", f"{fake_key()} {word}".encode())
    put(checkout, team(body=word, title=word, tags=(word,)))
    commit(checkout)

    found = ranged(checkout, base).findings

    assert len({item.path for item in found}) == 4
    assert word not in str([(item.message, item.remedy) for item in found])
    assert fake_key() not in str(found)


# --- The state itself -----------------------------------------------------------------------------------------


def test_an_empty_state_is_fine(checkout: Path) -> None:
    """Nothing judged, nothing wrong, and no Git needed."""
    report = judgement.judge(repo.Repo(checkout, {"PATH": "/nonexistent"}), State(entries=()))

    assert (report.findings, report.ok) == ((), True)


def test_all_entries_are_asked_for_only_where_names_do_not_suffice(checkout: Path, base: str) -> None:
    """They cost a look at the whole index."""
    put(checkout, team("mem_two"))
    tip = commit(checkout)
    repository = repo.locate(checkout, os.environ)
    entries = tuple(entry for entry in revisions.tree(repository, tip) if entry.path.startswith(TEAM))
    new = tuple(entry for entry in entries if entry.path.endswith("mem_two.md"))
    asked = []

    def complete() -> tuple:
        asked.append(True)
        return entries

    touched = frozenset(entry.path for entry in new)
    judgement.judge(repository, State(entries=new, touched=touched, ids=frozenset({"mem_one"})), complete)
    assert asked == []
    report = judgement.judge(repository, State(entries=new, touched=touched, ids=frozenset({"mem_two"})), complete)
    assert asked == [True]
    assert rules(report) == []


def test_the_order_of_findings_is_that_of_places(checkout: Path, base: str) -> None:
    for name in ("b.md", "a.md", "c/d.md"):
        lay(checkout, name, b"bad")
    commit(checkout)

    found = ranged(checkout, base).findings

    assert found == by_place(found)


def test_two_processes_print_the_same_bytes(checkout: Path, base: str) -> None:
    """However Python hashes its words."""
    for number in range(30):
        lay(checkout, f"mem_{number}.md", serialize(team("mem_one", body=f"{number}", links=(f"mem_no_{number}",))))
        lay(checkout, f"{number}.txt", fake_key().encode())
    commit(checkout)
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "eccmem", "doctor", "--range", f"{base}..HEAD", "--json"],
            cwd=checkout,
            env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(Path(repo.__file__).parent.parent)},
            capture_output=True,
            check=False,
        ).stdout
        for seed in (1, 2, 3)
    }

    assert len(outputs) == 1
    assert b"duplicate-id" in outputs.pop()


# The kernel's own peak of this program: ru_maxrss is inherited through fork and exec,
# so it told the size of a test process that had run long enough.
MEASURE = """
import re, sys
from pathlib import Path
from eccmem.cli import main
code = main(["doctor", "--range", sys.argv[1]])
print(code, int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a program's own peak")
def test_a_range_of_five_thousand_memories_needs_little_memory(checkout: Path) -> None:
    """Each is read once, and its text is given up."""
    base = git(checkout, "rev-parse", "HEAD").strip()
    stream = [b"commit refs/heads/many\ncommitter T <t@example.invalid> 1700000000 +0000\ndata 1\nx\n"]
    stream.append(f"from {base}\n".encode())
    for number in range(5000):
        data = serialize(team(f"mem_{number:05d}", body=f"{'word ' * 500}{number}"))
        stream.append(f"M 100644 inline {TEAM}/notes/mem_{number:05d}.md\ndata {len(data)}\n".encode() + data + b"\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=checkout, input=b"".join(stream), check=True)

    done = subprocess.run(
        [sys.executable, "-c", MEASURE, f"{base}..many"], cwd=checkout, capture_output=True, text=True, check=True
    )

    code, megabytes = done.stdout.splitlines()[-1].split()
    assert (code, int(megabytes) < 150) == ("0", True), done.stdout


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_is_judged_in_its_folder(kind: Kind, checkout: Path, base: str) -> None:
    put(checkout, team("mem_two", kind=kind))
    commit(checkout)

    assert rules(ranged(checkout, base)) == []
