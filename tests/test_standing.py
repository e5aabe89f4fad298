"""Where a repository stood and how far it has moved; trailers; what waits for a harness; the text of a hand-off."""

import os
from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import Save, git
from eccmem import handoff, inbox, standing, trailers, vault
from eccmem.errors import Refused
from eccmem.model import DEFAULT_SCOPES, Kind, Scope, Status
from eccmem.roots import VaultRoots
from eccmem.standing import Moved, Standing

# --- Trailers -------------------------------------------------------------------------------------------------


def test_trailers_are_the_last_paragraph_alone() -> None:
    """Where each of its lines is one; a body of one paragraph has none, and prose among them makes them prose."""
    assert trailers.values("Text.\n\nHead: a\nHead: b\nHead: a", "Head") == ["a", "b"]
    assert trailers.values("Text.\r\n\r\nHead: a\r\nOther: b", "Head") == ["a"]
    assert trailers.lines_of("Head: a") == []
    assert trailers.lines_of("Text.\n\nHead: a\nand so on") == []
    assert trailers.lines_of("Text.\n\nHead: a\n\nMore text.") == []


def test_trailers_join_those_that_are_there() -> None:
    """In one paragraph, and none twice."""
    once = trailers.added("Text.", ["Head: a"])

    assert once == "Text.\n\nHead: a"
    assert trailers.added(once, ["Head: a", "Branch: b"]) == "Text.\n\nHead: a\nBranch: b"
    assert trailers.added("Text.", []) == "Text."


# --- Standing -------------------------------------------------------------------------------------------------


def standing_of(checkout: Path) -> Standing:
    repository = standing.repository(checkout, os.environ)
    assert repository
    return standing.now(repository)


def moved(checkout: Path, head: str) -> Moved:
    repository = standing.repository(checkout, os.environ)
    assert repository
    return standing.since(repository, head)


def commit(checkout: Path, name: str) -> None:
    (checkout / name).write_text(name)
    git(checkout, "add", name)
    git(checkout, "commit", "-q", "-m", name)


def test_where_a_repository_stands_is_its_branch_and_commit(checkout: Path) -> None:
    """Of a detached HEAD the commit alone, on a branch without commits the branch."""
    head = git(checkout, "rev-parse", "HEAD").strip()

    assert standing_of(checkout) == Standing("main", head)
    git(checkout, "checkout", "-q", "--detach")
    assert standing_of(checkout) == Standing("", head)
    git(checkout, "checkout", "-q", "--orphan", "empty/one")
    assert standing_of(checkout) == Standing("empty/one", "")
    assert standing.repository(checkout.parent, os.environ) is None


def test_a_branch_name_that_no_memory_may_hold_is_left_out(checkout: Path) -> None:
    """Git allows names that reorder text, hide some, or look like a credential."""
    for name in ("a\u202eb", "a\u200b\u200bb", fake_key()):
        git(checkout, "checkout", "-q", "-b", name)
        assert standing_of(checkout).branch == ""
    git(checkout, "checkout", "-q", "-b", "größe/ümlaut")
    assert standing_of(checkout).branch == "größe/ümlaut"


def test_a_standing_goes_into_a_body_and_comes_out_of_it() -> None:
    """The last of each trailer counts; a head that is no object id is none, whatever else it may be to Git."""
    there = Standing("main", "0" * 40)
    body = standing.recorded("Text.", there)

    assert body == f"Text.\n\nBranch: main\nHead: {'0' * 40}"
    assert standing.of(body) == there
    assert standing.of(standing.recorded(body, Standing("other", "1" * 64))) == Standing("other", "1" * 64)
    for hostile in ("--output=/etc/passwd", "HEAD", "main", "0" * 39, f"{'0' * 40}..HEAD", "A" * 40):
        assert standing.of(f"Text.\n\nHead: {hostile}").head == ""
    assert standing.of(f"Text.\n\nBranch: {'x' * 5000}").branch == ""


def test_how_far_a_repository_has_moved(checkout: Path) -> None:
    """Commits and files since; a rewritten branch has left some; an unknown commit is unknown."""
    head = standing_of(checkout).head
    assert moved(checkout, head) == Moved(known=True)

    commit(checkout, "a.txt")
    commit(checkout, "b.txt")
    assert moved(checkout, head) == Moved(known=True, commits=2, files=2)
    late = standing_of(checkout).head
    git(checkout, "reset", "-q", "--hard", head)
    commit(checkout, "c.txt")
    assert moved(checkout, late) == Moved(known=True, commits=1, left=2, files=3)
    assert moved(checkout, "1" * 40) == Moved(known=False)


def test_a_blob_is_no_commit_to_have_moved_from(checkout: Path) -> None:
    """A head that names something else that is there is unknown."""
    assert moved(checkout, git(checkout, "rev-parse", "HEAD:README.md").strip()) == Moved(known=False)


def test_a_partial_clone_fetches_nothing_for_a_memory(checkout: Path, tmp_path: Path) -> None:
    """The commit that a memory names may be anything: the transport is never started."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--no-local", "--filter=blob:none", f"file://{checkout}", "clone")
    marker = tmp_path / "started"
    program = tmp_path / "upload-pack"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
    program.chmod(0o755)
    git(clone, "config", "remote.origin.uploadpack", str(program))

    assert moved(clone, "1" * 40) == Moved(known=False)
    assert not marker.exists()


# --- The inbox ------------------------------------------------------------------------------------------------


def ids(vault_roots: VaultRoots, harness: str = "claude") -> list[str]:
    return [item.memory.id for item in inbox.waiting(vault.worktree(vault_roots, DEFAULT_SCOPES), harness)]


def test_what_waits_is_active_addressed_and_unanswered(checkout: Path, vault: VaultRoots) -> None:
    """The oldest first, from both scopes."""
    base = {"kind": Kind.HANDOFF, "target_harnesses": ("claude",)}
    put(checkout, memory("mem_new", created_at="2026-07-27T00:00:00.000Z", **base))
    put(checkout, memory("mem_old", created_at="2026-07-25T00:00:00.000Z", scope=Scope.TEAM, **base))
    put(checkout, memory("mem_all", **base | {"target_harnesses": ("all",)}))
    put(checkout, memory("mem_gemini", **base | {"target_harnesses": ("gemini",)}))
    put(checkout, memory("mem_retired", status=Status.SUPERSEDED, **base))
    put(checkout, memory("mem_note"))

    assert ids(vault) == ["mem_old", "mem_all", "mem_new"]
    assert ids(vault, "gemini") == ["mem_all", "mem_gemini"]
    assert ids(vault, "unheard-of") == ["mem_all"]


@pytest.mark.parametrize(
    ("status", "links", "body", "answered"),
    [
        (Status.ACTIVE, ("mem_asked",), "Done.\n\nAnswers: mem_asked", True),
        (Status.SUPERSEDED, ("mem_asked",), "Done.\n\nAnswers: mem_asked", True),
        (Status.REJECTED, ("mem_asked",), "Done.\n\nAnswers: mem_asked", False),
        (Status.ACTIVE, (), "Done.\n\nAnswers: mem_asked", False),
        (Status.ACTIVE, ("mem_asked",), "Answers: mem_asked\n\nNot a trailer.", False),
        (Status.ACTIVE, ("mem_asked",), "A link alone.", False),
    ],
)
def test_an_answer_names_and_links(checkout: Path, vault: VaultRoots, status, links, body, answered) -> None:
    """A link alone answers nothing, nor does a rejected memory."""
    put(checkout, memory("mem_asked", kind=Kind.HANDOFF))
    put(checkout, memory("mem_answer", status=status, links=links, body=body))

    assert ids(vault) == ([] if answered else ["mem_asked"])


def test_no_hand_off_answers_itself(checkout: Path, vault: VaultRoots) -> None:
    """One that says so would hide itself from everybody."""
    put(checkout, memory("mem_sly", kind=Kind.HANDOFF, links=("mem_sly",), body="Hide.\n\nAnswers: mem_sly"))

    assert ids(vault) == ["mem_sly"]


@pytest.mark.parametrize(
    ("earlier", "seconds", "shown"),
    [
        ("2026-07-26T20:00:00.000Z", 0, "just now"),
        ("2026-07-26T19:59:00.000Z", 60, "1 minute old"),
        ("2026-07-26T17:59:59.000Z", 7201, "2 hours old"),
        ("2026-07-24T19:00:00.000Z", 176_400, "2 days old"),
        ("2026-07-26T20:00:01.999Z", -1, "dated in the future"),
        ("0000-03-01T00:00:00.000Z", 63_947_131_200, "740128 days old"),
    ],
)
def test_ages(earlier: str, seconds: int, shown: str) -> None:
    """In the largest unit; the format has a year 0, which Python's calendar does not."""
    assert inbox.seconds_between(earlier, "2026-07-26T20:00:00.000Z") == seconds
    assert inbox.age(seconds) == shown


# --- Answers, through the intake ------------------------------------------------------------------------------


def test_an_answer_is_linked_and_named(save: Save) -> None:
    """In the same paragraph as what it supersedes."""
    asked = save(title="Asked", kind="handoff").memory.id
    old = save(title="Old").memory.id

    answer = save(title="Answer", body="Done.", answers=(asked,), supersedes=(old,), links=(asked,)).memory

    assert answer.links == (asked, old)
    assert answer.body == f"Done.\n\nSupersedes: {old}\nAnswers: {asked}"


def test_what_is_no_hand_off_is_not_answered(save: Save) -> None:
    """Nor what is not there, nor what its readers cannot see."""
    note = save().memory.id
    private = save(title="Private", kind="handoff").memory.id

    for answers, scope, slug in (
        ((note,), "project", "not-a-handoff"),
        (("mem_gone",), "project", "memory-not-found"),
        ((private,), "team", "memory-not-found"),
    ):
        with pytest.raises(Refused) as refused:
            save(title="Answer", scope=scope, answers=answers)
        assert refused.value.slug == slug


# --- The text of a hand-off -----------------------------------------------------------------------------------


def test_what_was_not_filled_in_is_taken_out() -> None:
    """Hints, and headings with nothing below; what the person added stays."""
    text = handoff.TEMPLATE.replace("## Evidence\n", "## Evidence\nIt ran.\n\n## My own\n")
    text = text.replace(f"{handoff.NEXT_ACTION} ", f"{handoff.NEXT_ACTION} push")

    assert handoff.written(text) == (
        "## Evidence\nIt ran.\n\n## My own\n\n## Remaining work, risks, next action\n\nNext action: push"
    )


@pytest.mark.parametrize(
    "said",
    [
        "",
        "   ",
        "\n\n## Another heading\ntext",
        "\u00a0",
        "\n<!-- What is left, what could go wrong, what to do first. -->",
    ],
)
def test_an_empty_next_action_is_refused(said: str) -> None:
    """Blanks, a hint and what stands below another heading are no action."""
    with pytest.raises(Refused) as refused:
        handoff.written(handoff.TEMPLATE.replace(f"{handoff.NEXT_ACTION} ", f"{handoff.NEXT_ACTION}{said}"))
    assert refused.value.slug == "no-next-action"
    with pytest.raises(Refused):
        handoff.written("No such line.")


def test_a_next_action_may_stand_on_the_lines_below() -> None:
    """As people write lists."""
    assert handoff.written("Next action:\n\n1. push\n2. watch\n").endswith("1. push\n2. watch")
    assert handoff.written("next action: push") == "next action: push"
