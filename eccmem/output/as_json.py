"""Payloads for programs: the reference's fields under its names, and ours added; each has a schema in ``schemas/``.

Content is not altered: a program that shows it has to make it safe itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eccmem import limits
from eccmem.finding import SkipReason
from eccmem.model import SCHEMA, TRUST, Memory, Scope
from eccmem.vault import BrokenCode, Snapshot

if TYPE_CHECKING:  # a command loads only what it runs
    from collections.abc import Sequence

    from eccmem.errors import EccmemError
    from eccmem.init import Initialized
    from eccmem.intake import Saved
    from eccmem.read import Reading
    from eccmem.report import Report
    from eccmem.roots import VaultRoots
    from eccmem.search import Found, Hit

Payload = dict[str, object]

_MESSAGES = {
    BrokenCode.INVALID: "Memory document is invalid or unreadable.",
    BrokenCode.LOCATION: "Memory metadata does not match its vault location.",
    BrokenCode.SECRET: "Memory document was quarantined.",
}


def summary(memory: Memory) -> Payload:
    """A memory without its body."""
    return {
        "schema": SCHEMA,
        "id": memory.id,
        "title": memory.title,
        "kind": memory.kind,
        "scope": memory.scope,
        "trust": TRUST,
        "status": memory.status,
        "sourceHarness": memory.source_harness,
        "targetHarnesses": list(memory.target_harnesses),
        "tags": list(memory.tags),
        "links": list(memory.links),
        "createdAt": memory.created_at,
        "updatedAt": memory.updated_at,
    }


def whole(memory: Memory) -> Payload:
    """A memory with its body."""
    return summary(memory) | {"body": memory.body}


def init(roots: VaultRoots, scopes: Sequence[Scope], done: Initialized) -> Payload:
    """``eccmem init``: the scopes, where they are, and their folders."""
    places = {scope: str(roots.of(scope).path) for scope in Scope if scope is not Scope.USER or roots.user}
    return {
        "schemaVersion": "ecc.memory.init.v1",
        "scopes": list(scopes),
        "roots": places,
        "directories": list(done.folders),
        "created": list(done.made),
        "warnings": list(done.warnings),
    }


def write(saved: Saved) -> Payload:
    """``eccmem save`` and ``eccmem handoff``."""
    memory = saved.memory
    return {
        "schemaVersion": "ecc.memory.write.v1",
        "memory": summary(memory),
        "path": f"{memory.scope}:{memory.kind.folder}/{memory.id}.md",
        "warnings": list(saved.warnings),
    }


def search(query: str, found: Found, snapshot: Snapshot, *, explain: bool = False) -> Payload:
    """``eccmem search``; with ``explain``, which terms matched each result, and which none."""
    payload: Payload = {
        "schemaVersion": "ecc.memory.search.v1",
        "query": query,
        "results": [_hit(hit, explain=explain) for hit in found.hits],
        "diagnostics": diagnostics(snapshot),
    }
    if explain:
        payload["unmatched"] = list(found.unmatched)
        payload["replaced"] = {term: list(others) for term, others in found.replaced.items()}
    return payload


def _hit(hit: Hit, *, explain: bool) -> Payload:
    shown: Payload = {
        "memory": summary(hit.memory),
        "score": round(hit.score, 6),
        "excerpt": hit.excerpt,
        "marks": [list(mark) for mark in hit.marks],
        "duplicates": list(hit.duplicates),
    }
    return shown | {"matched": list(hit.matched)} if explain else shown


def read(reading: Reading) -> Payload:
    """``eccmem read``."""
    return {
        "schemaVersion": "ecc.memory.read.v1",
        "memory": whole(reading.stored.memory),
        "path": reading.stored.place.vault_path,
        "backlinks": [summary(memory) for memory in reading.backlinks],
        "backlinksTruncated": reading.backlinks_truncated,
    }


def doctor(report: Report) -> Payload:
    """``eccmem doctor``: the reference's report, then our findings."""
    most = limits.DIAGNOSTICS
    snapshot = report.snapshot
    duplicates = [
        {"id": item, "paths": [place.vault_path for place in places]} for item, places in report.duplicates.items()
    ]
    links = [
        {"sourceId": stored.memory.id, "targetId": link, "path": stored.place.vault_path}
        for stored, link in report.broken_links
    ]
    unusable = diagnostics(snapshot)
    cut = bool(unusable["diagnosticsTruncated"]) or len(duplicates) > most or len(links) > most
    return {
        "schemaVersion": "ecc.memory.doctor.v1",
        "ok": report.ok,
        "memoryCount": len(snapshot.stored),
        **unusable,
        "duplicateIds": duplicates[:most],
        "duplicateIdCount": len(duplicates),
        "brokenLinks": sorted(links[:most], key=lambda link: link["sourceId"]),
        "brokenLinkCount": len(links),
        "diagnosticsTruncated": cut,
        "findings": [
            {
                "rule": finding.rule.id,
                "severity": finding.rule.severity.word,
                "path": finding.path,
                "line": finding.line,
                "message": finding.message,
                "remedy": finding.remedy,
            }
            for finding in report.findings[:most]
        ],
        "findingCount": len(report.findings),
        "cutShort": list(snapshot.cut_short),
    }


def error(problem: EccmemError) -> Payload:
    """Any command that failed."""
    return {"error": {"code": problem.slug, "message": problem.message, "hint": problem.hint}}


def diagnostics(snapshot: Snapshot) -> Payload:
    """What was not taken, as the reference reports it, with what we skip besides."""
    most = limits.DIAGNOSTICS
    symlinks = [skipped.vault_path for skipped in snapshot.skipped if skipped.reason is SkipReason.SYMLINK]
    others = [skipped for skipped in snapshot.skipped if skipped.reason is not SkipReason.SYMLINK]
    return {
        "invalidFiles": [{"path": broken.place.vault_path, **_code(broken.code)} for broken in snapshot.broken[:most]],
        "invalidFileCount": len(snapshot.broken),
        "skippedSymlinks": symlinks[:most],
        "skippedSymlinkCount": len(symlinks),
        "skipped": [{"path": skipped.vault_path, "reason": skipped.reason} for skipped in others[:most]],
        "skippedCount": len(others),
        "scannedBytes": snapshot.scanned_bytes,
        "truncated": bool(snapshot.cut_short),
        "diagnosticsTruncated": any(len(found) > most for found in (snapshot.broken, symlinks, others)),
    }


def _code(code: BrokenCode) -> Payload:
    """The reference knows three codes; to it, unreadable is invalid."""
    known = BrokenCode.INVALID if code is BrokenCode.UNREADABLE else code
    return {"code": known.value, "message": _MESSAGES[known]}
