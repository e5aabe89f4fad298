"""Whether the arguments of a call keep to the tool's schema, said so that a model can mend them.

No message repeats a value or a name that was sent: it may be the secret.
"""

import json

from eccmem import contract
from eccmem.contract import Breach
from eccmem.errors import Refused
from eccmem.mcp.toolset import SCHEMAS

# Gemini CLI adds it to the schema of every tool, and hands it on.
_ADDED_BY_CLIENTS = "wait_for_previous"
_NAMED = 5


def checked(tool: str, arguments: dict[str, object]) -> dict[str, object]:
    """Return the arguments of a call without what a client added on its own.

    Raises:
        Refused: when they break the schema.
    """
    given = {name: value for name, value in arguments.items() if name != _ADDED_BY_CLIENTS}
    if breaches := contract.breaches(SCHEMAS[tool], given):
        said = list(dict.fromkeys(_words(breach, SCHEMAS[tool]["properties"]) for breach in breaches))
        raise Refused("bad-arguments", "; ".join(said[:_NAMED]))
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Refused("bad-arguments", "the arguments hold half a character (an unpaired surrogate)") from None
    return given


_SAID = {
    "additionalProperties": "an argument is not known: the tool takes {known}",
    "required": "{where} is required",
    "type": "{where} must be of type {asked}",
    "enum": "{where} must be one of {asked}",
    "minLength": "{where} must not be empty",
    "maxLength": "{where} is too long: at most {asked}",
    "maxItems": "{where} has too many values: at most {asked}",
    "minimum": "{where} must be at least {asked}",
    "maximum": "{where} must be at most {asked}",
}


def _words(breach: Breach, known: dict[str, object]) -> str:
    where, keyword, asked = breach
    listed = ", ".join(asked) if isinstance(asked, list) else asked
    return _SAID[keyword].format(where=where, asked=listed, known=", ".join(known))
