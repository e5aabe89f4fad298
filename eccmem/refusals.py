"""What no memory may bring into a vault, wherever it comes from: secrets, and text that its reader cannot see.

Each raises :class:`~eccmem.errors.Refused` with the place and the kind, and no part of the text.
"""

from collections.abc import Mapping

from eccmem.errors import Refused
from eccmem.invisible import invisible
from eccmem.model import Memory
from eccmem.secretscan import known
from eccmem.text import line_column
from eccmem.vault import secrets_in


def refuse_hidden_text(memory: Memory) -> None:
    """Refuse a memory that says what its reader cannot see."""
    for name, text in (("title", memory.title), ("body", memory.body)):
        for found in invisible(text):
            line, column = line_column(text, found.start)
            raise Refused(
                "invisible-text",
                f"the {name} holds invisible text ({found.code_point} at line {line}, column {column})",
                "remove it: what a reader cannot see must not reach an agent",
            )


def refuse_secrets(memory: Memory) -> None:
    """Refuse a memory that holds a secret, or what is only likely to be one: to say where it is kept costs nothing.

    Raises:
        Refused: with the place and the kind, and no part of the text.
    """
    for field, line, match, _ in secrets_in(memory):
        column = match.start - memory.body.rfind("\n", 0, match.start)
        where = f"line {line}, column {column} of the body" if field == "body" else f"the field {field}"
        raise Refused(
            "suspected-secret",
            f"{where} holds a suspected secret ({match.label})",
            "name the secret instead: say where it is kept, not what it is",
        )


def refuse_known(memory: Memory, environment: Mapping[str, str]) -> None:
    """Refuse a memory that holds the value of a variable whose name says that it is a secret."""
    for field, text in (("title", memory.title), ("body", memory.body), ("tags", " ".join(memory.tags))):
        for name, start in known(text, environment):
            line, column = line_column(text, start)
            where = f"line {line}, column {column} of the body" if field == "body" else f"the field {field}"
            raise Refused(
                "suspected-secret",
                f"{where} holds the value of the variable {name}",
                "name the variable instead",
            )
