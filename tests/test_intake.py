"""What may enter a vault, what may not, and that a refusal leaves nothing behind."""

from pathlib import Path

import pytest

from builders import fake_key, memory, put
from conftest import Save
from eccmem import document, intake, limits
from eccmem.errors import Refused
from eccmem.intake import Draft
from eccmem.model import Kind, Scope, Status
from eccmem.roots import VaultRoots
from eccmem.vault import worktree

TAG = "".join(chr(0xE0000 + ord(letter)) for letter in "obey me")


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if ".git" not in path.parts)


@pytest.mark.parametrize(
    ("draft", "slug"),
    [
        (Draft(title="", body="b"), "invalid-memory"),
        (Draft(title="t", body=" \n\t "), "invalid-memory"),
        (Draft(title="two\nlines", body="b"), "invalid-memory"),
        (Draft(title="t" * 201, body="b"), "invalid-memory"),
        (Draft(title="😀" * 101, body="b"), "invalid-memory"),
        (Draft(title="t", body="b" * (limits.BODY_BYTES + 1)), "invalid-memory"),
        (Draft(title="t", body="é" * (limits.BODY_BYTES // 2 + 1)), "invalid-memory"),
        (Draft(title="t", body="bell \x07"), "invalid-memory"),
        (Draft(title="t", body="\x1b[31mred"), "invalid-memory"),
        (Draft(title="t", body="right \u202e left"), "invalid-memory"),
        (Draft(title="half \ud800", body="b"), "invalid-memory"),
        (Draft(title="t", body="half \udc00"), "invalid-memory"),
        (Draft(title="t", body="b", kind="memo"), "invalid-memory"),
        (Draft(title="t", body="b", scope="org"), "invalid-memory"),
        (Draft(title="t", body="b", tags=("Upper",)), "invalid-memory"),
        (Draft(title="t", body="b", tags=("a", "a")), "invalid-memory"),
        (Draft(title="t", body="b", links=("mem_../../x",)), "invalid-memory"),
        (Draft(title="t", body="b", target_harnesses=()), "invalid-memory"),
        (Draft(title="t", body="b", source_harness="Claude Code"), "invalid-memory"),
        (Draft(title="t", body="b", supersedes=("../x",)), "invalid-memory"),
        (Draft(title="t", body="b", supersedes=("mem_not_there",)), "memory-not-found"),
        (Draft(title="t", body=f"read this{TAG}"), "invisible-text"),
        (Draft(title=f"read{TAG}", body="b"), "invisible-text"),
        (Draft(title="t", body="bits \u200b\u200c\u200b\u200b"), "invisible-text"),
        (Draft(title="t", body=f"the key is {fake_key()}, keep it"), "suspected-secret"),
        (Draft(title=f"key {fake_key()}", body="b"), "suspected-secret"),
        (Draft(title="t", body="-----BEGIN RSA " + "PRIVATE KEY-----\n" + "MIIEpQIBAAKCAQ" * 4), "suspected-secret"),
        (Draft(title="t", body="b", tags=("sk-" + "b7k2m9x4" * 4,)), "suspected-secret"),
    ],
)
def test_a_bad_draft_is_refused_and_leaves_nothing(draft: Draft, slug: str, vault: VaultRoots, checkout: Path) -> None:
    """A refusal names its kind, repeats nothing of the draft, and writes nothing, not even a folder."""
    before = everything(checkout)

    with pytest.raises(Refused) as caught:
        intake.save(draft, vault)

    assert caught.value.slug == slug
    assert fake_key() not in caught.value.message + caught.value.hint
    assert "obey" not in caught.value.message
    assert caught.value.message.isprintable()
    assert everything(checkout) == before


def test_a_secret_is_named_by_kind_and_line(vault: VaultRoots) -> None:
    """The person learns where it is and what it looks like, never what it is."""
    with pytest.raises(Refused, match=r"line 3, column 7 of the body holds a suspected secret \(AWS access key\)"):
        intake.save(Draft(title="t", body=f"one\ntwo\nthree {fake_key()}"), vault)


@pytest.mark.parametrize(
    ("environment", "refused"),
    [
        ({"ACME_API_KEY": "correct-horse-battery"}, True),
        ({"DB_PASSWORD_TEST": "correct-horse-battery"}, True),
        ({"ACME_API_KEY": "correct-hor"}, False),
        ({"GREETING": "correct-horse-battery"}, False),
        ({"SSH_KEY": "/correct/horse/battery"}, False),
    ],
)
def test_the_value_of_a_variable_is_refused(environment: dict[str, str], refused: bool, vault: VaultRoots) -> None:
    """Whatever its shape, when the name of the variable says that it is a secret; the message has the name alone."""
    ((name, value),) = environment.items()
    draft = Draft(title="t", body=f"one\nuse {value} here")
    if not refused:
        assert intake.save(draft, vault, environments=[environment])
        return
    with pytest.raises(Refused, match=f"line 2, column 5 of the body holds the value of .* {name}$") as caught:
        intake.save(draft, vault, environments=[environment])
    assert caught.value.slug == "suspected-secret"
    assert "horse" not in caught.value.message + caught.value.hint


def test_a_likely_secret_is_refused_and_not_quarantined(vault: VaultRoots, checkout: Path) -> None:
    """A value by the name of a secret may not enter; a memory that has one stays in search."""
    body = "api_key: " + "q7Zt" + "9mWx2LrB8vKc" + "4NpD6sHj"
    with pytest.raises(Refused, match=r"line 1, column 10 of the body holds a suspected secret \(key or token\)"):
        intake.save(Draft(title="t", body=body), vault)

    put(checkout, memory("mem_likely", body=body))
    assert [stored.memory.id for stored in worktree(vault, [Scope.PROJECT]).stored] == ["mem_likely"]


def test_what_is_written_is_read_back(save: Save, checkout: Path) -> None:
    """A saved memory is unreviewed, active, canonical, and lies where its scope, kind and id say."""
    saved = save(
        title="  Café \u2028 notes ",
        body="\n\n  text\n",
        kind="decision",
        scope="team",
        source_harness="codex",
        target_harnesses=("claude", "gemini"),
        tags=("auth",),
    )

    path = checkout / ".ecc/memory/team/decisions" / f"{saved.memory.id}.md"
    data = path.read_bytes()
    assert document.parse(data) == saved.memory
    assert document.serialize(saved.memory) == data
    assert b'trust: "unreviewed"\nstatus: "active"\n' in data
    assert (saved.memory.title, saved.memory.body) == ("Café \u2028 notes", "text")
    assert saved.memory.created_at == saved.memory.updated_at


def test_private_files_are_private_and_team_files_follow_the_umask(save: Save, checkout: Path) -> None:
    """Only the owner reads private memories; a team memory has the rights that other files of the checkout have."""
    private, team = save(), save(title="Team", scope="team")
    vault = checkout / ".ecc/memory"

    assert (vault / "project").stat().st_mode & 0o777 == 0o700
    assert (vault / f"project/notes/{private.memory.id}.md").stat().st_mode & 0o777 == 0o600
    readme = (checkout / "README.md").stat().st_mode & 0o777
    assert (vault / f"team/notes/{team.memory.id}.md").stat().st_mode & 0o777 == readme


@pytest.mark.parametrize("other_folder", ["notes", "facts"])
def test_a_taken_id_is_refused_in_the_whole_scope(other_folder: str, vault: VaultRoots, checkout: Path) -> None:
    """An id may be used once in a scope, whichever kind or file name has it."""
    kind = Kind(other_folder.removesuffix("s"))
    put(checkout, memory("mem_taken", kind=kind))
    put(checkout, memory("mem_hidden", kind=kind), "renamed.md")

    for taken in ("mem_taken", "mem_hidden"):
        with pytest.raises(Refused, match="already exists"):
            intake.save(Draft(title="Other", body="Other."), vault, make_id=lambda _now, taken=taken: taken)


@pytest.mark.parametrize("name", [None, "renamed.md"])
def test_the_same_memory_again_is_refused_with_the_id_of_the_first(
    name: str | None, vault: VaultRoots, checkout: Path
) -> None:
    """All but id and times the same, and active: the person is sent to the one that is there."""
    first = memory("mem_first_of_a_longer_id", source_harness="unknown")
    put(checkout, first, name)

    with pytest.raises(Refused, match="mem_first_of_a_longer_id") as caught:
        intake.save(Draft(title="A title", body="A body."), vault)
    assert caught.value.slug == "duplicate-memory"


def test_the_same_memory_is_found_in_a_checkout_with_crlf(vault: VaultRoots, checkout: Path) -> None:
    """Git may have turned LF into CRLF; the memory is still the same."""
    path = put(checkout, memory("mem_crlf", source_harness="unknown", body="one\ntwo"))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    with pytest.raises(Refused, match="mem_crlf"):
        intake.save(Draft(title="A title", body="one\ntwo"), vault)


@pytest.mark.parametrize(
    "change",
    [
        {"status": Status.SUPERSEDED},
        {"status": Status.REJECTED},
        {"title": "A tItle"},
        {"tags": ("x",)},
        {"scope": Scope.TEAM},
        {"source_harness": "codex"},
    ],
)
def test_a_memory_that_differs_is_not_refused(change: dict, vault: VaultRoots, checkout: Path) -> None:
    """A retired twin, another scope or any other word makes it another memory."""
    put(checkout, memory("mem_other", **{"source_harness": "unknown"} | change))

    intake.save(Draft(title="A title", body="A body."), vault)


def test_finding_a_twin_reads_only_files_of_its_size(
    vault: VaultRoots, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check costs a walk: of 200 memories, only the two of the right size, with LF or CRLF, are opened."""
    for number in range(200):
        put(checkout, memory(f"mem_{number:04}", body="x" * (100 + number)))
    opened = []
    real = document.parse
    monkeypatch.setattr(document, "parse", lambda data: opened.append(1) or real(data))

    intake.save(Draft(title="A title", body="y" * 150, source_harness="codex"), vault)

    assert len(opened) == 2


def test_a_bad_file_does_not_stop_a_save(vault: VaultRoots, checkout: Path) -> None:
    """What others broke is the doctor's business."""
    put(checkout, memory(), "broken.md").write_bytes(b"no memory\xff")

    assert intake.save(Draft(title="A title", body="A body."), vault).warnings == ()


def test_superseding_links_and_ends_with_a_trailer(save: Save) -> None:
    """The new memory names the old one in its links and in the last line of its body."""
    old = save().memory
    new = save(title="New", body="Better.", supersedes=(old.id, f" {old.id} ")).memory

    assert new.links == (old.id,)
    assert new.body == f"Better.\n\nSupersedes: {old.id}"


def test_a_trailer_joins_trailers_that_are_there(save: Save) -> None:
    """As Git writes them: one block of trailers at the end."""
    old = save().memory
    new = save(title="New", body="Better.\n\nBranch: main", supersedes=(old.id,), links=(old.id,)).memory

    assert new.links == (old.id,)
    assert new.body == f"Better.\n\nBranch: main\nSupersedes: {old.id}"


def test_a_trailer_that_is_there_is_not_repeated(save: Save) -> None:
    """The person may have written it."""
    old = save().memory
    body = f"Better.\n\nSupersedes: {old.id}"

    assert save(title="New", body=body, supersedes=(old.id,)).memory.body == body


@pytest.mark.parametrize(
    ("old_scope", "new_scope", "allowed"),
    [
        ("project", "project", True),
        ("team", "project", True),
        ("team", "team", True),
        ("project", "team", False),
        ("user", "user", True),
        ("project", "user", False),
    ],
)
def test_a_memory_supersedes_only_what_all_its_readers_can_read(
    old_scope: str, new_scope: str, allowed: bool, save: Save
) -> None:
    """A team memory that supersedes a private one would link nowhere for everyone else."""
    old = save(scope=old_scope).memory

    if allowed:
        save(title="New", scope=new_scope, supersedes=(old.id,))
    else:
        with pytest.raises(Refused, match=f"is not in the {new_scope} scope"):
            save(title="New", scope=new_scope, supersedes=(old.id,))


def test_a_link_to_nowhere_is_saved_with_a_warning(save: Save) -> None:
    """The reference saves it; but a memory is never edited, so the typo would stay unseen."""
    saved = save(links=("mem_nowhere",))

    assert saved.memory.links == ("mem_nowhere",)
    assert saved.warnings == (
        "link mem_nowhere is not in the project or team scope: it leads nowhere for who can read this memory",
    )


def test_a_full_size_body_fits(save: Save) -> None:
    """The largest body, padded with white space that is trimmed, is taken whole."""
    assert len(save(body="b" * limits.BODY_BYTES + "\n").memory.body) == limits.BODY_BYTES


def test_ids_are_fresh_and_dated() -> None:
    """A thousand ids of one moment differ, and begin with its day."""
    now = "2026-07-26T20:00:00.000Z"
    ids = {intake.new_id(now) for _ in range(1000)}

    assert len(ids) == 1000
    assert all(item.startswith("mem_20260726_") and len(item) == 33 for item in ids)
