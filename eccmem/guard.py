"""What keeps private memories out of commits.

Layers, because each can be lost:

- the fail-closed ``.gitignore`` of the project scope, which re-includes itself so that it can be committed and a
  clone has it; as long as it is untracked, ``git clean -fd`` deletes it and ``git stash -u`` takes it away;
- two lines in the repository's common ``info/exclude``, which both leave alone, but which any tracked
  ``.gitignore`` of the repository outranks (``!*/`` with ``!*.md``);
- a ``.gitignore`` in each folder of memories that ignores all there, itself included: an ignored file, which both
  leave alone and nothing outranks.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath

from eccmem import gitdir, limits
from eccmem.errors import EccmemError
from eccmem.files import FileProblem, writing
from eccmem.finding import SkipReason
from eccmem.model import Kind, Scope
from eccmem.repo import Ignored, Repo
from eccmem.roots import VAULT, Root, VaultRoots
from eccmem.tree import FOLDER, AnyFolder

NAME = ".gitignore"
CONTENT = b"*\n!.gitignore\n"
SHIELD = b"*\n"
# The blob that Git has of the guard, in repositories of either hash.
BLOBS = ("d6b7ef32c8478a48c3994dcadc86837f4371184d", "7f90280d5de6ebef75a93d25f67171e66d5d272cbb491ed99e07ae58dc8d26eb")
_CRLF_CONTENT = CONTENT.replace(b"\n", b"\r\n")

ATTRIBUTES_NAME = ".gitattributes"
# One line that neutralises what could hide or change a team memory: filters, other encodings, -diff.
_SETTINGS = b"text eol=lf -filter -ident !working-tree-encoding diff=markdown merge=text"
ATTRIBUTES = b"memory/** " + _SETTINGS + b" -linguist-generated -gitlab-generated\n"

# Git answers for a name; no such file need exist.
PROBE = f"{Kind.NOTE.folder}/mem_probe.md"

_EXCLUDE_COMMENT = b"# eccmem: private memories stay out of commits, whatever happens to their .gitignore\n"
_GLOB = re.compile(r"([\\*?\[\]])")


class GuardState(StrEnum):
    """What a project scope's guard looks like."""

    MISSING = "missing"
    EXACT = "exact"
    CRLF = "with CRLF line ends"
    CHANGED = "changed"


def state(folder: AnyFolder) -> GuardState:
    """Look at the guard in an open project scope."""
    try:
        data = folder.read(NAME, limits.GUARD_BYTES)
    except FileProblem as problem:
        return GuardState.MISSING if problem.reason is SkipReason.VANISHED else GuardState.CHANGED
    if data == CONTENT:
        return GuardState.EXACT
    return GuardState.CRLF if data == _CRLF_CONTENT else GuardState.CHANGED


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was made to protect a scope, and what the person should know."""

    made: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def ensure(root: Root, folder: AnyFolder) -> Prepared:
    """Create the guard of a project scope, or prove that it is there.

    Raises:
        EccmemError: ``guard-changed`` when something else is in its place; nothing may be written then.
    """
    with writing(root.show(NAME)):
        try:
            folder.create(NAME, CONTENT, 0o644)
            return Prepared(made=(root.show(NAME),))
        except FileExistsError:
            found = state(folder)
    if found is GuardState.CRLF:
        remedy = f"commit .ecc/{ATTRIBUTES_NAME} (eccmem init) so that a checkout keeps LF"
        return Prepared(warnings=(f"{root.show(NAME)} has CRLF line ends: it still guards; {remedy}",))
    if found is not GuardState.EXACT:
        raise EccmemError(
            "guard-changed",
            f"{root.show(NAME)} is not the fail-closed guard, so private memories could be committed",
            "remove it, and eccmem writes the right one",
        )
    return Prepared()


def shield(root: Root, shown: str, folder: AnyFolder) -> bool:
    """Create the guard of one folder of private memories, and say whether it was created.

    Raises:
        EccmemError: when it cannot be created, or ``guard-changed`` when something else is in its place, which may
            have come with a clone.
    """
    if root.scope is not Scope.PROJECT:
        return False
    with writing(f"{shown}/{NAME}"), suppress(FileExistsError):
        if folder.size(NAME) < 0:
            folder.create(NAME, SHIELD, 0o600)
            return True
    if not _shields(folder):
        raise EccmemError(
            "guard-changed",
            f"{shown}/{NAME} is not the guard of a private folder, so private memories could be committed",
            "remove it, and eccmem writes the right one",
        )
    return False


def _shields(folder: AnyFolder) -> bool:
    try:
        return folder.read(NAME, limits.GUARD_BYTES).replace(b"\r\n", b"\n") == SHIELD
    except FileProblem:
        return False


def opened_folders(scope_folder: AnyFolder) -> list[str]:
    """The folders of private memories that have a ``.gitignore`` which is not their guard."""
    found = []
    for kind in Kind:
        try:
            folder = scope_folder.folder(kind.folder)
        except OSError:
            continue  # not there, or no real folder: the walk says so
        with folder:
            if folder.size(NAME) >= 0 and not _shields(folder):
                found.append(kind.folder)
    return found


# --- The second layer -----------------------------------------------------------------------------------------


def exclude_lines(root: Root) -> tuple[Path, bytes] | None:
    """The repository's common folder and the lines that its ``info/exclude`` should have for a project scope.

    None where the scope is in no usable repository: there is nothing to be committed to.
    """
    found = gitdir.enclosing(root.real_base)
    if found is None:
        return None
    checkout, common = found
    below = root.real_path.relative_to(checkout).as_posix()
    # A pattern is one line: ``?`` stands for a line break in a name. A final blank would be dropped.
    pattern = _GLOB.sub(r"\\\1", below).replace("\n", "?").replace(" ", r"\ ")
    anchored = b"/" + pattern.encode("utf-8", "surrogateescape")
    return common, anchored + b"/*\n!" + anchored + b"/" + NAME.encode() + b"\n"


def exclude_is_set(common: Path, lines: bytes) -> bool:
    """Whether ``info/exclude`` holds the lines, one after the other."""
    try:
        with FOLDER.open_base(common) as top, top.folder("info") as info:
            present = info.read("exclude", limits.EXCLUDE_BYTES).replace(b"\r\n", b"\n")
    except (OSError, FileProblem):
        return False
    return b"\n" + lines in b"\n" + present + b"\n"


def ensure_exclude(root: Root) -> Prepared:
    """Add the lines to ``info/exclude`` if they are not there.

    A repository that cannot be written (several harnesses mount ``.git`` read-only) is a warning, not a refusal:
    the guard file protects as long as nobody deletes it.
    """
    if (wanted := exclude_lines(root)) is None:
        return Prepared()
    common, lines = wanted
    if exclude_is_set(common, lines):
        return Prepared()
    try:
        with FOLDER.open_base(common) as top, top.make("info", 0o777) as info:
            try:
                before = info.read("exclude", limits.EXCLUDE_BYTES)
            except FileProblem as problem:
                if problem.reason is not SkipReason.VANISHED:
                    raise
                before = b""
            gap = b"" if not before or before.endswith(b"\n") else b"\n"
            info.append("exclude", gap + _EXCLUDE_COMMENT + lines)
    except (OSError, FileProblem):
        alone = "private memories are kept out of commits by the .gitignore files of their folders alone"
        return Prepared(warnings=(f"info/exclude of the repository could not be written: {alone}",))
    return Prepared(made=("two lines in info/exclude of the repository",))


# --- What init adds for the team ------------------------------------------------------------------------------


def ensure_attributes(roots: VaultRoots) -> bool:
    """Create ``.ecc/.gitattributes`` for the team scope if there is none; say whether it was created."""
    if roots.team.parts[:-1] != VAULT:
        return False  # an override: the vault has no .ecc folder of ours
    shown = f"{VAULT[0]}/{ATTRIBUTES_NAME}"
    with writing(shown), FOLDER.open_base(roots.team.base) as top, top.make(VAULT[0], 0o777) as folder:
        try:
            folder.create(ATTRIBUTES_NAME, ATTRIBUTES, 0o644)
        except FileExistsError:
            return False
    return True


def prepare(roots: VaultRoots, scope: Scope, folder: AnyFolder) -> Prepared:
    """Do all that has to stand before a memory of a scope is written."""
    if scope is not Scope.PROJECT:
        return Prepared()
    first, second = ensure(roots.project, folder), ensure_exclude(roots.project)
    return Prepared(first.made + second.made, first.warnings + second.warnings)


def team_ignored(team: Root, repository: Repo) -> Ignored | None:
    """The rule that hides the team scope from Git, or None."""
    inside = repository.inside(team.real_path)
    return None if inside is None else repository.why_ignored([f"{inside}/{PROBE}"])[0]


def hidden_from_git(team: Root, env: Mapping[str, str]) -> list[str]:
    """A warning when Git ignores the team scope: what is saved there would never be shared."""
    found = gitdir.enclosing(team.real_base)
    if found is None:
        return []
    try:
        rule = team_ignored(team, Repo(found[0], env))
    except EccmemError as error:
        return [f"cannot tell whether team memories can be committed: {error.message}"]
    return [f"Git ignores the team scope ({describe(rule)}): nobody else will get this memory"] if rule else []


def laid_open(private: Root, repository: Repo) -> list[str]:
    """The folders of a private scope whose memories Git would stage."""
    inside = repository.inside(private.real_path)
    there = [kind.folder for kind in Kind if _is_real_folder(private.path / kind.folder)]
    if inside is None or not there:
        return []
    rules = repository.why_ignored([f"{inside}/{folder}/mem_probe.md" for folder in there])
    return [folder for folder, rule in zip(there, rules, strict=True) if rule is None]


def _is_real_folder(path: Path) -> bool:
    # A link is never followed, and Git refuses to look beyond one.
    return path.is_dir() and not path.is_symlink()


def describe(rule: Ignored) -> str:
    """Name an ignore rule without a personal path: ``.gitignore line 3: .ecc/``."""
    source = rule.source if not PurePath(rule.source).is_absolute() else "your own ignore file (core.excludesFile)"
    return f"{source} line {rule.line}: {rule.pattern}"
