"""Is every file a memory, and was everything seen?"""

from collections.abc import Iterator

from eccmem.finding import Finding, Rule, Severity, SkipReason
from eccmem.vault import BrokenCode, Snapshot

MALFORMED = Rule("malformed-memory", Severity.ERROR, "A file in the vault is not a valid memory.")
UNREADABLE = Rule("unreadable", Severity.ERROR, "A file or folder of the vault cannot be read.")
CUT_SHORT = Rule("scan-cut-short", Severity.ERROR, "The vault is too large or too deep to be read whole.")
RULES = (MALFORMED, UNREADABLE, CUT_SHORT)


def check(snapshot: Snapshot) -> Iterator[Finding]:
    """Findings about files that are no memories, and about what was not read."""
    for broken in snapshot.broken:
        if broken.code not in (BrokenCode.INVALID, BrokenCode.UNREADABLE):
            continue
        rule = MALFORMED if broken.code is BrokenCode.INVALID else UNREADABLE
        for problem in broken.problems:
            yield Finding(
                rule=rule,
                path=broken.place.shown,
                line=problem.line,
                message=problem.message,
                remedy="mend the file, or move it out of the vault",
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
