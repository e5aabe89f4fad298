"""What was found, and what it comes to."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from eccmem.errors import ExitCode
from eccmem.finding import Finding, Rule, Severity, SkipReason, by_place
from eccmem.model import Scope
from eccmem.vault import BrokenCode, Place, Snapshot, Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the doctor found.

    ``duplicates`` and ``broken_links`` are the reference's parts of the report; the same problems are also among
    ``findings``, with a line and a remedy.
    """

    snapshot: Snapshot
    duplicates: Mapping[str, Sequence[Place]]
    broken_links: Sequence[tuple[Stored, str]]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """The reference's verdict: it looks at memories, their ids and links, symlinks and truncation."""
        seen = self.snapshot
        symlinks = any(skipped.reason is SkipReason.SYMLINK for skipped in seen.skipped)
        return not (seen.broken or seen.cut_short or symlinks or self.duplicates or self.broken_links)

    def only(self, rules: Collection[Rule]) -> Self:
        """The same report with the findings of some rules."""
        return replace(self, findings=tuple(found for found in self.findings if found.rule in rules))

    def exit_code(self, fail_on: Severity = Severity.ERROR) -> ExitCode:
        """3 when not all could be seen, 1 when a finding is at least that severe, else 0."""
        unseen = (SkipReason.UNREADABLE, SkipReason.VANISHED)
        unreadable = any(skipped.reason in unseen for skipped in self.snapshot.skipped) or any(
            broken.code is BrokenCode.UNREADABLE for broken in self.snapshot.broken
        )
        if unreadable or self.snapshot.cut_short:
            return ExitCode.CANNOT_RUN
        fails = any(finding.rule.severity >= fail_on for finding in self.findings)
        return ExitCode.FINDINGS if fails else ExitCode.OK


def together(reports: Iterable[Report]) -> Report | None:
    """Several reports as one; None of none."""
    found = tuple(reports)
    if len(found) < 2:  # noqa: PLR2004 - nothing to join
        return next(iter(found), None)
    return Report(
        snapshot=merged(report.snapshot for report in found),
        duplicates={item: places for report in found for item, places in report.duplicates.items()},
        broken_links=[link for report in found for link in report.broken_links],
        findings=by_place(dict.fromkeys(finding for report in found for finding in report.findings)),
    )


def merged(parts: Iterable[Snapshot]) -> Snapshot:
    """Several vaults as one, for a report's counts."""
    found = tuple(parts)
    return Snapshot(
        (Scope.TEAM,),
        stored=tuple(item for part in found for item in part.stored),
        broken=tuple(item for part in found for item in part.broken),
        skipped=tuple(item for part in found for item in part.skipped),
        cut_short=tuple(why for part in found for why in part.cut_short),
        scanned_bytes=sum(part.scanned_bytes for part in found),
    )
