"""Reads a plain command line without typer, whose import alone costs more than all else in a save.

Plain is: every option by its full name with its value, ``--name VALUE`` or ``--name=VALUE``.
Whatever else is typed (``--help``, a slip) is left to typer, which explains it; a test holds the two together.
"""

from collections.abc import Callable, Sequence

from eccmem.cli.options import Argument, Option


def parse(command: Callable[..., int], argv: Sequence[str]) -> dict[str, list[str] | bool] | None:
    """Return the values of a command's parameters, or None when the command line is not plain."""
    flags, named, free = _parameters(command)
    values: dict[str, list[str] | bool] = {}
    rest = list(reversed(argv))
    while rest:
        word = rest.pop()
        name, equals, value = word.partition("=")
        if word in flags:
            values[flags[word]] = True
            continue
        if name in named:
            parameter = named[name]
            if not equals:
                if not rest or rest[-1].startswith("-"):
                    return None
                value = rest.pop()
        elif free and not word.startswith("-"):
            parameter, value = free, word
        else:
            return None
        values[parameter] = [*_listed(values.get(parameter)), value]
    return values


def _listed(value: list[str] | bool | None) -> list[str]:
    return value if isinstance(value, list) else []


def _parameters(command: Callable[..., int]) -> tuple[dict[str, str], dict[str, str], str]:
    """The parameters of a command: flags and options with values by name, and the one for free words."""
    flags: dict[str, str] = {}
    named: dict[str, str] = {}
    free = ""
    for parameter, hint in command.__annotations__.items():
        for item in getattr(hint, "__metadata__", ()):
            if isinstance(item, Argument):
                free = parameter
            elif isinstance(item, Option):
                (flags if hint.__origin__ is bool else named)[item.name] = parameter
    return flags, named, free
