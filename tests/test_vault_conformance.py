"""The recorded vaults: our doctor's report holds the reference's, field for field, and search finds what it found."""

import json
from pathlib import Path

import pytest

from eccmem import contract, doctor, roots, search, vault
from eccmem.finding import Severity
from eccmem.model import DEFAULT_SCOPES, Scope
from eccmem.output import as_json

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/conformance/vault.jsonl").read_text("utf-8").split("\n")
    if line
]


def lay(files: dict, repository: Path, home: Path) -> None:
    for name, content in files.items():
        path = home.joinpath(*name.split("/")[1:]) if name.startswith("home/") else repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_bytes(content.encode())
        else:
            path.symlink_to(content["symlink"])


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_doctor_and_search_agree_with_the_reference(row: dict, tmp_path: Path) -> None:
    """Every field that the reference reports has its value, and only its problems are errors."""
    repository, home = tmp_path / "repo", tmp_path / "home"
    repository.mkdir()
    home.mkdir()
    lay(row["files"], repository, home)
    places = roots.resolve(repository, {}, home)
    scopes = [Scope(scope) for scope in row["options"].get("scopes", DEFAULT_SCOPES)]
    harness = row["options"].get("harness")

    snapshot = vault.worktree(places, scopes)
    report = doctor.examine(snapshot, places, {})
    payload = as_json.doctor(report)

    assert {name: payload[name] for name in row["doctor"]} == row["doctor"]
    assert contract.violations("doctor", payload) == []
    errors = [finding for finding in report.findings if finding.rule.severity is Severity.ERROR]
    assert bool(errors) == (not row["doctor"]["ok"])
    hits = search.search(snapshot, "", search.Filters(harness=harness), 100).hits
    assert sorted(hit.memory.id for hit in hits) == sorted(row["active_ids"])
