"""What the reports for other programs have in common: the order, the places, the words, the bounds.

Everything in a finding but its rule can hold what others wrote: names of files, and Git's rules about them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from eccmem import limits
from eccmem.finding import Severity, by_place
from eccmem.model import Scope

if TYPE_CHECKING:  # a command loads only what it runs
    from collections.abc import Iterable, Sequence

    from eccmem.finding import Finding

# How bad a rule's findings are to whoever sorts by security, on the scale from 0 to 10 that code scanning has: a leak,
# a guard that fails, text that escapes those who review it. The other rules are about order, or about one machine.
SECURITY = {
    "secret-in-memory": "8.0",
    "private-memory-tracked": "8.0",
    "private-memory-copied": "8.0",
    "private-memory-not-ignored": "7.0",
    "guard-weakened": "7.0",
    "guard-changed": "7.0",
    "hidden-from-review": "7.0",
    "altered-by-attributes": "7.0",
    "trust-raised": "5.0",
    "invisible-text": "5.0",
    "symlink-in-vault": "5.0",
}

# A place that every program takes for a path, and that is no file anywhere.
_NOWHERE = "no-file-to-show"
_SCOPES = tuple(f"{scope}:" for scope in Scope)

Entry = dict[str, object]


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes; each by place, so that two runs give the same bytes."""
    return sorted(by_place(findings), key=lambda finding: -finding.rule.severity)


def totals(findings: Sequence[Finding]) -> str:
    """How many there are of each severity: ``2 errors, 1 warning, 0 notes``."""
    counts = Counter(finding.rule.severity for finding in findings)
    return ", ".join(f"{counts[one]} {one.word}{'s' * (counts[one] != 1)}" for one in reversed(Severity))


def in_repository(path: str) -> str | None:
    """A finding's path as Git writes it, or None when it cannot be one of the repository.

    Such are no path at all, ``.git``, what lies beside the checkout (``../side``), and a scope that lies elsewhere
    (``user:notes/x.md``).
    """
    if len(path) > limits.REPORT_PATH_CHARS or path.startswith(("/", *_SCOPES)) or ".." in re.split(r"[/\\]", path):
        return None
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts) if parts and parts[0].lower() != ".git" else None


def stand_in(path: str) -> str:
    """A path that matches no file, for a program that insists on one: ``no-file-to-show/user/notes/x.md``."""
    parts = [part for part in re.split(r"[/\\:]", shown(path)) if part not in ("", ".", "..")]
    return "/".join((_NOWHERE, *parts))


def visible(text: str) -> str:
    r"""Text on one line, with what does not print written as an escape (``\x1b``, ``\n``, ``\u2028``)."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(text: str, most: int = limits.SHOWN_CHARS) -> str:
    """Text made visible, and cut after ``most`` characters."""
    seen = visible(text[: most + 1])
    return seen if len(seen) <= most else f"{seen[: most - 1]}…"


def whole_message(finding: Finding, *, with_path: bool) -> str:
    """What is wrong and what to do; with the path where the format has no other place for it."""
    where = f" ({shown(finding.path)})" if with_path and finding.path else ""
    message, remedy = (shown(text, limits.EXCERPT_CHARS) for text in (finding.message, finding.remedy))
    return f"{message}{where}. What to do: {remedy}"


def fitting(entries: Iterable[Entry]) -> list[Entry]:
    """The entries that fit into a report, from the first on; no more of them are made."""
    fit: list[Entry] = []
    size = 0
    for entry in islice(entries, limits.REPORT_FINDINGS):
        size += len(json.dumps(entry))
        if size > limits.REPORT_BYTES:
            break
        fit.append(entry)
    return fit


def left_out(count: int) -> str:
    """What a report says in its own way when it does not hold all: the least severe are missing."""
    return f"{count} more {'finding is' if count == 1 else 'findings are'} not in this report: run eccmem doctor"


def to_json(payload: object) -> str:
    """A payload as text: ASCII alone, so that its bytes do not depend on where it is written to.

    A runner of GitHub Actions obeys ``##[`` anywhere in a line, also in the JSON that a job prints.
    """
    return json.dumps(payload, indent=2).replace("##[", "#\\u0023[") + "\n"
