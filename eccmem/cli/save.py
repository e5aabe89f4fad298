"""``eccmem save``, and what it shares with ``eccmem handoff``."""

import os

from eccmem import guard, intake, repo
from eccmem.cli import console
from eccmem.cli.body import read_body
from eccmem.cli.context import HARNESS, choices, one, refuse_dry_run, required, vault_roots
from eccmem.cli.options import (
    BodyFile,
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
from eccmem.errors import EccmemError
from eccmem.intake import Draft
from eccmem.model import ALL_HARNESSES, Kind, Scope
from eccmem.output import as_json, as_text
from eccmem.roots import VaultRoots


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
    json: Json = False,
) -> int:
    """Save one memory.

    It is unreviewed, created once and never changed, and refused if it holds a secret.
    """
    refuse_dry_run("save")
    source = one("--source-harness", source_harness)
    return store(
        title=title,
        stdin=stdin,
        body_file=body_file,
        kind=kind,
        scope=scope,
        source=source if source is not None else os.environ.get(HARNESS) or "unknown",
        targets=target,
        tags=tag,
        links=link,
        supersedes=supersedes,
        json=json,
    )


def store(
    *,
    title: Values,
    stdin: bool,
    body_file: Values,
    kind: Values,
    scope: Values,
    source: str,
    targets: Values,
    tags: Values,
    links: Values,
    supersedes: Values,
    json: bool,
) -> int:
    """Read the body, send the draft through the intake, and say what was saved."""
    named = required("--title", title)
    one("--kind", kind)
    one("--scope", scope)
    (kind_asked,) = choices("--kind", Kind, kind) or (Kind.NOTE,)
    (scope_asked,) = choices("--scope", Scope, scope) or (Scope.PROJECT,)
    roots = vault_roots()
    draft = Draft(
        title=named,
        body=read_body(stdin, one("--body-file", body_file)),
        kind=kind_asked,
        scope=scope_asked,
        source_harness=source,
        target_harnesses=tuple(targets or (ALL_HARNESSES,)),
        tags=tuple(tags or ()),
        links=tuple(links or ()),
        supersedes=tuple(supersedes or ()),
    )
    saved = intake.save(draft, roots, environment=os.environ)
    if saved.memory.scope is Scope.TEAM:
        saved = saved.warned(_hidden_from_git(roots))
    console.warn_all(saved.warnings)
    return console.emit_json(as_json.write(saved)) if json else console.emit(as_text.write(saved))


def _hidden_from_git(roots: VaultRoots) -> list[str]:
    """Warn when Git ignores the team scope: the memory would never be shared."""
    found = repo.enclosing(roots.team.real_base)
    if found is None:
        return []
    try:
        rule = guard.team_ignored(roots.team, repo.Repo(found[0], os.environ))
    except EccmemError as error:
        return [f"cannot tell whether team memories can be committed: {error.message}"]
    return [f"Git ignores the team scope ({guard.describe(rule)}): nobody else will get this memory"] if rule else []
