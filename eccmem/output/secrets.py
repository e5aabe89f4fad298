"""Secrets that were found, for people and for programs; never any part of one."""

from collections.abc import Iterator
from dataclasses import dataclass

from eccmem import limits
from eccmem.checks import secrets
from eccmem.finding import Finding, by_place
from eccmem.output import as_text
from eccmem.secretscan import BLOCK
from eccmem.secretsearch import Leak


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a search comes to.

    Attributes:
        leaks: what was found.
        files: how many texts were searched.
        binary: how many files were not, because they are no text.
        unsearched: the names of those that could not be searched, as they may be shown.
        cut_short: whether the search ended because it had found too much.
        of_list: what is wrong with the list of allowed values.
    """

    leaks: tuple[Leak, ...]
    files: int
    binary: int
    unsearched: tuple[str, ...]
    cut_short: bool
    of_list: tuple[Finding, ...]

    @property
    def complete(self) -> bool:
        """Whether all was searched that is text."""
        return not (self.unsearched or self.cut_short)

    def findings(self) -> tuple[Finding, ...]:
        """The same as findings, worst first where a report has an order of its own."""
        return by_place((*map(_finding, self.leaks), *self.of_list))


def _finding(leak: Leak) -> Finding:
    where = f"commit {leak.commit[:12]} has " if leak.commit else ""
    place = f"column {leak.column}" if leak.line else "in the name of the file"
    seen = "" if leak.via == "plain" else f", seen as {leak.via}"
    return Finding(
        rule=secrets.IN_FILE if leak.tier == BLOCK else secrets.LIKELY,
        path=leak.path,
        line=max(leak.line, 1),
        message=f"{where}{leak.label} ({place}, {leak.length} characters{seen}; {leak.fingerprint})",
        remedy="revoke it: docs/how-to/leaked-secret.md; if it is none: "
        f"eccmem secrets allow {leak.fingerprint} --reason TEXT",
    )


def text(searched: Searched) -> str:
    """Each finding with what to do, and what was searched."""
    return as_text.findings(searched.findings()) + "".join(f"{line}\n" for line in _summary(searched))


def _summary(searched: Searched) -> Iterator[str]:
    none = "" if searched.leaks else ", and no secrets found"
    yield f"{searched.files} {'text' if searched.files == 1 else 'texts'} searched{none}"
    if searched.binary:
        yield f"{searched.binary} binary {'file was' if searched.binary == 1 else 'files were'} not searched"
    yield from unseen(searched)


def unseen(searched: Searched) -> Iterator[str]:
    """Why not all was searched, a sentence each."""
    for name in searched.unsearched[: limits.DIAGNOSTICS]:
        yield f"not searched, because it cannot be read or is larger than {limits.SEARCHED_FILE_BYTES} bytes: {name}"
    if (more := len(searched.unsearched) - limits.DIAGNOSTICS) > 0:
        yield f"and {more} more that could not be searched"
    if searched.cut_short:
        yield f"the search ended after {limits.LEAKS} findings"


def payload(searched: Searched) -> dict[str, object]:
    """The same as a payload."""
    return {
        "schemaVersion": "eccmem.secrets.v1",
        "secrets": [_row(leak) for leak in searched.leaks],
        "secretCount": len(searched.leaks),
        "searched": searched.files,
        "binary": searched.binary,
        "unsearched": list(searched.unsearched[: limits.DIAGNOSTICS]),
        "unsearchedCount": len(searched.unsearched),
        "cutShort": searched.cut_short,
        "allowList": [_of_list(found) for found in searched.of_list],
    }


def _row(leak: Leak) -> dict[str, object]:
    return {
        "path": leak.path,
        "commit": leak.commit or None,
        "line": leak.line or None,
        "column": leak.column,
        "rule": leak.rule,
        "label": leak.label,
        "tier": leak.tier,
        "via": leak.via,
        "length": leak.length,
        "fingerprint": leak.fingerprint,
    }


def _of_list(found: Finding) -> dict[str, object]:
    return {"rule": found.rule.id, "line": found.line, "message": found.message}
