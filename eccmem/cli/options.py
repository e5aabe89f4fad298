"""The options that commands share, as types."""

from typing import Annotated

import typer

from eccmem.model import Kind, Scope

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Scopes = Annotated[
    list[Scope] | None,
    typer.Option("--scope", help="Repeatable; project and team unless named. The user scope only when named."),
]
OneScope = Annotated[list[Scope] | None, typer.Option("--scope", help="project (default), team, or user.")]
Kinds = Annotated[list[Kind] | None, typer.Option("--kind", help="Only this kind; repeatable.")]
OneKind = Annotated[list[Kind] | None, typer.Option("--kind", help="What it is; note unless named.")]
Title = Annotated[list[str] | None, typer.Option("--title", metavar="TEXT", help="One line; required.")]
Stdin = Annotated[bool, typer.Option("--stdin", help="Read the body from standard input.")]
BodyFile = Annotated[
    list[str] | None, typer.Option("--body-file", metavar="FILE", help="Read the body from a regular file.")
]
Source = Annotated[
    list[str] | None,
    typer.Option("--source-harness", metavar="NAME", help="Who writes; ECC_MEMORY_HARNESS or unknown by default."),
]
From = Annotated[list[str] | None, typer.Option("--from", metavar="NAME", help="The harness that hands off; required.")]
Targets = Annotated[
    list[str] | None,
    typer.Option("--target", metavar="NAME", help="A harness it is for; repeatable, all by default."),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A lowercase tag; repeatable.")]
Links = Annotated[list[str] | None, typer.Option("--link", metavar="ID", help="A related memory; repeatable.")]
Supersedes = Annotated[
    list[str] | None,
    typer.Option("--supersedes", metavar="ID", help="A memory that this one replaces; repeatable."),
]
TargetHarness = Annotated[
    list[str] | None,
    typer.Option("--target-harness", metavar="NAME", help="Only what is addressed to it, or to all."),
]
Limit = Annotated[list[str] | None, typer.Option("--limit", metavar="N", help="At most N results, 1 to 100; 20.")]
MemoryIds = Annotated[list[str], typer.Argument(metavar="ID", help="The memory's id.", show_default=False)]
