"""Puts one entry into a JSON text and takes it out again, and changes no other byte of it.

There is no library that does this for Python without rewriting the rest, so the places of values are looked up here;
what is there is read by the standard library alone, and what it does not take as strict JSON is refused.

What stands in the text tells :func:`removed` what was there before, because it differs in each case:

- the object of the servers was there and empty: the entry follows its ``{`` at once, on the same line;
- it was not there: white space follows its ``{``;
- the whole text is ours: it is exactly what :func:`snippet` makes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from eccmem.mcpconfig.harness import Foreign

_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class _Member:
    """A key and its value: where the key begins, where the value begins and ends."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """An object: where it begins and ends, and its members."""

    start: int
    end: int
    members: tuple[_Member, ...]

    def get(self, key: str) -> _Member | None:
        """The member of a key, of which there is one at most."""
        return next((member for member in self.members if member.key == key), None)


def snippet(container: str, name: str, entry: Mapping[str, object]) -> str:
    """The entry in its object, as a whole text."""
    return json.dumps({container: {name: entry}}, indent=2, ensure_ascii=False) + "\n"


def found(text: str, container: str, name: str) -> object:
    """The entry of a text; None where it has none.

    Raises:
        Foreign: when the text is no strict JSON, or of another shape.
    """
    _, servers = _shape(text, container)
    member = servers.get(name) if servers else None
    return json.loads(text[member.value : member.end]) if member else None


def added(text: str, container: str, name: str, entry: Mapping[str, object]) -> str:
    """The text with the entry, which it does not have yet; raises :class:`Foreign` as :func:`found`."""
    root, servers = _shape(text, container)
    if servers is None:
        inner = {name: entry}
        if not root.members:
            return _put(text, root.start + 1, f" {json.dumps(container)}: {_spaced(inner)} ")
        return _append(text, root, container, inner)
    if not servers.members:
        return _put(text, servers.start + 1, f"{json.dumps(name)}: {_compact(entry)}")
    return _append(text, servers, name, entry)


def removed(text: str, container: str, name: str) -> str:
    """The text without the entry, as it was before; raises :class:`Foreign` as :func:`found`."""
    root, servers = _shape(text, container)
    member = servers.get(name) if servers else None
    if servers is None or member is None:
        raise Foreign("there is no such entry")
    if len(servers.members) > 1:
        return _cut(text, servers, member)
    if member.start == servers.start + 1:
        return text[: member.start] + text[member.end :]
    holder = root.get(container)
    if holder is None:
        raise Foreign("there is no such entry")
    if len(root.members) > 1:
        return _cut(text, root, holder)
    lead = text[root.start + 1 : holder.start]
    after = holder.end + (lead == " " and text[holder.end : holder.end + 1] == " ")
    return text[: root.start + 1] + text[after:]


# --- Writing --------------------------------------------------------------------------------------------------


def _append(text: str, holder: _Object, key: str, value: Mapping[str, object]) -> str:
    """Add a member after the last one, as the others are laid out: on lines of their own, or on the same line."""
    last = holder.members[-1]
    indent = _indent(text, last.start)
    if indent is None:
        return _put(text, last.end, f", {json.dumps(key)}: {_spaced(value)}")
    unit = indent[len(_indent(text, holder.start, of_line=True) or "") :] or "  "
    newline = "\r\n" if "\r\n" in text else "\n"
    shown = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")
    return _put(text, last.end, f",\n{indent}{json.dumps(key)}: {shown}".replace("\n", newline))


def _indent(text: str, start: int, *, of_line: bool = False) -> str | None:
    """The white space before a place, when nothing else is on its line; or that which its line begins with."""
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    space = line[: len(line) - len(line.lstrip(" \t"))]
    begins = len(line) != start  # a text without a line break before it is all one line
    return space if of_line or (space == line and begins) else None


def _put(text: str, place: int, more: str) -> str:
    return text[:place] + more + text[place:]


def _cut(text: str, holder: _Object, member: _Member) -> str:
    """Take out one of several members with the comma before it, or for the first the one after it."""
    place = holder.members.index(member)
    if place:
        return text[: holder.members[place - 1].end] + text[member.end :]
    return text[: member.start] + text[holder.members[1].start :]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _spaced(value: Mapping[str, object]) -> str:
    """On one line, with a space within the braces: what we make is told apart by it from what was there."""
    return f"{{ {_compact(value)[1:-1]} }}"


# --- Reading --------------------------------------------------------------------------------------------------


def _shape(text: str, container: str) -> tuple[_Object, _Object | None]:
    """The object of the text, and in it the one that holds the servers."""
    _refuse_loose(text)
    root = _object(text, _skip(text, 0))
    holder = root.get(container)
    if holder is None:
        return root, None
    if text[holder.value] != "{":
        raise Foreign(f"{container} is no object")
    return root, _object(text, holder.value)


def _refuse_loose(text: str) -> None:
    try:
        value = json.loads(text, object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
    except Foreign:
        raise
    except (ValueError, RecursionError):
        raise Foreign("it is no strict JSON: comments and trailing commas are not taken") from None
    if not isinstance(value, dict):
        raise Foreign("it is no JSON object")


def _refuse_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise Foreign("a key is there twice")
    return values


def _refuse_constant(_name: str) -> object:
    raise Foreign("it is no strict JSON: it has a number that JSON does not know")


def _object(text: str, start: int) -> _Object:
    """Where the members of an object stand, in a text that is known to be JSON."""
    decoder = json.JSONDecoder()
    members: list[_Member] = []
    place = _skip(text, start + 1)
    while text[place] != "}":
        key, end = decoder.raw_decode(text, place)
        value = _skip(text, _skip(text, end) + 1)
        _, after = decoder.raw_decode(text, value)
        members.append(_Member(key, place, value, after))
        place = _skip(text, after)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return _Object(start, place + 1, tuple(members))


def _skip(text: str, place: int) -> int:
    while text[place] in _SPACE:
        place += 1
    return place
