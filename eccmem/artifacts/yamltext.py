"""YAML of others, read so that it can do no harm: no tag makes an object, no alias multiplies, nothing nests deep.

The frontmatter of a document is split off and read by python-frontmatter, with this loader in place of its own.
"""

from typing import Any

from eccmem import limits


class NotRead(Exception):
    """A text that is no YAML, or more than is read here."""


def mapping(text: str) -> dict[str, Any]:
    """The mapping that a YAML text holds, with its keys as text; an empty one for an empty text.

    Raises:
        NotRead: for anything else.
    """
    value = _load(text)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise NotRead
    return {str(key): inner for key, inner in value.items()}


def frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """The frontmatter of a document that begins with ``---``, and the text after it.

    Raises:
        NotRead: when it does not end, or is not a mapping that can be read.
    """
    import frontmatter as package  # noqa: PLC0415 - 30 ms that only those who look at documents need
    from frontmatter.default_handlers import YAMLHandler  # noqa: PLC0415

    class Bounded(YAMLHandler):
        def load(self, fm: str, **_: object) -> dict[str, Any]:
            return mapping(fm)

    values, rest = package.parse(text, handler=Bounded())
    return dict(values), rest


def _load(text: str) -> object:
    import yaml  # noqa: PLC0415 - as above

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if len(text) > limits.FRONTMATTER_CHARS:
        raise NotRead
    try:
        depth = 0
        for number, event in enumerate(yaml.parse(text, Loader=loader)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            # A tag asks for a type that the text may not be fit for, which the makers of values do not expect.
            harmless = not isinstance(event, yaml.AliasEvent) and getattr(event, "tag", None) is None
            if not harmless or depth > limits.FRONTMATTER_DEPTH or number > limits.YAML_EVENTS:
                raise NotRead
        return yaml.load(text, Loader=loader)  # noqa: S506 - a safe one
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        # A date such as 2024-13-45, and a number out of all bounds.
        raise NotRead from None
