"""Trailers: the last lines of a body that say something to programs, ``Key: value``, as Git writes them in commits.

The format has no field for these; a trailer stays readable text for whoever does not know it.
"""

import re

from eccmem.text import trim

_TRAILER = re.compile(r"[A-Za-z][A-Za-z-]*: \S.*")


def lines_of(body: str) -> list[str]:
    """The lines of the last paragraph, if each of them is a trailer and it is not the only paragraph."""
    head, blank, last = body.replace("\r\n", "\n").rpartition("\n\n")
    lines = [line.rstrip() for line in last.split("\n")]
    return lines if head and blank and all(_TRAILER.fullmatch(line) for line in lines) else []


def values(body: str, key: str) -> list[str]:
    """What the trailers of one key say, each once, in their order."""
    start = f"{key}: "
    return list(dict.fromkeys(line.removeprefix(start) for line in lines_of(body) if line.startswith(start)))


def added(body: str, wanted: list[str]) -> str:
    """A body that ends with these trailer lines; those that it has already are not repeated."""
    if not wanted:
        return body
    text = trim(body)
    there = lines_of(text)
    lines = [line for line in wanted if line not in there]
    return "\n".join([text if there else f"{text}\n", *lines]) if lines else text
