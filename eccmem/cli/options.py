"""The options of commands, declared once: for the plain parser, and for typer.

A parameter of a command is ``Annotated[type, Option(…)]``, its type a flag (bool) or any number of values; what
the values may be is the command's business, so that there is one message for each mistake.
"""

from dataclasses import dataclass
from typing import Annotated

from eccmem.finding import Severity
from eccmem.model import Kind, Scope, Status


@dataclass(frozen=True, slots=True)
class Option:
    """``--flag``, or ``--name VALUE`` as often as it is given."""

    name: str
    help: str
    metavar: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """What is typed without a name."""

    metavar: str
    help: str


Values = list[str] | None

SCOPE_NAMES = "|".join(Scope)
STATUS_NAMES = "|".join(Status)
SEVERITY_NAMES = "|".join(severity.word for severity in reversed(Severity))

Json = Annotated[bool, Option("--json", "Print JSON for programs.")]
Scopes = Annotated[
    Values,
    Option("--scope", "Repeatable; project and team unless named. The user scope only when named.", SCOPE_NAMES),
]
OneScope = Annotated[Values, Option("--scope", "Who it is for; project unless named.", SCOPE_NAMES)]
Kinds = Annotated[Values, Option("--kind", "Only this kind; repeatable.", "KIND")]
OneKind = Annotated[Values, Option("--kind", f"What it is; note unless named: {', '.join(Kind)}.", "KIND")]
Title = Annotated[Values, Option("--title", "One line; required.", "TEXT")]
Stdin = Annotated[bool, Option("--stdin", "Read the body from standard input.")]
BodyFile = Annotated[Values, Option("--body-file", "Read the body from a regular file.", "FILE")]
Source = Annotated[Values, Option("--source-harness", "Who writes; ECC_MEMORY_HARNESS or unknown by default.", "NAME")]
From = Annotated[Values, Option("--from", "The harness that hands off; required.", "NAME")]
Targets = Annotated[Values, Option("--target", "A harness it is for; repeatable, all by default.", "NAME")]
Tags = Annotated[Values, Option("--tag", "A lowercase tag; repeatable.", "TAG")]
Links = Annotated[Values, Option("--link", "A related memory; repeatable.", "ID")]
Supersedes = Annotated[Values, Option("--supersedes", "A memory that this one replaces; repeatable.", "ID")]
Answers = Annotated[Values, Option("--answers", "A hand-off that this one answers; repeatable.", "ID")]
EnvFiles = Annotated[Values, Option("--env-file", "Refuse the values of secrets of this file too; repeatable.", "FILE")]
ToWorktree = Annotated[Values, Option("--to-worktree", "Also copy it into .context/ of a worktree.", "PATH")]
Harness = Annotated[Values, Option("--harness", "Who asks; ECC_MEMORY_HARNESS by default.", "NAME")]
TargetHarness = Annotated[Values, Option("--target-harness", "Only what is addressed to it, or to all.", "NAME")]
Limit = Annotated[Values, Option("--limit", "At most N results, 1 to 100; 20 unless named.", "N")]
WithTags = Annotated[Values, Option("--tag", "Only what has this tag; repeatable, for all of them.", "TAG")]
Sources = Annotated[Values, Option("--source-harness", "Only what this harness wrote; repeatable.", "NAME")]
Since = Annotated[Values, Option("--since", "Only what was updated then or later, such as 2026-07-26.", "DATE")]
Statuses = Annotated[Values, Option("--status", "Of this status instead of active; repeatable.", STATUS_NAMES)]
Explain = Annotated[bool, Option("--explain", "Say which words matched, and which are nowhere.")]
Rerank = Annotated[Values, Option("--rerank", "Let an installed reranker order the best 50.", "NAME")]
As = Annotated[Values, Option("--as", "What it becomes; required.", "superseded|rejected")]
Staged = Annotated[bool, Option("--staged", "Judge what is staged, instead of the files on disk.")]
Rev = Annotated[Values, Option("--rev", "Judge the whole tree of a commit.", "REV")]
Range = Annotated[Values, Option("--range", "Judge what the commits from A to B do, together and each.", "A..B")]
Base = Annotated[Values, Option("--base", "What counts as published, instead of what Git names.", "REV")]
FORMATS = ("text", "json", "sarif", "github", "gitlab")
Format = Annotated[Values, Option("--format", "How to report; text unless named.", "|".join(FORMATS))]
FailOn = Annotated[Values, Option("--fail-on", "The least severity that fails; error unless named.", SEVERITY_NAMES)]
ExitZero = Annotated[bool, Option("--exit-zero", "Findings do not fail; what cannot be judged still does.")]
Output = Annotated[Values, Option("--output", "Write the report to a file instead of standard output.", "FILE")]
WithHistory = Annotated[bool, Option("--history", "Add what commits tell of it.")]
Prove = Annotated[bool, Option("--run", "Run all hooks of these types to prove whether ours is reached.")]
Query = Annotated[Values, Argument("[QUERY]...", "Words to look for; none lists the newest.")]
Worktree = Annotated[Values, Argument("PATH", "Another worktree of this repository.")]
MemoryId = Annotated[Values, Argument("ID", "The memory's id.")]
