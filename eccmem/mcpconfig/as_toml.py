"""Puts one entry at the end of a TOML text and takes it out again, and changes no other byte of it.

tomlkit says what is there, writes the entry, and takes it out where other text follows it meanwhile.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from eccmem.mcpconfig.harness import Foreign

if TYPE_CHECKING:  # only those who write a configuration wait for it
    from tomlkit import TOMLDocument


def snippet(container: str, name: str, entry: Mapping[str, object]) -> str:
    """The entry as a table, with LF."""
    import tomlkit  # noqa: PLC0415 - see above

    table, inner = tomlkit.table(), tomlkit.table(is_super_table=True)
    for key, value in entry.items():
        table.add(key, value)
    inner.add(name, table)
    document = tomlkit.document()
    document.add(container, inner)
    return tomlkit.dumps(document)


def found(text: str, container: str, name: str) -> object:
    """The entry of a text, as plain values; None where it has none.

    Raises:
        Foreign: when the text is no TOML, or of another shape.
    """
    servers = _parsed(text).unwrap().get(container, {})
    if not isinstance(servers, dict):
        raise Foreign(f"{container} is no table")
    return servers.get(name)


def added(text: str, container: str, name: str, entry: Mapping[str, object]) -> str:
    """The text with the entry, which it does not have yet.

    A blank line stands before it, unless the text ended without a line break: so :func:`removed` can tell, also from
    a text that is ours alone.
    """
    longer = text + ("\n" + snippet(container, name, entry)).replace("\n", _newline(text))
    import tomllib  # noqa: PLC0415 - as above

    # Not by tomlkit, which wrote it: harnesses have parsers of their own, and some are stricter.
    try:
        there = tomllib.loads(longer)[container][name]
    except ValueError:
        there = None
    if there != entry:
        raise Foreign(f"{container} is written in a way that no table can be added to")
    return longer


def removed(text: str, container: str, name: str, entry: Mapping[str, object]) -> str:
    """The text without the entry, as it was before where the entry is as it was added and stands last."""
    newline = _newline(text)
    ours = snippet(container, name, entry).replace("\n", newline)
    if text.endswith(newline + ours):
        return text.removesuffix(newline + ours)
    return _without(text, container, name)


def _without(text: str, container: str, name: str) -> str:
    import tomlkit  # noqa: PLC0415 - see above

    document = _parsed(text)
    servers = document.get(container)
    if not isinstance(servers, Mapping) or name not in servers:
        raise Foreign("there is no such entry")
    del document[container][name]
    shorter = tomlkit.dumps(document)
    if text.count("\n") != text.count("\r\n"):
        return shorter
    # tomlkit writes LF where it makes a line itself.
    return shorter.replace("\r\n", "\n").replace("\n", "\r\n")


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _parsed(text: str) -> "TOMLDocument":
    import tomlkit  # noqa: PLC0415 - see above
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError):
        raise Foreign("it is no TOML") from None
