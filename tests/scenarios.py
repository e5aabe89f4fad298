"""What people, agents and attackers do with Git around a vault, and what has to come of it.

Each scenario ends in one command that a hook may stop; made without hooks, it leaves a branch that CI judges.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from builders import fake_key, memory
from eccmem import guard
from eccmem.document import serialize
from eccmem.model import Memory, Scope, Status

TEAM, PRIVATE = ".ecc/memory/team", ".ecc/memory/project"
PUBLISHED = memory("mem_published", scope=Scope.TEAM, body="Node 20 is needed.")
PUBLISHED_PATH = f"{TEAM}/notes/mem_published.md"
GUARD = f"{PRIVATE}/.gitignore"
MINE = memory("mem_mine", body="Only for me.")
MINE_PATH = f"{PRIVATE}/notes/mem_mine.md"
HOOK_TYPES = ("pre-commit", "pre-merge-commit", "pre-push")
MANAGERS = ("pre-commit", "prek")


@dataclass(frozen=True)
class Done:
    """How the last command ended, and what it printed."""

    code: int
    out: str


@dataclass
class World:
    """A checkout with an upstream that has one team memory; most have a private memory on disk too."""

    top: Path
    tip: str = "HEAD"
    env: dict[str, str] = field(default_factory=dict)

    @property
    def checkout(self) -> Path:
        return self.top / "w"

    @property
    def calls(self) -> list[str]:
        """What each call of the hook came to: its exit code, and whether it went beyond the first look."""
        log = self.top / "calls"
        return log.read_text().splitlines() if log.exists() else []

    def run(self, *command: str, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> Done:
        """Run a command, which may fail."""
        home = self.top / "home"
        own = {"HOME": str(home), "PRE_COMMIT_HOME": str(home / "pc"), "PREK_HOME": str(home / "prek")}
        path = f"{self.top / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command,
            cwd=cwd or self.checkout,
            input=stdin,
            env={**os.environ, **own, "PATH": path, "LC_ALL": "C.UTF-8", **self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=100,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"))

    def git(self, *args: str, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> str:
        """Run Git, which has to work, and no hook of ours may stop it."""
        off = ("-c", "core.hooksPath=/dev/null")
        done = self.run("git", *off, *args, cwd=cwd, stdin=stdin, **env)
        assert done.code == 0, (args, done.out)
        return done.out.strip()

    def commit(self, *args: str, cwd: Path | None = None, **env: str) -> Done:
        """The decisive command of most scenarios."""
        return self.run("git", "commit", "-q", "-m", "x", *args, cwd=cwd, **env)

    def push(self, *args: str) -> Done:
        """The other one."""
        return self.run("git", "push", "-q", *args)

    def write(self, path: str | bytes, content: str | bytes) -> Path:
        """Put a file into the checkout."""
        place = self.checkout / os.fsdecode(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    def lay(self, item: Memory, path: str = "") -> str:
        """Put a memory where it belongs, or elsewhere; return its path."""
        place = path or f".ecc/memory/{item.scope}/{item.kind.folder}/{item.id}.md"
        self.write(place, serialize(item))
        return place

    def stage(self, *paths: str) -> None:
        self.git("add", "-f", "--", *paths) if paths else self.git("add", "-A")

    def blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=content)

    def entry(self, mode: str, oid: str, path: str) -> None:
        self.git("update-index", "--add", "--cacheinfo", f"{mode},{oid},{path}")

    def published(self, **changes: object) -> str:
        """Write the published memory again, changed."""
        return self.lay(memory("mem_published", **{"scope": Scope.TEAM, "body": PUBLISHED.body, **changes}))


def team(memory_id: str = "mem_new", **changes: object) -> Memory:
    return memory(memory_id, scope=Scope.TEAM, **changes)


def secret_memory(memory_id: str = "mem_new") -> Memory:
    return team(memory_id, body=f"The key is {fake_key()}.")


def build(top: Path, manager: str) -> World:
    """Make the world, with hooks by a manager (``plain``, ``pre-commit``, ``prek``) or none."""
    world = World(top)
    (top / "home").mkdir(parents=True)
    (top / "bin").mkdir()
    source = Path(guard.__file__).parent.parent
    (top / "bin/hook.py").write_text(PROGRAM.format(source=str(source)))
    program = top / "bin/eccmem-hook"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "${{0%/*}}/hook.py" "$@"\n')
    program.chmod(0o755)
    subprocess.run(["git", "init", "-q", "--bare", "--template=", "-b", "main", str(top / "up.git")], check=True)
    subprocess.run(["git", "init", "-q", "--template=", "-b", "main", str(world.checkout)], check=True)
    world.write("README.md", "# Ours\n")
    world.stage()
    world.git("commit", "-q", "-m", "first")
    world.write(GUARD, guard.CONTENT)
    world.write(".ecc/.gitattributes", guard.ATTRIBUTES)
    world.write(".pre-commit-config.yaml", CONFIG)
    world.lay(PUBLISHED)
    world.stage()
    world.git("commit", "-q", "-m", "base")
    world.git("remote", "add", "origin", "../up.git")
    world.git("push", "-q", "-u", "origin", "main")
    hooks = world.checkout / ".git/hooks"
    hooks.mkdir()
    if manager == "plain":
        for name in HOOK_TYPES:
            shutil.copy(source / "hooks" / name, hooks / name)
    elif manager:
        types = [word for name in HOOK_TYPES for word in ("-t", name)]
        assert world.run(str(Path(sys.executable).parent / manager), "install", *types).code == 0
    return world


# The hook as it is installed, but for a line in a log about each call.
PROGRAM = """\
import sys
sys.path.insert(0, {source!r})
from eccmem.hook import run
try:
    run()
except SystemExit as end:
    with open(__file__[:-len("bin/hook.py")] + "calls", "a") as log:
        print("judged" if "eccmem.gate" in sys.modules else "looked", end.code, file=log)
    raise
"""

CONFIG = """\
repos:
  - repo: local
    hooks:
      - id: eccmem
        name: eccmem
        entry: eccmem-hook all
        language: system
        always_run: true
        pass_filenames: false
        require_serial: true
        verbose: true
        stages: [pre-commit, pre-merge-commit, pre-push, manual]
"""


@dataclass(frozen=True)
class Scenario:
    """What is done and what has to come of it.

    Attributes:
        name: that of the function.
        about: what is done, for the page.
        do: does it, and returns how the decisive command ended.
        stopped: the rules that stop the decisive command, none when it passes.
        ci: the errors of ``eccmem doctor --range`` over what it leaves when no hook stops it; None when it leaves
            nothing to judge.
        hook: False where Git runs no hook at all.
        under: runners under which it ends otherwise, with the rules as in ``stopped``; None when the runner itself
            stops the command, before it calls any hook.
        unseen: runners that call no hook, because they see nothing new, so that it passes.
        mine: whether the checkout has a private memory, of which anything that is staged may be a copy.
        looked: True where the first look of the hook is to be its last: what is committed has to do with no vault.
        said: the rules of what is said without stopping anything.
    """

    name: str
    about: str
    do: Callable[[World], Done]
    stopped: tuple[str, ...]
    ci: tuple[str, ...] | None
    hook: bool = True
    under: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    mine: bool = True
    looked: bool = False
    said: tuple[str, ...] = ()

    def stopped_under(self, runner: str) -> tuple[str, ...] | None:
        """The rules that stop the command under a runner; None when it does so itself."""
        return () if runner in self.unseen else self.under.get(runner, self.stopped)

    def calls_under(self, runner: str) -> list[str]:
        """What the log of calls has to say."""
        stopped = self.stopped_under(runner)
        if not self.hook or stopped is None or runner in self.unseen:
            return []
        return [f"{'looked' if self.looked else 'judged'} {1 if stopped else 0}"]


SCENARIOS: list[Scenario] = []


def scenario(
    about: str,
    *stopped: str,
    ci: tuple[str, ...] | str | None = "same",
    hook: bool = True,
    under: Mapping[str, tuple[str, ...] | None] | None = None,
    unseen: tuple[str, ...] = (),
    mine: bool = True,
    looked: bool = False,
    said: tuple[str, ...] = (),
) -> Callable[[Callable[[World], Done]], Callable[[World], Done]]:
    """Add a function to the table; its name is that of the scenario."""

    def add(do: Callable[[World], Done]) -> Callable[[World], Done]:
        same = stopped if ci == "same" else ci
        assert not isinstance(same, str)
        ends = stopped if hook else ()
        row = Scenario(do.__name__, about, do, ends, same, hook, under or {}, unseen, mine, looked, said)
        SCENARIOS.append(row)
        return do

    return add


# --- Ways to make a commit ------------------------------------------------------------------------------------


@scenario("a new team memory")
def plain(w: World) -> Done:
    w.lay(team())
    w.stage()
    return w.commit()


@scenario("a file that has nothing to do with a vault")
def unrelated(w: World) -> Done:
    w.write("src/x.py", "x = 1\n")
    w.stage()
    return w.commit()


@scenario("staged good, then edited badly without staging: what is staged counts")
def partial_good(w: World) -> Done:
    path = w.lay(team())
    w.stage()
    w.write(path, "bad")
    return w.commit()


@scenario("staged badly, then mended on disk without staging", "malformed-memory")
def partial_bad(w: World) -> Done:
    path = w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.stage()
    path.write_bytes(serialize(team()))
    return w.commit()


@scenario("commit -a of a changed published memory", "memory-modified")
def commit_all(w: World) -> Done:
    w.published(body="Any Node will do.")
    return w.commit("-a")


@scenario("commit PATH of a changed published memory, with other things staged", "memory-modified")
def commit_path(w: World) -> Done:
    w.write("other.txt", "x\n")
    w.stage("other.txt")
    return w.commit("--", w.published(body="Any Node will do."))


@scenario("a bad memory that is only intended to be added", ci=())
def intent_to_add(w: World) -> Done:
    w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.git("add", "-N", f"{TEAM}/notes/mem_new.md")
    w.write("x.txt", "x\n")
    w.stage("x.txt")
    return w.commit()


@scenario("amending a memory that nobody else has")
def amend_unpublished(w: World) -> Done:
    w.lay(team())
    w.stage()
    w.git("commit", "-q", "-m", "x")
    w.lay(team(body="Said better."))
    w.stage()
    return w.commit("--amend")


@scenario("amending what was pushed; CI sees a branch that parted before", "memory-modified", ci=())
def amend_published(w: World) -> Done:
    w.published(body="Any Node will do.")
    w.stage()
    return w.commit("--amend")


@scenario("bringing a tampered memory back")
def restore(w: World) -> Done:
    w.published(body="Any Node will do.")
    w.git("commit", "-q", "-a", "-m", "tampered")
    w.published()
    return w.commit("-a")


@scenario("a bad memory in the first commit of an orphan branch", "malformed-memory", ci=None)
def orphan(w: World) -> Done:
    w.git("checkout", "-q", "--orphan", "alone")
    w.git("rm", "-q", "-r", "--cached", ".")
    w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.stage(TEAM)
    return w.commit()


@scenario("a bad memory, with --no-verify", ci=("malformed-memory",), hook=False)
def no_verify(w: World) -> Done:
    w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.stage()
    return w.commit("--no-verify")


def _branch(w: World, name: str, path: str, content: bytes) -> None:
    """A branch with one commit that adds a file, made without hooks."""
    w.git("switch", "-q", "-c", name)
    w.write(path, content)
    w.stage(path)
    w.git("commit", "-q", "-m", name)
    w.git("switch", "-q", "main")


def _apart(w: World) -> None:
    """A commit on main, so that a merge is no fast-forward."""
    w.write("main.txt", "main\n")
    w.stage("main.txt")
    w.git("commit", "-q", "-m", "main")


@scenario("a merge without conflict that brings a private memory", "private-memory-tracked")
def merge_clean(w: World) -> Done:
    _branch(w, "side", f"{PRIVATE}/notes/mem_theirs.md", serialize(memory("mem_theirs")))
    _apart(w)
    return w.run("git", "merge", "-q", "-m", "merge", "side")


@scenario("a merge --no-commit that brings a bad memory, committed later", "malformed-memory")
def merge_no_commit(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_bad.md", b"bad")
    _apart(w)
    w.git("merge", "-q", "--no-commit", "side")
    return w.commit()


@scenario("a squash merge that brings a bad memory", "malformed-memory")
def merge_squash(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_bad.md", b"bad")
    w.git("merge", "-q", "--squash", "side")
    return w.commit()


@scenario("a merge whose conflict is committed instead of solved", "conflict-marker")
def merge_conflict(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_both.md", serialize(team("mem_both", body="Theirs.")))
    w.lay(team("mem_both", body="Ours."))
    w.stage()
    w.git("commit", "-q", "-m", "ours")
    assert w.run("git", "merge", "-q", "side").code != 0
    w.stage()
    return w.commit()


@scenario("a merge whose conflict is solved")
def merge_conflict_solved(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_both.md", serialize(team("mem_both", body="Theirs.")))
    solved = w.lay(team("mem_both", body="Ours."))
    w.stage()
    w.git("commit", "-q", "-m", "ours")
    assert w.run("git", "merge", "-q", "side").code != 0
    w.lay(team("mem_both", body="Both."))
    w.stage(solved)
    return w.commit()


@scenario("a merge of several branches, one of which brings a private memory", "private-memory-tracked")
def merge_octopus(w: World) -> Done:
    _branch(w, "harmless", "side.txt", b"x\n")
    _branch(w, "side", f"{PRIVATE}/notes/mem_theirs.md", serialize(memory("mem_theirs")))
    _apart(w)
    return w.run("git", "merge", "-q", "-m", "merge", "harmless", "side")


@scenario("a fast-forward to a private memory", ci=("private-memory-tracked",), hook=False)
def merge_fast_forward(w: World) -> Done:
    _branch(w, "side", f"{PRIVATE}/notes/mem_theirs.md", serialize(memory("mem_theirs")))
    return w.run("git", "merge", "-q", "--ff-only", "side")


@scenario("a merge that slips in a secret of its own", "secret-in-memory")
def merge_evil(w: World) -> Done:
    _branch(w, "side", "side.txt", b"x\n")
    _apart(w)
    w.git("merge", "-q", "--no-commit", "side")
    w.lay(secret_memory())
    w.stage()
    return w.commit()


@scenario("merging the branch of everybody, which retired a memory")
def merge_upstream(w: World) -> Done:
    w.git("switch", "-q", "-c", "topic")
    w.write("topic.txt", "x\n")
    w.stage("topic.txt")
    w.git("commit", "-q", "-m", "topic")
    w.git("push", "-q", "-u", "origin", "topic")
    w.git("switch", "-q", "main")
    w.published(status=Status.SUPERSEDED)
    w.git("commit", "-q", "-a", "-m", "retired")
    w.git("push", "-q")
    w.git("switch", "-q", "topic")
    return w.run("git", "merge", "-q", "-m", "merge", "main")


def _tampered(w: World) -> None:
    w.git("switch", "-q", "-c", "side")
    w.published(body="Any Node will do.")
    w.git("commit", "-q", "-a", "-m", "tampered")
    w.git("switch", "-q", "main")
    _apart(w)


@scenario("cherry-picking a bad memory", ci=("malformed-memory",), hook=False)
def cherry_pick(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_bad.md", b"bad")
    _apart(w)
    return w.run("git", "cherry-pick", "side")


@scenario("reverting the commit that published a memory", ci=("memory-deleted",), hook=False)
def revert(w: World) -> Done:
    w.lay(team())
    w.stage()
    w.git("commit", "-q", "-m", "x")
    w.git("push", "-q")
    w.tip = "HEAD"
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    return w.run("git", "revert", "--no-edit", "HEAD")


@scenario("rebasing a bad memory", ci=("malformed-memory",), hook=False)
def rebase(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_bad.md", b"bad")
    _apart(w)
    w.git("switch", "-q", "side")
    return w.run("git", "rebase", "-q", "main")


@scenario("applying a patch from a mail that brings a bad memory", ci=("malformed-memory",), hook=False)
def apply_mail(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_bad.md", b"bad\n")
    w.git("format-patch", "-q", "-1", "-o", "..", "side")
    return w.run("git", "am", "-q", "../0001-side.patch")


@scenario("committing from a folder below", "malformed-memory")
def below(w: World) -> Done:
    w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.stage()
    return w.commit(cwd=w.checkout / ".ecc")


@scenario("committing in a linked worktree, from a folder below", "malformed-memory")
def linked_worktree(w: World) -> Done:
    w.git("worktree", "add", "-q", "-b", "linked", "../linked")
    linked = w.top / "linked"
    (linked / TEAM / "notes/mem_new.md").write_text("bad")
    w.git("add", "-A", cwd=linked)
    w.tip = "linked"
    return w.commit(cwd=linked / ".ecc")


@scenario("committing in a submodule that has a vault", "malformed-memory", ci=None)
def in_submodule(w: World) -> Done:
    w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../up.git", "lib")
    inner = w.checkout / "lib"
    hooks = w.checkout / ".git/modules/lib/hooks"
    shutil.rmtree(hooks, ignore_errors=True)
    shutil.copytree(w.checkout / ".git/hooks", hooks)
    (inner / TEAM / "notes/mem_new.md").write_text("bad")
    w.git("add", "-A", cwd=inner)
    return w.commit(cwd=inner)


@scenario("commit -i of a changed published memory", "memory-modified")
def commit_include(w: World) -> Done:
    w.write("other.txt", "x\n")
    w.stage("other.txt")
    return w.commit("-i", "--", w.published(body="Any Node will do."))


@scenario(
    "rewording a commit with a bad memory: Git shows its hook no change, and the push is stopped",
    ci=("malformed-memory",),
)
def reword(w: World) -> Done:
    w.write(f"{TEAM}/notes/mem_bad.md", "bad")
    w.stage()
    w.git("commit", "-q", "-m", "bad")
    return w.commit("--amend")


@scenario("a cherry-pick with a conflict, continued with a bad memory", "malformed-memory")
def cherry_pick_continued(w: World) -> Done:
    _branch(w, "side", "main.txt", b"side\n")
    _apart(w)
    assert w.run("git", "cherry-pick", "side").code != 0
    w.write("main.txt", "both\n")
    w.write(f"{TEAM}/notes/mem_bad.md", "bad")
    w.stage()
    return w.run("git", "-c", "core.editor=true", "cherry-pick", "--continue")


@scenario("a rebase with a conflict, continued with a private memory", ci=("private-memory-tracked",), hook=False)
def rebase_continued(w: World) -> Done:
    _branch(w, "side", "main.txt", b"side\n")
    _apart(w)
    w.git("switch", "-q", "side")
    assert w.run("git", "rebase", "-q", "main").code != 0
    w.write("main.txt", "both\n")
    w.stage()
    w.stage(MINE_PATH)
    return w.run("git", "-c", "core.editor=true", "rebase", "--continue")


@scenario("a revert --no-commit of the commit that published a memory, then committed", "memory-deleted")
def revert_no_commit(w: World) -> Done:
    w.lay(team())
    w.stage()
    w.git("commit", "-q", "-m", "x")
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.git("revert", "--no-commit", "HEAD")
    return w.commit()


@scenario("a patch that adds a private memory to the index (apply --index)", "private-memory-tracked")
def apply_index(w: World) -> Done:
    path = f"{PRIVATE}/notes/mem_x.md"
    text = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
    w.git("apply", "--index", "-", stdin=text.encode())
    return w.commit()


@scenario("two changes of one status, put together by a union merge", "malformed-memory", "memory-modified")
def merge_union(w: World) -> Done:
    w.write(".git/info/attributes", "*.md merge=union\n")
    w.git("switch", "-q", "-c", "side")
    w.published(status=Status.REJECTED)
    w.git("commit", "-q", "-a", "-m", "side")
    w.git("switch", "-q", "main")
    w.published(status=Status.SUPERSEDED)
    w.git("commit", "-q", "-a", "-m", "main")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    return w.run("git", "merge", "-q", "-m", "merge", "side")


# --- What becomes of files ------------------------------------------------------------------------------------


@scenario("retiring a published memory")
def retire(w: World) -> Done:
    w.published(status=Status.SUPERSEDED, updated_at="2026-08-01T08:00:00.000Z")
    return w.commit("-a")


@scenario("making a retired memory active again", "status-reopened")
def reopen(w: World) -> Done:
    w.published(status=Status.REJECTED)
    w.git("commit", "-q", "-a", "-m", "retired")
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.published()
    return w.commit("-a")


@scenario("claiming that a memory was reviewed", "trust-raised")
def trust(w: World) -> Done:
    path = w.lay(team())
    w.write(path, serialize(team()).replace(b'"unreviewed"', b'"reviewed"'))
    w.stage()
    return w.commit()


@scenario("deleting a published memory", "memory-deleted")
def delete(w: World) -> Done:
    w.git("rm", "-q", PUBLISHED_PATH)
    return w.commit()


@scenario("moving a published memory out of the vault", "memory-deleted")
def move_out(w: World) -> Done:
    w.git("mv", PUBLISHED_PATH, "note.md")
    return w.commit()


def _rename_published(w: World) -> str:
    """Give a published memory the name that its id wants; return its new path."""
    odd, right = f"{TEAM}/notes/odd.md", f"{TEAM}/notes/mem_odd.md"
    w.lay(team("mem_odd"), odd)
    w.stage()
    w.git("commit", "-q", "-m", "odd")
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.git("mv", odd, right)
    return right


@scenario("renaming the file of a published memory: it keeps its id")
def rename(w: World) -> Done:
    _rename_published(w)
    return w.commit()


@scenario("a bad memory that is staged and gone from disk", "malformed-memory")
def staged_then_deleted(w: World) -> Done:
    path = w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.stage()
    path.unlink()
    return w.commit()


@scenario("a symlink in the vault", "symlink-in-vault")
def symlink(w: World) -> Done:
    (w.checkout / TEAM / "notes/mem_new.md").symlink_to("../../../../README.md")
    w.stage()
    return w.commit()


@scenario("a published memory that becomes a symlink", "memory-modified", "symlink-in-vault")
def typechange(w: World) -> Done:
    place = w.checkout / PUBLISHED_PATH
    place.unlink()
    place.symlink_to("../../../../README.md")
    w.stage()
    return w.commit()


@scenario("a published memory that becomes executable", "memory-modified")
def executable(w: World) -> Done:
    (w.checkout / PUBLISHED_PATH).chmod(0o755)
    return w.commit("-a")


@scenario("a symlink where links are plain files (core.symlinks=false)", "symlink-in-vault")
def symlinks_off(w: World) -> Done:
    w.git("config", "core.symlinks", "false")
    w.entry("120000", w.blob(b"../../../../README.md"), f"{TEAM}/notes/mem_new.md")
    w.write(f"{TEAM}/notes/mem_new.md", "../../../../README.md")
    return w.commit()


@scenario("a submodule in the vault", "submodule-in-vault")
def submodule(w: World) -> Done:
    w.entry("160000", w.git("rev-parse", "HEAD"), f"{TEAM}/notes/lib")
    return w.commit()


@scenario("a Git LFS pointer in the place of a memory", "malformed-memory")
def lfs(w: World) -> Done:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12\n"
    w.write(f"{TEAM}/notes/mem_new.md", pointer)
    w.stage()
    return w.commit()


@scenario("CRLF on disk, LF in the index")
def crlf(w: World) -> Done:
    w.git("config", "core.autocrlf", "true")
    path = w.lay(team())
    w.write(path, serialize(team()).replace(b"\n", b"\r\n"))
    w.stage()
    return w.commit()


@scenario("UTF-16 on disk, UTF-8 in the index (working-tree-encoding)")
def encoding(w: World) -> Done:
    w.write(".git/info/attributes", "mem_new.md working-tree-encoding=UTF-16LE\n")
    path = w.write(f"{TEAM}/notes/mem_new.md", serialize(team()).decode().encode("utf-16-le"))
    w.stage(str(path.relative_to(w.checkout)))
    return w.commit()


@scenario("a clean filter that hides a secret from the index: the index has none")
def filter_cleans(w: World) -> Done:
    w.git("config", "filter.x.clean", f"sed s/{fake_key()}/none/")
    w.write(".git/info/attributes", "*.md filter=x\n")
    w.lay(secret_memory())
    w.stage()
    return w.commit()


@scenario("a clean filter that puts a secret into the index", "secret-in-memory")
def filter_injects(w: World) -> Done:
    w.git("config", "filter.x.clean", f"sed s/none/{fake_key()}/")
    w.write(".git/info/attributes", "*.md filter=x\n")
    w.lay(team(body="The key is none."))
    w.stage()
    return w.commit()


@scenario("a bad memory of which there is no file (update-index --cacheinfo)", "malformed-memory")
def cacheinfo(w: World) -> Done:
    w.entry("100644", w.blob(b"bad"), f"{TEAM}/notes/mem_new.md")
    return w.commit()


@scenario("the same, hidden by skip-worktree", "malformed-memory")
def cacheinfo_skipped(w: World) -> Done:
    w.entry("100644", w.blob(b"bad"), f"{TEAM}/notes/mem_new.md")
    w.git("update-index", "--skip-worktree", f"{TEAM}/notes/mem_new.md")
    return w.commit()


@scenario("a published memory changed in the index alone, its file kept as it was", "memory-modified")
def stale_file(w: World) -> Done:
    w.entry("100644", w.blob(serialize(team("mem_published", body="Any Node will do."))), PUBLISHED_PATH)
    w.git("update-index", "--skip-worktree", PUBLISHED_PATH)
    return w.commit()


@scenario("a bad memory outside of a sparse checkout", "malformed-memory")
def sparse(w: World) -> Done:
    w.git("sparse-checkout", "set", "--no-cone", "/README.md", "/.pre-commit-config.yaml")
    w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.git("add", "--sparse", f"{TEAM}/notes/mem_new.md")
    return w.commit()


def _odd_name(name: bytes) -> Callable[[World], Done]:
    def do(w: World) -> Done:
        w.write(TEAM.encode() + b"/notes/" + name, "bad")
        w.stage()
        return w.commit()

    return do


for _label, _about, _name in (
    ("line_break", "a line break in its name", b"a\nb.md"),
    ("tab", "a tab in its name", b"a\tb.md"),
    ("dash", "a name that looks like options", b"-rf.md"),
    ("option", "a name that looks like an option with a value", b"--output=x.md"),
    ("accent", "a name that is not ASCII", "ü.md".encode()),
    ("quote", "a quotation mark in its name", b'a"b.md'),
    ("bytes", "a name that is not UTF-8", b"\xff.md"),
):
    SCENARIOS.append(
        Scenario(
            f"name_{_label}", f"a bad memory with {_about}", _odd_name(_name), ("malformed-memory",),
            ("malformed-memory",), under={"pre-commit": None} if _label == "bytes" else {},
        )
    )  # fmt: skip


@scenario("settings of the person that change what Git prints", "malformed-memory")
def hostile_settings(w: World) -> Done:
    for name, value in (
        ("diff.noprefix", "true"),
        ("diff.renames", "copies"),
        ("diff.external", "false"),
        ("color.ui", "always"),
        ("diff.ignoreSubmodules", "all"),
        ("core.quotePath", "true"),
        ("diff.relative", "true"),
    ):
        w.git("config", name, value)
    w.write(f"{TEAM}/notes/mem_ü.md", "bad")
    w.stage()
    return w.commit()


@scenario("an index of version 4", "malformed-memory")
def index_v4(w: World) -> Done:
    w.git("update-index", "--index-version", "4")
    w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.stage()
    return w.commit()


@scenario("a split index", "malformed-memory")
def split_index(w: World) -> Done:
    w.git("update-index", "--split-index")
    w.write(f"{TEAM}/notes/mem_new.md", "bad")
    w.stage()
    return w.commit()


@scenario("a repository with SHA-256", "memory-modified")
def sha256(w: World) -> Done:
    hooks = w.checkout / ".git/hooks"
    shutil.move(hooks, w.top / "hooks")
    shutil.rmtree(w.checkout / ".git")
    w.git("init", "-q", "-b", "main", "--object-format=sha256")
    shutil.rmtree(hooks, ignore_errors=True)
    shutil.move(w.top / "hooks", hooks)
    w.stage()
    w.git("commit", "-q", "-m", "base")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.published(body="Any Node will do.")
    return w.commit("-a")


@scenario("the id of a memory that is there", "duplicate-id")
def duplicate(w: World) -> Done:
    w.lay(team("mem_published"), f"{TEAM}/notes/more/mem_published.md")
    w.stage()
    return w.commit()


@scenario("a link that leads nowhere", "broken-link")
def dangling(w: World) -> Done:
    w.lay(team(links=("mem_nowhere",)))
    w.stage()
    return w.commit()


@scenario("a secret", "secret-in-memory")
def secret(w: World) -> Done:
    w.lay(secret_memory())
    w.stage()
    return w.commit()


@scenario("a .gitattributes that hides memories from review", "hidden-from-review")
def attributes_hide(w: World) -> Done:
    w.write(f"{TEAM}/.gitattributes", "*.md -diff\n")
    w.lay(team())
    w.stage()
    return w.commit()


@scenario("a .gitattributes that changes memories on checkout", "altered-by-attributes")
def attributes_alter(w: World) -> Done:
    w.write(f"{TEAM}/.gitattributes", "*.md filter=x merge=union\n")
    w.stage()
    return w.commit()


@scenario("a .gitattributes that has memories in another encoding on disk", "altered-by-attributes")
def attributes_encode(w: World) -> Done:
    w.write(f"{TEAM}/notes/.gitattributes", "mem_new.md working-tree-encoding=UTF-16LE\n")
    path = w.write(f"{TEAM}/notes/mem_new.md", serialize(team()).decode().encode("utf-16-le"))
    w.stage(f"{TEAM}/notes/.gitattributes", str(path.relative_to(w.checkout)))
    return w.commit()


@scenario("a .gitattributes at the top that the vault's own outranks")
def attributes_outranked(w: World) -> Done:
    w.write(".gitattributes", "mem_*.md -diff merge=union linguist-generated working-tree-encoding=UTF-16LE\n")
    w.lay(team())
    w.stage(".gitattributes", TEAM)
    return w.commit()


@scenario("a secret in a keyword that Git takes out of the index (ident): the index has none")
def ident(w: World) -> Done:
    w.write(".git/info/attributes", "mem_new.md ident\n")
    path = w.lay(team(body=f"It says $Id: {fake_key()} $ here."))
    w.stage(path)
    assert "$Id$" in w.git("cat-file", "blob", f":{path}")
    return w.commit()


@scenario("the vault's own .gitattributes, turned against it", "altered-by-attributes", "hidden-from-review")
def attributes_own(w: World) -> Done:
    w.write(".ecc/.gitattributes", "*.md -diff merge=union\n")
    return w.commit("-a")


@scenario("a .gitattributes that hides memories by a macro of the one at the top", "hidden-from-review")
def attributes_macro(w: World) -> Done:
    w.write(".gitattributes", "[attr]plain -diff\n")
    w.write(f"{TEAM}/notes/.gitattributes", "*.md plain\n")
    w.stage(".gitattributes", f"{TEAM}/notes/.gitattributes")
    return w.commit()


@scenario("the vault's own .gitattributes taken away, where one at the top hides memories", "hidden-from-review")
def attributes_bared(w: World) -> Done:
    w.write(".gitattributes", "*.md -diff\n")
    w.stage(".gitattributes")
    w.git("commit", "-q", "-m", "top")
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.git("rm", "-q", ".ecc/.gitattributes")
    return w.commit()


# --- The guard ------------------------------------------------------------------------------------------------


@scenario("a private memory, forced", "private-memory-tracked")
def forced(w: World) -> Done:
    w.stage(MINE_PATH)
    return w.commit()


@scenario("a private memory, intended to be added, then commit -a", "private-memory-tracked")
def forced_later(w: World) -> Done:
    w.git("add", "-f", "-N", MINE_PATH)
    return w.commit("-a")


@scenario("a private memory, checked out of another branch", "private-memory-tracked")
def checked_out(w: World) -> Done:
    _branch(w, "side", f"{PRIVATE}/notes/mem_theirs.md", serialize(memory("mem_theirs")))
    w.git("checkout", "-q", "side", "--", PRIVATE)
    return w.commit()


@scenario("a private memory that was tracked before, changed", "private-memory-tracked")
def tracked_before(w: World) -> Done:
    w.stage(MINE_PATH)
    w.git("commit", "-q", "-m", "leak")
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.lay(memory("mem_mine", body="Still only for me."))
    return w.commit("-a")


@scenario("a private memory without a file (update-index --index-info)", "private-memory-tracked")
def index_info(w: World) -> Done:
    line = f"100644 {w.blob(b'mine')}\t{PRIVATE}/notes/mem_x.md\n"
    w.git("update-index", "--index-info", stdin=line.encode())
    return w.commit()


@scenario("a tracked file that is moved into the private scope", "private-memory-tracked")
def moved_in(w: World) -> Done:
    w.git("mv", "README.md", f"{PRIVATE}/notes/README.md")
    return w.commit()


@scenario("the guard alone, the first of a vault in a repository")
def guard_only(w: World) -> Done:
    w.git("switch", "-q", "-c", "before", "HEAD~1")
    w.write(".pre-commit-config.yaml", CONFIG)
    w.write(GUARD, guard.CONTENT)
    w.stage(GUARD)
    return w.commit()


@scenario("the guard, deleted", "guard-weakened")
def guard_deleted(w: World) -> Done:
    w.git("rm", "-q", GUARD)
    return w.commit()


@scenario("the guard with one more line", "guard-weakened")
def guard_opened(w: World) -> Done:
    w.write(GUARD, guard.CONTENT + b"!*.md\n")
    w.stage(GUARD)
    return w.commit()


@scenario("the guard, a symlink", "guard-weakened")
def guard_symlink(w: World) -> Done:
    (w.checkout / GUARD).unlink()
    (w.checkout / GUARD).symlink_to("../../../README.md")
    w.stage(GUARD)
    return w.commit()


@scenario("the guard, a folder", "guard-weakened", "private-memory-tracked")
def guard_folder(w: World) -> Done:
    w.git("rm", "-q", GUARD)
    w.write(f"{GUARD}/x.md", "x\n")
    w.stage(f"{GUARD}/x.md")
    return w.commit()


@scenario("the guard emptied on disk behind Git's back, then everything added", "private-memory-tracked")
def guard_stale(w: World) -> Done:
    w.git("update-index", "--skip-worktree", GUARD)
    w.write(GUARD, "")
    w.stage()
    return w.commit()


@scenario("the private scope, a symlink to a folder that is tracked", "guard-weakened", "private-memory-tracked")
def scope_symlink(w: World) -> Done:
    shutil.rmtree(w.checkout / PRIVATE)
    w.write("elsewhere/notes.md", "x\n")
    (w.checkout / PRIVATE).symlink_to("../../elsewhere")
    w.git("rm", "-q", "--cached", GUARD)
    w.stage()
    return w.commit()


@scenario("the whole .ecc, a symlink", "guard-weakened", "memory-deleted", "symlink-in-vault")
def ecc_symlink(w: World) -> Done:
    w.git("rm", "-q", "-r", "--cached", ".ecc")
    shutil.move(w.checkout / ".ecc", w.checkout / "vault")
    shutil.rmtree(w.checkout / "vault/memory/project")
    (w.checkout / ".ecc").symlink_to("vault")
    w.stage()
    return w.commit()


@scenario("the whole .ecc, a submodule", "guard-weakened", "memory-deleted", "submodule-in-vault")
def ecc_submodule(w: World) -> Done:
    w.git("rm", "-q", "-r", "--cached", ".ecc")
    w.entry("160000", w.git("rev-parse", "HEAD"), ".ecc")
    return w.commit()


@scenario("a working tree elsewhere that has no guard", "private-memory-tracked")
def other_worktree(w: World) -> Done:
    other = w.top / "other"
    (other / PRIVATE / "notes").mkdir(parents=True)
    (other / MINE_PATH).write_bytes(serialize(MINE))
    w.git("add", "-f", MINE_PATH, GIT_WORK_TREE=str(other), GIT_DIR=str(w.checkout / ".git"), cwd=other)
    return w.commit()


@scenario("a repository in the private scope, forced", "private-memory-tracked")
def embedded(w: World) -> Done:
    inner = w.checkout / PRIVATE / "notes/lib"
    w.git("init", "-q", str(inner))
    (inner / "x.md").write_text("x\n")
    w.git("add", "x.md", cwd=inner)
    w.git("commit", "-q", "-m", "x", cwd=inner)
    w.stage(f"{PRIVATE}/notes/lib")
    return w.commit()


@scenario("a copy of a private memory under another name", "private-memory-copied", ci=())
def copied(w: World) -> Done:
    shutil.copy(w.checkout / MINE_PATH, w.checkout / "docs.md")
    w.stage()
    return w.commit()


@scenario("a private scope in another case", "private-memory-tracked")
def case_private(w: World) -> Done:
    w.entry("100644", w.blob(serialize(MINE)), ".ECC/Memory/project/notes/mem_mine.md")
    return w.commit()


@scenario("a private scope in a spelling that NTFS takes for it", "private-memory-tracked")
def spelled_private(w: World) -> Done:
    w.entry("100644", w.blob(serialize(MINE)), ".ecc./memory/project/notes/mem_mine.md")
    return w.commit()


@scenario("a team scope in another case", "wrong-folder")
def case_team(w: World) -> Done:
    w.entry("100644", w.blob(serialize(team())), ".ECC/memory/team/notes/mem_new.md")
    return w.commit()


@scenario("a nested private scope", "private-memory-tracked")
def nested_private(w: World) -> Done:
    w.entry("100644", w.blob(serialize(MINE)), "pkg/.ecc/memory/project/notes/mem_mine.md")
    return w.commit()


@scenario("a bad memory in a nested vault", "malformed-memory")
def nested_team(w: World) -> Done:
    w.write("pkg/.ecc/memory/team/notes/mem_new.md", "bad")
    w.stage()
    return w.commit()


@scenario("the folder of the vault (.ecc/memory), a symlink", "guard-weakened", "memory-deleted", "symlink-in-vault")
def memory_symlink(w: World) -> Done:
    w.git("rm", "-q", "-r", "--cached", ".ecc/memory")
    shutil.move(w.checkout / ".ecc/memory", w.checkout / "vault")
    shutil.rmtree(w.checkout / "vault/project")
    (w.checkout / ".ecc/memory").symlink_to("../vault")
    w.stage()
    return w.commit()


@scenario("the private scope, a submodule", "guard-weakened", "private-memory-tracked")
def scope_submodule(w: World) -> Done:
    w.git("rm", "-q", "--cached", GUARD)
    w.entry("160000", w.git("rev-parse", "HEAD"), PRIVATE)
    return w.commit()


@scenario("a second guard in another case, which opens the first one on some systems", "private-memory-tracked")
def guard_case(w: World) -> Done:
    w.entry("100644", w.blob(b"!*\n"), f"{PRIVATE}/.GITIGNORE")
    return w.commit()


@scenario("the guard emptied and hidden by assume-unchanged, then everything added", "private-memory-tracked")
def guard_assumed(w: World) -> Done:
    w.git("update-index", "--assume-unchanged", GUARD)
    w.write(GUARD, "")
    w.stage()
    return w.commit()


@scenario("the guard emptied by a smudge filter, then everything added", "private-memory-tracked")
def guard_smudged(w: World) -> Done:
    w.git("config", "filter.x.smudge", "true")
    w.git("config", "filter.x.clean", r"printf '*\n!.gitignore\n'")
    w.write(".git/info/attributes", f"{GUARD} filter=x\n")
    (w.checkout / GUARD).unlink()
    w.git("checkout", "-q", "--", GUARD)
    assert (w.checkout / GUARD).read_bytes() == b""
    w.stage()
    return w.commit()


@scenario("a private scope that differs in case, filed under the tracked spelling", "private-memory-tracked")
def ignore_case(w: World) -> Done:
    w.git("config", "core.ignoreCase", "true")
    w.write(".ECC/memory/project/notes/mem_x.md", serialize(memory("mem_x")))
    w.stage(".ECC/memory/project/notes/mem_x.md")
    return w.commit()


@scenario("a subtree with a private memory of its own", "private-memory-tracked")
def subtree(w: World) -> Done:
    _branch(w, "side", f"{PRIVATE}/notes/mem_theirs.md", serialize(memory("mem_theirs")))
    w.git("read-tree", "--prefix=vendor/sub/", "side")
    return w.commit()


# --- Pushes ---------------------------------------------------------------------------------------------------


@scenario("a push of a secret that a later commit takes away", "secret-in-memory")
def push_removed_secret(w: World) -> Done:
    w.lay(secret_memory())
    w.stage()
    w.git("commit", "-q", "-m", "leak")
    w.lay(team())
    w.stage()
    w.git("commit", "-q", "-m", "clean")
    return w.push()


@scenario("a push of a private memory that a later commit takes away", "private-memory-tracked")
def push_removed_private(w: World) -> Done:
    w.stage(MINE_PATH)
    w.git("commit", "-q", "-m", "leak")
    w.git("rm", "-q", "--cached", MINE_PATH)
    w.git("commit", "-q", "-m", "clean")
    return w.push()


@scenario("a push of a merge that brought a changed published memory", "memory-modified")
def push_merge_tampered(w: World) -> Done:
    _tampered(w)
    w.git("merge", "-q", "-m", "merge", "side")
    return w.push()


@scenario("a push with an environment that has Git take patterns for names", "private-memory-tracked")
def push_literal(w: World) -> Done:
    w.stage(MINE_PATH)
    w.git("commit", "-q", "-m", "leak")
    w.git("rm", "-q", "--cached", MINE_PATH)
    w.git("commit", "-q", "-m", "clean")
    return w.run("git", "push", "-q", GIT_LITERAL_PATHSPECS="1")


@scenario("a push of a new branch with a bad memory", "malformed-memory")
def push_new_branch(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_bad.md", b"bad")
    w.tip = "side"
    return w.push("-u", "origin", "side")


@scenario(
    "a push of two branches, the second one with a bad memory",
    "malformed-memory",
    under={"pre-commit": (), "prek": ()},
)
def push_two_branches(w: World) -> Done:
    _branch(w, "good", "good.txt", b"x\n")
    _branch(w, "worse", f"{TEAM}/notes/mem_bad.md", b"bad")
    w.tip = "worse"
    return w.push("origin", "good", "worse")


@scenario("a push of a branch that is not checked out", "memory-deleted")
def push_other_branch(w: World) -> Done:
    w.git("switch", "-q", "-c", "side")
    w.git("rm", "-q", PUBLISHED_PATH)
    w.git("commit", "-q", "-m", "gone")
    w.git("switch", "-q", "main")
    w.tip = "side"
    return w.push("origin", "side")


@scenario("a push of a commit that was made without an index (commit-tree)", "private-memory-tracked")
def push_commit_tree(w: World) -> Done:
    index = str(w.top / "index")
    w.git("read-tree", "HEAD", GIT_INDEX_FILE=index)
    w.git("update-index", "--add", "--cacheinfo", f"100644,{w.blob(b'x')},{PRIVATE}/notes/x.md", GIT_INDEX_FILE=index)
    tree = w.git("write-tree", GIT_INDEX_FILE=index)
    made = w.git("commit-tree", "-p", "HEAD", "-m", "x", tree)
    w.git("branch", "made", made)
    w.tip = "made"
    return w.push("origin", "made")


@scenario("a push of an annotated tag with a bad memory", "malformed-memory")
def push_tag(w: World) -> Done:
    _branch(w, "side", f"{TEAM}/notes/mem_bad.md", b"bad")
    w.git("tag", "-a", "-m", "t", "v1", "side")
    w.tip = "side"
    return w.push("origin", "v1")


@scenario("a push of good commits")
def push_good(w: World) -> Done:
    w.lay(team())
    w.stage()
    w.git("commit", "-q", "-m", "good")
    return w.push()


@scenario("deleting a branch of the remote", ci=None, unseen=MANAGERS)
def push_delete(w: World) -> Done:
    w.git("push", "-q", "origin", "main:old")
    return w.push("origin", ":old")


@scenario("a push of a stash that was made with --all", "private-memory-tracked", ci=("private-memory-tracked",))
def push_stash(w: World) -> Done:
    w.write("x.txt", "x\n")
    w.git("stash", "-q", "--all")
    w.git("branch", "saved", "refs/stash")
    w.tip = "saved"
    return w.push("origin", "refs/stash:refs/heads/saved")


@scenario("a push of a tag on a commit that the remote has", unseen=MANAGERS)
def push_known_tag(w: World) -> Done:
    w.git("tag", "v1")
    return w.push("origin", "v1")


@scenario("a push of a private memory to a ref of another kind", "private-memory-tracked")
def push_other_ref(w: World) -> Done:
    w.stage(MINE_PATH)
    w.git("commit", "-q", "-m", "leak")
    return w.push("origin", "HEAD:refs/for/main")


@scenario("a push of everything at once (--mirror), a tag among it with a private memory", "private-memory-tracked",
          under={"pre-commit": (), "prek": ()})  # fmt: skip
def push_mirror(w: World) -> Done:
    _branch(w, "good", "good.txt", b"x\n")
    _branch(w, "side", MINE_PATH, serialize(MINE))
    w.git("tag", "v1", "side")
    w.git("branch", "-q", "-D", "side")
    w.tip = "v1"
    return w.push("--mirror", "origin")


@scenario("a push of a symlink in the place of a memory, with a secret in what it names", "symlink-in-vault")
def push_symlink_secret(w: World) -> Done:
    w.entry("120000", w.blob(fake_key().encode()), f"{TEAM}/notes/mem_new.md")
    w.git("commit", "-q", "-m", "link")
    return w.push()


@scenario("a push of a branch that merged a deletion which the branch of everybody has", ci=("memory-deleted",))
def push_merged_deletion(w: World) -> Done:
    w.git("remote", "set-head", "origin", "main")
    w.git("switch", "-q", "-c", "topic")
    w.write("topic.txt", "x\n")
    w.stage("topic.txt")
    w.git("commit", "-q", "-m", "topic")
    w.git("push", "-q", "-u", "origin", "topic")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.git("switch", "-q", "main")
    w.git("rm", "-q", PUBLISHED_PATH)
    w.git("commit", "-q", "-m", "gone")
    w.git("push", "-q")
    w.git("switch", "-q", "topic")
    w.git("merge", "-q", "-m", "merge", "main")
    return w.push()


@scenario("a push of a private memory that a merge slipped in and a later commit takes away", "private-memory-tracked")
def push_removed_of_merge(w: World) -> Done:
    _branch(w, "side", "side.txt", b"x\n")
    _apart(w)
    w.git("merge", "-q", "--no-commit", "side")
    w.stage(MINE_PATH)
    w.git("commit", "-q", "-m", "merge")
    w.git("rm", "-q", "--cached", MINE_PATH)
    w.git("commit", "-q", "-m", "clean")
    return w.push()


@scenario("a push of a branch that merged a retirement of everybody, and then deleted the memory", "memory-deleted")
def push_deleted_after_merge(w: World) -> Done:
    w.git("remote", "set-head", "origin", "main")
    w.git("switch", "-q", "-c", "topic")
    w.write("topic.txt", "x\n")
    w.stage("topic.txt")
    w.git("commit", "-q", "-m", "topic")
    w.git("push", "-q", "-u", "origin", "topic")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.git("switch", "-q", "main")
    w.published(status=Status.SUPERSEDED)
    w.git("commit", "-q", "-a", "-m", "retired")
    w.git("push", "-q")
    w.git("switch", "-q", "topic")
    w.git("merge", "-q", "-m", "merge", "main")
    w.git("rm", "-q", PUBLISHED_PATH)
    w.git("commit", "-q", "-m", "gone")
    return w.push()


# --- Without private memories ---------------------------------------------------------------------------------


# The first look of the hook lets everything through that has nothing to do with a vault, if nothing can be a copy.


@scenario("a file that has nothing to do with a vault", mine=False, looked=True)
def alone_unrelated(w: World) -> Done:
    w.write("src/x.py", "x = 1\n")
    w.stage()
    return w.commit()


@scenario("a file whose name is not ASCII, and so may be one of a vault", mine=False)
def alone_accent(w: World) -> Done:
    w.write("über.txt", "x\n")
    w.stage()
    return w.commit()


@scenario("a private scope in a spelling that HFS+ takes for it", "private-memory-tracked", mine=False)
def alone_spelled(w: World) -> Done:
    w.entry("100644", w.blob(serialize(MINE)), ".e\u200ccc/memory/project/notes/mem_mine.md")
    return w.commit()


@scenario("a team scope in capitals", "wrong-folder", mine=False)
def alone_case_team(w: World) -> Done:
    w.entry("100644", w.blob(serialize(team())), ".ECC/MEMORY/TEAM/notes/mem_new.md")
    return w.commit()


@scenario("a .gitattributes at the top alone, in a vault without its own", "hidden-from-review", mine=False)
def alone_attributes(w: World) -> Done:
    w.git("rm", "-q", ".ecc/.gitattributes")
    w.git("commit", "-q", "-m", "without")
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.write(".gitattributes", "*.md -diff\n")
    w.stage(".gitattributes")
    return w.commit()


@scenario("a .gitignore at the top alone, which ignores the vault", mine=False, said=("team-vault-ignored",))
def alone_ignored(w: World) -> Done:
    w.write(".gitignore", ".ecc/\n")
    w.stage(".gitignore")
    return w.commit()


# --- Against all that was published ---------------------------------------------------------------------------


@scenario("a private memory, forced, in a commit by a script that a push started", "private-memory-tracked")
def forced_in_push(w: World) -> Done:
    w.stage(MINE_PATH)
    head = w.git("rev-parse", "HEAD")
    return w.commit(PRE_COMMIT_FROM_REF=head, PRE_COMMIT_TO_REF=head, PRE_COMMIT_REMOTE_NAME="origin")


@scenario("the team scope, a symlink, in a repository that had no vault", "symlink-in-vault")
def team_symlink(w: World) -> Done:
    w.git("switch", "-q", "-c", "before", "HEAD~1")
    w.write(".pre-commit-config.yaml", CONFIG)
    (w.checkout / TEAM).symlink_to("../../elsewhere")
    w.stage(TEAM)
    return w.commit()


@scenario("renaming the file of a published memory and making it executable", "memory-modified")
def rename_executable(w: World) -> Done:
    w.git("update-index", "--chmod=+x", _rename_published(w))
    return w.commit()


@scenario("a merge that brings a change of a published memory, which nobody else has", "memory-modified")
def merge_tampered(w: World) -> Done:
    _tampered(w)
    return w.run("git", "merge", "-q", "-m", "merge", "side")


@scenario("a merge where Git takes a deletion and a new memory for a rename", "memory-deleted")
def merge_as_rename(w: World) -> Done:
    w.git("switch", "-q", "-c", "side")
    w.git("rm", "-q", PUBLISHED_PATH)
    w.lay(team(body=PUBLISHED.body))
    w.stage()
    w.git("commit", "-q", "-m", "side")
    w.git("switch", "-q", "main")
    w.published(status=Status.SUPERSEDED)
    w.git("commit", "-q", "-a", "-m", "main")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    done = w.run("git", "merge", "-q", "-m", "merge", "side")
    assert b'"superseded"' in (w.checkout / f"{TEAM}/notes/mem_new.md").read_bytes()
    return done


def _published_beside(w: World) -> str:
    """A branch of which nobody else knows, and a memory that the branch of everybody has got since; its path."""
    w.git("switch", "-q", "-c", "topic", "--track", "origin/main")
    w.write("topic.txt", "x\n")
    w.stage("topic.txt")
    w.git("commit", "-q", "-m", "topic")
    w.git("switch", "-q", "main")
    path = w.lay(team())
    w.stage(path)
    w.git("commit", "-q", "-m", "published")
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.git("switch", "-q", "topic")
    return path


@scenario("a merge --no-commit of the branch of everybody, and a change of what was published there", "memory-modified")
def merge_changed(w: World) -> Done:
    path = _published_beside(w)
    w.git("merge", "-q", "--no-commit", "main")
    w.lay(team(body="Said otherwise."))
    w.stage(path)
    return w.commit()


@scenario("a push of a new branch that changed what it had merged of the branch of everybody", "memory-modified")
def push_merged_change(w: World) -> Done:
    path = _published_beside(w)
    w.git("merge", "-q", "-m", "merge", "main")
    w.lay(team(body="Said otherwise."))
    w.stage(path)
    w.git("commit", "-q", "-m", "changed")
    return w.push("origin", "topic")


@scenario("two branches that merged each other, and then a change of what either published",
          "memory-deleted", "memory-modified")  # fmt: skip
def criss_cross(w: World) -> Done:
    tips = {}
    for name in ("topic", "main"):
        w.git("switch", "-q", *(("-c", name) if name == "topic" else (name,)))
        path = w.lay(team(f"mem_{name}"))
        w.stage(path)
        w.git("commit", "-q", "-m", name)
        tips[name] = w.git("rev-parse", "HEAD")
    w.git("merge", "-q", "-m", "merge", tips["topic"])
    w.git("push", "-q")
    w.env["BASE"] = w.git("rev-parse", "HEAD")
    w.git("switch", "-q", "topic")
    w.git("merge", "-q", "-m", "merge", tips["main"])
    w.git("branch", "-q", "-u", "origin/main")
    assert set(w.git("merge-base", "--all", "HEAD", "origin/main").split()) == set(tips.values())
    w.git("rm", "-q", f"{TEAM}/notes/mem_topic.md")
    w.lay(team("mem_main", body="Said otherwise."))
    return w.commit("-a")


@scenario("a forced push of a published memory that was amended", "memory-modified", ci=())
def push_forced(w: World) -> Done:
    w.published(body="Any Node will do.")
    w.git("commit", "-q", "-a", "--amend", "-m", "x")
    return w.push("--force")


@scenario("a forced push that takes back the commit that published a memory", "memory-deleted", ci=(),
          unseen=("prek",))  # fmt: skip
def push_reset(w: World) -> Done:
    w.lay(team())
    w.stage()
    w.git("commit", "-q", "-m", "x")
    w.git("push", "-q")
    w.git("reset", "-q", "--hard", "HEAD~1")
    return w.push("--force")
