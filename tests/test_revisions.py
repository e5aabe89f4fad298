"""What Git says about commits and changes, in repositories that are not the usual ones."""

import os
from pathlib import Path

import pytest

from conftest import git
from eccmem import limits, repo, revisions
from eccmem.errors import EccmemError
from eccmem.repo import Repo
from eccmem.spots import pathspecs

TEAM = ".ecc/memory/team"


@pytest.fixture
def repository(checkout: Path) -> Repo:
    return repo.locate(checkout, os.environ)


def commit(checkout: Path, *names: str | bytes) -> str:
    """Commit files, each with its name as content."""
    for name in names:
        place = checkout / os.fsdecode(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(os.fsencode(name))
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
    return git(checkout, "rev-parse", "HEAD").strip()


ODD = [b"a\nb", b"a\tb", b"-x", b"\xff", b'a"b', "ü".encode(), b" ", b"a\\nb", b":(top)x", b"1" * 40]


def test_odd_names_come_as_they_are(checkout: Path, repository: Repo) -> None:
    """In changes of the index, of trees and of commits."""
    base = git(checkout, "rev-parse", "HEAD").strip()
    names = sorted(os.fsdecode(TEAM.encode() + b"/" + name) for name in ODD)
    for name in names:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text("x")
    git(checkout, "add", "-A")
    assert sorted(change.path for change in revisions.staged(repository, base)) == names
    tip = commit(checkout)
    assert sorted(change.path for change in revisions.between(repository, base, tip)) == names
    assert sorted(entry.path for entry in revisions.tree(repository, tip) if entry.path != "README.md") == names
    found = revisions.added(repository, [tip], pathspecs(None))
    assert sorted(item.entry.path for item in found) == names


@pytest.mark.parametrize("batch", [1, 1000])
def test_each_commit_says_what_it_brings(batch: int, checkout: Path, repository: Repo, monkeypatch) -> None:
    """Also what a later one takes away, and what a merge of many makes up by itself; nothing twice."""
    monkeypatch.setattr(limits, "COMMITS_AT_ONCE", batch)
    first = git(checkout, "rev-parse", "HEAD").strip()
    for name in ("a", "b", "c"):
        git(checkout, "switch", "-q", "-c", name, first)
        commit(checkout, f"{TEAM}/{name}.md")
    git(checkout, "rm", "-q", f"{TEAM}/c.md")
    commit(checkout)
    git(checkout, "switch", "-q", "a")
    git(checkout, "merge", "-q", "--no-commit", "b", "c")
    (checkout / f"{TEAM}/own.md").write_text("own")
    tip = commit(checkout)

    found = list(revisions.added(repository, revisions.commits(repository, tip, [first]), pathspecs(None)))

    assert sorted(item.entry.path for item in found) == [f"{TEAM}/{name}.md" for name in ("a", "b", "c", "own")]
    assert next(item.commit for item in found if item.entry.path.endswith("own.md")) == tip


def test_the_first_commit_brings_all_that_it_has(checkout: Path, repository: Repo) -> None:
    tip = commit(checkout, f"{TEAM}/a.md")
    git(checkout, "checkout", "-q", "--orphan", "alone")
    alone = commit(checkout)

    assert [item.entry.path for item in revisions.added(repository, [alone], pathspecs(None))] == [f"{TEAM}/a.md"]
    assert revisions.merge_base(repository, tip, alone) is None


def test_an_unmerged_path_is_no_change_and_an_entry_for_each_side(checkout: Path, repository: Repo) -> None:
    """Its content is not known yet."""
    for branch, text in (("one", "1"), ("two", "2")):
        git(checkout, "switch", "-q", "-c", branch, "main")
        (checkout / "x").write_text(text)
        commit(checkout)
    with pytest.raises(Exception, match="merge"):
        git(checkout, "merge", "-q", "one")

    assert [change.path for change in revisions.staged(repository, "HEAD")] == []
    assert [entry.stage for entry in repository.tracked() if entry.path == "x"] == [2, 3]


def test_only_what_is_staged_counts(checkout: Path, repository: Repo) -> None:
    """A path that is only intended to be added is not there; one that is deleted on disk is."""
    (checkout / "intended").write_text("x")
    git(checkout, "add", "-N", "intended")
    (checkout / "README.md").unlink()

    assert revisions.staged(repository, "HEAD") == []


@pytest.mark.parametrize("name", ["--output=x", "-h", "", "a\nb", "x" * 5000, "@{-1}", "HEAD^9", "HEAD:README.md"])
def test_a_name_that_is_no_commit(name: str, repository: Repo) -> None:
    """Never an option, and an error that says so."""
    assert revisions.find(repository, name) is None
    with pytest.raises(EccmemError) as caught:
        revisions.resolve(repository, name)
    assert caught.value.slug == "unknown-revision"


@pytest.mark.parametrize(("depth", "missing"), [(1, True), (2, True), (3, True), (4, False)])
def test_where_history_ends_within_a_range(depth: int, missing: bool, checkout: Path, tmp_path: Path) -> None:
    """It is an error, and not a shorter range."""
    base = git(checkout, "rev-parse", "HEAD").strip()
    for number in range(3):
        commit(checkout, f"{number}.txt")
    git(tmp_path, "clone", "-q", "--depth", str(depth), f"file://{checkout}", "shallow")
    shallow = repo.locate(tmp_path / "shallow", os.environ)
    tip = revisions.resolve(shallow, "HEAD")

    if not missing:
        assert len(revisions.commits(shallow, tip, [base])) == 3
        return
    with pytest.raises(EccmemError) as caught:
        revisions.commits(shallow, tip, [revisions.resolve(shallow, base)])
    assert caught.value.slug == "history-missing"


def test_a_branch_without_commits_and_a_head_that_is_broken(checkout: Path, repository: Repo) -> None:
    """The first has no commit; the second cannot be judged."""
    git(checkout, "checkout", "-q", "--orphan", "new")
    assert revisions.head(repository) is None
    (checkout / ".git/HEAD").write_text("1" * 40 + "\n")
    with pytest.raises(EccmemError):
        revisions.head(repository)
