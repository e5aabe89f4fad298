"""Patterns of paths: ``*``, ``?`` and ``[…]`` within a name, ``**`` over folders.

A pattern without a slash fits at any depth, and one that names a folder all that is in it.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase

_CHARS = 200


@dataclass(frozen=True, slots=True)
class Globs:
    """Some patterns."""

    patterns: tuple[str, ...] = ()

    def match(self, path: str) -> bool:
        """Whether one of the patterns is that of a path, or of a folder that it lies in."""
        return bool(self.patterns) and any(_matches(pattern, path.split("/")) for pattern in self.patterns)


def problem_of(pattern: str) -> str | None:
    """Why a pattern is not taken, or None."""
    if len(pattern) > _CHARS:
        return f"a pattern has more than {_CHARS} characters"
    if pattern.startswith("/") or "\\" in pattern or ".." in pattern.split("/"):
        return "a pattern is relative to the top of the repository, with / between names"
    return None


def _matches(pattern: str, names: list[str]) -> bool:
    # How many names each way to read the pattern has used up so far; one name after the other, so nothing explodes.
    used = {0}
    words = pattern.rstrip("/").split("/")
    for word in words if "/" in pattern.rstrip("/") else ["**", *words]:
        if word == "**":
            used = set(range(min(used), len(names) + 1))
        else:
            used = {at + 1 for at in used if at < len(names) and fnmatchcase(names[at], word)}
        if not used:
            return False
    return True
