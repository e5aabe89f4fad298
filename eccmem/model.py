"""What a memory is, and what is a legal one.

The rules are those of ``ecc.memory.v1``; ``schemas/memory.schema.json`` says the same for other programs, and a
property test holds the two together.
A message about a field never repeats its value: the value may be the secret.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Final

from eccmem import limits, trailers
from eccmem.text import UNSAFE_IN_BODY, UNSAFE_IN_LINE, leading_space, trim, utf16_length

SCHEMA: Final = "ecc.memory.v1"
TRUST: Final = "unreviewed"
ALL_HARNESSES: Final = "all"


class Scope(StrEnum):
    """Who a memory is for: this checkout, everyone who has the repository, or the person."""

    PROJECT = "project"
    TEAM = "team"
    USER = "user"


class Kind(StrEnum):
    """What a memory is about; its folder is the kind with an ``s``."""

    CONTEXT = "context"
    DECISION = "decision"
    FACT = "fact"
    HANDOFF = "handoff"
    LESSON = "lesson"
    NOTE = "note"
    PREFERENCE = "preference"
    RUNBOOK = "runbook"

    @property
    def folder(self) -> str:
        """The folder below a scope that holds memories of this kind."""
        return f"{self.value}s"


class Status(StrEnum):
    """Where a memory stands: search returns active ones only."""

    ACTIVE = "active"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


DEFAULT_SCOPES: Final = (Scope.PROJECT, Scope.TEAM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory, valid by construction: :func:`normalise` is the way to make one from outside.

    Times are kept as written (``2026-07-26T20:00:00.000Z``): they sort as text and round-trip to the byte.
    There is no ``trust`` field, because it can have one value only.
    """

    id: str
    title: str
    kind: Kind
    scope: Scope
    status: Status
    source_harness: str
    target_harnesses: tuple[str, ...]
    tags: tuple[str, ...]
    links: tuple[str, ...]
    created_at: str
    updated_at: str
    body: str

    def is_for(self, harness: str | None) -> bool:
        """Whether the memory is addressed to a harness; a routing filter, not an authorization."""
        return harness is None or ALL_HARNESSES in self.target_harnesses or harness in self.target_harnesses


# The keys of the frontmatter, in the order in which they are written.
FRONTMATTER_KEYS: Final = (
    "schema",
    "id",
    "title",
    "kind",
    "scope",
    "trust",
    "status",
    "source_harness",
    "target_harnesses",
    "tags",
    "links",
    "created_at",
    "updated_at",
)


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """A field that breaks a rule; the message says which, without the value.

    ``below`` counts the lines from the field's first line to the problem; only a body has several.
    """

    field: str
    message: str
    below: int = 0


class InvalidMemory(ValueError):
    """Values that make no memory, with every problem found."""

    def __init__(self, problems: tuple[FieldProblem, ...]) -> None:
        super().__init__(problems[0].message)
        self.problems = problems


# --- One rule per field ---------------------------------------------------------------------------------------

_ID = re.compile(r"mem_[a-z0-9][a-z0-9_-]{2,127}")
_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_TIMESTAMP = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.[0-9]{3}Z")
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ENUM_CHARS = 64


class _FarBelow(ValueError):
    """A problem of a body, so many lines below its first."""

    def __init__(self, message: str, below: int) -> None:
        super().__init__(message)
        self.below = below


def _line(value: object, name: str, most: int) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text in double quotes")  # noqa: TRY004 - one kind of error for a field
    text = trim(value)
    if not text:
        raise ValueError(f"{name} must not be empty")
    if utf16_length(text) > most:
        raise ValueError(f"{name} is too long: at most {most} characters")
    if UNSAFE_IN_LINE.search(text):
        raise ValueError(f"{name} must not contain line breaks, control or bidirectional formatting characters")
    return text


def _choice(value: object, name: str, allowed: tuple[str, ...]) -> str:
    text = _line(value, name, _ENUM_CHARS)
    if text not in allowed:
        raise ValueError(f"{name} must be {'one of ' if len(allowed) > 1 else ''}{', '.join(allowed)}")
    return text


def memory_id(value: object, name: str = "id") -> str:
    """Return a memory id, trimmed, or raise ValueError."""
    text = _line(value, name, limits.ID_CHARS)
    if not _ID.fullmatch(text):
        raise ValueError(f"{name} must be mem_ and then 3 to 128 of a-z 0-9 _ -, such as mem_20260726_01k123")
    return text


def slug(value: object, name: str) -> str:
    """Return a harness name or tag, trimmed, or raise ValueError."""
    text = _line(value, name, limits.SLUG_CHARS)
    if not _SLUG.fullmatch(text):
        raise ValueError(f"{name} must be at most 64 of a-z 0-9 . _ -, starting with a letter or digit")
    return text


def _many(value: object, name: str, most: int, one: Callable[[object, str], str]) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f'{name} must be a JSON list, such as ["a","b"]')  # noqa: TRY004 - as above
    if len(value) > most:
        raise ValueError(f"{name} has too many values: at most {most}")
    items = tuple(one(item, f"each of {name}") for item in value)
    if len(set(items)) != len(items):
        raise ValueError(f"{name} must not repeat a value")
    return items


def _targets(value: object, name: str) -> tuple[str, ...]:
    items = _many(value, name, limits.TARGETS, slug)
    if not items:
        raise ValueError(f'{name} must name at least one harness, or "all"')
    return items


def timestamp(value: object, name: str) -> str:
    """Return a time as the format writes it, trimmed, or raise ValueError."""
    text = _line(value, name, _ENUM_CHARS)
    if not (match := _TIMESTAMP.fullmatch(text)) or not _is_a_moment(*map(int, match.groups())):
        raise ValueError(f"{name} must be a UTC time such as 2026-07-26T20:00:00.000Z")
    return text


def _is_a_moment(year: int, month: int, day: int, hour: int, minute: int, second: int) -> bool:  # noqa: PLR0913, PLR0917
    # Not datetime: the format has a year 0, which Python's calendar does not.
    if not 1 <= month <= 12:  # noqa: PLR2004
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = _MONTH_DAYS[month - 1] + (leap and month == 2)  # noqa: PLR2004
    return 1 <= day <= days and hour < 24 and minute < 60 and second < 60  # noqa: PLR2004


def _body(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text")  # noqa: TRY004 - as above
    if unsafe := UNSAFE_IN_BODY.search(value):
        below = value.count("\n", 0, unsafe.start()) - value.count("\n", 0, leading_space(value))
        raise _FarBelow(f"{name} must not contain control or bidirectional formatting characters", below)
    text = trim(value)
    if not text:
        raise ValueError(f"{name} must not be empty: write what is worth remembering")
    if len(text) * 4 > limits.BODY_BYTES and len(text.encode()) > limits.BODY_BYTES:
        raise ValueError(f"{name} is too large: at most {limits.BODY_BYTES} bytes")
    return text


def _schema(value: object, name: str) -> str:
    if value != SCHEMA:
        raise ValueError(f'{name} must be exactly "{SCHEMA}"')
    return SCHEMA


_RULES: Final[Mapping[str, Callable[[object, str], object]]] = {
    "schema": _schema,
    "id": memory_id,
    "title": lambda value, name: _line(value, name, limits.TITLE_UNITS),
    "kind": lambda value, name: Kind(_choice(value, name, tuple(Kind))),
    "scope": lambda value, name: Scope(_choice(value, name, tuple(Scope))),
    "trust": lambda value, name: _choice(value, name, (TRUST,)),
    "status": lambda value, name: Status(_choice(value, name, tuple(Status))),
    "source_harness": slug,
    "target_harnesses": _targets,
    "tags": lambda value, name: _many(value, name, limits.TAGS, slug),
    "links": lambda value, name: _many(value, name, limits.LINKS, memory_id),
    "created_at": timestamp,
    "updated_at": timestamp,
    "body": _body,
}
_ATTRIBUTES: Final = tuple(field.name for field in fields(Memory))


def normalise(values: Mapping[str, object]) -> Memory:
    """Make a memory of raw values, trimmed as the format says.

    Args:
        values: a value for each of :data:`FRONTMATTER_KEYS` and for ``body``.

    Raises:
        InvalidMemory: with every field that breaks a rule.
    """
    clean: dict[str, object] = {}
    problems = []
    for name, rule in _RULES.items():
        try:
            clean[name] = rule(values.get(name), name)
        except ValueError as error:
            problems.append(FieldProblem(name, str(error.args[0]), getattr(error, "below", 0)))
    if problems:
        raise InvalidMemory(tuple(problems))
    return Memory(**{name: clean[name] for name in _ATTRIBUTES})  # type: ignore[arg-type]  # typed by _RULES


# --- What one memory says of another ----------------------------------------------------------------------------

SUPERSEDES: Final = "Supersedes"
ANSWERS: Final = "Answers"


def with_named(body: str, key: str, ids: tuple[str, ...]) -> str:
    """End a body with one trailer line ``<key>: <id>`` for each id."""
    return trailers.added(body, [f"{key}: {item}" for item in ids])


def supersedes(memory: Memory) -> tuple[str, ...]:
    """The ids that a memory says it supersedes: named by a trailer line and linked."""
    return _named(memory, SUPERSEDES)


def answers(memory: Memory) -> tuple[str, ...]:
    """The ids of the hand-offs that a memory says it answers: named by a trailer line and linked."""
    return _named(memory, ANSWERS)


def _named(memory: Memory, key: str) -> tuple[str, ...]:
    return tuple(item for item in trailers.values(memory.body, key) if item in memory.links)
