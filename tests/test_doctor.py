"""Every rule of the doctor: what raises it, with path, line and a remedy that works; and what stays silent."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import Save, git
from eccmem import checks, doctor, init, intake, roots
from eccmem import vault as snapshots
from eccmem.errors import EccmemError, ExitCode
from eccmem.finding import Finding, Severity
from eccmem.model import DEFAULT_SCOPES, Kind, Scope, Status
from eccmem.roots import VaultRoots

PRIVATE = ".ecc/memory/project/"
NOTE = f"{PRIVATE}notes/mem_one.md"


def examine(places: VaultRoots, *scopes: Scope) -> doctor.Report:
    return doctor.examine(snapshots.worktree(places, scopes or DEFAULT_SCOPES), places, os.environ)


def only(places: VaultRoots, rule: str, *scopes: Scope) -> Finding:
    found = [finding for finding in examine(places, *scopes).findings if finding.rule.id == rule]
    assert len(found) == 1, found
    return found[0]


def test_a_healthy_vault_has_no_findings(save: Save, vault: VaultRoots) -> None:
    """After init by save, in all scopes: nothing to say, exit 0."""
    first = save()
    save(title="Second", links=(first.memory.id,))
    save(title="Team", scope="team")
    save(title="Mine", scope="user")

    report = examine(vault, *Scope)

    assert report.findings == ()
    assert (report.ok, report.exit_code(), len(report.snapshot.stored)) == (True, ExitCode.OK, 4)


def test_no_vault_has_no_findings(vault: VaultRoots) -> None:
    """A repository that never heard of eccmem is healthy."""
    assert examine(vault, *Scope).findings == ()


def spoil_malformed(checkout: Path) -> None:
    path = put(checkout, memory("mem_one"))
    path.write_text(path.read_text().replace('kind: "note"', "kind: note"))


def spoil_wrong_folder(checkout: Path) -> None:
    put(checkout, memory("mem_one", kind=Kind.FACT)).rename(put(checkout, memory("mem_one")))


def spoil_wrong_scope(checkout: Path) -> None:
    put(checkout, memory("mem_one", scope=Scope.TEAM)).rename(put(checkout, memory("mem_one")))


def spoil_secret(checkout: Path) -> None:
    put(checkout, memory("mem_one", body=f"first\n\nthe key {fake_key()}."))


def spoil_escaped_secret(checkout: Path) -> None:
    path = put(checkout, memory("mem_one", title=fake_key()))
    path.write_text(path.read_text().replace("AKIA", "\\u0041KIA"))


def spoil_link(checkout: Path) -> None:
    put(checkout, memory("mem_one", links=("mem_absent",)))


def spoil_self_link(checkout: Path) -> None:
    put(checkout, memory("mem_one", links=("mem_one",)))


def spoil_name(checkout: Path) -> None:
    put(checkout, memory("mem_two"), "mem_one.md")


def spoil_invisible(checkout: Path) -> None:
    put(checkout, memory("mem_one", body="one\ntwo \u200b\u200c\u200b"))


def spoil_pipe(checkout: Path) -> None:
    put(checkout, memory("mem_two"))
    os.mkfifo(checkout / NOTE)


def spoil_symlink(checkout: Path) -> None:
    put(checkout, memory("mem_two"))
    (checkout / NOTE).symlink_to("mem_two.md")


@pytest.mark.parametrize(
    ("spoil", "rule", "line", "says"),
    [
        (spoil_malformed, "malformed-memory", 5, "a value must be JSON: put it in double quotes"),
        (spoil_wrong_folder, "wrong-folder", 5, "a memory of kind fact belongs in the folder facts"),
        (spoil_wrong_scope, "wrong-folder", 6, "the memory says scope team and lies in project"),
        (spoil_secret, "secret-in-memory", 19, "a suspected secret (AWS access key)"),
        (spoil_escaped_secret, "secret-in-memory", 4, "a suspected secret (AWS access key)"),
        (spoil_link, "broken-link", 12, "mem_one links to mem_absent"),
        (spoil_self_link, "self-link", 12, "links to itself"),
        (spoil_name, "name-differs-from-id", 3, "the file of mem_two has another name"),
        (spoil_invisible, "invisible-text", 18, "invisible text in the body: 3 characters from U+200B on"),
        (spoil_pipe, "not-a-regular-file", 1, "neither a file nor a folder"),
        (spoil_symlink, "symlink-in-vault", 1, "never followed"),
    ],
)
def test_a_bad_memory_is_named(
    spoil: Callable[[Path], None], rule: str, line: int, says: str, vault: VaultRoots, checkout: Path
) -> None:
    """The path, the line and the reason; the exit code follows the severity."""
    init.init(vault, DEFAULT_SCOPES)
    spoil(checkout)

    finding = only(vault, rule)

    assert (finding.path, finding.line) == (NOTE, line)
    assert says in finding.message
    assert finding.remedy
    assert fake_key() not in finding.message
    error = finding.rule.severity is Severity.ERROR
    assert examine(vault).exit_code() == (ExitCode.FINDINGS if error else ExitCode.OK)


def test_one_bad_file_never_hides_a_good_one(vault: VaultRoots, checkout: Path) -> None:
    """Each bad file is named, every good one is counted."""
    for number in range(5):
        put(checkout, memory(f"mem_good{number}"))
        put(checkout, memory(f"mem_bad{number}")).write_bytes(b"\xff\xfe bad")

    report = examine(vault)

    assert len(report.snapshot.stored) == 5
    assert [finding.path for finding in report.findings if finding.rule.id == "malformed-memory"] == [
        f"{PRIVATE}notes/mem_bad{number}.md" for number in range(5)
    ]


def test_duplicates_are_named_in_every_place(vault: VaultRoots, checkout: Path) -> None:
    """Each file of a duplicated id is a finding."""
    put(checkout, memory("mem_two"))
    put(checkout, memory("mem_two", scope=Scope.TEAM))

    found = [finding.path for finding in examine(vault).findings if finding.rule.id == "duplicate-id"]

    assert found == [f"{PRIVATE}notes/mem_two.md", ".ecc/memory/team/notes/mem_two.md"]


def test_names_that_collide_on_other_systems(vault: VaultRoots, checkout: Path) -> None:
    """One of them would be lost in a checkout on macOS or Windows."""
    put(checkout, memory("mem_two"), "Mem_two.md")
    put(checkout, memory("mem_tre"), "mem_two.md")

    assert only(vault, "case-collision").path == f"{PRIVATE}notes/mem_two.md"


def test_a_linked_kind_folder_is_named_and_hides_nothing_else(save: Save, vault: VaultRoots, checkout: Path) -> None:
    """Git refuses to look beyond a link; the report comes all the same."""
    save()
    (checkout / PRIVATE / "notes").rename(checkout / ".ecc/n")
    (checkout / PRIVATE / "notes").symlink_to("../../n")

    assert only(vault, "symlink-in-vault").path == f"{PRIVATE}notes"


@pytest.mark.parametrize("scope", [Scope.USER, Scope.PROJECT])
def test_a_remedy_knows_where_an_override_is(scope: Scope, checkout: Path, home: Path, tmp_path: Path) -> None:
    """The patch of a vault outside of the repository is applied in that vault."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    variable = f"ECC_MEMORY_{scope.upper()}_ROOT"
    places = roots.resolve(checkout, {variable: str(elsewhere)}, home)
    old = intake.save(intake.Draft(title="Old", body="Old.", scope=scope), places).memory
    intake.save(intake.Draft(title="New", body="New.", scope=scope, supersedes=(old.id,)), places)

    remedy = only(places, "supersession-not-applied", scope).remedy

    arguments, pipe = shlex.split(remedy.partition(" | ")[0])[1:], remedy.partition(" | ")[2]
    env = {**os.environ, variable: str(elsewhere)}
    made = subprocess.run([sys.executable, "-m", "eccmem", *arguments], capture_output=True, check=True, env=env)
    subprocess.run(["sh", "-c", pipe], input=made.stdout, check=True, env=env)
    assert [f for f in examine(places, scope).findings if f.rule.id == "supersession-not-applied"] == []


def test_a_leftover_of_a_killed_write_is_noted(save: Save, vault: VaultRoots, checkout: Path) -> None:
    """Where the system has no unnamed files, a crash can leave one; it hides nothing and is no memory."""
    save(scope="team")
    (checkout / ".ecc/memory/team/notes/.eccmem-0123456789abcdef.tmp").write_text("half a mem")

    finding = only(vault, "leftover-temporary-file")

    assert finding.path == ".ecc/memory/team/notes/.eccmem-0123456789abcdef.tmp"
    assert examine(vault).snapshot.complete


def test_an_unapplied_supersession_prints_the_command_that_applies_it(
    save: Save, vault: VaultRoots, checkout: Path
) -> None:
    """The remedy, run as it stands, ends the finding."""
    old = save().memory
    save(title="New", body="Better.", supersedes=(old.id,))
    finding = only(vault, "supersession-not-applied")
    assert finding.remedy == f"eccmem retire {old.id} --as superseded | git apply"

    program, *arguments = shlex.split(finding.remedy.partition(" | ")[0])
    assert program == "eccmem"
    made = subprocess.run([sys.executable, "-m", "eccmem", *arguments], capture_output=True, check=True)
    subprocess.run(["git", "apply"], input=made.stdout, check=True)

    assert [f for f in examine(vault).findings if f.rule.id == "supersession-not-applied"] == []
    snapshot = {stored.memory.id: stored.memory.status for stored in examine(vault).snapshot.stored}
    assert snapshot[old.id] is Status.SUPERSEDED


# --- Around the vault -----------------------------------------------------------------------------------------


def test_an_unreadable_or_cut_short_vault_cannot_be_judged(vault: VaultRoots, checkout: Path) -> None:
    """Exit 3, whatever else was found: what was not seen cannot be vouched for."""
    put(checkout, memory("mem_one"))
    (checkout / PRIVATE / "notes" / "/".join("123456789")).mkdir(parents=True)

    report = examine(vault)

    assert report.exit_code() == ExitCode.CANNOT_RUN
    assert only(vault, "scan-cut-short").message == "the scan stopped early: folders nest deeper than 8"


def test_a_hidden_team_scope_is_named_with_the_rule(save: Save, vault: VaultRoots, checkout: Path) -> None:
    """Whoever wrote ``.ecc/`` into the ignore file learns which line it was."""
    (checkout / ".gitignore").write_text("*.log\n\n.ecc/\n")
    save(scope="team")

    finding = only(vault, "team-vault-ignored")

    assert finding.message == "Git ignores the team scope: .gitignore line 3: .ecc/"


def test_a_personal_ignore_file_is_not_named_by_its_path(
    save: Save, vault: VaultRoots, checkout: Path, home: Path
) -> None:
    """No personal path in a finding."""
    (home / "my-ignores").write_text(".ecc/\n")
    git(checkout, "config", "core.excludesFile", str(home / "my-ignores"))
    save(scope="team")

    message = only(vault, "team-vault-ignored").message

    assert str(home) not in message
    assert "core.excludesFile) line 1: .ecc/" in message


@pytest.mark.parametrize(
    "path",
    [
        ".ecc/memory/project/notes/mem_one.md",
        ".ECC/memory/Project/notes/mem_one.md",
        "pkg/.ecc/memory/project/notes/mem_one.md",
        ".ecc/memory/project/.gitignore/x",
        ".ecc/memory/project/notes/new\nline.md",
    ],
)
def test_a_tracked_private_memory_is_an_error(path: str, save: Save, vault: VaultRoots, checkout: Path) -> None:
    """Forced into the index, in any case, nested anywhere: a leak."""
    save(scope="team")
    (checkout / ".ecc/memory/project").mkdir()
    blob = git(checkout, "hash-object", "-w", "README.md").strip()
    entry = f"100644 {blob}\t{path}\0"
    subprocess.run(["git", "update-index", "-z", "--index-info"], cwd=checkout, input=entry.encode(), check=True)

    assert only(vault, "private-memory-tracked").path == path
    assert examine(vault).exit_code() == ExitCode.FINDINGS


def test_a_committed_guard_is_no_leak(save: Save, vault: VaultRoots, checkout: Path) -> None:
    """It is what a clone needs."""
    save()
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "guard")

    assert examine(vault).findings == ()


def test_lost_layers_of_the_guard(save: Save, vault: VaultRoots, checkout: Path) -> None:
    """One missing layer is a warning; with all gone, Git would stage the memories, which is an error."""
    save()
    exclude = checkout / ".git/info/exclude"
    kept = exclude.read_text()

    exclude.write_text("")
    assert only(vault, "guard-not-in-exclude").rule.severity is Severity.WARNING
    exclude.write_text(kept)
    (checkout / PRIVATE / ".gitignore").unlink()
    assert only(vault, "guard-missing").rule.severity is Severity.WARNING
    exclude.write_text("")
    (checkout / PRIVATE / "notes/.gitignore").unlink()
    finding = only(vault, "private-memory-not-ignored")
    assert (finding.path, finding.rule.severity) == (f"{PRIVATE}notes/", Severity.ERROR)

    init.init(vault, DEFAULT_SCOPES)
    assert examine(vault).findings == ()


def test_a_user_scope_in_a_repository_is_named(vault: VaultRoots, home: Path) -> None:
    """A home whose dotfiles are kept in Git would take the person's memories along."""
    intake.save(intake.Draft(title="Mine", body="b", scope="user"), vault)
    assert examine(vault, Scope.USER).findings == ()
    git(home, "init", "-q")

    finding = only(vault, "user-memory-not-ignored", Scope.USER)
    assert finding.remedy.startswith("add /.ecc/memory/ to that repository's .gitignore")
    (home / ".gitignore").write_text("/.ecc/memory/\n")
    assert examine(vault, Scope.USER).findings == ()


def test_a_folder_guard_that_came_otherwise(save: Save, vault: VaultRoots, checkout: Path) -> None:
    """It may have come with a clone, and undo the rest: named, and nothing is saved beside it."""
    save()
    (checkout / PRIVATE / "notes/.gitignore").write_text("!*\n")

    assert only(vault, "guard-changed").path == f"{PRIVATE}notes/.gitignore"
    with pytest.raises(EccmemError, match=r"notes/\.gitignore is not the guard"):
        save(title="Another")
    with pytest.raises(EccmemError, match=r"notes/\.gitignore is not the guard"):
        init.init(vault, DEFAULT_SCOPES)


@pytest.mark.parametrize(("content", "rule"), [(b"", "guard-changed"), (b"*\r\n!.gitignore\r\n", "guard-crlf")])
def test_a_guard_that_is_not_exact(content: bytes, rule: str, save: Save, vault: VaultRoots, checkout: Path) -> None:
    """Another content is an error, CRLF a warning."""
    save()
    (checkout / PRIVATE / ".gitignore").write_bytes(content)

    assert only(vault, rule).path == f"{PRIVATE}.gitignore"


def test_private_memories_in_worktrees_are_named(save: Save, vault: VaultRoots, checkout: Path, home: Path) -> None:
    """From the main checkout and from the worktree itself; relative, so that no personal path is shown."""
    save(scope="team")
    tree = checkout.parent / "side tree"
    git(checkout, "worktree", "add", "-q", "-b", "side", str(tree))
    there = roots.resolve(tree, {}, home)
    intake.save(intake.Draft(title="Only here", body="Dies with it."), there)

    finding = only(vault, "private-memories-in-worktree")
    assert finding.message.startswith("the worktree ../side tree holds 1 private memory")
    assert only(there, "private-memories-in-worktree").message.startswith("this worktree holds 1 private memory")


def test_a_vault_in_a_submodule_is_noted(save: Save, vault: VaultRoots, checkout: Path, tmp_path: Path) -> None:
    """A search in the superproject does not see it; the person should know."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    put(other, memory("mem_one", scope=Scope.TEAM))
    git(other, "add", "-A")
    git(other, "commit", "-qm", "vault")
    git(checkout, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub/module")
    save(scope="team")

    assert only(vault, "vault-in-submodule").path == "sub/module"


@pytest.mark.parametrize(
    ("folder", "mode"),
    [("project", 0o770), ("project/notes", 0o702), ("team", 0o777), ("..", 0o757)],
)
def test_folders_that_others_can_write(folder: str, mode: int, save: Save, vault: VaultRoots, checkout: Path) -> None:
    """Private folders are for their owner only; team folders may be the group's."""
    save()
    save(title="Team", scope="team")
    assert examine(vault).findings == ()
    (checkout / ".ecc/memory" / folder).chmod(mode)

    assert only(vault, "writable-by-others").remedy.startswith("chmod ")


def test_a_group_writable_team_folder_is_fine(save: Save, vault: VaultRoots, checkout: Path) -> None:
    """A shared checkout with umask 002."""
    save(scope="team")
    (checkout / ".ecc/memory/team").chmod(0o775)

    assert examine(vault).findings == ()


@pytest.mark.parametrize("git_dir", ["file", "empty folder", "dangling pointer"])
def test_a_garbage_repository_is_a_warning(git_dir: str, tmp_path: Path, home: Path) -> None:
    """What Git cannot say is said, and the vault is judged all the same."""
    folder = tmp_path / "broken"
    folder.mkdir()
    if git_dir == "empty folder":
        (folder / ".git").mkdir()
    else:
        (folder / ".git").write_text("garbage" if git_dir == "file" else "gitdir: ../nowhere\n")
    put(folder, memory("mem_one"))
    places = roots.resolve(folder, {}, home)

    assert only(places, "git-unusable").rule.severity is Severity.WARNING
    assert len(examine(places).snapshot.stored) == 1


def test_without_git_the_vault_is_judged(save: Save, vault: VaultRoots, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git is not needed to read memories, nor to look at the guard file."""
    save()
    (vault.project.path / ".gitignore").write_text("")
    monkeypatch.setenv("PATH", "/nonexistent")

    assert only(vault, "git-unusable").message.startswith("Git cannot be run")
    assert only(vault, "guard-changed")


def test_the_portable_folders_are_named(vault: VaultRoots, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a platform cannot hold folders open, the doctor says so."""
    monkeypatch.setattr("eccmem.checks.machine.HAS_DESCRIPTORS", False)

    assert only(vault, "checked-by-path").rule.severity is Severity.NOTE


def test_rule_ids_are_words_and_unique() -> None:
    """An id is a docs anchor and is never reused."""
    ids = [rule.id for rule in checks.RULES]

    assert len(set(ids)) == len(ids)
    assert all(item.replace("-", "").isalpha() and item.islower() for item in ids)
    assert all(rule.summary.endswith(".") for rule in checks.RULES)
