"""Does a memory hold a credential?"""

from collections.abc import Iterator

from eccmem import limits
from eccmem.finding import Finding, Rule, Severity
from eccmem.vault import BrokenCode, Snapshot

SECRET = Rule("secret-in-memory", Severity.ERROR, "A memory holds a suspected credential; it is quarantined.")
RULES = (SECRET,)


def not_searched(path: str, commit: str) -> Finding:
    """The finding for a file that is too large to be searched: what it holds is not known."""
    where = f"commit {commit[:12]} has a file that is" if commit else "the file is"
    return Finding(
        rule=SECRET,
        path=path,
        message=f"{where} too large to be searched for secrets: more than {limits.SEARCHED_BYTES} bytes",
        remedy="keep it outside of the vault",
    )


def in_name(masked: str, commit: str) -> Finding:
    """The finding for a secret in the name of a file, which is shown without it."""
    what = "a file whose name holds a suspected secret" if commit else "the name of this file holds a suspected secret"
    return leaked(masked, 1, what, commit)


def leaked(path: str, line: int, message: str, commit: str) -> Finding:
    """The finding for a secret in a file that is no memory, or that only some commit has."""
    where = f"commit {commit[:12]} has {message}, and a push publishes it" if commit else message
    return Finding(
        rule=SECRET,
        path=path,
        line=line,
        message=where,
        remedy="revoke it; to take it out of commits that are not pushed: docs/how-to/leaked-secret.md",
    )


def check(snapshot: Snapshot) -> Iterator[Finding]:
    """A finding for each suspected secret: where it is and of which kind, never what it is."""
    for broken in snapshot.broken:
        if broken.code is BrokenCode.SECRET:
            for problem in broken.problems:
                yield Finding(
                    rule=SECRET,
                    path=broken.place.shown,
                    line=problem.line,
                    message=f"{problem.message}; the memory is out of search and read",
                    remedy="revoke it, then say in the file where it is kept, not what it is",
                )
