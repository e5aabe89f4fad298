"""Whether a value that was found is allowed, by the list of one commit; the list is read when the first one asks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from eccmem import allowlist, limits
from eccmem.allowlist import AllowList
from eccmem.repo import FILE_MODES, Repo
from eccmem.secretscan.fingerprint import fingerprint

# A folder, a link or a huge file in the place of the list: no TOML, so it is said and allows nothing.
_NO_FILE = b"\0"


@dataclass(slots=True)
class Allowance:
    """The list of a commit, and what of it was used.

    Attributes:
        repo: the repository; None where there is none, and nothing is allowed.
        commit: the commit whose list counts, or what finds it when it is needed; None where there is none yet.
        used: the fingerprints that something was allowed by.
    """

    repo: Repo | None = None
    commit: str | Callable[[], str | None] | None = None
    used: set[str] = field(default_factory=set)
    _list: AllowList | None = None

    def allows(self, rule: str, value: str) -> bool:
        """Whether a value may break a rule.

        Raises:
            EccmemError: when Git cannot give the list.
        """
        entries = self.list().entries
        # A fingerprint takes a while: only a rule that has an entry is worth one.
        if not any(entry.rule == rule for entry in entries.values()):
            return False
        name = fingerprint(rule, value)
        entry = entries.get(name)
        if entry is None or entry.expires < today():
            return False
        self.used.add(name)
        return True

    def list(self) -> AllowList:
        """The list, read now if it was not before."""
        if self._list is None:
            data = self._read()
            self._list = AllowList() if data is None else allowlist.parse(data)
        return self._list

    def was_read(self) -> bool:
        """Whether something asked."""
        return self._list is not None

    def expired(self) -> Iterator[allowlist.Entry]:
        """The entries whose last day is over."""
        return (entry for entry in self.list().entries.values() if entry.expires < today())

    def unused(self) -> Iterator[allowlist.Entry]:
        """The entries that nothing needed; they mean something only after all was looked at."""
        over = {entry.fingerprint for entry in self.expired()}
        return (entry for name, entry in self.list().entries.items() if name not in self.used | over)

    def _read(self) -> bytes | None:
        commit = self.commit() if callable(self.commit) else self.commit
        if self.repo is None or commit is None:
            return None
        _, out = self.repo.run("ls-tree", "-z", commit, "--", allowlist.PATH)
        if not out:
            return None
        mode, _, oid = out.partition(b"\t")[0].decode().split()
        if mode not in FILE_MODES:
            return _NO_FILE
        data = next(data for _, data in self.repo.blobs([oid], limits.CONFIG_BYTES))
        return _NO_FILE if data is None else data


def today() -> date:
    """The day in UTC, which is the same for all who judge."""
    return datetime.now(UTC).date()
