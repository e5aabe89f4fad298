"""``eccmem artifacts``."""

import os
from typing import TYPE_CHECKING, Annotated

from eccmem.artifacts import survey, trees
from eccmem.artifacts.config import Config
from eccmem.artifacts.values import ArtifactKind, ArtifactStatus
from eccmem.cli import console
from eccmem.cli.context import choices, here, one, repository_here
from eccmem.cli.options import Argument, Json, Option, Values
from eccmem.errors import Refused, UsageProblem
from eccmem.output import artifacts as shown

if TYPE_CHECKING:
    from eccmem.repo import Repo

Kinds = Annotated[Values, Option("--kind", "Only this kind; repeatable.", "|".join(ArtifactKind))]
Statuses = Annotated[Values, Option("--status", "Only of this status; repeatable.", "|".join(ArtifactStatus))]
OfRev = Annotated[Values, Option("--rev", "Read the tree of a commit instead of the files on disk.", "REV")]
Paths = Annotated[Values, Argument("[PATH]...", "Only these files, and what is in these folders.")]


def artifacts(
    path: Paths = None,
    kind: Kinds = None,
    status: Statuses = None,
    rev: OfRev = None,
    json: Json = False,
) -> int:
    """List the governed documents: decisions, runbooks, rules, proposals, policies, post-mortems.

    What is tracked counts, as it is on disk; of a bare repository what HEAD has.
    """
    kinds = choices("--kind", ArtifactKind, kind)
    statuses = choices("--status", ArtifactStatus, status)
    revision = one("--rev", rev)
    repository = repository_here()
    wanted = [_inside(repository, typed) for typed in path or ()]
    tree = trees.at(repository, revision)
    config = survey.config_of(tree)
    _refuse_unreadable(config)
    found = survey.choose(survey.survey(tree, config), wanted, kinds, statuses)
    if wanted and not (found or kinds or statuses):
        raise Refused(
            "not-an-artifact", "no governed document is there", "see docs/reference/artifacts.md for what is one"
        )
    if json:
        return console.emit_json(shown.payload(found, config))
    console.warn_all(shown.problems(config))
    return console.emit(shown.text(found))


def _inside(repository: "Repo", typed: str) -> str:
    """A path as it was typed, relative to the repository; "" for all of it."""
    path = os.path.normpath(os.path.join(os.path.realpath(here()), typed))  # noqa: PTH118 - a name that need not exist
    top = os.path.realpath(repository.checkout)
    if path != top and not path.startswith(top.rstrip(os.sep) + os.sep):
        raise UsageProblem("usage", "PATH must lie in the repository", "see --help")
    return os.path.relpath(path, top).replace(os.sep, "/") if path != top else ""


def _refuse_unreadable(config: Config) -> None:
    """Refuse to list by a configuration of ours that cannot be read: it may say where the documents are.

    Raises:
        Refused: then.
    """
    for problem in config.problems:
        if problem.ours:
            raise Refused("config-invalid", f"{problem.path}: {problem.message}", "see docs/reference/artifacts.md")
