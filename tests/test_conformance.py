"""The recorded verdicts of the reference implementation: what it takes we take, byte for byte, and nothing else."""

import base64
import gzip
import hashlib
import json
from pathlib import Path

import pytest

from eccmem import document, intake
from eccmem.errors import Refused
from eccmem.model import Memory

DATA = Path(__file__).parent / "data" / "conformance"


def rows(name: str):
    """The cases of a file, as parameters named as in the file; a line ends at LF alone, for texts hold U+2028."""
    cases = [json.loads(line) for line in (DATA / name).read_bytes().split(b"\n") if line]
    assert len({case["name"] for case in cases}) == len(cases)
    return [pytest.param(case, id=case["name"]) for case in cases]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def json_form(memory: Memory) -> dict[str, object]:
    """A memory in the reference's names; written out, so that a change of ours cannot change the comparison."""
    return {
        "schema": "ecc.memory.v1",
        "id": memory.id,
        "title": memory.title,
        "kind": memory.kind.value,
        "scope": memory.scope.value,
        "trust": "unreviewed",
        "status": memory.status.value,
        "sourceHarness": memory.source_harness,
        "targetHarnesses": [*memory.target_harnesses],
        "tags": [*memory.tags],
        "links": [*memory.links],
        "createdAt": memory.created_at,
        "updatedAt": memory.updated_at,
        "body": memory.body,
    }


# --- Reading --------------------------------------------------------------------------------------------------


def source(case: dict[str, str]) -> bytes:
    """The bytes of the file that a case is about."""
    if "source_b64" in case:
        return base64.b64decode(case["source_b64"])
    return gzip.decompress(base64.b64decode(case["source_gz_b64"]))


@pytest.mark.parametrize("case", rows("parse.jsonl"))
def test_a_file_is_read_as_the_reference_reads_it(case):
    """The same files are memories, and hold the same values after trimming; for large bodies the digest is compared."""
    if case["verdict"] == "invalid":
        with pytest.raises(document.InvalidDocument):
            document.parse(source(case))
        return
    found = json_form(document.parse(source(case)))
    if "body_sha256" in case:
        assert sha256(str(found.pop("body"))) == case["body_sha256"]
    assert found == case["memory"]


@pytest.mark.parametrize("case", [row for row in rows("parse.jsonl") if row.values[0]["verdict"] == "ok"])
def test_what_is_read_is_written_in_one_form(case):
    """However a memory was written, our form says the same and does not change again."""
    memory = document.parse(source(case))
    data = document.serialize(memory)
    assert document.parse(data) == memory
    assert document.serialize(document.parse(data)) == data


# --- Writing --------------------------------------------------------------------------------------------------

DRAFT_FIELDS = {
    "title": "title",
    "body": "body",
    "kind": "kind",
    "scope": "scope",
    "sourceHarness": "source_harness",
    "targetHarnesses": "target_harnesses",
    "tags": "tags",
    "links": "links",
}
NOT_TO_CHOOSE = {"trust", "status", "schema"}


def draft(given: dict[str, object]) -> intake.Draft:
    """The draft that an input asks for; what nobody may choose has no place in a draft, so it cannot be obeyed."""
    assert given.keys() <= {*DRAFT_FIELDS, *NOT_TO_CHOOSE, "id"}
    values: dict[str, object] = {"title": None, "body": None}
    for name, value in given.items():
        if name not in DRAFT_FIELDS:
            continue
        if isinstance(value, dict):
            value = value["repeat"] * value["times"]  # noqa: PLW2901 - it stands for a long text
        values[DRAFT_FIELDS[name]] = tuple(value) if isinstance(value, list) else value
    return intake.Draft(**values)


@pytest.mark.parametrize("case", rows("save.jsonl"))
def test_a_draft_is_saved_as_the_reference_saves_it(case, vault, home, checkout):
    """The same drafts are taken, and the files that come of them have the same names and the same bytes."""

    def save() -> intake.Saved:
        return intake.save(
            draft(case["input"]),
            vault,
            clock=lambda: case["fixed_now"],
            make_id=lambda _now: case["input"].get("id", case["fixed_id"]),
        )

    if case["verdict"] == "refused":
        with pytest.raises(Refused) as caught:
            save()
        assert caught.value.slug == "invalid-memory"
        assert not [*checkout.rglob("*.md")][1:]
        assert not (home / ".ecc").exists()
        assert not (checkout / ".ecc").exists()
        return
    memory = save().memory
    scope, _, relative = case["path"].partition(":")
    folder = home / ".ecc" / "memory" if scope == "user" else checkout / ".ecc" / "memory" / scope
    data = (folder / relative).read_bytes()
    if "document" in case:
        assert data == case["document"].encode()
    else:
        assert hashlib.sha256(data).hexdigest() == case["document_sha256"]
    assert document.parse(data) == memory


def test_every_recorded_case_is_tried():
    """The files are whole: a lost line would be a lost promise."""
    assert [len(rows(name)) for name in ("parse.jsonl", "save.jsonl")] == [357, 58]
