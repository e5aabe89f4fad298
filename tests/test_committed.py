"""A vault as Git has it: the same as on disk, for whatever lies there; and what stands where a folder should."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from builders import fake_key, memory
from conftest import git
from eccmem import committed, limits, repo, roots, spots, vault
from eccmem.document import serialize
from eccmem.finding import Skipped
from eccmem.gate import Gate
from eccmem.model import Kind, Scope
from eccmem.repo import Tracked
from eccmem.vault import BrokenCode, Snapshot

TEAM = ".ecc/memory/team"


def gate(checkout: Path, **more: object) -> Gate:
    return Gate(repo=repo.locate(checkout, os.environ), **more)


def commit(checkout: Path) -> str:
    git(checkout, "add", "-A", "-f")
    git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
    return git(checkout, "rev-parse", "HEAD").strip()


def lay(checkout: Path, path: str, data: bytes) -> None:
    place = checkout / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


# --- The same by two doors ------------------------------------------------------------------------------------

FOLDERS = [
    *(kind.folder for kind in Kind),
    "other",
    "notes/deep",
    "Notes",
    ".hidden",
    "notes/.x",
    "a/b/c/d/e/f/g/h/i",
    "",
]


def scatter(checkout: Path, seed: int) -> None:
    """A vault with good, misplaced, broken, hidden, linked, deep and oddly named files."""
    dice = random.Random(seed)
    (checkout / TEAM).mkdir(parents=True)
    for number in range(dice.randint(1, 25)):
        folder = dice.choice(FOLDERS)
        name = dice.choice(
            [f"mem_number_{number}.md", f"mem_{number}.MD", f"{number}.txt", f".mem_{number}.md", f"ü\n{number}.md"]
        )
        place = checkout / TEAM / folder / name
        kind = next((kind for kind in Kind if kind.folder == folder), Kind.NOTE)
        item = memory(
            f"mem_number_{dice.choice([number, 1])}",
            scope=dice.choice([Scope.TEAM, Scope.TEAM, Scope.PROJECT]),
            kind=kind,
        )
        contents = [
            serialize(item),
            serialize(item),
            serialize(item).replace(b"\n", b"\r\n"),
            serialize(memory(item.id, scope=Scope.TEAM, kind=kind, body=f"The key is {fake_key()}.")),
            b"",
            b"\xff\xfe",
            b"---\n",
            b"x" * (limits.DOCUMENT_BYTES + dice.randint(0, 1)),
        ]
        place.parent.mkdir(parents=True, exist_ok=True)
        if dice.random() < 0.1:
            place.symlink_to(dice.choice(["README.md", ".", "/nowhere"]))
        else:
            place.write_bytes(dice.choice(contents))


def told(found: Snapshot) -> dict[str, object]:
    """What both doors have to say alike: the memories and the files that are none."""
    return {
        "stored": {(item.place.shown, item.memory, tuple(sorted(item.lines.items()))) for item in found.stored},
        "broken": {(item.place.shown, item.code, item.problems) for item in found.broken},
    }


def is_walked(skipped: Skipped) -> bool:
    """Whether a walk gets so far; Git has links in hidden and too deep folders, too."""
    *folders, _ = skipped.path.removeprefix(f"{TEAM}/").split("/")
    return len(folders) <= limits.WALK_DEPTH and not any(name.startswith(".") for name in folders)


@pytest.mark.parametrize("seed", range(60))
def test_a_clean_commit_reads_as_the_working_tree(seed: int, checkout: Path, home: Path) -> None:
    """One random vault after the other; what Git alone sees is more, and never less."""
    scatter(checkout, seed)
    tip = commit(checkout)

    ours = gate(checkout).revision(tip).snapshot
    disk = vault.worktree(roots.resolve(checkout, {}, home), [Scope.TEAM])

    assert told(ours) == told(disk)
    assert {item for item in ours.skipped if is_walked(item)} == set(disk.skipped)
    assert set(ours.cut_short) <= set(disk.cut_short)  # a deep folder without a memory hides none


# --- What stands where a folder should be ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        ".ecc",
        ".ecc/memory",
        TEAM,
        f"{TEAM}/notes",
        f"{TEAM}/notes/mem_x.md",
        f"pkg/{TEAM}",
        ".ECC/memory/team",
        ".ecc/memory/team ",
    ],
)
@pytest.mark.parametrize("kind", ["symlink", "submodule"])
def test_a_link_or_a_submodule_in_the_place_of_a_folder(kind: str, path: str, checkout: Path) -> None:
    """Whether all is judged, or what a range touches: memories would come from where nobody reviewed them."""
    base = git(checkout, "rev-parse", "HEAD").strip()
    blob = git(checkout, "hash-object", "-w", "README.md").strip()
    mode, oid = ("120000", blob) if kind == "symlink" else ("160000", base)
    git(checkout, "update-index", "--add", "--cacheinfo", f"{mode},{oid},{path}")
    git(checkout, "commit", "-q", "-m", "x")

    assert [f.rule.id for f in gate(checkout).revision("HEAD").findings] == [f"{kind}-in-vault"]
    assert [f.rule.id for f in gate(checkout).ranged(base, "HEAD").findings] == [f"{kind}-in-vault"]


@pytest.mark.parametrize(("moved", "path"), [("shared/", "shared/team"), ("shared/", "shared"), ("", "team")])
def test_a_link_in_the_place_of_a_moved_folder(moved: str, path: str, checkout: Path) -> None:
    base = git(checkout, "rev-parse", "HEAD").strip()
    (checkout / path).parent.mkdir(exist_ok=True)
    (checkout / path).symlink_to("elsewhere")
    tip = commit(checkout)

    assert [f.rule.id for f in gate(checkout, moved=moved).ranged(base, tip).findings] == ["symlink-in-vault"]


# --- One vault and another ------------------------------------------------------------------------------------


def blob(checkout: Path, data: bytes) -> str:
    command = ["git", "hash-object", "-w", "--stdin"]
    return subprocess.run(command, cwd=checkout, input=data, check=True, capture_output=True).stdout.decode().strip()


def snapshots(checkout: Path, *paths: str, stage: int = 0, touched: set | None = None, **more: object) -> tuple:
    """The vaults of an index in which each path holds the memory that its name says."""
    found = []
    for path in paths:
        name = path.rpartition("/")[2].removesuffix(".md")
        found.append(Tracked("100644", blob(checkout, serialize(memory(name, scope=Scope.TEAM))), path, stage))
    return committed.snapshots(repo.locate(checkout, os.environ), found, touched, **more)


def test_each_vault_is_one_snapshot(checkout: Path) -> None:
    """Nested ones too; what is in a private scope is in none."""
    found = snapshots(
        checkout,
        f"{TEAM}/notes/mem_one.md",
        f"pkg/{TEAM}/notes/mem_two.md",
        f"pkg/{TEAM}/notes/{TEAM}/notes/mem_three.md",
        ".ecc/memory/project/notes/mem_four.md",
        f".ecc/memory/project/notes/{TEAM}/notes/mem_five.md",
        "README.md",
    )

    ids = [sorted(item.memory.id for item in part.stored) for part in found]
    assert ids == [["mem_one"], ["mem_two"]]
    assert [item.place.shown for part in found for item in part.broken] == []
    assert [place.shown for part in found for place in part.others] == [f"pkg/{TEAM}/notes/{TEAM}/notes/mem_three.md"]


def test_a_vault_in_another_spelling_is_the_same_vault(checkout: Path) -> None:
    """And what lies there is at the wrong place."""
    (found,) = snapshots(checkout, f"{TEAM}/notes/mem_one.md", ".ECC/memory/team/notes/mem_two.md")

    assert [item.memory.id for item in found.stored] == ["mem_one"]
    assert [(item.place.shown, item.code) for item in found.broken] == [
        (".ECC/memory/team/notes/mem_two.md", BrokenCode.LOCATION)
    ]


def test_what_is_not_touched_is_only_known(checkout: Path) -> None:
    one, two = f"{TEAM}/notes/mem_one.md", f"{TEAM}/notes/mem_two.md"

    (found,) = snapshots(checkout, one, two, touched={one})

    assert [item.memory.id for item in found.stored] == ["mem_one"]
    assert [item.id for item in found.known] == ["mem_two"]


def test_an_unresolved_merge_is_one_problem(checkout: Path) -> None:
    """Not one for each side."""
    (found,) = snapshots(checkout, *[f"{TEAM}/notes/mem_one.md"] * 3, stage=2)

    assert [(item.code, len(item.problems)) for item in found.broken] == [(BrokenCode.INVALID, 1)]
    assert found.stored == ()


@pytest.mark.parametrize(("depth", "cut"), [(limits.WALK_DEPTH, False), (limits.WALK_DEPTH + 1, True)])
def test_folders_that_nest_too_deep_are_said(depth: int, cut: bool, checkout: Path) -> None:
    (found,) = snapshots(checkout, f"{TEAM}/{'d/' * depth}mem_one.md")

    assert bool(found.cut_short) is cut
    assert len(found.broken) == (not cut)


@pytest.mark.parametrize(("number", "cut"), [(3, False), (4, True)])
def test_more_memories_than_are_scanned_are_said(number: int, cut: bool, checkout: Path, monkeypatch) -> None:
    monkeypatch.setattr(limits, "SCAN_ENTRIES", 3)

    (found,) = snapshots(checkout, *(f"{TEAM}/notes/mem_number_{item}.md" for item in range(number)))

    assert bool(found.cut_short) is cut


def test_more_bytes_than_are_scanned_are_said(checkout: Path, monkeypatch) -> None:
    size = len(serialize(memory("mem_number_0", scope=Scope.TEAM)))
    paths = [f"{TEAM}/notes/mem_number_{item}.md" for item in range(3)]
    monkeypatch.setattr(limits, "SCAN_BYTES", 3 * size)
    assert snapshots(checkout, *paths)[0].cut_short == ()
    monkeypatch.setattr(limits, "SCAN_BYTES", 2 * size)
    assert len(snapshots(checkout, *paths)[0].cut_short) == 1


def test_a_path_is_found_again_from_its_place() -> None:
    """As it is in the repository, whatever it is shown as."""
    for path in (f"{TEAM}/notes/a\nb.md", os.fsdecode(b"\xff/.ecc/memory/team/x.md"), ".ECC/memory./team:x/a b/c.md"):
        where = spots.spot(path)
        assert where
        assert committed.path_of(where.place) == path


@pytest.mark.parametrize("letter", ["\u00ad", "\u034f", "\u180b", "\u200b", "\u2060", "\ufe0f", "\U000e0020"])
def test_characters_that_a_casefolded_ext4_ignores(letter: str) -> None:
    """A folder with ``chattr +F`` takes a name with any ignorable character for the one without, in some kernels."""
    found = spots.spot(f".e{letter}cc/memory/project/notes/a.md")

    assert found
    assert found.scope is Scope.PROJECT
