"""``eccmem skill``."""

import os
from pathlib import Path
from typing import Annotated

from eccmem import gitdir
from eccmem import skill as page
from eccmem.cli import console
from eccmem.cli.context import here, refuse_dry_run, required
from eccmem.cli.options import Argument, Json, Option, Values
from eccmem.errors import ExitCode, UsageProblem
from eccmem.model import slug
from eccmem.skill import Outcome

VERBS = ("show", "install")
Verb = Annotated[Values, Argument("|".join(VERBS), "Print the skill, or put it into this checkout.")]
Harnesses = Annotated[Values, Option("--harness", "Only where this one looks; repeatable.", "NAME")]


def skill(verb: Verb = None, harness: Harnesses = None, json: Json = False) -> int:
    """Teach agents when to recall, save and hand off.

    Install creates .agents/skills/eccmem/SKILL.md and .claude/skills/eccmem/SKILL.md, and never over another file.
    """
    asked = required("show or install", verb)
    if asked not in VERBS:
        raise UsageProblem("usage", f"say what to do with the skill: {' or '.join(VERBS)}", "see --help")
    if asked == "show":
        if harness:
            raise UsageProblem("usage", "--harness belongs to install", "run eccmem skill install --harness NAME")
        return _show(json=json)
    refuse_dry_run("skill install")
    checkout, _ = gitdir.checkout_of(Path(os.path.realpath(here())))
    done = page.install(checkout, [_slug(value) for value in harness or ()])
    code = ExitCode.FINDINGS if any(item.outcome is Outcome.LEFT for item in done) else ExitCode.OK
    if not json:
        lines = (
            f"{item.path}: {item.outcome}{', it is another text' * (item.outcome is Outcome.LEFT)}\n" for item in done
        )
        return console.emit("".join(lines), code)
    files = [{"path": item.path, "outcome": item.outcome} for item in done]
    return console.emit_json({"schemaVersion": "eccmem.skill.v1", "action": "install", "files": files}, code)


def _show(*, json: bool) -> int:
    if not json:
        return console.emit(page.text())
    return console.emit_json({"schemaVersion": "eccmem.skill.v1", "action": "show", "text": page.text()})


def _slug(value: str) -> str:
    try:
        return slug(value, "--harness")
    except ValueError as error:
        raise UsageProblem("usage", str(error), "see eccmem skill --help") from None
