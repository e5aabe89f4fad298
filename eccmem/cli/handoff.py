"""``eccmem handoff``."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from eccmem import contextcopy, standing
from eccmem import handoff as text
from eccmem.cli import console
from eccmem.cli.body import read_body
from eccmem.cli.context import choices, here, one, refuse_dry_run, required
from eccmem.cli.options import (
    Answers,
    BodyFile,
    EnvFiles,
    From,
    Json,
    Links,
    OneScope,
    Stdin,
    Supersedes,
    Tags,
    Targets,
    Title,
    ToWorktree,
    Values,
)
from eccmem.cli.save import say, store
from eccmem.contextcopy import Target
from eccmem.errors import EccmemError, UsageProblem
from eccmem.intake import Saved
from eccmem.model import Kind, Scope


def handoff(
    source: From = None,
    target: Targets = None,
    title: Title = None,
    stdin: Stdin = False,
    body_file: BodyFile = None,
    scope: OneScope = None,
    tag: Tags = None,
    link: Links = None,
    supersedes: Supersedes = None,
    answers: Answers = None,
    env_file: EnvFiles = None,
    to_worktree: ToWorktree = None,
    json: Json = False,
) -> int:
    """Hand work off from one harness to others.

    At a terminal, without --stdin and --body-file, the editor of VISUAL or EDITOR opens with the headings of a
    useful hand-off. The branch and the commit of now are added to its end.
    """
    refuse_dry_run("handoff")
    sender = required("--from", source)
    if not target:
        raise UsageProblem("usage", "--target is required: name each harness that is to go on", "see --help")
    required("--title", title)
    copy_to = _copy_to(to_worktree, scope)

    def stored(body: str) -> Saved:
        # Not before the editor closes: the person may commit meanwhile.
        recorded, warnings = standing.record(body, _real(here()), os.environ)
        return store(
            title=title,
            body=lambda: recorded,
            kind=[Kind.HANDOFF],
            scope=scope,
            source=sender,
            targets=target,
            tags=tag,
            links=link,
            supersedes=supersedes,
            answers=answers,
            env_files=env_file,
        ).warned(warnings)

    if not stdin and body_file is None and _at_a_terminal():
        saved = _edited(stored)
    else:
        saved = stored(read_body(stdin, one("--body-file", body_file)))
    return _say(saved, copy_to, json=json)


def _edited(stored: Callable[[str], Saved]) -> Saved:
    from eccmem.cli import editor  # noqa: PLC0415 - only a person at a terminal waits for it

    return editor.write(text.TEMPLATE, lambda typed: stored(text.written(typed)))


def _say(saved: Saved, copy_to: Target | None, *, json: bool) -> int:
    """Copy what was saved, if that was asked for; where it fails, the memory is there all the same."""
    if copy_to is None:
        return say(saved, json=json)
    try:
        shown = contextcopy.lay(copy_to, saved.memory)
    except EccmemError as error:
        say(saved.warned([f"the hand-off is saved, and was not copied: {error.message}"]), json=json)
        return error.exit_code
    console.warn(f"Copied to {shown} of that worktree\n")
    return say(saved, json=json)


def _at_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _copy_to(path: Values, scope: Values) -> Target | None:
    named = one("--to-worktree", path)
    if named is None:
        return None
    one("--scope", scope)
    (asked,) = choices("--scope", Scope, scope) or (Scope.PROJECT,)
    return contextcopy.target(here() / Path(named), asked, _real(here()), os.environ)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
