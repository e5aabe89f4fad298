"""``eccmem handoff``."""

from eccmem.cli.context import refuse_dry_run, required
from eccmem.cli.options import BodyFile, From, Json, Links, OneScope, Stdin, Supersedes, Tags, Targets, Title
from eccmem.cli.save import store
from eccmem.errors import UsageProblem
from eccmem.model import Kind


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
    json: Json = False,
) -> int:
    """Hand work off from one harness to others."""
    refuse_dry_run("handoff")
    sender = required("--from", source)
    if not target:
        raise UsageProblem("usage", "--target is required: name each harness that is to go on", "see --help")
    return store(
        title=title,
        stdin=stdin,
        body_file=body_file,
        kind=[Kind.HANDOFF],
        scope=scope,
        source=sender,
        targets=target,
        tags=tag,
        links=link,
        supersedes=supersedes,
        json=json,
    )
