"""What eccmem says about the user's files: values, ready for any output format."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Severity(IntEnum):
    """How bad a finding is; the order is the meaning."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """``note``, ``warning`` or ``error``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that eccmem checks.

    The id is words, never reused, and is the anchor of its section in ``docs/reference/rules.md``.
    """

    id: str
    severity: Severity
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem in the user's files.

    ``path`` is relative to the repository (``.ecc/memory/team/notes/x.md``) or starts with the scope
    (``user:notes/x.md``); ``line`` counts from 1.
    ``message`` never holds text of a memory, and ``remedy`` says what to do, as a command where one does it.
    """

    rule: Rule
    path: str
    message: str
    remedy: str
    line: int = 1


class SkipReason(StrEnum):
    """Why something below a scope was not read."""

    SYMLINK = "symlink"
    NOT_REGULAR = "not a regular file"
    TOO_LARGE = "too large"
    SUBMODULE = "submodule"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was not read, with the reason: what cannot be read is never silent.

    ``path`` is as in a finding, ``vault_path`` as in the reference's JSON (``project:notes/x.md``).
    """

    path: str
    vault_path: str
    reason: SkipReason


def by_place(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort by path, line and rule, so that two runs over the same vault give the same bytes."""
    return tuple(sorted(findings, key=lambda f: (f.path, f.line, f.rule.id, f.message)))
