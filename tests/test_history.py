"""The life of a memory in commits, in real repositories of every kind."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from builders import memory, put
from conftest import git
from eccmem import history, limits, lineage, log, roots
from eccmem.document import InvalidDocument, parse, serialize
from eccmem.errors import EccmemError
from eccmem.lineage import What
from eccmem.model import FRONTMATTER_KEYS, Kind, Memory, Scope, Status
from eccmem.roots import VaultRoots

TEAM = ".ecc/memory/team"
ONE = memory("mem_one", scope=Scope.TEAM)
RETIRED = replace(ONE, status=Status.SUPERSEDED, updated_at="2026-07-27T20:00:00.000Z")
EDITED = replace(ONE, body="Another body.")


def commit(checkout: Path, subject: str, *items: Memory) -> str:
    """Write memories, commit all there is, and return the commit."""
    for item in items:
        put(checkout, item)
    git(checkout, "add", "-A", "-f")
    git(checkout, "commit", "-q", "--allow-empty", "-m", subject)
    return git(checkout, "rev-parse", "HEAD").strip()


def path_of(item: Memory) -> str:
    return f"{item.kind.folder}/{item.id}.md"


Told = list[tuple[str, list[tuple]]]


def tell(vault: VaultRoots, wanted: str = ONE.id) -> Told:
    """Each event, oldest first: its subject, and what is said in its changes."""
    found = log.of(vault.team, wanted)
    return [
        (
            found.claims[event.commit].subject,
            [(each.what, *filter(None, (each.old, each.new, each.names))) for each in event.changes],
        )
        for event in found.lineage.events
    ]


def branch(checkout: Path, name: str, start: str = "HEAD") -> None:
    git(checkout, "checkout", "-q", "-B", name, start)


def merge(checkout: Path, *names: str, options: tuple[str, ...] = ()) -> None:
    git(checkout, "merge", "-q", "--no-ff", "-m", f"merge {' '.join(names)}", *options, *names)


# --- One line of commits --------------------------------------------------------------------------------------


def test_a_life_from_beginning_to_end(vault: VaultRoots, checkout: Path) -> None:
    """Every kind of event, each with what a person may know of it: values of a status and paths, nothing else."""
    commit(checkout, "not ours", memory("mem_other", scope=Scope.TEAM, links=(ONE.id,)))
    commit(checkout, "begin", ONE)
    commit(checkout, "nothing", memory("mem_third", scope=Scope.TEAM))
    commit(checkout, "retire", RETIRED)
    edited = replace(RETIRED, title="Another", tags=("tag",), body="Another body.")
    commit(checkout, "edit", edited)
    path = put(checkout, edited)
    path.write_bytes(serialize(edited).replace(b"\n", b"\r\n"))
    commit(checkout, "line ends")
    path.write_text("<<<<<<< HEAD\n")
    commit(checkout, "break")
    path.write_text("=======\n")
    commit(checkout, "still broken")
    commit(checkout, "mend", edited)
    path.unlink()
    commit(checkout, "delete")
    commit(checkout, "bring back", ONE)
    path.unlink()
    moved = replace(ONE, kind=Kind.DECISION)
    commit(checkout, "move", moved)

    assert tell(vault) == [
        ("begin", [(What.ADDED, path_of(ONE))]),
        ("retire", [(What.STATUS, "active", "superseded"), (What.CHANGED, ("updated_at",))]),
        ("edit", [(What.CHANGED, ("title", "tags", "body"))]),
        ("line ends", [(What.REWRITTEN,)]),
        ("break", [(What.INVALID,)]),
        ("still broken", [(What.INVALID,)]),
        ("mend", [(What.REPAIRED,)]),
        ("delete", [(What.DELETED, path_of(ONE))]),
        ("bring back", [(What.RESTORED, path_of(ONE))]),
        ("move", [(What.MOVED, path_of(ONE), path_of(moved)), (What.CHANGED, ("kind",))]),
    ]
    assert dict(log.of(vault.team, ONE.id).lineage.files).keys() == {path_of(moved)}


def test_the_id_finds_it_whatever_the_file_is_called(vault: VaultRoots, checkout: Path) -> None:
    """Moved whole into a folder below, with no change that Git could compare."""
    put(checkout, ONE, "x.md")
    commit(checkout, "begin")
    (checkout / TEAM / "notes/below").mkdir()
    git(checkout, "mv", f"{TEAM}/notes/x.md", f"{TEAM}/notes/below/y.md")
    commit(checkout, "move")

    assert tell(vault) == [
        ("begin", [(What.ADDED, "notes/x.md")]),
        ("move", [(What.MOVED, "notes/x.md", "notes/below/y.md")]),
    ]


def test_a_second_file_with_its_id(vault: VaultRoots, checkout: Path) -> None:
    commit(checkout, "begin", ONE)
    put(checkout, ONE, "copy.md")
    commit(checkout, "copy")
    (checkout / TEAM / "notes/copy.md").unlink()
    commit(checkout, "one is enough")

    assert tell(vault)[1:] == [
        ("copy", [(What.COPIED, "notes/copy.md")]),
        ("one is enough", [(What.DELETED, "notes/copy.md")]),
    ]


def test_a_likeness_is_no_rename(vault: VaultRoots, checkout: Path) -> None:
    """One memory goes and one of the same template comes: to Git a rename, to us an end and a beginning."""
    commit(checkout, "begin", ONE)
    put(checkout, ONE).unlink()
    commit(checkout, "swap", memory("mem_two", scope=Scope.TEAM))
    assert "rename" in git(checkout, "show", "--summary", "HEAD")

    assert tell(vault)[1:] == [("swap", [(What.DELETED, path_of(ONE))])]
    assert tell(vault, "mem_two") == [("swap", [(What.ADDED, "notes/mem_two.md")])]


def test_an_id_in_escapes_of_json(vault: VaultRoots, checkout: Path) -> None:
    """The file never has the text of the id, and is the memory all the same."""
    path = put(checkout, ONE, "x.md")
    path.write_bytes(serialize(ONE).replace(b'"mem_one"', b'"\\u006d\\u0065m_one"'))
    commit(checkout, "begin")

    assert tell(vault) == [("begin", [(What.ADDED, "notes/x.md")])]


def test_a_broken_file_counts_by_its_name_or_by_its_past(vault: VaultRoots, checkout: Path) -> None:
    """A broken file of another name could be any memory, so it is none, until it was this one."""
    named, other = (checkout / TEAM / "notes" / name for name in ("mem_one.md", "x.md"))
    named.parent.mkdir(parents=True)
    named.write_text("id: mem_one, and no memory")
    commit(checkout, "broken from the start")
    commit(checkout, "mended", ONE)
    named.unlink()
    other.write_text("no memory, and the words mem_one")
    commit(checkout, "gone")
    put(checkout, ONE, "x.md")
    commit(checkout, "back")
    other.write_text("no memory")
    commit(checkout, "broken again")
    put(checkout, memory("mem_two", scope=Scope.TEAM), "x.md")
    commit(checkout, "another memory")

    assert tell(vault) == [
        ("broken from the start", [(What.ADDED, path_of(ONE)), (What.INVALID,)]),
        ("mended", [(What.REPAIRED,)]),
        ("gone", [(What.DELETED, path_of(ONE))]),
        ("back", [(What.RESTORED, "notes/x.md")]),
        ("broken again", [(What.INVALID,)]),
        ("another memory", [(What.DELETED, "notes/x.md")]),
    ]


def test_a_file_that_never_could_be_read(vault: VaultRoots, checkout: Path) -> None:
    """It has the memory's name, and somebody wrote it: that is worth telling."""
    put(checkout, ONE).write_text("broken")
    commit(checkout, "broken")

    assert tell(vault) == [("broken", [(What.ADDED, path_of(ONE)), (What.INVALID,)])]


@pytest.mark.parametrize("what", ["symlink", "submodule", "too large", "folder"])
def test_what_is_no_file_is_no_memory(what: str, vault: VaultRoots, checkout: Path) -> None:
    """It stands in the memory's place, unread."""
    commit(checkout, "begin", ONE)
    path = put(checkout, ONE)
    path.unlink()
    if what == "symlink":
        path.symlink_to(checkout / "README.md")
    elif what == "submodule":
        git(checkout, "init", "-q", str(path))
        git(path, "commit", "-q", "--allow-empty", "-m", "inner")
    elif what == "folder":
        path.mkdir()
        (path / "keep").write_text("x")
    else:
        path.write_bytes(serialize(ONE) + b"x" * limits.DOCUMENT_BYTES)
    commit(checkout, what)

    expected = (What.DELETED, path_of(ONE)) if what == "folder" else (What.INVALID,)
    assert tell(vault)[1:] == [(what, [expected])]


def test_files_that_a_walk_passes_over(vault: VaultRoots, checkout: Path) -> None:
    """Dot files and other endings are no memories, here as in the vault."""
    for name in (".mem_one.md", "mem_one.txt", ".hidden/mem_one.md"):
        (checkout / TEAM / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        put(checkout, ONE, name)
    commit(checkout, "nothing of ours")

    assert tell(vault) == []


# --- Merges ---------------------------------------------------------------------------------------------------


def test_what_a_merge_brings_is_told_once(vault: VaultRoots, checkout: Path) -> None:
    """By the commit that did it; merging it, in both directions, is nothing that happened to the memory."""
    commit(checkout, "main")
    branch(checkout, "side")
    commit(checkout, "begin", ONE)
    branch(checkout, "main", "main")
    commit(checkout, "more", memory("mem_two", scope=Scope.TEAM))
    merge(checkout, "side")
    branch(checkout, "side", "side")
    commit(checkout, "retire", RETIRED)
    merge(checkout, "main")
    branch(checkout, "main", "main")
    commit(checkout, "even more")
    merge(checkout, "side")

    assert [subject for subject, _ in tell(vault)] == ["begin", "retire"]


def test_a_change_made_in_a_merge_is_seen(vault: VaultRoots, checkout: Path) -> None:
    """Neither side has it, and `git log` without options does not show it."""
    start = commit(checkout, "begin", ONE)
    branch(checkout, "side")
    commit(checkout, "side", memory("mem_two", scope=Scope.TEAM))
    branch(checkout, "main", "main")
    commit(checkout, "main", memory("mem_three", scope=Scope.TEAM))
    merge(checkout, "side", options=("--no-commit",))
    commit(checkout, "evil", RETIRED)
    assert git(checkout, "log", "--format=%s", f"{start}..", "--name-only").count("mem_one") == 0

    assert tell(vault)[1:] == [("evil", [(What.STATUS, "active", "superseded"), (What.CHANGED, ("updated_at",))])]


@pytest.mark.parametrize("side", ["main", "side"])
def test_a_merge_changes_what_one_side_brings(side: str, vault: VaultRoots, checkout: Path) -> None:
    """The side that never had the memory says nothing about it."""
    git(checkout, "branch", "side")
    branch(checkout, side, side)
    commit(checkout, "begin", ONE)
    branch(checkout, "main" if side == "side" else "side", "main" if side == "side" else "side")
    commit(checkout, "other", memory("mem_two", scope=Scope.TEAM))
    merge(checkout, side, options=("--no-commit",))
    commit(checkout, "evil", EDITED)

    assert tell(vault)[1:] == [("evil", [(What.CHANGED, ("body",))])]


def test_a_memory_added_in_a_merge_of_strangers(vault: VaultRoots, checkout: Path) -> None:
    """Neither parent has anything of the vault, nor an ancestor in common."""
    git(checkout, "checkout", "-q", "--orphan", "other")
    commit(checkout, "other")
    branch(checkout, "main", "main")
    merge(checkout, "other", options=("--no-commit", "--allow-unrelated-histories"))
    commit(checkout, "evil", ONE)

    assert tell(vault) == [("evil", [(What.ADDED, path_of(ONE))])]


def test_a_merge_puts_both_sides_together(vault: VaultRoots, checkout: Path) -> None:
    """A new status from one side, a new body from the other: Git merges them without a word."""
    commit(checkout, "begin", replace(ONE, body="one\n\n\n\n\n\n\n\ntwo"))
    branch(checkout, "side")
    commit(checkout, "retire", replace(RETIRED, body="one\n\n\n\n\n\n\n\ntwo"))
    branch(checkout, "main", "main")
    commit(checkout, "edit", replace(ONE, body="one\n\n\n\n\n\n\n\nthree"))
    merge(checkout, "side")

    assert tell(vault)[-1] == ("merge side", [(What.COMBINED, ("status", "updated_at", "body"))])


def test_a_merge_that_leaves_out_one_side(vault: VaultRoots, checkout: Path) -> None:
    """With `-s ours` a retirement is lost, and the file is as if it had never been: only the merge can tell why."""
    commit(checkout, "begin", ONE)
    branch(checkout, "side")
    lost = commit(checkout, "retire", RETIRED)
    branch(checkout, "main", "main")
    commit(checkout, "main", memory("mem_two", scope=Scope.TEAM))
    merge(checkout, "side", options=("-s", "ours"))

    assert tell(vault)[-1] == (
        "merge side",
        [(What.KEPT_ONE_SIDE, ("updated_at",)), (What.STATUS, "superseded", "active")],
    )
    assert log.of(vault.team, ONE.id).lineage.events[-1].changes[0].commits == (lost,)


@pytest.mark.parametrize("taken", ["--ours", "--theirs"])
def test_a_conflict_that_one_side_wins(taken: str, vault: VaultRoots, checkout: Path) -> None:
    """Both sides changed the status; whichever was taken, the other was left out."""
    commit(checkout, "begin", ONE)
    branch(checkout, "side")
    theirs = commit(checkout, "reject", replace(ONE, status=Status.REJECTED))
    branch(checkout, "main", "main")
    ours = commit(checkout, "retire", replace(ONE, status=Status.SUPERSEDED))
    with pytest.raises(subprocess.CalledProcessError):
        merge(checkout, "side")
    git(checkout, "checkout", "-q", taken, "--", ".")
    commit(checkout, "merge side")

    last = log.of(vault.team, ONE.id).lineage.events[-1]
    assert [change.what for change in last.changes] == [What.KEPT_ONE_SIDE, What.STATUS]
    assert last.changes[0].commits == ((theirs,) if taken == "--ours" else (ours,))
    assert last.changes[1].new == ("superseded" if taken == "--ours" else "rejected")


def test_a_deletion_that_a_merge_undoes(vault: VaultRoots, checkout: Path) -> None:
    commit(checkout, "begin", ONE)
    branch(checkout, "side")
    put(checkout, ONE).unlink()
    commit(checkout, "delete")
    branch(checkout, "main", "main")
    commit(checkout, "retire", RETIRED)
    with pytest.raises(subprocess.CalledProcessError):
        merge(checkout, "side")
    commit(checkout, "merge side", RETIRED)

    assert tell(vault)[-1] == ("merge side", [(What.KEPT_ONE_SIDE,), (What.RESTORED, path_of(ONE))])


def test_the_same_change_on_both_sides_is_no_event_of_the_merge(vault: VaultRoots, checkout: Path) -> None:
    """As after a cherry-pick: the sides have each done it, and agree."""
    commit(checkout, "begin", ONE)
    branch(checkout, "side")
    commit(checkout, "retire", RETIRED)
    branch(checkout, "main", "main")
    commit(checkout, "retire too", RETIRED)
    merge(checkout, "side")

    assert [subject for subject, _ in tell(vault)] in (
        ["begin", "retire", "retire too"],
        ["begin", "retire too", "retire"],
    )


def test_a_change_that_its_side_took_back_is_not_left_out(vault: VaultRoots, checkout: Path) -> None:
    """Against where the sides parted, the other side changed nothing."""
    commit(checkout, "begin", ONE)
    branch(checkout, "side")
    commit(checkout, "edit", EDITED)
    commit(checkout, "take back", ONE)
    branch(checkout, "main", "main")
    commit(checkout, "retire", RETIRED)
    merge(checkout, "side")

    assert "merge side" not in [subject for subject, _ in tell(vault)]


def test_an_octopus(vault: VaultRoots, checkout: Path) -> None:
    """A merge of three is a merge."""
    commit(checkout, "begin", ONE)
    for name, item in (("one", RETIRED), ("two", memory("mem_two", scope=Scope.TEAM))):
        branch(checkout, name, "main")
        commit(checkout, name, item)
    branch(checkout, "main", "main")
    commit(checkout, "main", memory("mem_three", scope=Scope.TEAM))
    merge(checkout, "one", "two")
    assert len(git(checkout, "rev-parse", "HEAD^@").split()) == 3

    assert [subject for subject, _ in tell(vault)] == ["begin", "one"]


# --- Against the trees themselves -----------------------------------------------------------------------------


def random_history(checkout: Path, seed: int) -> None:
    """Forty commits on a few branches, with merges that take, mix and make things up."""
    rng = random.Random(seed)
    names = ("notes/mem_one.md", "facts/mem_one.md", "notes/x.md", "y.md")
    contents = [serialize(item) for item in (ONE, RETIRED, EDITED, memory("mem_two", scope=Scope.TEAM))]
    contents += [b"broken", serialize(ONE).replace(b"\n", b"\r\n")]
    lines: list[bytes] = []
    tips: list[int] = []
    for mark in range(1, 41):
        lines.append(b"commit refs/heads/main\nmark :%d\ncommitter T <t@x> %d +0000\ndata 1\nx\n" % (mark, mark))
        parents = rng.sample(tips[-5:], min(len(tips), 5, rng.choice((1, 1, 2, 3))))
        if parents and rng.random() < 0.97:
            lines.append(b"from :%d\n" % parents[0])
            lines += [b"merge :%d\n" % each for each in parents[1:]]
        else:
            lines.append(b"deleteall\n")
        for name in rng.sample(names, rng.choice((0, 0, 1, 1, 2))):
            path = f"{TEAM}/{name}".encode()
            content = rng.choice([*contents, None])
            if content is None:
                lines.append(b"D %s\n" % path)
            else:
                lines.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(content), content))
        tips.append(mark)
    lines.append(b"done\n")
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force", "--done"], cwd=checkout, input=b"".join(lines), check=True
    )


def truth(checkout: Path, commit_id: str) -> dict[str, str]:
    """Which blobs of a tree are the memory, found by reading every one."""
    found = {}
    for line in git(checkout, "ls-tree", "-r", commit_id, "--", TEAM).splitlines():
        meta, path = line.split("\t")
        blob = meta.split(" ")[2]
        try:
            if parse(git(checkout, "cat-file", "blob", blob).encode()).id == ONE.id:
                found[path.removeprefix(f"{TEAM}/")] = blob
        except InvalidDocument:
            found[path.removeprefix(f"{TEAM}/")] = "broken"
    return found


def merge_bases(checkout: Path, *parents: str) -> list[str]:
    """None for strangers, several where two branches were merged into each other."""
    done = subprocess.run(
        ["git", "merge-base", "--all", *parents], cwd=checkout, capture_output=True, text=True, check=False
    )
    return done.stdout.split()


@pytest.mark.parametrize("seed", range(12))
def test_events_explain_every_tree(seed: int, vault: VaultRoots, checkout: Path) -> None:
    """At each commit of a random history, what was followed is what its tree holds; and only what differs is told.

    Files that cannot be read are compared where they were this memory before, or have its name.
    """
    random_history(checkout, seed)
    found = log.of(vault.team, ONE.id).lineage
    events = {event.commit for event in found.events}
    readable = {blob for blob, item in found._memories.items() if item is not None}
    assert len(events) > 5
    assert all(event.changes for event in found.events)
    for line in git(checkout, "rev-list", "--parents", "main").splitlines():
        commit_id, *parents = line.split()
        here = truth(checkout, commit_id)
        followed = dict(found._nodes[commit_id].files)
        assert {path: blob for path, blob in followed.items() if blob in readable} == {
            path: blob for path, blob in here.items() if blob != "broken"
        }
        broken = {path for path, blob in here.items() if blob == "broken"}
        assert {path for path in followed if followed[path] not in readable} <= broken
        assert {path for path in broken if path.endswith("mem_one.md")} <= set(followed)
        before = [dict(found._nodes[parent].files) for parent in parents] or [{}]
        if len(before) == 1:
            assert (commit_id in events) == (followed != before[0])
        elif followed not in before:
            assert commit_id in events
        elif len(before) == 2:
            bases = merge_bases(checkout, *parents)
            if len(bases) <= 1:
                base = dict(found._nodes[bases[0]].files) if bases else {}
                pairs = (before, before[::-1])
                settled = any(taken == followed and other in (taken, base) for taken, other in pairs)
                assert (commit_id in events) != settled


# --- Repositories of every kind -------------------------------------------------------------------------------


def story(checkout: Path) -> None:
    commit(checkout, "begin", ONE)
    commit(checkout, "retire", RETIRED)


STORY: Told = [
    ("begin", [(What.ADDED, path_of(ONE))]),
    ("retire", [(What.STATUS, "active", "superseded"), (What.CHANGED, ("updated_at",))]),
]


def test_sha_256(vault: VaultRoots, checkout: Path) -> None:
    """Where GitPython's own objects fail."""
    git(checkout, "init", "-q", "--object-format=sha256", str(checkout / "deep"))
    story(checkout / "deep")
    deep = roots.resolve(checkout / "deep", {}, None)

    assert tell(deep) == STORY
    assert all(len(event.commit) == 64 for event in log.of(deep.team, ONE.id).lineage.events)


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
@pytest.mark.parametrize("name", [b"caf\xe9.md", b"new\nline.md", b'tab\t"quote\\.md', b":(glob)*.md", b"-rf.md"])
def test_odd_names(name: bytes, vault: VaultRoots, checkout: Path) -> None:
    """The memory is found under such a name, and what lies beside it changes nothing."""
    put(checkout, ONE, os.fsdecode(name))
    commit(checkout, "begin")
    put(checkout, RETIRED, os.fsdecode(name))
    put(checkout, memory("mem_two", scope=Scope.TEAM), "z\n\xff.md")
    commit(checkout, "retire")

    assert tell(vault) == [("begin", [(What.ADDED, f"notes/{os.fsdecode(name)}")]), STORY[1]]


def test_a_linked_worktree(vault: VaultRoots, checkout: Path, tmp_path: Path) -> None:
    """It has a HEAD of its own."""
    story(checkout)
    git(checkout, "worktree", "add", "-q", str(tmp_path / "linked"), "HEAD~1")

    assert tell(vault) == STORY
    assert tell(roots.resolve(tmp_path / "linked", {}, None)) == STORY[:1]


def test_a_sparse_checkout(vault: VaultRoots, checkout: Path) -> None:
    """The files are not on disk; the commits have them."""
    story(checkout)
    git(checkout, "sparse-checkout", "set", "--no-cone", "/README.md")
    assert not (checkout / TEAM).exists()

    assert tell(vault) == STORY


def test_a_submodule_has_a_history_of_its_own(vault: VaultRoots, checkout: Path) -> None:
    inner = checkout / "inner"
    git(checkout, "init", "-q", str(inner))
    story(inner)
    commit(checkout, "outer", ONE)

    assert tell(roots.resolve(inner, {}, None)) == STORY
    assert [subject for subject, _ in tell(vault)] == ["outer"]


def test_a_checkout_with_signs_in_its_name(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitPython would put values of the environment in their place."""
    monkeypatch.setenv("HERE", "elsewhere")
    odd = tmp_path / "$HERE ~ %HERE% ${HERE}"
    git(tmp_path, "init", "-q", str(odd))
    story(odd)

    assert tell(roots.resolve(odd, {}, None)) == STORY


def test_settings_decide_nothing(vault: VaultRoots, checkout: Path, tmp_path: Path) -> None:
    """Neither the person's nor the repository's: no rename, no colour, no mailmap, no program that they name."""
    story(checkout)
    (checkout / ".gitattributes").write_text("* diff=evil\n")
    (checkout / ".mailmap").write_text("Somebody Else <else@example.invalid> <tester@example.invalid>\n")
    commit(checkout, "a mailmap")
    marker = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {marker}\n")
    program.chmod(0o755)
    for name, value in {
        "log.showSignature": "true",
        "gpg.program": str(program),
        "diff.external": str(program),
        "diff.evil.textconv": str(program),
        "diff.evil.command": str(program),
        "core.fsmonitor": str(program),
        "core.pager": str(program),
        "core.sshCommand": str(program),
        "diff.renames": "copies",
        "diff.orderFile": "absent",
        "diff.noprefix": "true",
        "diff.ignoreSubmodules": "all",
        "color.ui": "always",
        "log.follow": "true",
        "log.mailmap": "true",
        "log.date": "relative",
        "format.pretty": "x",
        "i18n.logOutputEncoding": "UTF-16",
        "blame.ignoreRevsFile": "absent",
        "core.quotePath": "false",
    }.items():
        git(checkout, "config", name, value)

    assert tell(vault) == STORY
    assert {claim.author.name for claim in log.of(vault.team, ONE.id).claims.values()} == {"Tester"}
    assert not marker.exists()


def test_replacements_and_grafts_are_not_shown(vault: VaultRoots, checkout: Path) -> None:
    """They are of this clone alone, and could show another author."""
    story(checkout)
    first = git(checkout, "rev-parse", "HEAD~1").strip()
    raw = git(checkout, "cat-file", "commit", first).replace("Tester", "Mallory")
    other = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=checkout,
        input=raw.encode(),
        check=True,
        capture_output=True,
    ).stdout.decode()
    git(checkout, "replace", first, other.strip())
    (checkout / ".git/info").mkdir(exist_ok=True)
    (checkout / ".git/info/grafts").write_text(git(checkout, "rev-parse", "HEAD"))

    assert tell(vault) == STORY
    assert {claim.author.name for claim in log.of(vault.team, ONE.id).claims.values()} == {"Tester"}


# --- History that is not all here -----------------------------------------------------------------------------


def shallow_clone(checkout: Path, target: Path, depth: int) -> VaultRoots:
    git(checkout, "clone", "-q", f"--depth={depth}", f"file://{checkout}", str(target))
    return roots.resolve(target, {}, None)


def test_a_shallow_clone_claims_no_beginning(vault: VaultRoots, checkout: Path, tmp_path: Path) -> None:
    """To Git, everything was created in the commit at which the clone ends."""
    commit(checkout, "begin", ONE)
    commit(checkout, "more", memory("mem_two", scope=Scope.TEAM))
    commit(checkout, "retire", RETIRED)
    clone = shallow_clone(checkout, tmp_path / "shallow", 2)
    assert git(tmp_path / "shallow", "log", "--format=%s", "--diff-filter=A", "--", TEAM).split() == ["more"]

    assert tell(clone) == [("more", [(What.PRESENT, path_of(ONE))]), STORY[1]]
    assert log.of(clone.team, ONE.id).shallow
    assert not log.of(vault.team, ONE.id).shallow


def test_a_shallow_clone_knows_what_was_added_in_it(checkout: Path, tmp_path: Path) -> None:
    commit(checkout, "before")
    commit(checkout, "nothing yet")
    commit(checkout, "begin", ONE)
    clone = shallow_clone(checkout, tmp_path / "shallow", 2)

    assert tell(clone) == STORY[:1]
    assert log.of(clone.team, ONE.id).shallow


def test_a_clone_with_all_commits_is_whole_though_git_calls_it_shallow(checkout: Path, tmp_path: Path) -> None:
    """A first commit that is the real one has added what it has."""
    git(checkout, "checkout", "-q", "--orphan", "fresh")
    commit(checkout, "begin", ONE)
    git(checkout, "checkout", "-q", "-b", "other")
    commit(checkout, "other")
    commit(checkout, "retire", RETIRED)
    clone = shallow_clone(checkout, tmp_path / "shallow", 1)
    git(tmp_path / "shallow", "fetch", "-q", "--depth=5", "origin", "fresh:fresh")
    git(tmp_path / "shallow", "checkout", "-q", "fresh")

    assert tell(clone) == STORY[:1]


def test_a_merge_in_a_shallow_clone_is_not_blamed(checkout: Path, tmp_path: Path) -> None:
    """Which side is newer cannot be told where the commits between them are not here."""
    commit(checkout, "begin", ONE)
    branch(checkout, "side")
    commit(checkout, "side", memory("mem_two", scope=Scope.TEAM))
    branch(checkout, "main", "main")
    commit(checkout, "retire", RETIRED)
    commit(checkout, "main", memory("mem_three", scope=Scope.TEAM))
    merge(checkout, "side")
    clone = shallow_clone(checkout, tmp_path / "shallow", 2)

    told = tell(clone)
    assert sorted(told) == [("main", [(What.PRESENT, path_of(ONE))]), ("side", [(What.PRESENT, path_of(ONE))])]


def test_a_partial_clone_fetches_nothing(checkout: Path, tmp_path: Path) -> None:
    """What is not here is said, with the remedy; nothing opens a connection behind a person's back."""
    story(checkout)
    git(checkout, "config", "uploadpack.allowFilter", "true")
    target = tmp_path / "partial"
    git(checkout, "clone", "-q", "--filter=blob:none", f"file://{checkout}", str(target))
    marker, program = tmp_path / "fetched", tmp_path / "upload"
    program.write_text(f'#!/bin/sh\ntouch {marker}\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)
    git(target, "config", "remote.origin.uploadpack", str(program))
    git(target, "config", "protocol.file.allow", "always")
    clone = roots.resolve(target, {}, None)

    with pytest.raises(EccmemError) as caught:
        log.of(clone.team, ONE.id)

    assert caught.value.slug == "object-missing"
    assert "git fetch --refetch --no-filter" in caught.value.hint
    assert not marker.exists()
    git(target, "fetch", "-q", "--refetch", "--no-filter")
    assert marker.exists()
    assert tell(clone) == STORY


def test_a_damaged_object_is_said(vault: VaultRoots, checkout: Path) -> None:
    commit(checkout, "begin", ONE)
    blob = git(checkout, "rev-parse", f"HEAD:{TEAM}/{path_of(ONE)}").strip()
    (checkout / ".git/objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(EccmemError) as caught:
        log.of(vault.team, ONE.id)
    assert caught.value.slug == "object-missing"


def test_no_commit_yet(checkout: Path) -> None:
    git(checkout, "init", "-q", str(checkout / "fresh"))

    assert tell(roots.resolve(checkout / "fresh", {}, None)) == []


def test_outside_of_a_repository(tmp_path: Path, home: Path) -> None:
    with pytest.raises(EccmemError) as caught:
        log.of(roots.resolve(tmp_path, {}, home).team, ONE.id)
    assert caught.value.slug == "not-a-repository"


@pytest.mark.parametrize("where", ["moved/deep", ".", ":(top)x", "../elsewhere"])
def test_a_moved_vault(where: str, checkout: Path, tmp_path: Path) -> None:
    """Its commits are those of the repository that it lies in, which may be another one."""
    target = checkout / where / "team"
    if where == "../elsewhere":
        git(tmp_path, "init", "-q", str(tmp_path / "elsewhere"))
    (target / "notes").mkdir(parents=True)
    for subject, item in (("begin", ONE), ("retire", RETIRED)):
        (target / path_of(ONE)).write_bytes(serialize(item))
        commit(tmp_path / "elsewhere" if where == "../elsewhere" else checkout, subject)
    moved = roots.resolve(checkout, {roots.PROJECT_OVERRIDE: where}, None)

    assert tell(moved) == STORY


def test_a_checkout_reached_by_a_link(checkout: Path, tmp_path: Path) -> None:
    story(checkout)
    (tmp_path / "link").symlink_to(checkout)

    assert tell(roots.resolve(tmp_path / "link", {}, None)) == STORY


# --- The machine ----------------------------------------------------------------------------------------------

ASK = """
import json, sys
from pathlib import Path
from eccmem import log, roots
from eccmem.errors import EccmemError
try:
    found = log.of(roots.resolve(Path.cwd(), {}, None).team, "mem_one")
    print(json.dumps(len(found.lineage.events)))
except EccmemError as error:
    print(json.dumps([error.slug, error.exit_code]))
"""


def ask(checkout: Path, **env: str) -> object:
    """Follow the memory in a process of its own."""
    source = str(Path(sys.modules["eccmem"].__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ASK],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": source, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.mark.parametrize("refresh", [None, "quiet", "nonsense"])
def test_without_git(refresh: str | None, checkout: Path, tmp_path: Path) -> None:
    """GitPython fails when it is imported, or later, as its variable says; to a person it is one error."""
    story(checkout)
    (tmp_path / "empty").mkdir()
    more = {"GIT_PYTHON_REFRESH": refresh} if refresh else {}

    assert ask(checkout, PATH=str(tmp_path / "empty"), **more) == ["git-missing", 3]
    assert ask(checkout) == 2


def test_a_git_that_fails(checkout: Path) -> None:
    """A repository of another person is refused by Git, and not read around it."""
    story(checkout)

    assert ask(checkout, GIT_TEST_ASSUME_DIFFERENT_OWNER="1") == ["git-failed", 3]


def test_a_git_that_hangs(vault: VaultRoots, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is stopped after a time."""
    story(checkout)
    tell(vault)  # GitPython is loaded, with the real one
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(limits, "GIT_SECONDS", 0.3)
    begun = time.monotonic()

    with pytest.raises(EccmemError, match="gave no answer") as caught:
        log.of(vault.team, ONE.id)

    assert caught.value.slug == "git-failed"
    assert time.monotonic() - begun < 20


def worked(pid: int) -> list[str]:
    """The time that a process has had, and whether it sleeps."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [fields[0], *fields[11:13]]


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_person_who_stops_it_is_not_kept_waiting(checkout: Path, tmp_path: Path) -> None:
    """A signal to us alone: neither a thread of ours nor the Git that we started lives on."""
    story(checkout)
    folder, marker = tmp_path / "bin", tmp_path / "pid"
    folder.mkdir()
    (folder / "git").write_text(
        f'#!/bin/sh\ncase "$*" in *rev-list*) echo $$ > {marker}; exec sleep 60;; esac\n'
        f'PATH="{os.environ["PATH"]}" exec git "$@"\n'
    )
    (folder / "git").chmod(0o755)
    source = str(Path(sys.modules["eccmem"].__file__).parent.parent)
    process = subprocess.Popen(
        [sys.executable, "-m", "eccmem", "log", ONE.id],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": source, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        start_new_session=True,
    )
    while not (marker.exists() and marker.read_text().endswith("\n")):
        assert process.poll() is None
        time.sleep(0.02)

    idle = 0
    while idle < 5:  # Git may be running before we have been told so: wait until all that we do is to wait for it
        before = worked(process.pid)
        time.sleep(0.2)
        idle = idle + 1 if worked(process.pid) == before else 0
    process.send_signal(signal.SIGINT)

    assert process.wait(timeout=20) == 130
    for _ in range(100):
        try:
            os.kill(int(marker.read_text()), 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    pytest.fail("Git lives on")


def test_git_talks_nonsense(vault: VaultRoots, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that nobody understands is an error, never an empty history."""
    story(checkout)
    real = history.Commits._run

    def odd(self: history.Commits, *args: str, **more: object) -> bytes:
        out = real(self, *args, **more)  # type: ignore[arg-type]
        return out.replace(b":100644", b":odd") if args[0] == "diff-tree" else out

    monkeypatch.setattr(history.Commits, "_run", odd)
    with pytest.raises(EccmemError, match="cannot be understood"):
        log.of(vault.team, ONE.id)


@pytest.mark.parametrize(("name", "value"), [("HISTORY_COMMITS", 3), ("SCAN_BYTES", 700)])
def test_bounds(name: str, value: int, vault: VaultRoots, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the bound all is told; above it nothing is claimed."""
    story(checkout)
    monkeypatch.setattr(limits, name, value)
    assert len(git(checkout, "rev-list", "HEAD").split()) == 3
    assert tell(vault) == STORY

    commit(checkout, "one more", memory("mem_two", scope=Scope.TEAM))
    with pytest.raises(EccmemError) as caught:
        log.of(vault.team, ONE.id)
    assert caught.value.slug == "history-too-large"


def test_many_bytes_are_read_in_parts(vault: VaultRoots, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        put(checkout, memory(f"mem_{number:03}", scope=Scope.TEAM))
    story(checkout)
    monkeypatch.setattr(history, "_BATCH_BYTES", 1000)
    calls = []
    real = history.Commits._run
    monkeypatch.setattr(
        history.Commits, "_run", lambda self, *args, **more: calls.append(args) or real(self, *args, **more)
    )

    assert tell(vault) == STORY
    assert calls.count(("cat-file", "--batch")) > 5


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_nothing_is_left_open(vault: VaultRoots, checkout: Path) -> None:
    """No process, no pipe: a server asks many times."""
    story(checkout)
    tell(vault)

    def held() -> tuple[int, list[str]]:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        return len(list(Path("/proc/self/fd").iterdir())), children

    before = held()
    for _ in range(5):
        tell(vault)
    assert held() == before
    assert before[1] == []


def test_other_commands_start_without_gitpython() -> None:
    """Only those who ask for a history wait for it."""
    code = "import sys, eccmem.cli.log, eccmem.cli.read, eccmem.log; print('git' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"


@pytest.mark.slow
def test_a_large_vault_is_fast(vault: VaultRoots, checkout: Path) -> None:
    """5,000 memories in 2,000 commits, all in one folder: 1.0 s where it was written, so 10 are a defect."""
    rng = random.Random(1)
    lines = []
    for number in range(2000):
        lines.append(b"commit refs/heads/main\ncommitter T <t@x> %d +0000\ndata 1\nx\n" % number)
        for index in range(5 * number // 2, 5 * (number + 1) // 2):
            body = " ".join(str(rng.randrange(10**6)) for _ in range(150))
            data = serialize(memory(f"mem_{index:05}", scope=Scope.TEAM, body=body))
            path = f"{TEAM}/notes/mem_{index:05}.md".encode()
            lines.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(data), data))
    subprocess.run(["git", "fast-import", "--quiet", "--force"], cwd=checkout, input=b"".join(lines), check=True)
    begun = time.monotonic()

    assert tell(vault, "mem_02500") == [("x", [(What.ADDED, "notes/mem_02500.md")])]
    assert time.monotonic() - begun < 10


def test_the_words_for_fields_are_the_formats() -> None:
    """What is called changed is what a person finds in the file."""
    assert set(lineage.NAMES) == {*FRONTMATTER_KEYS, "body"} - {"schema", "trust"}
