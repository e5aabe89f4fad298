"""``eccmem save``, and what it shares with ``eccmem handoff``."""

import os
from collections.abc import Callable

from eccmem import guard, intake
from eccmem.cli import console
from eccmem.cli.body import read_body, read_env_file
from eccmem.cli.context import HARNESS, choices, one, refuse_dry_run, required, vault_roots
from eccmem.cli.options import (
    Answers,
    BodyFile,
    EnvFiles,
    Json,
    Links,
    OneKind,
    OneScope,
    Source,
    Stdin,
    Supersedes,
    Tags,
    Targets,
    Title,
    Values,
)
from eccmem.intake import Draft, Saved
from eccmem.model import ALL_HARNESSES, Kind, Scope
from eccmem.output import as_json, as_text


def save(
    title: Title = None,
    stdin: Stdin = False,
    body_file: BodyFile = None,
    kind: OneKind = None,
    scope: OneScope = None,
    source_harness: Source = None,
    target: Targets = None,
    tag: Tags = None,
    link: Links = None,
    supersedes: Supersedes = None,
    answers: Answers = None,
    env_file: EnvFiles = None,
    json: Json = False,
) -> int:
    """Save one memory.

    It is unreviewed, created once and never changed, and refused if it holds a secret.
    """
    refuse_dry_run("save")
    source = one("--source-harness", source_harness)
    saved = store(
        title=title,
        body=lambda: read_body(stdin, one("--body-file", body_file)),
        kind=kind,
        scope=scope,
        source=source if source is not None else os.environ.get(HARNESS) or "unknown",
        targets=target,
        tags=tag,
        links=link,
        supersedes=supersedes,
        answers=answers,
        env_files=env_file,
    )
    return say(saved, json=json)


def store(
    *,
    title: Values,
    body: Callable[[], str],
    kind: Values,
    scope: Values,
    source: str,
    targets: Values,
    tags: Values,
    links: Values,
    supersedes: Values,
    answers: Values,
    env_files: Values,
) -> Saved:
    """Check what was typed, then read the body and send the draft through the intake."""
    named = required("--title", title)
    one("--kind", kind)
    one("--scope", scope)
    (kind_asked,) = choices("--kind", Kind, kind) or (Kind.NOTE,)
    (scope_asked,) = choices("--scope", Scope, scope) or (Scope.PROJECT,)
    roots = vault_roots()
    draft = Draft(
        title=named,
        body=body(),
        kind=kind_asked,
        scope=scope_asked,
        source_harness=source,
        target_harnesses=tuple(targets or (ALL_HARNESSES,)),
        tags=tuple(tags or ()),
        links=tuple(links or ()),
        supersedes=tuple(supersedes or ()),
        answers=tuple(answers or ()),
    )
    saved = intake.save(draft, roots, environments=[os.environ, *map(read_env_file, env_files or ())])
    return saved.warned(guard.hidden_from_git(roots.team, os.environ)) if saved.memory.scope is Scope.TEAM else saved


def say(saved: Saved, *, json: bool) -> int:
    """Say what was saved, and warn of what the person should know."""
    console.warn_all(saved.warnings)
    return console.emit_json(as_json.write(saved)) if json else console.emit(as_text.write(saved))
