"""What counts as published, in histories that are no straight line; the scenarios of ``test_matrix`` are shorter."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import git
from eccmem import limits, published, repo, revisions
from eccmem.document import serialize
from eccmem.errors import EccmemError
from eccmem.gate import Gate
from eccmem.model import Memory, Scope, Status
from eccmem.output import as_json, as_text
from eccmem.published import Push
from eccmem.report import Report
from eccmem.roots import resolve

TEAM = ".ecc/memory/team"


def team(memory_id: str = "mem_one", **changes: object) -> Memory:
    return memory(memory_id, scope=Scope.TEAM, **changes)


def commit(checkout: Path, message: str = "x") -> str:
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "--allow-empty", "-m", message)
    return tip(checkout)


def tip(checkout: Path, name: str = "HEAD") -> str:
    return git(checkout, "rev-parse", name).strip()


def file(memory_id: str) -> str:
    return f"{TEAM}/notes/{memory_id}.md"


@pytest.fixture
def shared(checkout: Path) -> Path:
    """A checkout whose main is published with one team memory, and is the default branch."""
    git(checkout.parent, "init", "-q", "--bare", "-b", "main", "up.git")
    put(checkout, team())
    commit(checkout, "base")
    git(checkout, "remote", "add", "origin", "../up.git")
    git(checkout, "push", "-q", "-u", "origin", "main")
    git(checkout, "remote", "set-head", "origin", "main")
    return checkout


def gate(checkout: Path, **more: object) -> Gate:
    return Gate(repo=repo.locate(checkout, os.environ), **more)


def staged(checkout: Path, *, whole: bool = False) -> list[str]:
    private = resolve(checkout, {}, None).project
    return rules(gate(checkout).staged({}, private, whole=whole))


def pushed(checkout: Path, ref: str = "refs/heads/main", *known: str, **more: object) -> list[str]:
    judging = gate(checkout, **more)
    push = published.push_of(judging.repo, tip(checkout), known, "origin", ref)
    return rules(judging.pushed([push], "origin"))


def rules(report: Report | None) -> list[str]:
    return [finding.rule.id for finding in report.findings] if report else []


# --- Which commits others have --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_bases_are_the_latest_commits_that_both_have(seed: int, checkout: Path) -> None:
    """Against sets of ancestors, in random histories."""
    chance = random.Random(seed)
    tree = git(checkout, "mktree").strip()
    parents: dict[str, list[str]] = {}
    for number in range(14):
        below = chance.sample(list(parents), min(len(parents), chance.choice((0, 1, 1, 1, 2, 3))))
        flags = [part for parent in below for part in ("-p", parent)]
        parents[git(checkout, "commit-tree", tree, "-m", str(number), *flags).strip()] = below

    def above(some: list[str]) -> set[str]:
        found, left = set(), list(some)
        while left:
            oid = left.pop()
            found.add(oid)
            left += parents[oid]
        return found

    tips, others = (chance.sample(list(parents), chance.choice((1, 1, 2))) for _ in range(2))
    both = above(tips) & above(others)
    latest = {oid for oid in both if not any(oid in above(parents[other]) for other in both)}

    assert set(published.bases(repo.locate(checkout, os.environ), tips, others)) == latest


def test_too_many_published_states(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one of them is left out in silence."""
    monkeypatch.setattr(limits, "PUBLISHED_STATES", 1)
    git(shared, "switch", "-q", "-c", "topic")
    commit(shared, "topic")
    git(shared, "push", "-q", "-u", "origin", "topic")
    git(shared, "switch", "-q", "main")
    commit(shared, "main")
    git(shared, "push", "-q")
    git(shared, "merge", "-q", "-m", "both", "topic")
    put(shared, team(body="Changed."))
    commit(shared)

    with pytest.raises(EccmemError, match="more than 1 published states"):
        pushed(shared)
    assert pushed(shared, base="origin/main") == ["memory-modified"]


def test_a_remote_below_another_is_not_that_one(shared: Path) -> None:
    """Its refs have names that look like those of the other."""
    git(shared, "remote", "add", "other", "../other.git")
    git(shared, "config", "remote.origin/priv.url", "../priv.git")
    git(shared, "config", "remote.origin/priv.fetch", "+refs/heads/*:refs/remotes/origin/priv/*")
    put(shared, team(body=f"The key is {fake_key()}."))
    leak = commit(shared)
    git(shared, "update-ref", "refs/remotes/origin/priv/main", leak)
    put(shared, team())
    commit(shared)

    assert "secret-in-memory" in pushed(shared)
    assert "secret-in-memory" in pushed(shared, "refs/heads/new")


# --- Merges ---------------------------------------------------------------------------------------------------


def crosswise(shared: Path) -> None:
    """Two lines that each publish a memory and merge the other's: either's last common commit lacks one of them."""
    git(shared, "switch", "-q", "-c", "side")
    put(shared, team("mem_side"))
    commit(shared, "side")
    git(shared, "switch", "-q", "main")
    put(shared, team("mem_main"))
    commit(shared, "main")
    git(shared, "branch", "before")
    git(shared, "merge", "-q", "-m", "main takes side", "side")
    git(shared, "push", "-q", "origin", "main")
    git(shared, "switch", "-q", "side")
    git(shared, "merge", "-q", "-m", "side takes main", "before")


@pytest.mark.parametrize("changed", ["mem_side", "mem_main"])
@pytest.mark.parametrize("gone", [False, True])
def test_what_was_merged_crosswise(changed: str, gone: bool, shared: Path) -> None:
    """What any common commit has is published, at every door."""
    crosswise(shared)
    rule = "memory-deleted" if gone else "memory-modified"
    if gone:
        (shared / file(changed)).unlink()
    else:
        put(shared, team(changed, body="Changed."))
    git(shared, "add", "-A")

    assert staged(shared) == [rule]
    assert staged(shared, whole=True) == [rule]
    new = commit(shared)
    assert rules(gate(shared).ranged("origin/main", new)) == [rule]
    assert rules(gate(shared, base="origin/main").revision(new)) == [rule]
    assert pushed(shared, "refs/heads/side") == [rule]


@pytest.mark.parametrize("what", ["drop", "edit"])
def test_what_a_merge_makes_of_what_it_merges(what: str, shared: Path) -> None:
    """It differs from what is merged, and where it leaves something out not from HEAD."""
    git(shared, "switch", "-q", "-c", "topic")
    commit(shared, "topic")
    git(shared, "switch", "-q", "main")
    put(shared, team("mem_new"))
    commit(shared, "new")
    git(shared, "push", "-q")
    git(shared, "switch", "-q", "topic")
    git(shared, "merge", "-q", "--no-commit", "main")
    assert staged(shared) == []
    if what == "drop":
        git(shared, "rm", "-qf", file("mem_new"))
        assert staged(shared) == staged(shared, whole=True) == ["memory-deleted"]
    else:
        put(shared, team("mem_new", body="Changed."))
        git(shared, "add", "-A")
        assert staged(shared) == staged(shared, whole=True) == ["memory-modified"]


def test_what_main_published_stays_so_on_a_branch_that_was_pushed_before(shared: Path) -> None:
    """The upstream of the topic does not have it yet, the default branch does."""
    git(shared, "switch", "-q", "-c", "topic")
    commit(shared, "topic")
    git(shared, "push", "-q", "-u", "origin", "topic")
    git(shared, "switch", "-q", "main")
    put(shared, team("mem_new"))
    commit(shared, "new")
    git(shared, "push", "-q")
    git(shared, "switch", "-q", "topic")
    git(shared, "merge", "-q", "-m", "merge", "main")
    put(shared, team("mem_new", body="Changed."))
    git(shared, "add", "-A")

    assert staged(shared) == ["memory-modified"]
    commit(shared)
    assert pushed(shared, "refs/heads/topic", tip(shared, "origin/topic")) == ["memory-modified"]
    assert pushed(shared, "refs/heads/another") == ["memory-modified"]


def test_another_branch_is_no_excuse(shared: Path) -> None:
    """Somebody got a change past the hooks into a topic; to merge it publishes it in main."""
    git(shared, "switch", "-q", "-c", "topic")
    put(shared, team(body="Changed."))
    commit(shared)
    git(shared, "push", "-q", "-u", "origin", "topic")
    git(shared, "switch", "-q", "main")
    commit(shared, "main")
    git(shared, "merge", "-q", "-m", "merge", "topic")

    assert pushed(shared, "refs/heads/main", tip(shared, "origin/main")) == ["memory-modified"]
    assert rules(gate(shared).ranged("origin/main", tip(shared))) == ["memory-modified"]


def test_the_default_branch_is_an_excuse(shared: Path) -> None:
    """A person decided so, and who merges main is not asked again."""
    git(shared, "switch", "-q", "-c", "topic")
    commit(shared, "topic")
    git(shared, "push", "-q", "-u", "origin", "topic")
    git(shared, "switch", "-q", "main")
    (shared / file("mem_one")).unlink()
    commit(shared, "taken out")
    git(shared, "push", "-q")
    git(shared, "switch", "-q", "topic")
    git(shared, "merge", "-q", "-m", "merge", "main")

    assert pushed(shared, "refs/heads/topic", tip(shared, "origin/topic")) == []


def test_a_history_of_its_own_that_merges_what_is_published(shared: Path) -> None:
    """And takes nothing of it over."""
    git(shared, "switch", "-q", "--orphan", "lone")
    commit(shared, "lone")
    git(shared, "merge", "-q", "-s", "ours", "--allow-unrelated-histories", "-m", "merge", "origin/main")

    assert pushed(shared, "refs/heads/lone") == ["memory-deleted"]
    assert rules(gate(shared).ranged("origin/main", tip(shared))) == ["memory-deleted"]


# --- Forced pushes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("remembered", [False, True])
def test_a_forced_push(remembered: bool, shared: Path) -> None:
    """What it replaces was published; a manager may name the commit below that, so the last known state counts too."""
    known = tip(shared)
    git(shared, "commit", "-q", "--amend", "-m", "other")
    assert pushed(shared, "refs/heads/main", *([known] if remembered else [])) == []
    put(shared, team(body="Changed."))
    commit(shared)
    git(shared, "reset", "-q", "--soft", tip(shared, "HEAD^"))
    git(shared, "commit", "-q", "--amend", "-m", "amended")

    assert pushed(shared, "refs/heads/main", *([known] if remembered else [])) == ["memory-modified"]
    git(shared, "rm", "-q", file("mem_one"))
    git(shared, "commit", "-q", "--amend", "--allow-empty", "-m", "gone")
    assert pushed(shared, "refs/heads/main", *([known] if remembered else [])) == ["memory-deleted"]


def test_a_rebased_branch_may_be_pushed(shared: Path) -> None:
    """Nothing is lost; and what main did meanwhile was main's doing."""
    git(shared, "switch", "-q", "-c", "topic")
    put(shared, team("mem_topic"))
    commit(shared, "topic")
    git(shared, "push", "-q", "-u", "origin", "topic")
    known = tip(shared)
    git(shared, "switch", "-q", "main")
    (shared / file("mem_one")).unlink()
    commit(shared, "taken out")
    git(shared, "push", "-q")
    git(shared, "switch", "-q", "topic")
    git(shared, "rebase", "-q", "main")

    assert pushed(shared, "refs/heads/topic", known) == []


# --- What was asked for ---------------------------------------------------------------------------------------


def test_a_tag_that_is_called_like_a_branch(shared: Path) -> None:
    """Git would take the tag, and whoever can push one could choose what all is compared with."""
    put(shared, team(body="Changed."))
    new = commit(shared)
    git(shared, "tag", "origin/main", new)

    for name in ("origin/main", "origin/main~0", "origin/main^{commit}", "origin/main@{0}"):
        with pytest.raises(EccmemError, match="more than one ref"):
            gate(shared).ranged(name, "HEAD")
        with pytest.raises(EccmemError, match="more than one ref"):
            gate(shared, base=name).revision("HEAD")
    assert rules(gate(shared).ranged("refs/remotes/origin/main", "HEAD")) == ["memory-modified"]
    git(shared, "tag", "-d", "origin/main")
    assert rules(gate(shared).ranged("origin/main", "HEAD")) == ["memory-modified"]


def test_replaced_objects_stay_what_they_are_pushed_as(shared: Path) -> None:
    """A setting outranks the variable that forbids them."""
    put(shared, team(body="Changed."))
    new = commit(shared)
    git(shared, "replace", tip(shared, f"HEAD:{file('mem_one')}"), tip(shared, f"HEAD^:{file('mem_one')}"))
    git(shared, "replace", tip(shared, "HEAD^{tree}"), tip(shared, "HEAD^^{tree}"))
    git(shared, "config", "core.useReplaceRefs", "true")

    assert rules(gate(shared).ranged("origin/main", new)) == ["memory-modified"]


def test_a_shallow_clone_that_hides_the_nearest_common_commit(shared: Path, tmp_path: Path) -> None:
    """An older one is there, below which nothing seems published."""
    old = tip(shared)
    put(shared, team("mem_two"))
    middle = commit(shared, "published")
    commit(shared, "main")
    commit(shared, "main")
    git(shared, "push", "-q")
    git(shared, "switch", "-q", "-c", "topic", middle)
    put(shared, team("mem_two", body="Changed."))
    commit(shared, "topic")
    git(shared, "push", "-q", "origin", "topic")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", (tmp_path / "up.git").as_uri(), "clone")
    git(clone, "switch", "-q", "topic")
    assert rules(gate(clone, base="origin/main").revision("HEAD")) == ["memory-modified"]
    # As a clone has it that fetched main at a depth, and the topic whole; the old commit was merged from elsewhere.
    main = tip(clone, "origin/main")
    (clone / ".git/shallow").write_text(f"{main}\n")
    assert old == tip(clone, "HEAD~2")

    for judge in (gate(clone, base="origin/main").revision, lambda name: gate(clone).ranged("origin/main", name)):
        with pytest.raises(EccmemError) as caught:
            judge("HEAD")
        assert caught.value.slug == "history-missing"


def test_a_base_that_is_newer_than_the_range(shared: Path) -> None:
    """All that the range brings is judged; only what counts as published is another."""
    start = tip(shared)
    (shared / TEAM / "notes").mkdir(exist_ok=True)
    (shared / TEAM / "notes/dump.txt").write_text(f"{fake_key()}\n")
    put(shared, team("mem_two"))
    base = commit(shared)
    put(shared, team("mem_two", body="Changed."))
    end = commit(shared)

    assert rules(gate(shared).ranged(start, end)) == ["secret-in-memory", "unexpected-file"]
    assert sorted(rules(gate(shared, base=base).ranged(start, end))) == [
        "memory-modified",
        "secret-in-memory",
        "unexpected-file",
    ]


# --- Which memory it is ---------------------------------------------------------------------------------------


def test_a_renamed_memory_keeps_its_mode(shared: Path) -> None:
    """As one that stays where it is has to."""
    git(shared, "mv", file("mem_one"), f"{TEAM}/notes/mem_new.md")
    git(shared, "update-index", "--chmod=+x", f"{TEAM}/notes/mem_new.md")

    assert "memory-modified" in staged(shared)
    assert "memory-modified" in staged(shared, whole=True)


def test_memories_that_stood_under_each_other_s_names(shared: Path) -> None:
    """To give them their own is no change of what they say."""
    put(shared, team("mem_two", body="Two."), "mem_one.md")
    put(shared, team("mem_one"), "mem_two.md")
    commit(shared)
    git(shared, "push", "-q")
    put(shared, team("mem_two", body="Two."))
    put(shared, team("mem_one"))
    git(shared, "add", "-A")

    assert staged(shared) == staged(shared, whole=True) == []
    put(shared, team("mem_two", body="Another."))
    git(shared, "add", "-A")
    assert staged(shared) == staged(shared, whole=True) == ["memory-modified"]


@pytest.mark.parametrize("same", [False, True])
def test_one_of_two_copies_is_taken_away(same: bool, shared: Path) -> None:
    """That mends a duplicate, and says so at every door; unless the other one says something else."""
    put(shared, team(body="A body." if same else "Another."), "mem_copy.md")
    put(shared, team())
    commit(shared)
    git(shared, "push", "-q")
    base = tip(shared)
    git(shared, "rm", "-q", file("mem_one"))
    wrong = [] if same else ["memory-modified"]
    kept = serialize(team(body="A body." if same else "Another."))
    assert (shared / TEAM / "notes/mem_copy.md").read_bytes() == kept

    assert [rule for rule in staged(shared) if rule.startswith("memory")] == wrong
    assert [rule for rule in staged(shared, whole=True) if rule.startswith("memory")] == wrong
    new = commit(shared)
    assert [rule for rule in rules(gate(shared).ranged(base, new)) if rule.startswith("memory")] == wrong


@pytest.mark.parametrize(
    "wrong",
    [
        {"body": "<<<<<<< a\nx\n=======\ny\n>>>>>>> b"},
        {"body": "Hidden\N{ZERO WIDTH SPACE}\N{ZERO WIDTH SPACE}\N{ZERO WIDTH SPACE} text."},
        {"links": ("mem_nowhere",)},
        {"links": ("mem_bad",)},
    ],
)
def test_what_was_published_with_a_fault_can_be_retired(wrong: dict, shared: Path) -> None:
    """And in no other way be touched without being told."""
    put(shared, team("mem_bad", **wrong))
    base = commit(shared)
    git(shared, "push", "-q")
    put(shared, team("mem_bad", status=Status.REJECTED, updated_at="2026-08-01T00:00:00.000Z", **wrong))
    git(shared, "add", "-A")

    assert staged(shared) == []
    assert len(staged(shared, whole=True)) == 1
    assert rules(gate(shared).ranged(base, commit(shared))) == []
    put(shared, team("mem_bad", title="Changed", status=Status.REJECTED, **wrong))
    git(shared, "add", "-A")
    assert len(staged(shared)) == 2


@pytest.mark.parametrize("kind", ["symlink", "submodule"])
@pytest.mark.parametrize("place", [TEAM, f"deep/er/{TEAM}", ".ecc/memory", ".ecc"])
def test_what_stands_in_the_place_of_a_scope(kind: str, place: str, shared: Path) -> None:
    """At every door; git lists it without a slash at its end."""
    base = tip(shared)
    git(shared, "rm", "-rq", "--ignore-unmatch", place)
    if kind == "symlink":
        oid = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], cwd=shared, input=b"elsewhere", capture_output=True, check=True
        ).stdout.decode().strip()  # fmt: skip
        entry = f"120000,{oid},{place}"
    else:
        entry = f"160000,{base},{place}"
    git(shared, "update-index", "--add", "--cacheinfo", entry)
    rule = f"{kind}-in-vault"

    assert rule in staged(shared)
    assert rule in staged(shared, whole=True)
    git(shared, "commit", "-qm", "x")
    assert rule in rules(gate(shared).ranged(base, tip(shared)))
    assert rule in rules(gate(shared).revision("HEAD"))


def test_a_file_that_lies_too_deep_is_told_once(shared: Path) -> None:
    """Not by every later commit, which does not touch it."""
    deep = shared / TEAM / "notes/a/b/c/d/e/f/g/h/i/mem_deep.md"
    deep.parent.mkdir(parents=True)
    deep.write_bytes(serialize(team("mem_deep")))
    base = commit(shared)
    assert rules(gate(shared).ranged("origin/main", base)) == ["scan-cut-short"]
    put(shared, team("mem_two"))
    git(shared, "add", "-A")

    assert staged(shared) == []
    assert rules(gate(shared).ranged(base, commit(shared))) == []
    assert rules(gate(shared).revision("HEAD")) == ["scan-cut-short"]


@pytest.mark.parametrize("name", [":!x", ":(top)x", ":x", "-d", "*", "a\nb", "\N{FULLWIDTH COLON}!x"])
def test_a_vault_below_a_folder_with_an_odd_name(name: str, shared: Path) -> None:
    """To Git, some are more than a name."""
    (shared / ".gitattributes").write_text("*.md text\n")
    put(shared / name, team("mem_two"))
    (shared / name / ".ecc/memory/team/.gitignore").write_text("*.md\n")
    git(shared, "add", "-A", "-f")

    assert staged(shared) == staged(shared, whole=True) == ["team-vault-ignored"]
    assert rules(gate(shared).ranged("origin/main", commit(shared))) == ["team-vault-ignored"]


def test_a_key_in_another_encoding(shared: Path) -> None:
    """In a file of the team scope that is no memory."""
    place = shared / TEAM / "notes/dump.txt"
    for encoding in ("utf-16", "utf-16-be", "utf-32"):
        place.write_text(f"one\n{fake_key()}\n", encoding)
        git(shared, "add", "-A")
        assert "secret-in-memory" in staged(shared), encoding


@pytest.mark.parametrize("name", ["notes/{}.md", "notes/{}.txt", "{}/mem_two.md", "notes/key-{}"])
@pytest.mark.parametrize("later", [False, True])
def test_a_key_in_a_name(name: str, later: bool, shared: Path) -> None:
    """It is found at every door, also where a later commit takes it away, and no output shows it."""
    base = tip(shared)
    place = shared / TEAM / name.format(fake_key())
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(serialize(team("mem_two")))
    private = resolve(shared, {}, None).project
    git(shared, "add", "-A")
    reports = [gate(shared).staged({}, private, whole=whole) for whole in (False, True)]
    new = commit(shared)
    reports += [gate(shared).ranged(base, new), gate(shared).revision(new)]
    if later:
        place.unlink()
        reports = [gate(shared).ranged(base, commit(shared))]

    for report in reports:
        assert report
        assert rules(report) == ["secret-in-memory"]
        assert "***" in report.findings[0].path
        for text in (as_text.doctor(report), json.dumps(as_json.doctor(report))):
            assert fake_key()[4:] not in text


def test_a_branch_whose_file_is_damaged_is_not_new(shared: Path) -> None:
    """All would look added, and nothing changed."""
    (shared / ".git/refs/heads/main").write_text("garbage\n")
    with pytest.raises(EccmemError, match="the commit of HEAD cannot be read"):
        revisions.head(repo.locate(shared, os.environ))
    git(shared, "symbolic-ref", "HEAD", "refs/heads/unborn")
    assert revisions.head(repo.locate(shared, os.environ)) is None


def test_pushes_of_one_commit_are_judged_once(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with many tags."""
    judged: list[Push] = []
    monkeypatch.setattr(Gate, "_pushed", lambda _self, push, _remote: judged.append(push))
    gate(shared).pushed([Push(tip(shared))] * 3, "origin")
    assert judged == [Push(tip(shared))]
