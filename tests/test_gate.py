"""What is judged and against what, where the scenarios of ``test_matrix`` do not tell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import git
from eccmem import guard, limits, published, repo, roots, vault
from eccmem.document import serialize
from eccmem.errors import EccmemError
from eccmem.gate import Gate
from eccmem.model import Kind, Memory, Scope, Status
from eccmem.published import Push
from eccmem.report import Report

TEAM = ".ecc/memory/team"


def team(memory_id: str = "mem_one", **changes: object) -> Memory:
    return memory(memory_id, scope=Scope.TEAM, **changes)


@pytest.fixture
def upstream(checkout: Path) -> Path:
    """A checkout whose main is published with one team memory."""
    git(checkout.parent, "init", "-q", "--bare", "-b", "main", "up.git")
    put(checkout, team(body="Published."))
    commit(checkout, "base")
    git(checkout, "remote", "add", "origin", "../up.git")
    git(checkout, "push", "-q", "-u", "origin", "main")
    return checkout


def commit(checkout: Path, message: str = "x") -> str:
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "--allow-empty", "-m", message)
    return git(checkout, "rev-parse", "HEAD").strip()


def gate(checkout: Path, **more: object) -> Gate:
    return Gate(repo=repo.locate(checkout, os.environ), **more)


def staged(checkout: Path, env: dict | None = None, *, whole: bool = False, **more: object) -> Report | None:
    git(checkout, "add", "-A")
    private = roots.resolve(checkout, {}, None).project
    return gate(checkout, **more).staged(env or {}, private, whole=whole)


def rules(report: Report | None) -> list[str]:
    return [finding.rule.id for finding in report.findings] if report else []


# --- The index ------------------------------------------------------------------------------------------------


def test_a_change_without_a_vault_is_none_of_ours(upstream: Path) -> None:
    (upstream / "x.py").write_text("x = 1\n")

    assert staged(upstream) is None
    assert staged(upstream, whole=True) is not None


def test_only_what_is_touched_is_reported_unless_all_is_asked_for(upstream: Path) -> None:
    """A legacy problem stops nobody else's commit; a person who asks sees it."""
    (upstream / TEAM / "notes/bad.md").write_text("bad")
    commit(upstream)
    put(upstream, team("mem_two"))

    assert rules(staged(upstream)) == []
    assert rules(staged(upstream, whole=True)) == ["malformed-memory"]


def test_what_a_merged_branch_did_is_not_this_commit_s_doing(upstream: Path) -> None:
    """Git names the other parents in MERGE_HEAD, and in variables while it merges without a conflict.

    What nobody else has yet is the doing of whoever merges it.
    """
    git(upstream, "remote", "set-head", "origin", "main")
    git(upstream, "switch", "-q", "-c", "topic")
    commit(upstream, "topic")
    git(upstream, "push", "-q", "-u", "origin", "topic")
    git(upstream, "switch", "-q", "main")
    put(upstream, team(body="Changed by whoever may."))
    other = commit(upstream, "changed")
    git(upstream, "switch", "-q", "topic")
    git(upstream, "merge", "-q", "--no-commit", "main")

    assert rules(staged(upstream)) == ["memory-modified"]
    git(upstream, "push", "-q", "origin", "main")
    assert rules(staged(upstream)) == []
    (upstream / ".git/MERGE_HEAD").unlink()
    assert rules(staged(upstream, {f"GITHEAD_{other}": "main"})) == []
    assert rules(staged(upstream)) == ["memory-modified"]


@pytest.mark.parametrize("old", Status)
@pytest.mark.parametrize("new", Status)
def test_a_status_goes_one_way(old: Status, new: Status, upstream: Path) -> None:
    """From active to superseded or rejected, once."""
    put(upstream, team(body="Published.", status=old))
    commit(upstream)
    git(upstream, "push", "-q")
    put(upstream, team(body="Published.", status=new, updated_at="2026-08-01T00:00:00.000Z"))

    wrong = [] if old in (Status.ACTIVE, new) else ["status-reopened" if new is Status.ACTIVE else "memory-modified"]
    assert rules(staged(upstream)) == wrong


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "Another"),
        ("tags", ("x",)),
        ("source_harness", "claude"),
        ("target_harnesses", ("codex",)),
        ("created_at", "2026-01-01T00:00:00.000Z"),
        ("body", "Another."),
    ],
)
def test_every_other_field_stays(field: str, value: object, upstream: Path) -> None:
    """And the message names it, without a value."""
    put(upstream, team(**{"body": "Published.", field: value}))

    report = staged(upstream)

    assert rules(report) == ["memory-modified"]
    assert report.findings[0].message.endswith(f"changes its {field}")


def test_line_ends_say_nothing(upstream: Path) -> None:
    """`git add --renormalize` is no change of what was said."""
    path = upstream / TEAM / "notes/mem_one.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    git(upstream, "config", "core.autocrlf", "false")

    assert rules(staged(upstream)) == []


def test_a_quarantined_memory_may_be_mended(upstream: Path) -> None:
    """It was never one that others could rely on."""
    put(upstream, team("mem_leak", body=f"The key is {fake_key()}."))
    commit(upstream)
    git(upstream, "push", "-q")
    put(upstream, team("mem_leak", body="The key is kept elsewhere."))

    assert rules(staged(upstream)) == []


def test_taking_away_what_untouched_memories_link_to(upstream: Path) -> None:
    """Reported at those that link, though the change does not touch them; unpublished, so nothing else is wrong."""
    put(upstream, team("mem_two"))
    put(upstream, team("mem_three", links=("mem_two",)))
    commit(upstream)
    (upstream / TEAM / "notes/mem_two.md").unlink()

    report = staged(upstream)

    assert [(f.rule.id, f.path) for f in report.findings] == [("broken-link", f"{TEAM}/notes/mem_three.md")]


def test_names_are_not_taken_for_ids_when_it_matters(upstream: Path) -> None:
    """A memory under another name: a link to its id leads somewhere, and its id is taken."""
    put(upstream, team("mem_hidden"), "mem_other.md")
    commit(upstream)
    put(upstream, team("mem_two", links=("mem_hidden",)))
    assert rules(staged(upstream)) == []

    put(upstream, team("mem_hidden", kind=Kind.FACT))
    assert "duplicate-id" not in rules(staged(upstream))  # the documented limit of the hook: CI reads every file
    tip = commit(upstream)
    assert "duplicate-id" in rules(gate(upstream).ranged("origin/main", tip))


def test_a_superseded_memory_that_is_untouched_and_still_active(upstream: Path) -> None:
    """A warning at the old one, with the command."""
    put(upstream, team("mem_two", links=("mem_one",), body="New.\n\nSupersedes: mem_one"))

    report = staged(upstream)

    assert [(f.rule.id, f.path) for f in report.findings] == [("supersession-not-applied", f"{TEAM}/notes/mem_one.md")]


def test_an_id_that_the_base_branch_got_meanwhile(upstream: Path) -> None:
    """Two branches that add the same id, each fine alone."""
    git(upstream, "switch", "-q", "-c", "topic", "--track", "origin/main")
    git(upstream, "switch", "-q", "main")
    put(upstream, team("mem_same", kind=Kind.FACT))
    commit(upstream)
    git(upstream, "push", "-q")
    git(upstream, "switch", "-q", "topic")
    put(upstream, team("mem_same"))

    assert rules(staged(upstream)) == ["duplicate-id"]
    tip = commit(upstream)
    assert rules(gate(upstream).ranged("main", tip)) == ["duplicate-id"]


def test_a_secret_where_no_memory_is(upstream: Path) -> None:
    """In a malformed memory, a file of another kind, a link record."""
    for name in ("notes/bad.md", "notes/data.txt", ".links/one.json"):
        place = upstream / TEAM / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"first\n{fake_key()}\n")

    report = staged(upstream)

    found = [(f.path, f.line) for f in report.findings if f.rule.id == "secret-in-memory"]
    assert found == [(f"{TEAM}/{name}", 2) for name in (".links/one.json", "notes/bad.md", "notes/data.txt")]
    assert fake_key() not in str(report.findings)


def test_a_large_file_is_not_read_and_is_a_finding(upstream: Path) -> None:
    """Others after it are judged all the same."""
    (upstream / TEAM / "notes/aaa.md").write_bytes(b"x" * (limits.DOCUMENT_BYTES + 1))
    (upstream / TEAM / "notes/zzz.md").write_text("bad")

    assert rules(staged(upstream)) == ["malformed-memory", "malformed-memory"]


def test_two_vaults_are_two(upstream: Path) -> None:
    """An id in one says nothing about the other."""
    for top in (upstream / "a", upstream / "b"):
        put(top, team("mem_same"))

    assert rules(staged(upstream)) == []


@pytest.mark.parametrize("moved", ["shared/vault/", ""])
def test_a_moved_vault(moved: str, upstream: Path) -> None:
    """Where an override puts it, also at the top of the repository."""
    for scope in ("project", "team"):
        place = upstream / moved / scope / "notes/mem_xyz.md"
        place.parent.mkdir(parents=True)
        place.write_bytes(serialize(memory("mem_xyz", scope=Scope(scope), links=("mem_nowhere",))))

    assert rules(staged(upstream, moved=moved)) == ["private-memory-tracked", "broken-link"]


def test_a_base_that_is_named(upstream: Path) -> None:
    """A memory that is pushed to one's own branch only may be changed in review."""
    git(upstream, "switch", "-q", "-c", "topic")
    put(upstream, team("mem_two", body="First."))
    commit(upstream)
    git(upstream, "push", "-q", "-u", "origin", "topic")
    put(upstream, team("mem_two", body="Second."))

    assert rules(staged(upstream)) == ["memory-modified"]
    assert rules(staged(upstream, base="origin/main")) == []
    with pytest.raises(EccmemError, match="no commit of that name"):
        staged(upstream, base="--output=x")


def test_without_a_commit_or_a_remote(checkout: Path, tmp_path: Path) -> None:
    """The first commit, and then all that is committed counts as published."""
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q", "-b", "main")
    put(fresh, team())
    assert rules(staged(fresh)) == []
    commit(fresh)
    put(fresh, team(body="Changed."))
    assert rules(staged(fresh)) == ["memory-modified"]


def test_a_head_that_cannot_be_read_is_no_first_commit(upstream: Path) -> None:
    """All would look new, and nothing changed."""
    (upstream / ".git/refs/heads/main").write_text("1" * 40 + "\n")

    with pytest.raises(EccmemError):
        staged(upstream)


def test_options_of_git_that_are_exported_change_nothing(upstream: Path, monkeypatch) -> None:
    """`git --literal-pathspecs push` exports them to the hook; our patterns would match nothing."""
    base = git(upstream, "rev-parse", "HEAD").strip()
    put(upstream, team("mem_leak", body=f"The key is {fake_key()}."))
    commit(upstream)
    (upstream / TEAM / "notes/mem_leak.md").unlink()
    tip = commit(upstream)
    for name in ("GIT_LITERAL_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NOGLOB_PATHSPECS"):
        monkeypatch.setenv(name, "1")
        assert rules(gate(upstream).ranged(base, tip)) == ["secret-in-memory"]
        monkeypatch.delenv(name)


def test_a_replaced_commit_is_judged_as_it_is_pushed(upstream: Path) -> None:
    """`git replace` shows another commit here, and nowhere else."""
    base = git(upstream, "rev-parse", "HEAD").strip()
    (upstream / TEAM / "notes/bad.md").write_text("bad")
    bad = commit(upstream)
    git(upstream, "replace", bad, base)

    assert rules(gate(upstream).ranged(base, bad)) == ["malformed-memory"]


# --- Commits --------------------------------------------------------------------------------------------------


def test_a_clean_commit_reads_as_the_working_tree(upstream: Path, home: Path) -> None:
    """The same memories, the same broken files, the same skipped ones, by two doors."""
    put(upstream, team("mem_odd"), "odd.md")
    (upstream / TEAM / "notes/mem_wrong.md").write_bytes(serialize(team("mem_wrong", kind=Kind.LESSON)))
    (upstream / TEAM / "facts").mkdir()
    (upstream / TEAM / "facts/bad.md").write_text("bad")
    (upstream / TEAM / "facts/link.md").symlink_to("bad.md")
    put(upstream, team("mem_leak", body=f"The key is {fake_key()}."))
    (upstream / TEAM / "notes/deep/er").mkdir(parents=True)
    (upstream / TEAM / "notes/deep/er/mem_deep.md").write_bytes(serialize(team("mem_deep")))
    tip = commit(upstream)

    ours = gate(upstream).revision(tip).snapshot
    disk = vault.worktree(roots.resolve(upstream, {}, home), [Scope.TEAM])

    assert {s.place.shown: s.memory for s in ours.stored} == {s.place.shown: s.memory for s in disk.stored}
    assert {(b.place.shown, b.code) for b in ours.broken} == {(b.place.shown, b.code) for b in disk.broken}
    assert {(s.path, s.reason) for s in ours.skipped} == {(s.path, s.reason) for s in disk.skipped}
    assert ours.scanned_bytes == disk.scanned_bytes


def test_two_runs_give_the_same(upstream: Path) -> None:
    for number in range(20):
        (upstream / TEAM / f"notes/bad{number}.md").write_text("bad")
    tip = commit(upstream)

    assert gate(upstream).revision(tip).findings == gate(upstream).revision(tip).findings


def test_a_push_that_brings_the_branch_of_everybody(upstream: Path) -> None:
    """What was merged from there is not this push's doing, whatever it is."""
    git(upstream, "remote", "set-head", "origin", "main")
    git(upstream, "switch", "-q", "-c", "topic")
    commit(upstream)
    git(upstream, "push", "-q", "-u", "origin", "topic")
    known = git(upstream, "rev-parse", "HEAD").strip()
    git(upstream, "switch", "-q", "main")
    put(upstream, team(body="Changed by whoever may."))
    commit(upstream)
    git(upstream, "push", "-q")
    git(upstream, "switch", "-q", "topic")
    git(upstream, "merge", "-q", "-m", "merge", "main")
    tip = git(upstream, "rev-parse", "HEAD").strip()

    assert rules(gate(upstream).pushed([Push(tip, (known,))], "origin")) == []
    put(upstream, team(body="Changed by me."))
    tip = commit(upstream)
    assert rules(gate(upstream).pushed([Push(tip, (known,))], "origin")) == ["memory-modified"]


def test_what_a_push_says(upstream: Path) -> None:
    """Deletions publish nothing; garbage and what is no commit cannot be judged."""
    repository = repo.locate(upstream, os.environ)
    head, none = git(upstream, "rev-parse", "HEAD").strip(), "0" * 40
    tree = git(upstream, "rev-parse", "HEAD^{tree}").strip()

    def read(line: str) -> list[Push]:
        return list(published.read_pushes(repository, os.fsencode(line), "origin"))

    for nothing in ("", f"(delete) {none} refs/heads/x {head}\n"):
        assert read(nothing) == []
    for local in ("x", "HEAD^{/a message}", "refs/heads/a\u2028b\u3000c"):
        assert read(f"{local} {head} refs/heads/x {none}\n") == [Push(head)]
    assert read(f"x {head} refs/heads/a\u2028b\u3000{none} {none}\n") == [Push(head)]
    assert read(f"x {head} refs/heads/x\xff {head}\n") == [Push(head, (head,))]
    assert read(f"x {head} refs/heads/main {none}\n") == [Push(head, (head,))]  # as it was last seen there
    for line in ("x", "a b c d e", f"x {tree} refs/tags/t {none}", f"x --output=x refs/x {none}", f"x {head} {none}"):
        with pytest.raises(EccmemError):
            read(f"{line}\n")
    with pytest.raises(EccmemError, match="replaces a commit that is not in this repository"):
        read(f"x {head} refs/heads/x {'1' * 40}\n")


def test_a_partial_clone_without_its_remote_cannot_be_judged(upstream: Path, tmp_path: Path) -> None:
    """Never silence."""
    git(tmp_path / "up.git", "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{tmp_path}/up.git", "partial")
    (tmp_path / "up.git").rename(tmp_path / "gone.git")

    with pytest.raises(EccmemError) as caught:
        gate(tmp_path / "partial").revision("HEAD")
    assert caught.value.slug in {"object-missing", "git-failed"}


def test_a_path_that_a_tree_has_twice(upstream: Path) -> None:
    """Git makes no such tree; both contents are judged."""
    good = git(upstream, "rev-parse", f"HEAD:{TEAM}/notes/mem_one.md").strip()
    (upstream / "bad").write_text("bad")
    bad = git(upstream, "hash-object", "-w", "bad").strip()
    oid = None
    raw = b"".join(b"100644 mem_one.md\0" + bytes.fromhex(blob) for blob in (good, bad))
    for name in ("notes", "team", "memory", ".ecc", ""):
        done = subprocess.run(
            ["git", "hash-object", "-t", "tree", "--literally", "-w", "--stdin"],
            cwd=upstream,
            input=raw,
            check=True,
            capture_output=True,
        )
        oid = done.stdout.decode().strip()
        raw = b"40000 " + name.encode() + b"\0" + bytes.fromhex(oid)
    tip = git(upstream, "commit-tree", "-p", "HEAD", "-m", "x", oid).strip()

    assert "malformed-memory" in rules(gate(upstream).revision(tip))


def test_a_merge_is_judged_by_what_it_changes(upstream: Path, tmp_path: Path) -> None:
    """In the hook of merges, too: an old problem stops nobody."""
    (upstream / TEAM / "notes/bad.md").write_text("bad")
    commit(upstream)
    git(upstream, "switch", "-q", "-c", "side")
    put(upstream, team("mem_two"))
    commit(upstream)
    git(upstream, "switch", "-q", "main")
    commit(upstream, "apart")
    source = str(Path(repo.__file__).parent.parent)
    script = upstream / ".git/hooks/pre-merge-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -c "{HOOK}" all\n')
    script.chmod(0o755)

    git(upstream, "merge", "-q", "-m", "merge", "side")


HOOK = "from eccmem.hook import run; run()"


def test_a_repository_of_sha_256(tmp_path: Path, home: Path) -> None:
    """Ids are longer, the empty tree and the guard have others; all the rest is the same."""
    folder = tmp_path / "long"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    place = folder / ".ecc/memory/project/.gitignore"
    place.parent.mkdir(parents=True)
    place.write_bytes(guard.CONTENT)
    put(folder, team())
    private = put(folder, memory("mem_mine"))
    assert rules(staged(folder)) == []
    first = commit(folder)
    (folder / "copy.md").write_bytes(private.read_bytes())
    put(folder, team(body="Changed."))
    assert rules(staged(folder)) == ["memory-modified", "private-memory-copied"]
    assert rules(gate(folder).ranged(first, commit(folder))) == ["memory-modified"]


def test_a_secret_in_a_folder_that_is_spelled_otherwise(upstream: Path) -> None:
    """It is told as such, and not only as a memory in the wrong folder."""
    place = upstream / ".ecc/memory/Team/notes/mem_leak.md"
    place.parent.mkdir(parents=True)
    place.write_bytes(serialize(team("mem_leak", body=f"The key is {fake_key()}.")))

    assert set(rules(staged(upstream))) == {"secret-in-memory", "wrong-folder"}


@pytest.mark.parametrize("name", ["dump.txt", "mem_big.md"])
@pytest.mark.parametrize("later", [False, True])
def test_a_secret_in_a_large_file(name: str, later: bool, upstream: Path, monkeypatch) -> None:
    """Larger than a memory may be; also when a later commit takes it away; what is not searched is an error."""
    base = git(upstream, "rev-parse", "HEAD").strip()
    place = upstream / TEAM / f"notes/{name}"
    place.write_text("word " * (limits.DOCUMENT_BYTES // 4) + f"\n{fake_key()}\n")
    tip = commit(upstream)
    if later:
        place.unlink()
        tip = commit(upstream)

    found = [item for item in gate(upstream).ranged(base, tip).findings if item.rule.id == "secret-in-memory"]
    assert ["a suspected secret" in item.message for item in found] == [True]
    monkeypatch.setattr(limits, "SEARCHED_BYTES", 1000)
    found = [item for item in gate(upstream).ranged(base, tip).findings if item.rule.id == "secret-in-memory"]
    assert ["too large to be searched" in item.message for item in found] == [True]


def test_a_push_to_a_url_is_compared_with_what_others_have(upstream: Path) -> None:
    """Git gives its hook the URL for a name, of which nothing is known here."""
    put(upstream, team(body="Changed."))
    tip = commit(upstream)

    for remote in ("origin", "", "https://example.invalid/x.git"):
        assert rules(gate(upstream).pushed([Push(tip)], remote)) == ["memory-modified"], remote


def test_a_private_memory_is_no_copy_of_itself(upstream: Path, home: Path) -> None:
    """Forced into the index from a moved vault; two copies elsewhere are both named."""
    place = upstream / "vault/project/notes/mem_mine.md"
    place.parent.mkdir(parents=True)
    place.write_bytes(serialize(memory("mem_mine")))
    for name in ("one.md", "two.md"):
        (upstream / name).write_bytes(place.read_bytes())
    git(upstream, "add", "-A", "-f")
    private = roots.resolve(upstream, {"ECC_MEMORY_PROJECT_ROOT": "vault"}, home).project

    report = gate(upstream, moved="vault/").staged({}, private, whole=False)

    assert [(f.rule.id, f.path) for f in report.findings] == [
        ("private-memory-copied", "one.md"),
        ("private-memory-copied", "two.md"),
        ("private-memory-tracked", "vault/project/notes/mem_mine.md"),
    ]
