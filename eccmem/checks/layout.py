"""Does every memory lie where its id, kind and scope say?"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from eccmem.finding import Finding, Rule, Severity, SkipReason
from eccmem.vault import BrokenCode, Place, Snapshot, Stored

WRONG_FOLDER = Rule("wrong-folder", Severity.ERROR, "A memory lies in the folder of another scope or kind.")
DUPLICATE = Rule("duplicate-id", Severity.ERROR, "Several memories have the same id.")
SYMLINK = Rule("symlink-in-vault", Severity.ERROR, "A symlink lies in the vault; it is never followed.")
SPECIAL = Rule("not-a-regular-file", Severity.WARNING, "Something named .md is no file (a pipe, a device).")
NAME = Rule("name-differs-from-id", Severity.WARNING, "A memory's file is not named by its id.")
CASE = Rule("case-collision", Severity.WARNING, "Names that differ only in case are one file on some systems.")
SUBMODULE = Rule(
    "submodule-in-vault", Severity.ERROR, "A submodule lies in the vault; what it holds is reviewed elsewhere."
)
UNEXPECTED = Rule("unexpected-file", Severity.NOTE, "A file that is no memory is committed to the team scope.")
LEFTOVER = Rule("leftover-temporary-file", Severity.NOTE, "A write that was killed left its temporary file.")
RULES = (WRONG_FOLDER, DUPLICATE, SYMLINK, SUBMODULE, SPECIAL, NAME, CASE, UNEXPECTED, LEFTOVER)


def duplicates(snapshot: Snapshot) -> dict[str, list[Place]]:
    """The ids that several files have, sorted, with these files' places."""
    places: dict[str, list[Place]] = defaultdict(list)
    for stored in snapshot.stored:
        places[stored.memory.id].append(stored.place)
    for known in snapshot.known:
        places[known.id].append(known.place)
    return {item: found for item, found in sorted(places.items()) if len(found) > 1}


def check(snapshot: Snapshot) -> Iterator[Finding]:
    """Findings about places and names."""
    yield from _wrong_folders(snapshot)
    yield from _skipped(snapshot)
    for item, places in duplicates(snapshot).items():
        for place in places:
            yield Finding(
                rule=DUPLICATE,
                path=place.shown,
                message=f"{item} is also the id of {len(places) - 1} other {'file' if len(places) == 2 else 'files'}",  # noqa: PLR2004
                remedy="keep one of them, and give the others an id of their own",
            )
    for stored in snapshot.stored:
        name = f"{stored.memory.id}.md"
        if stored.place.relative.rpartition("/")[2] != name:
            yield Finding(
                rule=NAME,
                path=stored.place.shown,
                line=stored.lines["id"],
                message=f"the file of {stored.memory.id} has another name",
                remedy=f"rename it to {name}",
            )
    yield from _case_collisions(snapshot)
    for place in snapshot.others:
        yield Finding(
            rule=UNEXPECTED,
            path=place.shown,
            message="not a memory, and no file of eccmem or Git: nothing here reads it",
            remedy="move it to where it belongs, such as docs/",
        )
    for path in snapshot.leftovers:
        yield Finding(
            rule=LEFTOVER,
            path=path,
            message="a write was killed here; nothing of it is a memory",
            remedy="remove this file when no eccmem is running",
        )


def also_elsewhere(stored: Stored) -> Finding:
    """The finding for an id that others published meanwhile for another file."""
    return Finding(
        rule=DUPLICATE,
        path=stored.place.shown,
        line=stored.lines["id"],
        message=f"{stored.memory.id} is also the id of a memory on the branch that this one is compared to",
        remedy="give this one an id of its own, unless it is the same memory: then take theirs",
    )


def _wrong_folders(snapshot: Snapshot) -> Iterator[Finding]:
    for broken in snapshot.broken:
        if broken.code is BrokenCode.LOCATION:
            for problem in broken.problems:
                yield Finding(
                    rule=WRONG_FOLDER,
                    path=broken.place.shown,
                    line=problem.line,
                    message=problem.message,
                    remedy="move the file, or correct the field",
                )


def _skipped(snapshot: Snapshot) -> Iterator[Finding]:
    for skipped in snapshot.skipped:
        if skipped.reason is SkipReason.SYMLINK:
            yield Finding(
                rule=SYMLINK,
                path=skipped.path,
                message="a symlink, which is never followed: what it points to is not part of the vault",
                remedy="replace it with the file or folder itself, or remove it",
            )
        elif skipped.reason is SkipReason.SUBMODULE:
            yield Finding(
                rule=SUBMODULE,
                path=skipped.path,
                message="a submodule: a checkout would read memories from it that nobody reviewed here",
                remedy="remove it from the vault",
            )
        elif skipped.reason is SkipReason.NOT_REGULAR:
            yield Finding(
                rule=SPECIAL,
                path=skipped.path,
                message="named like a memory, but neither a file nor a folder; nothing is read by id until it is gone",
                remedy="remove it",
            )


def _case_collisions(snapshot: Snapshot) -> Iterator[Finding]:
    seen: dict[str, list[Place]] = defaultdict(list)
    places = [stored.place for stored in snapshot.stored] + [broken.place for broken in snapshot.broken]
    places += [known.place for known in snapshot.known]
    for place in places:
        seen[unicodedata.normalize("NFC", place.shown).casefold()].append(place)
    for same in seen.values():
        for place in same[1:]:
            yield Finding(
                rule=CASE,
                path=place.shown,
                message="another file has the same name but for upper and lower case",
                remedy="rename one of them: on macOS and Windows a checkout would keep only one",
            )
