"""The text of a hand-off: the headings of a useful one, and what is left of them when a person has written it."""

import re
from collections.abc import Iterator

from eccmem.errors import Refused
from eccmem.text import trim

# Each heading, and what belongs below it; a line of the template that is still there is taken out.
_SECTIONS = (
    ("## Objective and state", "<!-- What was wanted, and how far it is. -->"),
    ("## Evidence", "<!-- What proves that: commands that were run, and what they said. -->"),
    ("## Files and work items", "<!-- Where to look: files, branches, issues. -->"),
    (
        "## Remaining work, risks, next action",
        "<!-- What is left, what could go wrong, what to do first. -->",
    ),
)
NEXT_ACTION = "Next action:"
_NEXT = re.compile(rf"(?im)^{NEXT_ACTION}[^\S\n]*(?P<said>.*(?:\n(?!#).*)*)")
_HINTS = frozenset(hint for _, hint in _SECTIONS)
_HEADINGS = frozenset(heading for heading, _ in _SECTIONS)

TEMPLATE = "\n\n".join(f"{heading}\n{hint}" for heading, hint in _SECTIONS) + f"\n\n{NEXT_ACTION} \n"


def written(text: str) -> str:
    """What a person wrote into the template: without its hints, and without its headings that nothing stands below.

    Raises:
        Refused: ``no-next-action``: who goes on would not know where to begin.
    """
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if trim(line) not in _HINTS]
    found = _NEXT.search("\n".join(lines))
    if found is None or not trim(found["said"]):
        raise Refused(
            "no-next-action",
            f"the next action is empty: the line that starts with {NEXT_ACTION!r} has to say what to do first",
            "nothing was saved",
        )
    return trim(re.sub(r"\n{3,}", "\n\n", "\n".join(_filled(lines))))


def _filled(lines: list[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        if line.rstrip() in _HEADINGS:
            below = next((trim(other) for other in lines[index + 1 :] if trim(other)), "")
            if not below or below in _HEADINGS:
                continue
        yield line
