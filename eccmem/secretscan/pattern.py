"""Patterns that are compiled when they are first needed: most texts need few of them."""

import re
from functools import cache


@cache
def compiled(source: str) -> "re.Pattern[str]":
    """A pattern in which letters and digits are those of ASCII."""
    return re.compile(source, re.ASCII)
