"""Whether Git comes to eccmem-hook, and how it is put in: real repositories, real hooks, real managers."""

import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import eccmem
from conftest import Save, git
from eccmem import limits, repo
from eccmem.errors import EccmemError
from eccmem.files import Folder
from eccmem.githooks import install as installing
from eccmem.githooks import probe, shim, status
from eccmem.githooks.install import Installed, Outcome
from eccmem.githooks.place import Kind
from eccmem.githooks.script import Reach
from eccmem.githooks.status import Status

YES, NO, UNKNOWN = Reach.YES, Reach.NO, Reach.UNKNOWN
SOURCE = Path(eccmem.__file__).parent.parent
LOCAL_HOOK = """\
repos:
  - repo: local
    hooks:
      - id: eccmem
        name: eccmem
        entry: eccmem-hook all
        language: system
        always_run: true
        pass_filenames: false
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ``eccmem-hook`` of this source, on PATH; and nothing of a manager that runs these tests."""
    for name in [name for name in os.environ if name.startswith(("PRE_COMMIT", "PREK", "HUSKY", "LEFTHOOK"))]:
        monkeypatch.delenv(name)
    file = tmp_path / "tools" / "eccmem-hook"
    file.parent.mkdir()
    where = f"PYTHONPATH={shlex.quote(str(SOURCE))} exec {shlex.quote(sys.executable)}"
    file.write_text(f'#!/bin/sh\n{where} -c "from eccmem.hook import run; run()" "$@"\n')
    file.chmod(0o755)
    own = Path(sys.executable).parent
    monkeypatch.setenv("PATH", os.pathsep.join((str(file.parent), str(own), os.environ["PATH"])))
    return file


def written(file: Path) -> tuple[int, int, bytes]:
    """What changes when a file is written or replaced, and not when it is only read, as its time of access does."""
    status = file.stat()
    return status.st_ino, status.st_mtime_ns, file.read_bytes()


def look(folder: Path, *, run: bool = False) -> dict[str, Status]:
    """The status of each hook, as seen from a folder."""
    repository = repo.locate(folder, os.environ)
    found = status.overview(repository, os.environ).hooks
    if run:
        found = tuple(status.after(item, probe.run(repository, os.environ, item.hook)) for item in found)
    return {item.hook.name: item for item in found}


def reaches(folder: Path, *, run: bool = False) -> list[Reach]:
    return [item.verdict.reaches for item in look(folder, run=run).values()]


def install(folder: Path, program: Path) -> Installed:
    return installing.install(repo.locate(folder, os.environ), program)


def write(path: Path, text: str, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def call(folder: Path, *args: str) -> subprocess.CompletedProcess:
    return subprocess.run(args, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def hooks(checkout: Path) -> Path:
    """The hooks folder of the checkout, as a template of Git may or may not have made it."""
    folder = checkout / ".git/hooks"
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    return folder


# --- Install --------------------------------------------------------------------------------------------------


def test_install_makes_all_three_and_git_runs_them(
    save: Save, checkout: Path, hooks: Path, program: Path, tmp_path: Path
) -> None:
    """Executable, and a private memory is stopped at a commit, at a merge and at a push."""
    done = install(checkout, program)

    assert [item.outcome for item in done.hooks] == [Outcome.MADE] * 3
    assert done.refused == ""
    umask = os.umask(0)
    os.umask(umask)
    for name in shim.NAMES:
        assert (hooks / name).read_bytes() == shim.text(name, program)
        assert stat.S_IMODE((hooks / name).stat().st_mode) == 0o755 & ~umask
    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]

    save()
    git(checkout, "add", "-f", ".ecc/memory/project/notes")
    assert "private-memory-tracked" in call(checkout, "git", "commit", "-qm", "x").stderr
    git(checkout, "checkout", "-qb", "other")
    git(checkout, "commit", "-qnm", "leak")
    git(checkout, "checkout", "-q", "main")
    assert "private-memory-tracked" in call(checkout, "git", "merge", "--no-ff", "-q", "-m", "m", "other").stderr
    git(checkout, "merge", "--abort")
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    pushed = call(checkout, "git", "push", str(tmp_path / "remote.git"), "other")
    assert "private-memory-tracked" in pushed.stderr
    assert pushed.returncode != 0
    assert git(tmp_path / "remote.git", "for-each-ref") == ""


def test_install_twice_changes_nothing(checkout: Path, hooks: Path, program: Path) -> None:
    """And makes only what is missing."""
    install(checkout, program)
    (hooks / "pre-push").unlink()
    before = written(hooks / "pre-commit")

    done = install(checkout, program)

    assert [item.outcome for item in done.hooks] == [Outcome.THERE, Outcome.THERE, Outcome.MADE]
    assert written(hooks / "pre-commit") == before
    assert [item.outcome for item in install(checkout, program).hooks] == [Outcome.THERE] * 3


def test_install_from_another_environment_finds_them_there(checkout: Path, hooks: Path, program: Path) -> None:
    """A shim that names another program is a shim of ours all the same."""
    install(checkout, program)

    assert [item.outcome for item in install(checkout, Path("/elsewhere/eccmem-hook")).hooks] == [Outcome.THERE] * 3
    assert install(checkout, Path("/elsewhere/eccmem-hook")).refused == ""


@pytest.mark.parametrize("name", shim.NAMES)
def test_a_foreign_hook_stops_all_and_the_shown_lines_chain_it(
    name: str, checkout: Path, hooks: Path, program: Path, tmp_path: Path, save: Save
) -> None:
    """Nothing is written, not even the others; with the lines that are shown, both run, and a push is still told."""
    seen = tmp_path / "seen"
    theirs = f"printf 'ran %s\\n' \"$(cat)\" >>{shlex.quote(str(seen))}\n"
    write(hooks / name, f"#!/bin/sh\n{theirs}")

    done = install(checkout, program)

    assert done.refused == "a hook is there already that is not ours"
    assert [file.name for file in hooks.iterdir()] == [name]
    (item,) = (item for item in done.hooks if item.outcome is Outcome.TAKEN)
    where, *lines = item.add
    assert where == f"to .git/hooks/{name}, right after its first line:"
    if name == "pre-push":
        assert lines.pop() == 'and give "$pushed" to what reads standard input after it'
        theirs = f"printf '%s' \"$pushed\" | {{ {theirs.rstrip()}; }}\n"
    write(hooks / name, "#!/bin/sh\n" + "".join(f"{line}\n" for line in lines) + theirs)

    assert look(checkout)[name].verdict.reaches is (UNKNOWN if name == "pre-push" else YES)
    assert look(checkout, run=True)[name].verdict.reaches is YES
    assert seen.read_text().count("ran") == 1
    if name == "pre-push":
        assert f"refs/heads/main {git(checkout, 'rev-parse', 'HEAD').strip()}" in seen.read_text()
    for other in done.hooks:
        if other.hook.name != name:  # what is missing can be made by hand, too
            write(hooks / other.hook.name, "".join(f"{line}\n" for line in other.add[1:]))
    assert reaches(checkout, run=True) == [YES, YES, YES]
    save()
    git(checkout, "add", "-f", ".ecc/memory/project/notes")
    if name == "pre-commit":
        seen.unlink()
        assert call(checkout, "git", "commit", "-qm", "x").returncode != 0
        assert not seen.exists()


@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe", "not executable", "changed shim"])
def test_install_leaves_odd_things_alone(kind: str, checkout: Path, hooks: Path, program: Path, tmp_path: Path) -> None:
    """A link is never written through, not even one that leads to nothing; status says what is wrong."""
    target = tmp_path / "target"
    hook = hooks / "pre-commit"
    if kind == "link":
        write(target, shim.text("pre-commit").decode())
    if kind in ("link", "dangling"):
        hook.symlink_to(target)
    elif kind == "folder":
        hook.mkdir()
    elif kind == "pipe":
        os.mkfifo(hook)
    else:
        write(
            hook, shim.text("pre-commit").decode() + "\n" * (kind == "changed shim"), 0o644 if "not" in kind else 0o755
        )

    done = install(checkout, program)

    assert done.refused
    assert [file.name for file in hooks.iterdir()] == ["pre-commit"]
    assert target.exists() is (kind == "link")
    found = look(checkout)["pre-commit"]
    assert found.verdict.reaches is {"link": YES, "changed shim": UNKNOWN}.get(kind, NO)
    assert found.hook.link == ("outside of the repository" if "link" in kind or kind == "dangling" else None)
    if kind == "not executable":
        assert found.remedy == "chmod +x .git/hooks/pre-commit"
    if kind == "changed shim":
        assert look(checkout, run=True)["pre-commit"].verdict.reaches is YES


def test_a_hook_that_appears_meanwhile_is_not_overwritten(
    checkout: Path, hooks: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is created, or it is not."""
    create = Folder.create

    def late(self: Folder, name: str, data: bytes, mode: int) -> None:
        write(hooks / name, "theirs")
        create(self, name, data, mode)

    monkeypatch.setattr(Folder, "create", late)

    with pytest.raises(EccmemError) as caught:
        install(checkout, program)
    assert caught.value.slug == "changed-meanwhile"
    assert (hooks / "pre-commit").read_text() == "theirs"


# --- Where Git looks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("absolute", [False, True])
def test_hooks_path_in_the_checkout(absolute: bool, checkout: Path, program: Path) -> None:
    """An untracked folder is used, with shims that name no program; a tracked one is the team's."""
    git(checkout, "config", "core.hooksPath", str(checkout / ".githooks") if absolute else ".githooks")
    below = checkout / "a/b"
    below.mkdir(parents=True)

    assert install(below, program).refused == ""
    assert (checkout / ".githooks/pre-push").read_bytes() == shim.text("pre-push")
    assert not (checkout / ".git/hooks/pre-push").exists()
    assert [item.hook.shown for item in look(below).values()] == [f".githooks/{name}" for name in shim.NAMES]
    assert reaches(below, run=True) == [YES, YES, YES]

    git(checkout, "add", ".githooks/pre-commit")
    (checkout / ".githooks/pre-push").unlink()
    done = install(below, program)
    assert "tracked" in done.refused
    assert [item.outcome for item in done.hooks] == [Outcome.THERE, Outcome.THERE, Outcome.LEFT_OUT]
    assert not (checkout / ".githooks/pre-push").exists()


def test_hooks_path_elsewhere(checkout: Path, program: Path, tmp_path: Path) -> None:
    """Others may share it: nothing is written, and its path is not shown."""
    git(checkout, "config", "core.hooksPath", str(tmp_path / "shared"))

    done = install(checkout, program)

    assert "leads out of the repository" in done.refused
    assert not (tmp_path / "shared").exists()
    assert done.hooks[0].hook.shown == "$(git config core.hooksPath)/pre-commit"
    assert not any(str(tmp_path) in line for item in done.hooks for line in item.add)
    for name in shim.NAMES:
        write(tmp_path / "shared" / name, shim.text(name).decode())
    assert reaches(checkout, run=True) == [YES, YES, YES]
    assert install(checkout, program).refused == ""


@pytest.mark.parametrize("value", ["", "/dev/null"])
def test_hooks_path_to_nowhere(value: str, checkout: Path, hooks: Path, program: Path) -> None:
    """Git then runs no hook, not even those that lie in its own folder."""
    install(checkout, program)
    git(checkout, "rm", "-q", "README.md")  # nothing is tracked that could be in the way
    git(checkout, "config", "core.hooksPath", value)

    assert reaches(checkout) == reaches(checkout, run=True) == [NO, NO, NO]
    assert install(checkout, program).refused
    assert not list(checkout.glob("pre-*"))


def test_hooks_path_in_the_repositorys_own_folder(checkout: Path, program: Path) -> None:
    git(checkout, "config", "core.hooksPath", str(checkout / ".git/mine"))

    assert install(checkout, program).refused == ""
    assert (checkout / ".git/mine/pre-push").read_bytes() == shim.text("pre-push", program)
    assert reaches(checkout, run=True) == [YES, YES, YES]


@pytest.mark.parametrize("configured", [False, True])
def test_a_hooks_folder_behind_a_link(
    configured: bool, checkout: Path, hooks: Path, program: Path, tmp_path: Path
) -> None:
    """It may lead anywhere: nothing is written there."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if configured:
        git(checkout, "config", "core.hooksPath", ".githooks")
        (checkout / ".githooks").symlink_to(elsewhere)
    else:
        hooks.rmdir()
        hooks.symlink_to(elsewhere)

    assert "through a link" in install(checkout, program).refused
    assert list(elsewhere.iterdir()) == []


def test_a_linked_worktree(checkout: Path, hooks: Path, program: Path, tmp_path: Path) -> None:
    """It has the hooks of its repository."""
    git(checkout, "worktree", "add", "-q", str(tmp_path / "linked"))

    assert install(tmp_path / "linked", program).refused == ""
    assert (hooks / "pre-commit").read_bytes() == shim.text("pre-commit", program)
    assert look(tmp_path / "linked")["pre-push"].hook.shown == "$GIT_COMMON_DIR/hooks/pre-push"
    for folder in (tmp_path / "linked", checkout):
        assert reaches(folder) == reaches(folder, run=True) == [YES, YES, YES]


def test_a_submodule(checkout: Path, program: Path, tmp_path: Path) -> None:
    """It has hooks of its own, in the folder of the repository around it."""
    git(tmp_path, "init", "-q", "-b", "main", "part")
    git(tmp_path / "part", "commit", "-q", "--allow-empty", "-m", "first")
    git(checkout, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "part"), "part")
    git(checkout, "commit", "-qm", "with a part")

    assert install(checkout / "part", program).refused == ""
    assert (checkout / ".git/modules/part/hooks/pre-push").read_bytes() == shim.text("pre-push", program)
    assert look(checkout / "part")["pre-push"].hook.shown == "$GIT_COMMON_DIR/hooks/pre-push"
    assert reaches(checkout / "part", run=True) == [YES, YES, YES]
    assert reaches(checkout) == [NO, NO, NO]


def test_without_a_working_tree(tmp_path: Path, home: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")

    for folder in (tmp_path / "bare.git", home):
        with pytest.raises(EccmemError) as caught:
            look(folder)
        assert caught.value.slug == "not-a-repository"


# --- What is there --------------------------------------------------------------------------------------------


def test_samples_are_not_hooks(checkout: Path, hooks: Path) -> None:
    """Nor does Git run them."""
    for name in shim.NAMES:
        write(hooks / f"{name}.sample", shim.text(name).decode())

    assert [item.hook.kind for item in look(checkout).values()] == [Kind.SAMPLE] * 3
    assert reaches(checkout) == reaches(checkout, run=True) == [NO, NO, NO]
    assert look(checkout)["pre-commit"].remedy == "eccmem hooks install"


def test_a_program_that_is_gone(checkout: Path, hooks: Path, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where the shim looks first nor on PATH: it stops everything, and status says so."""
    install(checkout, program)
    elsewhere = [part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "eccmem-hook").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(elsewhere))
    assert reaches(checkout) == [YES, YES, YES]
    assert not status.overview(repo.locate(checkout, os.environ), os.environ).program_on_path

    program.unlink()

    assert reaches(checkout) == reaches(checkout, run=True) == [NO, NO, NO]
    assert "is not where it looks for it" in look(checkout)["pre-commit"].verdict.why
    assert call(checkout, "git", "commit", "-qm", "x", "--allow-empty").returncode != 0


def test_what_cannot_be_read_is_left_open(checkout: Path, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook that is too large; one that is no text; each can be run."""
    write(hooks / "pre-commit", "#!/bin/sh\neccmem-hook all\n")
    (hooks / "pre-merge-commit").write_bytes(b"#!/bin/sh\n\xff\xfe 2>/dev/null\neccmem-hook all\n")
    (hooks / "pre-merge-commit").chmod(0o755)
    monkeypatch.setattr(limits, "HOOK_FILE_BYTES", len("#!/bin/sh\neccmem-hook all\n"))
    assert reaches(checkout)[0] is YES
    monkeypatch.setattr(limits, "HOOK_FILE_BYTES", len("#!/bin/sh\neccmem-hook all\n") - 1)
    assert reaches(checkout)[0] is UNKNOWN
    monkeypatch.undo()
    assert reaches(checkout)[1] is UNKNOWN


def test_a_hook_that_calls_us_by_another_program(checkout: Path, hooks: Path, program: Path) -> None:
    """Its text says nothing of us; running it does."""
    write(checkout / "check.sh", "eccmem-hook guard\n")
    write(hooks / "pre-commit", "#!/bin/sh\nexec sh ./check.sh\n")

    assert reaches(checkout)[0] is NO
    found = look(checkout, run=True)["pre-commit"]
    assert found.verdict.reaches is YES
    assert found.verdict.checks == ("guard",)
    assert found.remedy == ""


def test_a_hook_that_names_us_and_does_not_come_to_us(checkout: Path, hooks: Path) -> None:
    write(hooks / "pre-commit", "#!/bin/sh\nexit 0\neccmem-hook all\n")
    write(hooks / "pre-merge-commit", "#!/bin/sh\neccmem-hook all\nexit 0\n")

    assert reaches(checkout)[:2] == [UNKNOWN, NO]
    found = look(checkout, run=True)
    assert found["pre-commit"].verdict.reaches is NO
    assert "ended with 0, and did not come to eccmem-hook" in found["pre-commit"].verdict.why
    # It was reached, and that is worth nothing.
    assert found["pre-merge-commit"].ran.checks == ("all",)
    assert found["pre-merge-commit"].verdict.reaches is NO


def test_hooks_that_git_has_in_its_configuration(checkout: Path, hooks: Path) -> None:
    """A Git that knows them runs them beside the file, so a missing file proves nothing."""
    git(checkout, "config", "hook.check.command", "eccmem-hook all")
    git(checkout, "config", "--add", "hook.check.event", "pre-commit")

    assert reaches(checkout) == [UNKNOWN, NO, NO]


# --- Running --------------------------------------------------------------------------------------------------


def test_a_run_is_as_a_commit_and_a_push_would_be(checkout: Path, hooks: Path, tmp_path: Path) -> None:
    """At the top, with the index, with arguments and a line of Git's for a push; and nothing of it is printed."""
    seen = tmp_path / "seen"
    for name in shim.NAMES:
        told = "cat" if name == "pre-push" else "true"
        write(
            hooks / name,
            f'#!/bin/sh\n(echo "{name} $# $1 $(pwd) ${{GIT_INDEX_FILE:-none}}"; {told}) >>{seen}\nexit 3\n',
        )
    git(checkout, "commit", "-q", "--allow-empty", "--no-verify", "-m", "second")
    below = checkout / "below"
    below.mkdir()

    found = look(below, run=True)

    assert [item.ran.code for item in found.values()] == [3, 3, 3]
    head, before = git(checkout, "rev-parse", "HEAD", "HEAD^").split()
    assert seen.read_text().splitlines() == [
        f"pre-commit 0  {checkout} {checkout}/.git/index",
        f"pre-merge-commit 0  {checkout} {checkout}/.git/index",
        f"pre-push 2 . {checkout} none",
        f"refs/heads/main {head} refs/heads/main {before}",
    ]


def test_a_run_before_the_first_commit(tmp_path: Path, home: Path, program: Path) -> None:
    """There is nothing to push: what the text proves stands."""
    git(tmp_path, "init", "-q", "-b", "main", "fresh")
    install(tmp_path / "fresh", program)

    found = look(tmp_path / "fresh", run=True)

    assert [item.verdict.reaches for item in found.values()] == [YES, YES, YES]
    assert found["pre-push"].ran.code is None
    assert "no commit yet" in found["pre-push"].verdict.why


def test_a_run_without_a_branch(checkout: Path, hooks: Path, program: Path) -> None:
    git(checkout, "checkout", "-q", "--detach")
    install(checkout, program)

    assert reaches(checkout, run=True) == [YES, YES, YES]


def test_a_run_that_does_not_end(checkout: Path, hooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not waited for, and goes on by itself, whatever it prints; what it came to by then counts."""
    monkeypatch.setattr(limits, "GIT_SECONDS", 1)
    ended = tmp_path / "ended"
    slow = f"sleep 3\necho still talking\n: >>{ended}\n"
    write(hooks / "pre-commit", f"#!/bin/sh\n{slow}eccmem-hook all\n")
    write(hooks / "pre-merge-commit", f"#!/bin/sh\neccmem-hook all || exit 1\n{slow}")

    found = look(checkout, run=True)

    assert found["pre-commit"].ran.code is found["pre-merge-commit"].ran.code is None
    assert found["pre-commit"].verdict.reaches is UNKNOWN
    assert found["pre-commit"].verdict.why.endswith("it did not end within 1 s, or was killed")
    assert found["pre-merge-commit"].verdict.reaches is YES
    call(tmp_path, "sleep", "4")
    assert ended.exists()


def test_a_run_with_a_git_that_has_no_command_for_it(
    checkout: Path, hooks: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then Git starts the hook as any program: the same is found, and what is not executable is passed over."""
    real = shutil.which("git")
    told = "git: 'hook' is not a git command. See 'git --help'."
    old = f'#!/bin/sh\nfor word; do [ "$word" != hook ] || {{ echo "{told}" >&2; exit 1; }}; done\nexec {real} "$@"\n'
    write(tmp_path / "old/git", old)
    install(checkout, program)
    (hooks / "pre-merge-commit").chmod(0o644)
    monkeypatch.setenv("PATH", f"{tmp_path / 'old'}{os.pathsep}{os.environ['PATH']}")

    found = look(checkout, run=True)

    assert [item.verdict.reaches for item in found.values()] == [YES, NO, YES]
    assert [bool(item.ran.checks) for item in found.values()] == [True, False, True]


def test_a_run_of_a_hook_without_a_first_line(checkout: Path, hooks: Path) -> None:
    """Git runs it with a shell; a push of an old Git goes through one of ours."""
    for name in shim.NAMES:
        write(hooks / name, f"{shim.CALLS[name]} || exit 1\n")

    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]


# --- Managers -------------------------------------------------------------------------------------------------


@pytest.fixture(params=["pre-commit", "prek"])
def manager(request: pytest.FixtureRequest) -> str:
    return request.param


def managed(checkout: Path, manager: str, config: str, *types: str) -> None:
    """Install the hooks as a person does."""
    (checkout / ".pre-commit-config.yaml").write_text(config)
    git(checkout, "add", ".pre-commit-config.yaml")
    program = Path(sys.executable).parent / manager
    done = call(checkout, str(program), "install", *(f"--hook-type={name}" for name in types))
    assert done.returncode == 0, done.stderr


def test_a_manager_that_lists_us(manager: str, checkout: Path, hooks: Path, save: Save) -> None:
    """By its configuration all three; run, they come to us, and a commit is stopped."""
    types = "default_install_hook_types: [pre-commit, pre-merge-commit, pre-push]\n"
    managed(checkout, manager, types + LOCAL_HOOK)

    assert [item.hook.kind for item in look(checkout).values()] == [manager] * 3
    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]
    save()
    git(checkout, "add", "-f", ".ecc/memory/project/notes")
    done = call(checkout, "git", "commit", "-qm", "x")
    assert done.returncode != 0
    assert "private-memory-tracked" in done.stdout + done.stderr


def test_a_manager_installed_for_one_hook_alone(manager: str, checkout: Path, hooks: Path, program: Path) -> None:
    """What plain `install` does: the others are missing, and it is the manager's to add them."""
    managed(checkout, manager, LOCAL_HOOK)

    assert reaches(checkout) == reaches(checkout, run=True) == [YES, NO, NO]
    assert look(checkout)["pre-push"].remedy == (
        f"{manager} install --hook-type pre-push, and name it in default_install_hook_types"
    )
    done = install(checkout, program)
    assert done.refused
    assert done.hooks[0].why == f"made by {manager}"
    assert done.hooks[2].add == (f"{manager} install --hook-type pre-push",)
    assert [file.name for file in hooks.iterdir()] == ["pre-commit"]


def test_what_is_shown_for_a_manager_works(manager: str, checkout: Path, hooks: Path, program: Path) -> None:
    """The block, pasted below repos:, makes all three come to us."""
    managed(checkout, manager, "repos:\n", *shim.NAMES)
    assert reaches(checkout) == [NO, NO, NO]
    where, *lines = install(checkout, program).hooks[0].add
    assert where == "to .pre-commit-config.yaml, below repos:"

    (checkout / ".pre-commit-config.yaml").write_text("repos:\n" + "".join(f"{line}\n" for line in lines))
    git(checkout, "add", ".pre-commit-config.yaml")

    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (LOCAL_HOOK.replace("eccmem-hook all", "true").replace("eccmem", "x"), [NO, NO, NO]),
        (LOCAL_HOOK + "        stages: [pre-commit, push]\n", [YES, NO, YES]),
        ("default_stages: [pre-push]\n" + LOCAL_HOOK, [NO, NO, YES]),
        (LOCAL_HOOK.replace("always_run: true", "files: ^never$"), [NO, NO, NO]),
        (LOCAL_HOOK.replace("[pre-commit", "&x [pre-commit"), [YES, YES, YES]),
    ],
)
def test_what_a_configuration_says_is_what_runs(
    config: str, expected: list, manager: str, checkout: Path, hooks: Path
) -> None:
    """Stages, default stages, filters: read and run, the answer is the same."""
    managed(checkout, manager, config, *shim.NAMES)

    assert reaches(checkout) == reaches(checkout, run=True) == expected


@pytest.mark.parametrize(
    "config",
    ["x: &a 1\ny: *a\n" + LOCAL_HOOK, LOCAL_HOOK.replace("entry: eccmem-hook all", "entry: sh -c 'eccmem-hook all'")],
)
def test_a_configuration_that_is_not_understood(config: str, manager: str, checkout: Path, hooks: Path) -> None:
    """It is said, and running it tells."""
    managed(checkout, manager, config, *shim.NAMES)

    assert reaches(checkout) == [UNKNOWN] * 3
    assert look(checkout)["pre-commit"].remedy == "eccmem hooks status --run"
    assert reaches(checkout, run=True) == [YES] * 3


def test_a_configuration_elsewhere_or_nowhere(manager: str, checkout: Path, hooks: Path) -> None:
    """The one that was named at the installation counts; without one nothing of ours is run."""
    (checkout / "other.yaml").write_text(LOCAL_HOOK)
    git(checkout, "add", "other.yaml")
    program = str(Path(sys.executable).parent / manager)
    assert call(checkout, program, "install", "--config", "other.yaml", "-t", "pre-commit").returncode == 0
    assert reaches(checkout)[0] is reaches(checkout, run=True)[0] is YES

    git(checkout, "rm", "-qf", "other.yaml")

    assert reaches(checkout)[0] is reaches(checkout, run=True)[0] is NO


def test_a_manager_still_runs_the_shim_that_it_replaced(
    manager: str, checkout: Path, hooks: Path, program: Path
) -> None:
    """It moves the hook that it finds out of the way, and runs it first."""
    install(checkout, program)
    managed(checkout, manager, "repos: []\n", *shim.NAMES)

    assert (hooks / "pre-commit.legacy").read_bytes() == shim.text("pre-commit", program)
    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]
    assert "still runs the hook that it replaced" in look(checkout)["pre-commit"].verdict.why
    (hooks / "pre-commit.legacy").unlink()
    assert reaches(checkout)[0] is reaches(checkout, run=True)[0] is NO


def test_a_generated_script_that_was_changed(manager: str, checkout: Path, hooks: Path) -> None:
    """It is not taken for what the manager made."""
    managed(checkout, manager, LOCAL_HOOK, "pre-commit")
    text = (hooks / "pre-commit").read_text().split("\n", 1)
    write(hooks / "pre-commit", f"{text[0]}\nexit 0\n{text[1]}")

    assert reaches(checkout)[0] is UNKNOWN
    assert reaches(checkout, run=True)[0] is NO


def test_prek_that_was_told_to_run_some_hooks_only(checkout: Path, hooks: Path) -> None:
    """Its script then names them, or what it skips; and that may be us."""
    (checkout / ".pre-commit-config.yaml").write_text(LOCAL_HOOK)
    git(checkout, "add", ".pre-commit-config.yaml")
    program = str(Path(sys.executable).parent / "prek")
    assert call(checkout, program, "install", "--skip", "eccmem", "-t", "pre-commit").returncode == 0

    assert reaches(checkout)[0] is UNKNOWN
    assert reaches(checkout, run=True)[0] is NO


def test_prek_reads_its_own_file_first(checkout: Path, hooks: Path) -> None:
    """prek.toml, then .yaml, then .yml; of several the first counts."""
    managed(checkout, "prek", "repos: []\n", *shim.NAMES)
    (checkout / "prek.toml").write_text(
        '[[repos]]\nrepo = "local"\nhooks = [{id = "eccmem", name = "eccmem", language = "system", '
        'entry = "eccmem-hook all", always_run = true, pass_filenames = false}]\n'
    )
    git(checkout, "add", "prek.toml")
    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]

    git(checkout, "rm", "-qf", "prek.toml", ".pre-commit-config.yaml")
    (checkout / ".pre-commit-config.yml").write_text(LOCAL_HOOK)
    git(checkout, "add", ".pre-commit-config.yml")
    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]


Husky = Callable[[str, str], None]


@pytest.fixture
def husky(checkout: Path) -> Husky:
    """A repository as husky leaves it: its folder in core.hooksPath, with scripts that lead to those of the person."""
    git(checkout, "config", "core.hooksPath", ".husky/_")
    write(checkout / ".husky/_/.gitignore", "*", 0o644)
    leads = 'own=$(dirname "$(dirname "$0")")/$(basename "$0")\n[ -f "$own" ] || exit 0\nsh -e "$own" "$@"\n'
    write(checkout / ".husky/_/h", leads, 0o644)
    for name in shim.NAMES:
        write(checkout / ".husky/_" / name, '#!/usr/bin/env sh\n. "$(dirname "$0")/h"')

    def _husky(name: str, text: str) -> None:
        write(checkout / ".husky" / name, text, 0o644)

    return _husky


def test_husky(husky: Husky, checkout: Path, program: Path) -> None:
    """The script of the person decides; without one everything is let through."""
    assert [item.hook.kind for item in look(checkout).values()] == [Kind.HUSKY] * 3
    assert reaches(checkout) == reaches(checkout, run=True) == [NO, NO, NO]
    done = install(checkout, program)
    assert done.refused
    for item in done.hooks:
        where, line = item.add
        assert where == f"to .husky/{item.hook.name}, as its first line:"
        husky(item.hook.name, f"{line}\ntrue\n")

    assert reaches(checkout) == reaches(checkout, run=True) == [YES, YES, YES]
    husky("pre-commit", "true\n")
    husky("pre-merge-commit", "if true; then exit 0; fi\neccmem-hook all\n")
    husky("pre-push", shim.text("pre-push").decode())
    assert reaches(checkout) == [NO, UNKNOWN, YES]
    assert reaches(checkout, run=True) == [NO, NO, YES]


def test_lefthook(checkout: Path, hooks: Path, program: Path, tmp_path: Path) -> None:
    """What is shown for it is understood again; where its program may be missing, nothing is promised."""
    for name in shim.NAMES:
        write(hooks / name, f'#!/bin/sh\ncall_lefthook()\n{{\n  lefthook "$@"\n}}\n\ncall_lefthook run "{name}" "$@"\n')
    (checkout / "lefthook.yml").write_text("output: false\n")
    assert [item.hook.kind for item in look(checkout).values()] == [Kind.LEFTHOOK] * 3
    assert reaches(checkout) == [UNKNOWN] * 3
    write(tmp_path / "tools/lefthook", "#!/bin/sh\nexit 0\n")
    assert reaches(checkout) == [NO, NO, NO]

    config = ""
    for item in install(checkout, program).hooks:
        lines = list(item.add[1:])
        cut = lines.index(f"and as .lefthook/{item.hook.name}/eccmem:")
        config += "".join(f"{line}\n" for line in lines[:cut])
        write(checkout / ".lefthook" / item.hook.name / "eccmem", "".join(f"{line}\n" for line in lines[cut + 1 :]))
    (checkout / "lefthook.yml").write_text(config)

    assert reaches(checkout) == [YES, YES, YES]
    # The program of this test runs nothing; the real one leaves things out while nothing is staged.
    assert reaches(checkout, run=True) == [UNKNOWN] * 3
    (checkout / "lefthook-local.yml").write_text("pre-commit:\n  skip: true\n")
    assert reaches(checkout) == [UNKNOWN] * 3
