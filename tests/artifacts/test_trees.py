"""Trees of a revision, of the index and of the files on disk, in real repositories."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import git
from eccmem import limits, repo
from eccmem.artifacts import trees
from eccmem.artifacts.trees import SUBMODULE, SYMLINK, Tree
from eccmem.errors import EccmemError

Write = Callable[..., Path]


@pytest.fixture
def write(checkout: Path) -> Write:
    """Write a file, and add it unless told otherwise: ``write("a/b.md", "text", add=False)``."""

    def _write(path: str | bytes, text: str | bytes, *, add: bool = True) -> Path:
        target = checkout / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        if add:
            git(checkout, "add", "--", f"./{os.fsdecode(path)}")
        return target

    return _write


def located(folder: Path) -> repo.Repo:
    return repo.locate(folder, os.environ)


def contents(tree: Tree) -> dict[str, bytes]:
    return dict(tree.read(list(tree.entries)))


def object_id(folder: Path, path: str) -> str:
    """What Git would store for a file, with the filters of its path."""
    return git(folder, "hash-object", "--", path).strip()


def test_the_three_trees_differ_where_they_should(checkout: Path, write: Write) -> None:
    """A commit, what is staged over it, and what is edited over that; what is untracked is in none."""
    write("a.md", "one")
    git(checkout, "commit", "-qm", "a")
    write("a.md", "two")
    write("b.md", "staged")
    write("a.md", "three", add=False)
    write("c.md", "untracked", add=False)
    repository = located(checkout)

    commit, index, disk = (
        trees.of_revision(repository, "HEAD"),
        trees.of_index(repository),
        trees.of_worktree(repository),
    )

    assert contents(commit) == {"README.md": b"# A repository\n", "a.md": b"one"}
    assert contents(index) == {"README.md": b"# A repository\n", "a.md": b"two", "b.md": b"staged"}
    assert contents(disk) == {"README.md": b"# A repository\n", "a.md": b"three", "b.md": b"staged"}
    assert disk.entries["a.md"].oid == object_id(checkout, "a.md")
    assert commit.entries["README.md"] == index.entries["README.md"] == disk.entries["README.md"]


def test_what_is_gone_from_disk_is_gone(checkout: Path, write: Write) -> None:
    """And what was only touched has the same object id as before."""
    write("gone.md", "x")
    touched = write("touched.md", "y")
    git(checkout, "commit", "-qm", "a")
    (checkout / "gone.md").unlink()
    os.utime(touched, (1, 1))
    repository = located(checkout)

    disk = trees.of_worktree(repository)

    assert set(disk.entries) == {"README.md", "touched.md"}
    assert disk.entries["touched.md"] == trees.of_index(repository).entries["touched.md"]
    assert contents(disk)["touched.md"] == b"y"


@pytest.mark.skipif(os.name == "nt", reason="links and such names need rights or are not there")
def test_links_modules_and_odd_names(checkout: Path, write: Write, tmp_path: Path) -> None:
    """A link and a submodule are entries and never read; names that are not UTF-8, or have line ends, are as others."""
    (tmp_path / "secret.md").write_text("outside")
    (checkout / "link.md").symlink_to(tmp_path / "secret.md")
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "x")
    git(checkout, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "module")
    for name in (b"caf\xe9.md", b'quo"te\nline\\.md', b":colon.md", b" spaced .md"):
        write(name, "a")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "a")
    for name in (b"caf\xe9.md", b'quo"te\nline\\.md'):
        write(name, "edited", add=False)
    repository = located(checkout)

    for tree in (trees.of_revision(repository, "HEAD"), trees.of_index(repository), trees.of_worktree(repository)):
        assert tree.entries["link.md"].mode == SYMLINK
        assert tree.entries["module"].mode == SUBMODULE
        found = contents(tree)
        assert not {"link.md", "module"} & set(found)
        assert {os.fsdecode(b"caf\xe9.md"), 'quo"te\nline\\.md', ":colon.md", " spaced .md"} <= set(found)
    assert found[os.fsdecode(b"caf\xe9.md")] == found['quo"te\nline\\.md'] == b"edited"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_file_that_became_a_link_is_not_followed(checkout: Path, write: Write, tmp_path: Path) -> None:
    """Nor is a folder that became one."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.md").write_text("secret")
    write("a.md", "one")
    write("folder/b.md", "two")
    git(checkout, "commit", "-qm", "a")
    (checkout / "a.md").unlink()
    (checkout / "a.md").symlink_to(tmp_path / "outside" / "b.md")
    (checkout / "folder" / "b.md").unlink()
    (checkout / "folder").rmdir()
    (checkout / "folder").symlink_to(tmp_path / "outside")

    disk = trees.of_worktree(located(checkout))

    assert disk.entries["a.md"].mode == SYMLINK
    assert "folder/b.md" not in disk.entries
    assert contents(disk) == {"README.md": b"# A repository\n"}


def test_line_ends_are_as_git_stores_them(checkout: Path, write: Write) -> None:
    """A checkout with CRLF has the object ids of LF; an edit in it is hashed by the same rule."""
    write(".gitattributes", "*.md text eol=crlf\n")
    write("a.md", b"one\r\ntwo\r\n")
    git(checkout, "commit", "-qm", "a")
    write("a.md", b"one\r\ntwo\r\nthree\r\n", add=False)
    repository = located(checkout)

    committed, disk = trees.of_revision(repository, "HEAD"), trees.of_worktree(repository)
    git(checkout, "add", "a.md")

    assert contents(committed)["a.md"] == b"one\ntwo\n"
    assert disk.entries["a.md"] == trees.of_index(repository).entries["a.md"]


def test_sha256(tmp_path: Path, home: Path) -> None:
    """Object ids have 64 digits there, and all else is the same."""
    folder = tmp_path / "repo"
    done = subprocess.run(["git", "init", "-q", "--object-format=sha256", str(folder)], check=False)
    if done.returncode:
        pytest.skip("this Git knows no SHA-256")
    (folder / "a.md").write_text("one")
    git(folder, "add", "a.md")
    git(folder, "commit", "-qm", "a")
    (folder / "a.md").write_text("two")
    repository = located(folder)

    for tree, text in ((trees.of_revision(repository, "HEAD"), b"one"), (trees.of_worktree(repository), b"two")):
        assert len(tree.entries["a.md"].oid) == 64
        assert contents(tree) == {"a.md": text}


def test_a_bare_repository(checkout: Path, tmp_path: Path, write: Write) -> None:
    """It has no files on disk; what HEAD has stands for them."""
    write("a.md", "one")
    git(checkout, "commit", "-qm", "a")
    git(tmp_path, "clone", "-q", "--bare", str(checkout), "bare.git")
    repository = located(tmp_path / "bare.git")

    assert contents(trees.at(repository, None)) == contents(trees.of_revision(located(checkout), "HEAD"))


def test_an_unresolved_merge(checkout: Path, write: Write) -> None:
    """On disk it is what lies there; in the index our side stands for the path, or theirs where we have none."""
    write("a.md", "base\n")
    write("b.md", "base\n")
    git(checkout, "commit", "-qm", "base")
    git(checkout, "checkout", "-qb", "other")
    write("a.md", "theirs\n")
    write("b.md", "theirs\n")
    git(checkout, "commit", "-qm", "theirs")
    git(checkout, "checkout", "-q", "main")
    write("a.md", "ours\n")
    git(checkout, "rm", "-q", "b.md")
    git(checkout, "commit", "-qam", "ours")
    subprocess.run(["git", "merge", "other"], cwd=checkout, capture_output=True, check=False)
    repository = located(checkout)

    index, disk = trees.of_index(repository), trees.of_worktree(repository)

    assert (contents(index)["a.md"], contents(index)["b.md"]) == (b"ours\n", b"theirs\n")
    assert contents(disk)["a.md"].startswith(b"<<<<<<<")
    assert contents(disk)["b.md"] == b"theirs\n"
    assert disk.entries["a.md"].oid == object_id(checkout, "a.md")


def test_what_is_only_intended_to_be_added(checkout: Path, write: Write) -> None:
    """``git add -N``: on disk it is there, the next commit has nothing of it; an empty file is another thing."""
    write("empty.md", "")
    write("later.md", "text", add=False)
    git(checkout, "add", "-N", "later.md")
    repository = located(checkout)

    assert "later.md" not in trees.of_index(repository).entries
    assert "empty.md" in trees.of_index(repository).entries
    assert contents(trees.of_worktree(repository))["later.md"] == b"text"


def test_a_sparse_checkout(checkout: Path, write: Write) -> None:
    """What is left out of it is tracked all the same, and Git has its content."""
    write("in/a.md", "a")
    write("out/b.md", "b")
    git(checkout, "commit", "-qm", "a")
    git(checkout, "sparse-checkout", "set", "in")

    assert not (checkout / "out").exists()
    assert contents(trees.of_worktree(located(checkout)))["out/b.md"] == b"b"


def test_what_is_too_large_is_not_read(checkout: Path, write: Write) -> None:
    """Neither from Git nor from disk; it is an entry, and the others come after it."""
    write("a.md", "x" * (limits.ARTIFACT_BYTES + 1))
    write("b.md", "x" * limits.ARTIFACT_BYTES)
    write("c.md", "c")
    repository = located(checkout)

    assert set(contents(trees.of_index(repository))) == {"README.md", "b.md", "c.md"}
    write("c.md", "x" * (limits.ARTIFACT_BYTES + 1), add=False)
    disk = trees.of_worktree(repository)
    assert set(contents(disk)) == {"README.md", "b.md"}
    assert set(disk.entries) == {"README.md", "a.md", "b.md", "c.md"}


def test_what_is_asked_for_twice_or_is_not_there(checkout: Path, write: Write) -> None:
    """Each file comes once, and what is unknown not at all."""
    write("a.md", "same")
    write("b.md", "same")
    tree = trees.of_worktree(located(checkout))

    assert sorted(tree.read(["a.md", "b.md", "a.md", "none.md"])) == [("a.md", b"same"), ("b.md", b"same")]


def test_an_unknown_revision(checkout: Path) -> None:
    """Is an error with a word for programs."""
    with pytest.raises(EccmemError) as caught:
        trees.of_revision(located(checkout), "nowhere")
    assert caught.value.slug == "unknown-revision"


def test_few_processes(checkout: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files differ: the index, what differs, their ids; and one for the contents."""
    for number in range(30):
        write(f"d/{number}.md", "a")
    git(checkout, "commit", "-qm", "a")
    for number in range(15):
        write(f"d/{number}.md", "b", add=False)
    commands: list[str] = []
    run = repo.Repo.run
    monkeypatch.setattr(repo.Repo, "run", lambda self, *a, **k: commands.append(a[0]) or run(self, *a, **k))

    tree = trees.of_worktree(located(checkout))

    assert commands == ["ls-files", "diff-files", "hash-object"]
    assert len(contents(tree)) == 31
    assert len(commands) == 3
