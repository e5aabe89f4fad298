"""What the attribute and ignore files of a commit do to its vault, whatever lies on disk."""

import os
from pathlib import Path

import pytest

from conftest import git
from eccmem import limits, repo, revisions, treefiles
from eccmem.errors import EccmemError
from eccmem.repo import Tracked

MEMORY = ".ecc/memory/team/notes/mem_one.md"


def asked(checkout: Path, **files: str | bytes) -> dict[str, str]:
    """The attributes of a memory in a commit that has these files (``/`` is written ``__``)."""
    for name, content in files.items():
        place = checkout / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    git(checkout, "add", "-A", "-f")
    git(checkout, "commit", "-q", "-m", "x")
    repository = repo.locate(checkout, os.environ)
    with treefiles.laid_out(repository, list(revisions.tree(repository, "HEAD")), [MEMORY]) as laid:
        return {found.name: found.value for found in treefiles.attributes(laid, [MEMORY])}


def test_the_nearest_file_counts(checkout: Path) -> None:
    assert asked(checkout, **{".gitattributes": "*.md -diff\n"}) == {"diff": "unset"}
    assert asked(checkout, **{".ecc__.gitattributes": "*.md diff\n"}) == {"diff": "set"}


def test_macros_of_the_top_are_followed(checkout: Path) -> None:
    """``binary`` and those that are defined there."""
    files = {".gitattributes": "[attr]shy -diff linguist-generated\n", ".ecc__.gitattributes": "*.md shy\n"}

    assert asked(checkout, **files) == {"diff": "unset", "linguist-generated": "set"}


def test_what_lies_on_disk_or_in_settings_does_not_count(checkout: Path, home: Path, monkeypatch) -> None:
    """Neither the person's own rules, nor the repository's info, nor a file that is not committed."""
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/attributes").write_text("*.md -diff\n")
    (home / ".gitconfig").write_text(f"[core]\n\tattributesFile = {home}/.config/git/attributes\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    (checkout / ".git/info").mkdir(exist_ok=True)
    (checkout / ".git/info/attributes").write_text("*.md -diff\n")
    assert asked(checkout, x="x") == {}
    (checkout / ".gitattributes").write_text("*.md -diff\n")
    repository = repo.locate(checkout, os.environ)
    with treefiles.laid_out(repository, list(revisions.tree(repository, "HEAD")), [MEMORY]) as laid:
        assert list(treefiles.attributes(laid, [MEMORY])) == []


def test_a_link_is_followed_no_more_than_git_does(checkout: Path) -> None:
    """Git reads no .gitattributes through a symlink."""
    (checkout / "rules").write_text("*.md -diff\n")
    (checkout / ".gitattributes").symlink_to("rules")

    assert asked(checkout) == {}


def test_ignore_rules_of_the_commit(checkout: Path) -> None:
    """With their file and line; the rest of the machine does not matter."""
    (checkout / ".git/info").mkdir(exist_ok=True)
    (checkout / ".git/info/exclude").write_text("*.md\n")
    asked(checkout, **{".gitignore": "build/\n"})
    repository = repo.locate(checkout, os.environ)
    entries = list(revisions.tree(repository, "HEAD"))
    with treefiles.laid_out(repository, entries, [MEMORY]) as laid:
        assert treefiles.ignored(laid, MEMORY) is None
    asked(checkout, **{".gitignore": "build/\n.ecc/\n"})
    with treefiles.laid_out(repository, list(revisions.tree(repository, "HEAD")), [MEMORY]) as laid:
        rule = treefiles.ignored(laid, MEMORY)
    assert rule
    assert (rule.source, rule.line, rule.pattern) == (".gitignore", "2", ".ecc/")


def test_names_that_would_lead_out_are_not_written(checkout: Path) -> None:
    """Git makes no such entries; a tree that was made by hand may have them."""
    blob = git(checkout, "hash-object", "-w", "README.md").strip()
    hostile = [Tracked("100644", blob, f"{name}/.gitattributes") for name in ("..", "a/../..", ".git", ".GIT", "a//b")]

    with treefiles.laid_out(
        repo.locate(checkout, os.environ), hostile, ["../x", ".git/x", "a/../../x", "a//b/x"]
    ) as laid:
        written = [path for path in laid.checkout.rglob("*") if path.name == ".gitattributes"]
    assert written == []


def test_what_no_file_system_can_hold_says_nothing(checkout: Path) -> None:
    """A tree can have such a name; a checkout cannot, so the file has no effect."""
    blob = git(checkout, "hash-object", "-w", "README.md").strip()
    folders = ["n" * 256, f"a/{'é' * 128}"]
    hostile = [Tracked("100644", blob, f"{name}/.gitattributes") for name in folders]

    with treefiles.laid_out(
        repo.locate(checkout, os.environ), hostile, [f"{name}/{MEMORY}" for name in folders]
    ) as laid:
        assert [path.name for path in laid.checkout.iterdir()] == [".git"]
    assert treefiles.is_rules(Tracked("100644", blob, f"{'n' * 255}/.gitattributes"))


def test_a_file_that_is_too_large_cannot_be_judged(checkout: Path, monkeypatch) -> None:
    """Not silence."""
    monkeypatch.setattr(limits, "EXCLUDE_BYTES", 10)

    with pytest.raises(EccmemError, match="too large"):
        asked(checkout, **{".gitattributes": "*.md text eol=lf\n"})


def test_odd_names_get_their_own_answers(checkout: Path) -> None:
    """A line break in a name shifts nothing."""
    names = [".ecc/memory/team/a\nb.md", os.fsdecode(b".ecc/memory/team/\xff.md"), ".ecc/memory/team/-x.md"]
    asked(checkout, **{".gitattributes": "*b.md -diff\n"})
    repository = repo.locate(checkout, os.environ)

    with treefiles.laid_out(repository, list(revisions.tree(repository, "HEAD")), names) as laid:
        found = list(treefiles.attributes(laid, names))

    assert [(item.path, item.value) for item in found] == [(names[0], "unset")]
