"""Private memories stay out of commits, with real Git: whatever is cleaned, stashed, cloned or nested."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import git
from eccmem import gitdir, guard, roots
from eccmem.roots import PROJECT_OVERRIDE, VaultRoots
from hardship import IS_ROOT, all_at_once, broken_files, common_ground, give_away, in_child, tree, try_save

PROJECT = Path(".ecc") / "memory" / "project"
GUARD = PROJECT / guard.NAME


# --- Repositories of every shape ------------------------------------------------------------------------------


def plain(top: Path) -> Path:
    """A repository with one commit."""
    top.mkdir(parents=True)
    git(top, "init", "-q", "-b", "main")
    (top / "README.md").write_text("# A repository\n")
    git(top, "add", "README.md")
    git(top, "commit", "-q", "-m", "first")
    return top


def linked_worktree(top: Path) -> Path:
    """A working tree whose ``.git`` is a file."""
    git(plain(top), "worktree", "add", "-q", "../linked")
    return top.parent / "linked"


def submodule(top: Path) -> Path:
    """A repository inside of another one."""
    inner = plain(top.parent / "inner")
    add_submodule(plain(top), inner)
    return top / "sub"


def submodule_in_worktree(top: Path) -> Path:
    """Both at once."""
    outer = linked_worktree(top)
    add_submodule(outer, plain(top.parent / "inner"))
    return outer / "sub"


def add_submodule(outer: Path, inner: Path) -> None:
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(outer, "commit", "-q", "-m", "a submodule")


def separate_git_dir(top: Path) -> Path:
    """A working tree whose repository is elsewhere."""
    plain(top)
    git(top, "init", "-q", f"--separate-git-dir={top.parent / 'elsewhere.git'}")
    return top


def linked_git_dir(top: Path) -> Path:
    """A working tree whose ``.git`` is a symlink."""
    plain(top)
    (top / ".git").rename(top.parent / "moved.git")
    (top / ".git").symlink_to(top.parent / "moved.git", target_is_directory=True)
    return top


def path_of_two_lines(top: Path) -> Path:
    """A linked working tree of a repository whose path holds a line end."""
    return linked_worktree(top.with_name("two\nlines") / "repo")


def odd_path(top: Path) -> Path:
    """A repository whose own path would be a pattern."""
    return plain(top.with_name("a b [x]*? !#$'é"))


def exclude_without_end(top: Path) -> Path:
    """``info/exclude`` does not end with a newline."""
    (plain(top) / ".git" / "info" / "exclude").write_text("*.log\nbuild")
    return top


def empty_exclude(top: Path) -> Path:
    """``info/exclude`` is empty."""
    (plain(top) / ".git" / "info" / "exclude").write_text("")
    return top


def crlf_exclude(top: Path) -> Path:
    """``info/exclude`` has CRLF line ends."""
    (plain(top) / ".git" / "info" / "exclude").write_bytes(b"*.log\r\nbuild\r\n")
    return top


def no_info(top: Path) -> Path:
    """There is no ``info`` folder: templates may be switched off."""
    shutil.rmtree(plain(top) / ".git" / "info")
    return top


Shape = Callable[[Path], Path]
SHAPES: list[Shape] = [
    plain,
    linked_worktree,
    submodule,
    submodule_in_worktree,
    separate_git_dir,
    linked_git_dir,
    odd_path,
    exclude_without_end,
    empty_exclude,
    crlf_exclude,
    no_info,
]


TWO_LINES = pytest.param(path_of_two_lines)


def named(shape: Shape) -> str:
    return shape.__name__


@pytest.fixture
def top(tmp_path: Path, home: Path) -> Path:
    """Where a repository may be made."""
    return tmp_path / "repositories" / "repo"


def clean(checkout: Path) -> None:
    """What deletes an untracked guard."""
    git(checkout, "clean", "-q", "-fd")


def stash(checkout: Path) -> None:
    """What takes an untracked guard away."""
    git(checkout, "stash", "-q", "-u")


def delete(checkout: Path) -> None:
    """What a person may do."""
    for path in checkout.rglob(guard.NAME):
        path.unlink()


HARMS = [clean, stash, delete]


def staged(checkout: Path) -> list[str]:
    """Everything that the next commit would hold, after ``git add -A``."""
    git(checkout, "add", "-A")
    return [path for path in git(checkout, "ls-files", "-z").split("\0") if path]


def assert_private(checkout: Path, vault: VaultRoots, memories: int) -> None:
    """The private memories are there, and nothing of them would be committed."""
    project = vault.project.path
    assert len(list(project.rglob("*.md"))) == memories
    private = os.path.relpath(project, checkout)
    assert [path for path in staged(checkout) if path.startswith(private)] in ([], [f"{private}/{guard.NAME}"])


# --- Both layers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harm", HARMS, ids=named)
@pytest.mark.parametrize("shape", [*SHAPES, TWO_LINES], ids=named)
def test_no_private_memory_is_staged(shape: Shape, harm: Callable[[Path], None], top: Path, home: Path) -> None:
    """After a save, whatever takes the guard file away; the next save makes it anew."""
    checkout = shape(top)
    vault = roots.resolve(checkout, {}, home)
    saved = try_save(vault, title="Private")
    assert saved.id
    assert saved.warnings == ()
    for memories in (1, 2):
        harm(checkout)
        assert not (checkout / GUARD).exists()
        assert_private(checkout, vault, memories)
        git(checkout, "reset", "-q")
        assert try_save(vault, title=f"Private {memories}").id
        assert (checkout / GUARD).read_bytes() == guard.CONTENT
        assert_private(checkout, vault, memories + 1)
        git(checkout, "reset", "-q")


@pytest.mark.parametrize("harm", HARMS, ids=named)
@pytest.mark.parametrize(
    "below",
    ["notes", "a/b/c", "sp ace/[x]*? y", "!bang", "#hash", "back\\slash", "trailing ", "é", "**", "[!a]", ".ecc"],
)
def test_an_override_inside_the_repository(harm: Callable[[Path], None], below: str, top: Path, home: Path) -> None:
    """The patterns name that folder and no other, whatever characters it has."""
    checkout = plain(top)
    (checkout / "src").mkdir()
    vault = roots.resolve(checkout / "src", {PROJECT_OVERRIDE: str(checkout / below)}, home)
    assert try_save(vault, title="Private").id
    assert try_save(vault, title="Shared", scope="team").id
    (checkout / "project" / "notes").mkdir(parents=True)
    (checkout / "project" / "notes" / "public.md").write_text("Not a memory of ours.\n")
    harm(checkout)
    assert_private(checkout, vault, 1)
    # A second save adds nothing, and what is beside the vault is not ignored.
    assert try_save(vault, title="Private 2").warnings == ()
    (checkout / "project" / "notes").mkdir(parents=True, exist_ok=True)
    (checkout / "project" / "notes" / "public.md").write_text("Not a memory of ours.\n")
    assert "project/notes/public.md" in staged(checkout)
    assert_private(checkout, vault, 2)


def test_an_override_in_another_repository(top: Path, home: Path) -> None:
    """The repository that could commit the memories is the one that is guarded."""
    here, there = plain(top), plain(top.with_name("there"))
    vault = roots.resolve(here, {PROJECT_OVERRIDE: str(there / "vault")}, home)
    assert try_save(vault).id
    clean(there)
    assert_private(there, vault, 1)
    assert b"eccmem" not in (here / ".git" / "info" / "exclude").read_bytes()


@pytest.mark.parametrize("where", ["outside", "inside"])
def test_an_override_that_leads_into_the_repository(where: str, top: Path, home: Path) -> None:
    """A link may be named as the vault: Git sees the folder that it leads to."""
    checkout = plain(top)
    (checkout / "real").mkdir()
    link = (checkout if where == "inside" else checkout.parent) / "link"
    link.symlink_to(checkout / "real", target_is_directory=True)
    vault = roots.resolve(checkout, {PROJECT_OVERRIDE: str(link)}, home)
    assert try_save(vault).id
    delete(checkout)
    assert staged(checkout) in (["README.md"], ["README.md", "link"])


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_useless_git_below_the_repository(what: str, top: Path, home: Path) -> None:
    """Git passes over a ``.git`` that is no repository, and so the one above could commit the memories."""
    below = plain(top) / "below"
    below.mkdir()
    (below / ".git").mkdir() if what == "folder" else (below / ".git").touch()
    assert try_save(roots.resolve(below, {}, home)).id
    delete(top)
    assert not [path for path in staged(top) if path.endswith(".md") and ".ecc" in path]


@pytest.mark.parametrize("harm", [clean, stash], ids=named)
@pytest.mark.parametrize("rules", ["*\n!*/\n!*.md\n", "*\n!.ecc\n!.ecc/**\n"])
def test_a_repository_that_lists_what_it_takes(rules: str, harm: Callable[[Path], None], top: Path, home: Path) -> None:
    """Some ignore everything and take back what they want, such as all Markdown."""
    checkout = plain(top)
    (checkout / ".gitignore").write_text(rules)
    git(checkout, "add", "-f", ".gitignore")
    git(checkout, "commit", "-q", "-m", "rules")
    assert try_save(roots.resolve(checkout, {}, home)).id
    harm(checkout)
    assert not [path for path in staged(checkout) if path.startswith(".ecc/memory/project/notes")]


def test_an_override_in_no_repository(top: Path, home: Path, tmp_path: Path) -> None:
    """There is nothing to be committed to, and nothing to warn of."""
    vault = roots.resolve(plain(top), {PROJECT_OVERRIDE: str(tmp_path / "vault")}, home)
    assert try_save(vault).warnings == ()
    assert (tmp_path / "vault" / "project" / guard.NAME).read_bytes() == guard.CONTENT
    assert b"eccmem" not in (top / ".git" / "info" / "exclude").read_bytes()


def test_each_worktree_is_guarded_by_one_save(top: Path, home: Path) -> None:
    """The lines are common to all worktrees: a save in one of them helps the others."""
    linked = linked_worktree(top)
    vault = roots.resolve(top, {}, home)
    assert try_save(vault).id
    (linked / PROJECT / "notes").mkdir(parents=True)
    (linked / PROJECT / "notes" / "x.md").write_text("Copied by hand.\n")
    assert staged(linked) == ["README.md"]


def test_many_processes_make_the_first_save_at_once(vault: VaultRoots, checkout: Path) -> None:
    """All of them save, one guard is made, and the patterns are whole."""
    outcomes = all_at_once([lambda n=number: try_save(vault, title=f"Number {n}") for number in range(8)])
    assert [outcome.slug for outcome in outcomes] == [""] * 8
    assert {warning for outcome in outcomes for warning in outcome.warnings} == set()
    assert not broken_files(checkout / ".ecc")
    assert (checkout / GUARD).read_bytes() == guard.CONTENT
    lines = (checkout / ".git" / "info" / "exclude").read_bytes().split(b"\n")
    added = [line for line in lines if b".ecc" in line]
    assert set(added) == {b"/.ecc/memory/project/*", b"!/.ecc/memory/project/.gitignore"}
    clean(checkout)
    assert_private(checkout, vault, 8)


# --- info/exclude ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [plain, exclude_without_end, empty_exclude, crlf_exclude, no_info], ids=named)
def test_the_lines_are_added_once(shape: Shape, top: Path, home: Path) -> None:
    """Twenty saves add them once, after what was there, which stays as it was."""
    checkout = shape(top)
    exclude = checkout / ".git" / "info" / "exclude"
    before = exclude.read_bytes() if exclude.exists() else b""
    vault = roots.resolve(checkout, {}, home)
    for number in range(20):
        assert try_save(vault, title=f"Number {number}").warnings == ()
    after = exclude.read_bytes()
    assert after.startswith(before)
    assert after.count(b"/.ecc/memory/project/*\n") == 1
    assert after.count(b"!/.ecc/memory/project/.gitignore\n") == 1
    if before:
        (checkout / "x.log").touch()
        (checkout / "build").touch()
        if b"log" in before:
            assert not [path for path in staged(checkout) if path in {"x.log", "build"}]


@pytest.mark.parametrize("what", ["exclude", "info"])
def test_a_symlink_in_the_repository_is_left_alone(vault: VaultRoots, checkout: Path, what: str) -> None:
    """Some share their ``info/exclude`` by a link: it is not written through, and the person is told."""
    info = checkout / ".git" / "info"
    victim = info / "exclude" if what == "exclude" else info
    victim.rename(checkout.parent / "shared")
    victim.symlink_to(checkout.parent / "shared")
    before = tree(checkout.parent / "shared"), (checkout.parent / "shared").stat().st_size
    saved = try_save(vault)
    assert saved.id
    assert len(saved.warnings) == 1
    assert "info/exclude" in saved.warnings[0]
    assert str(checkout) not in saved.warnings[0]
    assert (tree(checkout.parent / "shared"), (checkout.parent / "shared").stat().st_size) == before
    assert victim.is_symlink()
    assert_private(checkout, vault, 1)


@pytest.mark.parametrize("what", ["a folder", "a FIFO", "too large"])
def test_an_unusable_exclude_file(vault: VaultRoots, checkout: Path, what: str) -> None:
    """A warning, no waiting, and the memory is saved under the guard file."""
    exclude = checkout / ".git" / "info" / "exclude"
    exclude.unlink()
    match what:
        case "a folder":
            exclude.mkdir()
        case "a FIFO":
            os.mkfifo(exclude)
        case "too large":
            exclude.write_bytes(b"#\n" * 2**20)
    saved = in_child(lambda: try_save(vault), seconds=20)
    assert saved.id
    assert "info/exclude" in saved.warnings[0]
    if what == "too large":  # Git itself would wait for a FIFO, and fails at a folder
        assert_private(checkout, vault, 1)


@pytest.fixture
def shared_checkout(home: Path) -> Iterator[Path]:
    """A repository that a child without privileges owns."""
    with common_ground() as ground:
        checkout = plain(ground / "repo")
        give_away(checkout)
        yield checkout


def test_a_read_only_repository(shared_checkout: Path, home: Path) -> None:
    """Several harnesses mount ``.git`` read-only: a warning, and the guard file alone protects."""
    for path in (shared_checkout / ".git", *(shared_checkout / ".git").rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    vault = roots.resolve(shared_checkout, {}, home)
    saved = in_child(lambda: try_save(vault), unprivileged=True)
    assert saved.id
    assert len(saved.warnings) == 1
    assert "info/exclude" in saved.warnings[0]
    assert "the .gitignore files of their folders alone" in saved.warnings[0]
    for path in (shared_checkout / ".git", *(shared_checkout / ".git").rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
    give_back(shared_checkout)
    assert_private(shared_checkout, vault, 1)


def give_back(folder: Path) -> None:
    """Let Git trust the repository again: it refuses those of others."""
    if IS_ROOT:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 0, 0, follow_symlinks=False)


# --- The guard file -------------------------------------------------------------------------------------------


def test_the_guard_and_team_memories_can_be_committed(vault: VaultRoots, checkout: Path, home: Path) -> None:
    """``git add -A`` stages exactly these; a clone has the guard, and saves there need no more."""
    private = try_save(vault, title="Private")
    shared = try_save(vault, title="Shared", scope="team")
    assert staged(checkout) == sorted(
        ["README.md", ".ecc/memory/project/.gitignore", f".ecc/memory/team/notes/{shared.id}.md"]
    )
    git(checkout, "commit", "-q", "-m", "the vault")
    clone = checkout.parent / "clone"
    git(checkout.parent, "clone", "-q", str(checkout), str(clone))
    assert (clone / GUARD).read_bytes() == guard.CONTENT
    assert not list(clone.rglob(f"{private.id}*"))
    (clone / PROJECT / "notes").mkdir()
    (clone / PROJECT / "notes" / "x.md").write_text("Before the first save there.\n")
    assert git(clone, "status", "--porcelain", "-uall") == ""
    assert try_save(roots.resolve(clone, {}, home)).warnings == ()
    clean(clone)
    assert git(clone, "status", "--porcelain", "-uall") == ""


def test_a_clone_with_crlf_line_ends(vault: VaultRoots, checkout: Path, home: Path) -> None:
    """Git accepts them in a ``.gitignore``, so a save does, with a warning; nothing private is staged."""
    assert try_save(vault).id
    staged(checkout)
    git(checkout, "commit", "-q", "-m", "the guard")
    clone = checkout.parent / "clone"
    git(checkout.parent, "-c", "core.autocrlf=true", "clone", "-q", str(checkout), str(clone))
    assert (clone / GUARD).read_bytes() == b"*\r\n!.gitignore\r\n"
    crlf = roots.resolve(clone, {}, home)
    saved = try_save(crlf)
    assert saved.id
    assert len(saved.warnings) == 1
    assert "CRLF" in saved.warnings[0]
    assert_private(clone, crlf, 1)


def test_a_deleted_guard_is_made_anew(vault: VaultRoots, checkout: Path) -> None:
    """Every save looks, not only the first."""
    for number in range(3):
        assert try_save(vault, title=f"Number {number}").warnings == ()
        assert (checkout / GUARD).read_bytes() == guard.CONTENT
        (checkout / GUARD).unlink()


@pytest.mark.parametrize("scope", ["team", "user"])
def test_other_scopes_make_no_guard(vault: VaultRoots, checkout: Path, home: Path, scope: str) -> None:
    """They are not private to the checkout, and the repository is left alone."""
    before = tree(checkout / ".git")
    assert try_save(vault, scope=scope).warnings == ()
    assert not [*checkout.rglob(guard.NAME), *home.rglob(guard.NAME)]
    assert tree(checkout / ".git") == before


SEEDS = {
    "empty": b"",
    "half": b"*\n",
    "other order": b"!.gitignore\n*\n",
    "extended": guard.CONTENT + b"!*.md\n",
    "commented": b"# mine\n" + guard.CONTENT,
    "no final newline": guard.CONTENT.rstrip(),
    "mixed line ends": b"*\r\n!.gitignore\n",
    "with a byte order mark": b"\xef\xbb\xbf" + guard.CONTENT,
    "not text": b"\0\xff",
    "huge": guard.CONTENT + b"#" * 100_000,
}
THINGS = ["a link to the right content", "a dangling link", "a link to itself", "a folder", "a FIFO"]


def occupy(path: Path, what: str) -> None:
    """Put something where the guard should be."""
    match what:
        case "a link to the right content":
            (path.parent.parent / "elsewhere").write_bytes(guard.CONTENT)
            path.symlink_to("../elsewhere")
        case "a dangling link":
            path.symlink_to("../nothing")
        case "a link to itself":
            path.symlink_to(path.name)
        case "a folder":
            path.mkdir()
        case "a FIFO":
            os.mkfifo(path)
        case _:
            path.write_bytes(SEEDS[what])


@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
@pytest.mark.parametrize("what", [*SEEDS, *THINGS])
def test_a_changed_guard_stops_the_save(vault: VaultRoots, checkout: Path, what: str, used: bool) -> None:
    """Anything but the exact guard: an error that says what to do, and not one byte is written."""
    if used:
        assert try_save(vault).id
        (checkout / GUARD).unlink()
    else:
        (checkout / PROJECT).mkdir(parents=True)
    occupy(checkout / GUARD, what)
    before = tree(checkout)
    outcome = in_child(lambda: try_save(vault, title="Another"), seconds=20)
    assert outcome.slug == "guard-changed"
    assert ".ecc/memory/project/.gitignore" in outcome.message
    assert "remove it" in outcome.message
    assert str(checkout) not in outcome.message
    assert tree(checkout) == before
    assert try_save(vault, title="Shared", scope="team").id, "the team's memories need no guard"


def test_an_unreadable_guard_stops_the_save(shared_checkout: Path, home: Path) -> None:
    """What cannot be read cannot be trusted."""
    vault = roots.resolve(shared_checkout, {}, home)
    assert in_child(lambda: try_save(vault), unprivileged=True).id
    (shared_checkout / GUARD).chmod(0)
    assert in_child(lambda: try_save(vault, title="Another"), unprivileged=True).slug == "guard-changed"
    assert len(list((shared_checkout / PROJECT).rglob("*.md"))) == 1


# --- Where Git keeps what worktrees share ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape",
    [plain, linked_worktree, submodule, submodule_in_worktree, separate_git_dir, linked_git_dir, odd_path, TWO_LINES],
    ids=named,
)
def test_the_common_folder_is_git_s_own(shape: Shape, top: Path) -> None:
    """Without a process we find what Git says."""
    checkout = shape(top)
    said = git(checkout, "rev-parse", "--git-common-dir").removesuffix("\n")
    assert gitdir.common_dir(checkout) == Path(os.path.realpath(checkout / said))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"gitdir: ",
        b"gitdir: nowhere\n",
        b"gitdir: ../empty\n",
        b"junk\n",
        b"\xff\0\xfe",
        b"gitdir: a\0b\n",
    ],
)
def test_a_git_file_that_leads_nowhere(content: bytes, tmp_path: Path, home: Path) -> None:
    """Such a checkout has no repository: a save works there, with the guard file, and without a warning."""
    (tmp_path / "empty").mkdir()
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / ".git").write_bytes(content)
    assert gitdir.common_dir(checkout) is None
    saved = try_save(roots.resolve(checkout, {}, home))
    assert saved.id
    assert saved.warnings == ()
    assert (checkout / GUARD).read_bytes() == guard.CONTENT


@pytest.mark.parametrize("what", ["an empty folder", "a FIFO", "a folder without objects", "a loop", "nothing"])
def test_a_git_folder_that_is_none(what: str, tmp_path: Path) -> None:
    """The same for whatever else may have that name."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    path = checkout / ".git"
    match what:
        case "an empty folder":
            path.mkdir()
        case "a FIFO":
            os.mkfifo(path)
        case "a folder without objects":
            path.mkdir()
            (path / "HEAD").write_text("ref: refs/heads/main\n")
            (path / "refs").mkdir()
        case "a loop":
            path.symlink_to(".git")
    assert in_child(lambda: gitdir.common_dir(checkout), seconds=20) is None
