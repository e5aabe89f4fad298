"""Does a memory hold a credential?"""

from collections.abc import Iterator

from eccmem import allowlist, limits
from eccmem.allowance import Allowance
from eccmem.finding import Finding, Rule, Severity
from eccmem.vault import BrokenCode, Snapshot

SECRET = Rule("secret-in-memory", Severity.ERROR, "A memory holds a suspected credential; it is quarantined.")
LIKELY = Rule("likely-secret", Severity.WARNING, "A text holds a value that is likely to be a secret.")
COMMITTED = Rule(
    "likely-secret-committed", Severity.ERROR, "A commit brings a value to the vault that is likely to be a secret."
)
IN_FILE = Rule("secret-in-file", Severity.ERROR, "A file holds a suspected credential.")
INVALID_LIST = Rule("secret-allow-invalid", Severity.ERROR, "The list of allowed values cannot be used.")
EXPIRED = Rule("secret-allow-expired", Severity.WARNING, "An entry of the list of allowed values has expired.")
UNUSED = Rule("secret-allow-unused", Severity.NOTE, "An entry of the list of allowed values allows nothing.")
RULES = (SECRET, LIKELY, COMMITTED, IN_FILE, INVALID_LIST, EXPIRED, UNUSED)
_RENAME = "name the secret instead: say where it is kept, not what it is; if it is none: see eccmem secrets"


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


def likely(path: str, line: int, label: str, commit: str | None) -> Finding:
    """The finding for a value that is only likely to be a secret.

    Args:
        path: the file.
        line: where in it.
        label: what it is, in words.
        commit: the commit that has it, "" where it is judged itself; None for a file on disk.
    """
    what = f"a value that is likely to be a secret ({label})"
    return Finding(
        rule=LIKELY if commit is None else COMMITTED,
        path=path,
        line=line,
        message=f"commit {commit[:12]} has {what}" if commit else what,
        remedy=_RENAME,
    )


def of_list(allowance: Allowance, *, complete: bool) -> Iterator[Finding]:
    """What is wrong with the list of allowed values.

    Args:
        allowance: the list.
        complete: whether everything was looked at that an entry could be for.
    """
    found = allowance.list()
    if found.problem:
        yield Finding(
            rule=INVALID_LIST,
            path=allowlist.PATH,
            message=f"it allows nothing: {found.problem}",
            remedy="mend it, and commit it: docs/reference/secrets.md",
        )
    for entry in allowance.expired():
        yield _of_entry(EXPIRED, entry, f"{entry.fingerprint} was allowed until {entry.expires}")
    for entry in allowance.unused() if complete else ():
        yield _of_entry(UNUSED, entry, f"nothing here has {entry.fingerprint}")


def _of_entry(rule: Rule, entry: allowlist.Entry, message: str) -> Finding:
    return Finding(
        rule=rule, path=allowlist.PATH, line=entry.line, message=message, remedy="take the entry out, or renew it"
    )
