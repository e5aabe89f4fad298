"""``eccmem secrets``."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated

from eccmem import limits, revisions, secretsearch, secretsources
from eccmem.allowance import Allowance
from eccmem.checks import secrets as checks
from eccmem.cli import console
from eccmem.cli.allow import allow
from eccmem.cli.body import read_stdin
from eccmem.cli.context import here, one, repository_here
from eccmem.cli.options import (
    Argument,
    ExitZero,
    FailOn,
    Format,
    Json,
    Option,
    Output,
    Values,
)
from eccmem.cli.reports import deliver, ends_of, for_programs, format_of, severity_of
from eccmem.errors import EccmemError, ExitCode, UsageProblem
from eccmem.output import secrets as shown
from eccmem.output.secrets import Searched
from eccmem.secretsources import Source, Text

if TYPE_CHECKING:
    from eccmem.finding import Severity
    from eccmem.repo import Repo
    from eccmem.secretsearch import Leak

_ALLOW = "allow"
_STDIN = "standard input"

Paths = Annotated[
    Values, Argument("[PATH]...", "Only these files, and all files in these folders. Or: allow FINGERPRINT.")
]
FromStdin = Annotated[bool, Option("--stdin", "Search standard input.")]
OfIndex = Annotated[bool, Option("--staged", "Search what is staged, instead of the files on disk.")]
OfTree = Annotated[Values, Option("--rev", "Search the whole tree of a commit.", "REV")]
OfRange = Annotated[Values, Option("--range", "Search what each commit from A to B brings.", "A..B")]
OfHistory = Annotated[bool, Option("--history", "Search what each commit brings that leads to HEAD.")]
Reason = Annotated[Values, Option("--reason", "With allow: why it is no secret.", "TEXT")]
By = Annotated[Values, Option("--by", "With allow: who says so; user.name of Git by default.", "NAME")]
Expires = Annotated[Values, Option("--expires", "With allow: the last day; a year from now by default.", "DATE")]


def secrets(
    path: Paths = None,
    stdin: FromStdin = False,
    staged: OfIndex = False,
    rev: OfTree = None,
    commits: OfRange = None,
    history: OfHistory = False,
    form: Format = None,
    fail_on: FailOn = None,
    exit_zero: ExitZero = False,
    output: Output = None,
    json: Json = False,
    reason: Reason = None,
    by: By = None,
    expires: Expires = None,
) -> int:
    """Search files, standard input, commits or a history for secrets.

    Without a PATH: what is tracked, and what could be added. No part of a secret is ever printed. What is none can be
    allowed: secrets allow FINGERPRINT --reason TEXT prints what to paste into .ecc/secret-allow.toml.
    """
    paths = path or []
    if paths[:1] == [_ALLOW] and (reason or len(paths) > 1):
        return allow(paths[1:], reason, by, expires)
    if reason or by or expires:
        raise UsageProblem("usage", "--reason, --by and --expires belong to `secrets allow FINGERPRINT`", "see --help")
    least = severity_of(one("--fail-on", fail_on))
    chosen = format_of(one("--format", form), json=json)
    target = one("--output", output)
    named = {"PATH": paths, "--stdin": stdin, "--staged": staged, "--rev": rev, "--range": commits}
    asked = [name for name, given in {**named, "--history": history}.items() if given]
    if len(asked) > 1:
        raise UsageProblem("usage", f"{' and '.join(asked)} exclude each other", "name one of them")
    how = asked[0] if asked else ""
    repository = _repository(needed=how not in ("PATH", "--stdin"))
    source = _source(how, paths, one("--rev", rev), one("--range", commits), repository)
    searched = _search(source, _allowance(repository, one("--rev", rev), one("--range", commits)), how)
    return deliver(_render(searched, chosen), _code(searched, least), target, exit_zero=exit_zero)


def _repository(*, needed: bool) -> "Repo | None":
    try:
        return repository_here()
    except EccmemError:
        if needed:
            raise
        return None


def _source(how: str, paths: list[str], rev: str | None, commits: str | None, repository: "Repo | None") -> Source:
    if how == "PATH":
        return secretsources.of_paths(paths, here())
    if how == "--stdin":
        data = read_stdin(limits.SEARCHED_FILE_BYTES, "pipe a text in")
        return Source(1, lambda: iter([Text(_STDIN, "", data)]))
    assert repository is not None  # noqa: S101 - for the type checker: it was needed
    if how == "--staged":
        return secretsources.of_index(repository)
    if rev is not None:
        return secretsources.of_revision(repository, rev)
    if commits is None and how != "--history":
        return secretsources.of_worktree(repository)
    start, end = ends_of(commits) if commits else ("", "HEAD")
    without = [revisions.resolve(repository, start)] if start else []
    return secretsources.of_commits(repository, revisions.resolve(repository, end), without)


def _allowance(repository: "Repo | None", rev: str | None, commits: str | None) -> Allowance:
    """The list that counts: of the commit that is searched, of the start of a range, else of HEAD."""
    if repository is None:
        return Allowance()
    if commits is not None:
        return Allowance(repository, revisions.resolve(repository, ends_of(commits)[0]))
    return Allowance(repository, revisions.resolve(repository, rev) if rev else revisions.head(repository))


def _search(source: Source, allowance: Allowance, how: str) -> Searched:
    leaks: list[Leak] = []
    unsearched: list[str] = []
    files = binary = 0
    with console.progress("searching for secrets") as progress:
        for number, item in enumerate(source.texts(), 1):
            progress(number, source.total)
            name = secretsearch.shown_name(item.name)
            text = None if item.data is None else secretsearch.text_of(item.data)
            if item.data is None:
                unsearched.append(name)
            elif text is None:
                binary += 1
            else:
                files += 1
            found = secretsearch.search(item.name, text or "", allowance, item.commit)
            leaks += islice(found, limits.LEAKS + 1 - len(leaks))
            if len(leaks) > limits.LEAKS:
                break
    cut_short = len(leaks) > limits.LEAKS
    complete = how in ("", "--rev") and not (unsearched or cut_short)
    return Searched(
        leaks=tuple(leaks[: limits.LEAKS]),
        files=files,
        binary=binary,
        unsearched=tuple(unsearched),
        cut_short=cut_short,
        of_list=tuple(checks.of_list(allowance, complete=complete)),
    )


def _render(searched: Searched, chosen: str) -> str:
    if chosen == "text":
        return shown.text(searched)
    console.warn_all(shown.unseen(searched))
    if chosen == "json":
        return console.json_text(shown.payload(searched))
    return for_programs(searched.findings(), chosen)


def _code(searched: Searched, least: "Severity") -> ExitCode:
    if searched.unsearched:
        return ExitCode.CANNOT_RUN
    fails = any(finding.rule.severity >= least for finding in searched.findings())
    return ExitCode.FINDINGS if fails or searched.cut_short else ExitCode.OK
