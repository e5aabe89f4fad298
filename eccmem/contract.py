"""The schemas: what other programs may rely on, and whether a value keeps to it.

Memories are not read through here: :mod:`eccmem.model` says the same in code that starts at once, and a
property test holds the two together.
For that test to mean something, the formats below share nothing with the model, not even its limits.
"""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import ValidationError

# A wheel has the schemas in the package; in a checkout they are at its top, where other tools look for them.
_PACKAGE = Path(__file__).parent
SCHEMAS = next((f for f in (_PACKAGE / "schemas", _PACKAGE.parent / "schemas") if f.is_dir()), _PACKAGE)

_SUFFIX = ".schema.json"
_TITLE_UNITS = 200
_BODY_BYTES = 65_536
_DATE_PARTS = ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19))


def names() -> tuple[str, ...]:
    """What there is a schema for."""
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in SCHEMAS.glob(f"*{_SUFFIX}")))


def schema(name: str) -> dict[str, Any]:
    """Return a schema, such as ``memory`` or ``search``."""
    text = (SCHEMAS / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def violations(name: str, instance: object) -> list[str]:
    """Say where a value breaks a schema: ``results[0].memory.title: format``.

    No message repeats a value, because the value may be the secret: it has the path of the field, with names
    from the schema alone, and the keyword that failed.

    Args:
        name: the schema.
        instance: plain JSON values: dictionaries, lists (no tuples), text, numbers, booleans, None.
    """
    errors = _validator(name).iter_errors(instance)
    return list(dict.fromkeys(line for error in errors for line in _lines(error)))


# Where, by names from the schema alone; the keyword that failed; what it asks for.
Breach = tuple[str, str, object]


def breaches(schema: dict[str, Any], instance: object) -> list[Breach]:
    """Say where a value breaks a schema of the caller's own; as :func:`violations`, no value is repeated."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - see below

    return [breach for error in Draft202012Validator(schema).iter_errors(instance) for breach in _breaches(error)]


def _breaches(error: "ValidationError") -> list[Breach]:
    if error.validator == "required" and isinstance(error.validator_value, list) and isinstance(error.instance, dict):
        return [(name, "required", None) for name in error.validator_value if name not in error.instance]
    path = error.absolute_path
    where = str(path[0]) if path else "the whole"
    return [(f"each of {where}" if len(path) > 1 else where, str(error.validator), error.validator_value)]


def _lines(error: "ValidationError") -> list[str]:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    required, there = error.validator_value, error.instance
    if error.validator == "required" and isinstance(required, list) and isinstance(there, dict):
        return [f"{path}.{name}: required".removeprefix(".") for name in required if name not in there]
    return [f"{path.removeprefix('.') or 'the whole'}: {error.validator}"]


@cache
def _validator(name: str) -> "Draft202012Validator":
    # Imported here: 60 ms that no other command needs to pay.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from referencing import Registry, Resource  # noqa: PLC0415

    resources = [Resource.from_contents(schema(each)) for each in names()]
    registry: Registry[Any] = resources @ Registry()
    return Draft202012Validator(schema(name), registry=registry, format_checker=_formats())


def _formats() -> "FormatChecker":
    from jsonschema import FormatChecker  # noqa: PLC0415

    checker = FormatChecker(formats=())
    for name, check in (("ecc-title", _is_title), ("ecc-body", _is_body), ("ecc-timestamp", _is_moment)):
        checker.checks(name, raises=ValueError)(check)
    return checker


# Each takes any value, because a format says something about text only.
# Text that has no UTF form, and a day that no calendar has, end in ValueError.


def _is_title(value: object) -> bool:
    return not isinstance(value, str) or len(value.encode("utf-16-le")) // 2 <= _TITLE_UNITS


def _is_body(value: object) -> bool:
    return not isinstance(value, str) or len(value.encode()) <= _BODY_BYTES


def _is_moment(value: object) -> bool:
    if isinstance(value, str):
        year, month, day, hour, minute, second = (int(value[i:j]) for i, j in _DATE_PARTS)
        # Python has no year 0, which the format allows; its calendar is that of the year 400.
        datetime(year or 400, month, day, hour, minute, second, tzinfo=UTC)
    return True
