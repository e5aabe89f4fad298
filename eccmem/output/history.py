"""What commits tell of a memory, as text for people and as payloads for programs.

Who wrote a commit and when is always called a claim: anybody can write any name into one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eccmem import limits
from eccmem.lineage import What
from eccmem.output.terminal import line

if TYPE_CHECKING:  # a command loads only what it runs
    from collections.abc import Iterator

    from eccmem.claims import Claim, Person
    from eccmem.lineage import Change, Event
    from eccmem.log import Log
    from eccmem.provenance import Provenance
    from eccmem.roots import Root

Payload = dict[str, object]

_SHORT = 12
_CLAIMS = "Names, times and subjects are what commits claim, which nothing proves."
_SHALLOW = "This clone is shallow: what happened before is not here (git fetch --unshallow brings it)."


# --- eccmem log -----------------------------------------------------------------------------------------------


def text(log: Log) -> str:
    """The commits that did something to a memory, the newest first: what holds now stands at the top."""
    events = log.lineage.events
    lines = [
        f"History of {log.wanted} in the team scope, newest first",
        _CLAIMS,
        *([_SHALLOW] if log.shallow else []),
        *([] if log.lineage.files else ["The last commit does not have it."]),
    ]
    for event in reversed(events[-limits.RESULTS :]):
        claim = log.claims[event.commit]
        lines += ["", f"commit {event.commit}{' (merge)' if claim.parents > 1 else ''}"]
        lines += [f"  {_said(change, log.root)}" for change in event.changes[: limits.RESULTS]]
        lines += [f"  {each}" for each in _claimed(claim)]
    if len(events) > limits.RESULTS:
        lines += ["", f"… and {len(events) - limits.RESULTS} older commits"]
    return "\n".join(lines) + "\n"


def payload(log: Log) -> Payload:
    """``eccmem log``: the same for programs."""
    events = log.lineage.events
    return {
        "schemaVersion": "eccmem.log.v1",
        "id": log.wanted,
        "paths": [log.root.vault_path(path) for path in sorted(log.lineage.files)[: limits.RESULTS]],
        "shallow": log.shallow,
        "events": [_event(event, log) for event in reversed(events[-limits.RESULTS :])],
        "eventCount": len(events),
    }


_WORDS = {
    What.ADDED: "added: {new}",
    What.PRESENT: "was there already, as {new}: the commits before are not here",
    What.RESTORED: "restored: {new}",
    What.DELETED: "deleted: {old}",
    What.MOVED: "moved: {old} -> {new}",
    What.COPIED: "in a second file from here on: {new}",
    What.STATUS: "status: {status}",
    What.CHANGED: "changed: {names}",
    What.REWRITTEN: "written in another form, with the same fields and body",
    What.INVALID: "invalid: cannot be read as a memory from here on",
    What.REPAIRED: "repaired: can be read as a memory again",
    What.COMBINED: "merged: both sides had changed it{in_names}",
    What.KEPT_ONE_SIDE: "merged: kept one side, without what {commits} did{in_names}",
}


def _said(change: Change, root: Root) -> str:
    names = ", ".join(change.names)
    commits = [commit[:_SHORT] for commit in change.commits]
    more = len(commits) - limits.NAMED_PATHS
    return _WORDS[change.what].format(
        old=line(root.vault_path(change.old)),
        new=line(root.vault_path(change.new)),
        status=f"{change.old} -> {change.new}",
        names=names,
        in_names=f" ({names})" if names else "",
        commits=", ".join(commits[: limits.NAMED_PATHS]) + (f" and {more} more" if more > 0 else ""),
    )


def _event(event: Event, log: Log) -> Payload:
    return _commit(event.commit, log) | {
        "changes": [_change(change, log.root) for change in event.changes[: limits.RESULTS]]
    }


def _change(change: Change, root: Root) -> Payload:
    shown: Payload = {"what": change.what}
    for name, value in (("from", change.old), ("to", change.new)):
        if value:
            shown[name] = value if change.what is What.STATUS else root.vault_path(value)
    if change.names:
        shown["fields"] = list(change.names)
    if change.commits:
        shown["withoutCommits"] = list(change.commits[: limits.RESULTS])
    return shown


# --- eccmem read --history ------------------------------------------------------------------------------------


def told(log: Log | None, found: Provenance | None) -> list[str]:
    """Who added a memory, how its status changed, and which commit last changed each part of it."""
    if log is None:
        return ["History: none, because a private memory is never committed"]
    if not log.lineage.events or found is None:
        return ["History: none, because it is not committed"]
    lines = ["History:", *(f"  {note}" for note in [_CLAIMS, *([_SHALLOW] if log.shallow else [])])]
    for event in _milestones(log):
        lines += [f"  {_said(change, log.root)}" for change in event.changes[: limits.RESULTS]]
        lines.append(f"    by commit {event.commit[:_SHORT]}, {next(_claimed(log.claims[event.commit]))}")
    lines += [f"  {_origin(log, origin)}: {', '.join(names)}" for origin, names in _fields(found)]
    for part in found.body[: limits.RESULTS]:
        span = f"line {part.first}" if part.first == part.last else f"lines {part.first}-{part.last}"
        lines.append(f"  {_origin(log, part.origin)}: body, {span}")
    if len(found.body) > limits.RESULTS:
        lines.append(f"  … and {len(found.body) - limits.RESULTS} more parts of the body")
    if found.rough:
        lines.append("  Some of this may be older: there was too much to compare.")
    return lines


def told_payload(log: Log | None, found: Provenance | None) -> Payload:
    """The same for programs: the field ``history`` of ``eccmem read``."""
    if log is None or found is None or not log.lineage.events:
        return {"committed": False, "private": log is None}
    parts = found.body[: limits.RESULTS]
    named = {origin for origin, _ in _fields(found)} | {part.origin for part in parts}
    numbers = sorted((origin for origin in named if origin is not None), reverse=True)
    return {
        "committed": True,
        "shallow": log.shallow,
        "milestones": [_event(event, log) for event in _milestones(log)],
        "fields": [{"commit": _oid(log, origin), "fields": names} for origin, names in _fields(found)],
        "bodyLines": [{"commit": _oid(log, part.origin), "first": part.first, "last": part.last} for part in parts],
        "bodyLinesTruncated": len(found.body) > len(parts),
        "rough": found.rough,
        "commits": [_commit(log.lineage.events[number].commit, log) for number in numbers],
    }


def _milestones(log: Log) -> list[Event]:
    """The commits that made, unmade or retired the memory, the newest first."""
    kinds = {What.ADDED, What.PRESENT, What.RESTORED, What.DELETED, What.STATUS}
    found = [event for event in log.lineage.events if kinds & {change.what for change in event.changes}]
    return found[::-1][: limits.RESULTS]


def _fields(found: Provenance) -> list[tuple[int | None, list[str]]]:
    """The fields by their origin, what is not committed first, then the newest."""
    origins: dict[int | None, list[str]] = {}
    for name, origin in found.fields:
        origins.setdefault(origin, []).append(name)
    return sorted(origins.items(), key=lambda item: (item[0] is not None, -(item[0] or 0)))


def _oid(log: Log, origin: int | None) -> str | None:
    return None if origin is None else log.lineage.events[origin].commit


def _origin(log: Log, origin: int | None) -> str:
    return (
        "not committed yet"
        if origin is None
        else f"last changed by commit {log.lineage.events[origin].commit[:_SHORT]}"
    )


# --- Claims ---------------------------------------------------------------------------------------------------


def _claimed(claim: Claim) -> Iterator[str]:
    yield f"claimed author: {_person(claim.author)}"
    if claim.committer:
        yield f"claimed committer: {_person(claim.committer)}"
    yield f"subject: {line(claim.subject) or 'none'}"


def _person(person: Person) -> str:
    who = line(f"{person.name} <{person.email}>" if person.email else person.name, 2 * limits.SHOWN_CHARS)
    return f"{who or 'unknown'}, {person.date or 'at an unknown time'}"


def _commit(oid: str, log: Log) -> Payload:
    claim = log.claims[oid]
    return {
        "commit": oid,
        "merge": claim.parents > 1,
        "claimedAuthor": _named(claim.author),
        "claimedCommitter": _named(claim.committer) if claim.committer else None,
        "subject": claim.subject,
    }


def _named(person: Person) -> Payload:
    return {"name": person.name, "email": person.email, "date": person.date}
