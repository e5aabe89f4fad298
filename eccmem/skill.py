"""The skill: a page that tells an agent when to recall, save and hand off, in the form of agentskills.io.

Two folders reach every harness that reads skills of a project: ``.agents/skills``, and ``.claude/skills`` for Claude
Code, which does not look into the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from eccmem import limits
from eccmem.errors import EccmemError
from eccmem.files import SHARED, FileProblem, writing
from eccmem.tree import FOLDER, AnyFolder

NAME = "eccmem"
FILE = "SKILL.md"
# A wheel has it in the package; in a checkout it is at the top, where other installers of skills look.
_PACKAGE = Path(__file__).parent
_SOURCE = next((f for f in (_PACKAGE / "skills", _PACKAGE.parent / "skills") if f.is_dir()), _PACKAGE) / NAME / FILE

_AGENTS, _CLAUDE = (".agents", "skills"), (".claude", "skills")
_ONLY = {"claude": (_CLAUDE,), "claude-code": (_CLAUDE,)}
# OpenCode and Copilot read both folders; one is enough.
_OTHERS = (_AGENTS,)


class Outcome(StrEnum):
    """What became of one file."""

    MADE = "made"
    THERE = "there already"
    LEFT = "left as it is"


@dataclass(frozen=True, slots=True)
class Placed:
    """A file below the checkout, and what became of it."""

    path: str
    outcome: Outcome


def text() -> str:
    """The page.

    Raises:
        EccmemError: ``no-skill`` when it was not installed with the package.
    """
    try:
        return _SOURCE.read_text("utf-8")
    except OSError:
        raise EccmemError("no-skill", "the skill is not installed with eccmem", "install eccmem again") from None


def places(harnesses: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The folders that some harnesses look into; of all harnesses where none is named."""
    named = tuple(harnesses)
    if not named:
        return (_AGENTS, _CLAUDE)
    return tuple(dict.fromkeys(place for harness in named for place in _ONLY.get(harness, _OTHERS)))


def install(checkout: Path, harnesses: Iterable[str]) -> tuple[Placed, ...]:
    """Create the page where harnesses look for it; never over another file.

    Raises:
        EccmemError: when it cannot be written, or a link is in the way.
    """
    data = text().encode()
    return tuple(_place(checkout, place, data) for place in places(harnesses))


def _place(checkout: Path, place: tuple[str, ...], data: bytes) -> Placed:
    shown = "/".join((*place, NAME, FILE))
    with writing(shown):
        folder: AnyFolder = FOLDER.open_base(checkout)
        for name in (*place, NAME):
            with folder:
                folder = folder.make(name, SHARED)
        with folder:
            try:
                folder.create(FILE, data, 0o666)
            except FileExistsError:
                return Placed(shown, Outcome.THERE if _same(folder, data) else Outcome.LEFT)
    return Placed(shown, Outcome.MADE)


def _same(folder: AnyFolder, data: bytes) -> bool:
    try:
        return folder.read(FILE, limits.DOCUMENT_BYTES).replace(b"\r\n", b"\n") == data
    except FileProblem:
        return False
