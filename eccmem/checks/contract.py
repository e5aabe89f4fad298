"""Is every file a memory, and was everything seen?"""

import re
from collections.abc import Iterator

from eccmem import document
from eccmem.document import Problem
from eccmem.finding import Finding, Rule, Severity, SkipReason
from eccmem.vault import Broken, BrokenCode, Snapshot

MALFORMED = Rule("malformed-memory", Severity.ERROR, "A file in the vault is not a valid memory.")
TRUST = Rule("trust-raised", Severity.ERROR, "A memory claims a trust that no memory has.")
CONFLICT = Rule("conflict-marker", Severity.ERROR, "A merge conflict was committed instead of being resolved.")
UNREADABLE = Rule("unreadable", Severity.ERROR, "A file or folder of the vault cannot be read.")
CUT_SHORT = Rule("scan-cut-short", Severity.ERROR, "The vault is too large or too deep to be read whole.")
RULES = (MALFORMED, TRUST, CONFLICT, UNREADABLE, CUT_SHORT)


def check(snapshot: Snapshot) -> Iterator[Finding]:
    """Findings about files that are no memories, and about what was not read."""
    for broken in snapshot.broken:
        if broken.code not in (BrokenCode.INVALID, BrokenCode.UNREADABLE):
            continue
        for problem in broken.problems:
            yield _invalid(broken, problem)
    for stored in snapshot.stored:
        if below := conflict(stored.memory.body):
            yield Finding(
                rule=CONFLICT,
                path=stored.place.shown,
                line=stored.lines["body"] + below - 1,
                message="an unresolved merge conflict in the body",
                remedy="choose what the memory says, and remove the markers; to quote them, indent them",
            )
    for skipped in snapshot.skipped:
        if skipped.reason is SkipReason.UNREADABLE:
            yield Finding(
                rule=UNREADABLE,
                path=skipped.path,
                message="the folder cannot be read",
                remedy="check its owner and permissions",
            )
        elif skipped.reason is SkipReason.VANISHED:
            yield Finding(
                rule=UNREADABLE,
                path=skipped.path,
                message="the folder vanished while it was being read",
                remedy="run the command again",
            )
    for why in snapshot.cut_short:
        yield Finding(
            rule=CUT_SHORT,
            path=f"{snapshot.scopes[0]}:" if snapshot.scopes else "",
            message=f"the scan stopped early: {why}",
            remedy="move old memories out of the vault, or look at one scope at a time with --scope",
        )


def _invalid(broken: Broken, problem: Problem) -> Finding:
    if broken.code is BrokenCode.UNREADABLE:
        rule = UNREADABLE
    elif problem.field == "trust":
        rule = TRUST
    else:
        rule = CONFLICT if problem.message == document.IN_CONFLICT else MALFORMED
    return Finding(
        rule=rule,
        path=broken.place.shown,
        line=problem.line,
        message=problem.message,
        remedy='write trust: "unreviewed"; what is reviewed goes into a governed file, such as an ADR'
        if rule is TRUST
        else "mend the file, or move it out of the vault",
    )


_BEGIN, _MIDDLE, _END = (re.compile(mark, re.MULTILINE) for mark in ("^<{7} ", "^={7}\r?$", "^>{7} "))


def conflict(body: str) -> int:
    """The line, from 1, where an unresolved conflict begins, its three markers at the start of lines; else 0."""
    begin = _BEGIN.search(body)
    middle = _MIDDLE.search(body, begin.end()) if begin else None
    if begin and middle and _END.search(body, middle.end()):
        return body.count("\n", 0, begin.start()) + 1
    return 0
