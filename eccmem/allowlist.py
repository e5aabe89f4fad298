"""``.ecc/secret-allow.toml``: values that look like secrets and that a person has said are none.

It is read as it was committed, never from disk and never from what is to be judged: whoever brings a secret cannot
allow it in the same breath.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from eccmem import limits
from eccmem.text import UNSAFE_IN_LINE

PATH = ".ecc/secret-allow.toml"
FINGERPRINT = re.compile(r"[a-z0-9][a-z0-9-]{0,79}/[0-9a-f]{12}")
_KEYS = frozenset({"fingerprint", "reason", "by", "date", "expires"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One value that is allowed: which, why, who says so and since when, and the day after which it counts no more."""

    fingerprint: str
    reason: str
    by: str
    since: date
    expires: date
    line: int = 1

    @property
    def rule(self) -> str:
        """The id of the rule that it is allowed to break."""
        return self.fingerprint.partition("/")[0]


@dataclass(frozen=True, slots=True)
class AllowList:
    """What a file says; with a problem it allows nothing.

    Attributes:
        entries: by fingerprint.
        problem: why the file cannot be used, without any of its text; empty where it can.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    problem: str = ""


def parse(data: bytes) -> AllowList:
    """Read a file; all of it has to be right."""
    import tomllib  # noqa: PLC0415 - few have such a file

    if len(data) > limits.CONFIG_BYTES:
        return AllowList(problem=f"it is larger than {limits.CONFIG_BYTES} bytes")
    try:
        text = data.decode()
        table = tomllib.loads(text)
        return AllowList(dict(_entries(table, text)))
    except UnicodeDecodeError:
        return AllowList(problem="it is not UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError):
        return AllowList(problem="it is no valid TOML")
    except _Unusable as error:
        return AllowList(problem=str(error))


class _Unusable(Exception):
    pass


def _entries(table: Mapping[str, object], text: str) -> list[tuple[str, Entry]]:
    rows = table.get("allow", [])
    if set(table) - {"allow"} or not isinstance(rows, list):
        raise _Unusable("it has something else than [[allow]] tables")
    if len(rows) > limits.ALLOWED_SECRETS:
        raise _Unusable(f"it has more than {limits.ALLOWED_SECRETS} entries")
    found: dict[str, Entry] = {}
    for number, row in enumerate(rows, 1):
        entry = _entry(row, f"entry {number}", text)
        if entry.fingerprint in found:
            raise _Unusable(f"entry {number} allows what an entry before it does")
        found[entry.fingerprint] = entry
    return list(found.items())


def _entry(row: object, where: str, text: str) -> Entry:
    if not isinstance(row, dict) or set(row) != _KEYS:
        raise _Unusable(f"{where} needs {', '.join(sorted(_KEYS))}, and nothing else")
    name = row["fingerprint"]
    if not isinstance(name, str) or not FINGERPRINT.fullmatch(name):
        raise _Unusable(f"{where} has no fingerprint as eccmem secrets prints it")
    for key in ("reason", "by"):
        value = row[key]
        if not isinstance(value, str) or not value.strip() or len(value) > limits.SHOWN_CHARS:
            raise _Unusable(f"{where} needs a {key} of at most {limits.SHOWN_CHARS} characters")
        if UNSAFE_IN_LINE.search(value):
            raise _Unusable(f"{where} has a {key} with control characters")
    for key in ("date", "expires"):
        if type(row[key]) is not date:
            raise _Unusable(f"{where} needs a {key} such as 2026-12-01, without quotes")
    line = text.count("\n", 0, max(text.find(name), 0)) + 1
    return Entry(name, row["reason"], row["by"], row["date"], row["expires"], line)


def to_toml(entry: Entry) -> str:
    """An entry as a person pastes it into the file."""
    return (
        "[[allow]]\n"
        f"fingerprint = {_quoted(entry.fingerprint)}\n"
        f"reason = {_quoted(entry.reason)}\n"
        f"by = {_quoted(entry.by)}\n"
        f"date = {entry.since.isoformat()}\n"
        f"expires = {entry.expires.isoformat()}\n"
    )


def _quoted(text: str) -> str:
    import json  # noqa: PLC0415 - as TOML's basic strings, but for DEL, which is refused before

    return json.dumps(text, ensure_ascii=False)
