"""Side by side with the reference: each reads what the other wrote.

Runs when ``ECCMEM_REFERENCE_CHECKOUT`` names a checkout of the JavaScript tool with its packages installed.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from eccmem import document, intake
from eccmem.intake import Draft
from eccmem.model import Kind, Scope
from eccmem.roots import VaultRoots

REFERENCE = os.environ.get("ECCMEM_REFERENCE_CHECKOUT", "")
Run = Callable

pytestmark = pytest.mark.skipif(
    not REFERENCE or not shutil.which("node"), reason="no reference checkout is named by ECCMEM_REFERENCE_CHECKOUT"
)


def ecc(*argv: str, stdin: str = "") -> dict:
    """Run the reference's command and return its JSON."""
    done = subprocess.run(
        ["node", str(Path(REFERENCE, "scripts/memory.js")), *argv, "--json"],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


TEXTS = [
    ("plain", "A body."),
    ("Café 文 😀 \u2028 end", "tab\there\n\n---\n\nnot: frontmatter\n\u2029x"),
    ('quo"te \\ back', "naïve\r\nlines\rand\u00a0spaces"),
]


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("kind", [Kind.NOTE, Kind.HANDOFF])
@pytest.mark.parametrize(("title", "body"), TEXTS, ids=["plain", "unicode", "escapes"])
def test_what_eccmem_writes_the_reference_reads(
    title: str, body: str, kind: Kind, scope: Scope, vault: VaultRoots
) -> None:
    """Field for field, in every scope."""
    saved = intake.save(
        Draft(title=title, body=body, kind=kind, scope=scope, tags=("x",), target_harnesses=("claude",)), vault
    ).memory

    there = ecc("read", saved.id, "--scope", scope)["memory"]

    assert (there["title"], there["body"], there["tags"]) == (saved.title, saved.body, ["x"])
    assert ecc("doctor", "--scope", scope)["ok"] is True


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize(("title", "body"), TEXTS, ids=["plain", "unicode", "escapes"])
def test_what_the_reference_writes_eccmem_reads(
    title: str, body: str, scope: Scope, run: Run, checkout: Path, home: Path
) -> None:
    """Its memory, its search payload and its read payload have our fields; its bytes are our canonical form."""
    there = ecc("save", "--title", title, "--stdin", "--scope", scope, "--target", "gemini", stdin=body)
    memory_id = there["memory"]["id"]

    here = run("read", memory_id, "--scope", scope, "--json").json

    assert here["memory"] == there["memory"] | {"body": ecc("read", memory_id, "--scope", scope)["memory"]["body"]}
    assert here["path"] == there["path"]
    place = home if scope is Scope.USER else checkout
    data = next(place.rglob(f"{memory_id}.md")).read_bytes()
    assert document.serialize(document.parse(data)) == data


def test_both_doctors_say_the_same(run: Run, checkout: Path) -> None:
    """On a vault that both wrote to, and that has a problem."""
    run("init")
    ecc("save", "--title", "theirs", "--stdin", stdin="b")
    (checkout / ".ecc/memory/project/notes/bad.md").write_text("not a memory")

    theirs, ours = ecc("doctor"), run("doctor", "--json").json

    assert {name: ours[name] for name in theirs} == theirs


def test_payloads_have_the_references_fields(run: Run, checkout: Path, body: Callable) -> None:
    """Every key that a program may rely on is there."""
    for argv in (["init"], ["search", "x"], ["doctor"], ["save", "--title", "t", "--body-file", body()]):
        ours = run(*argv, "--json").json
        theirs = ecc(*argv) if argv[0] != "save" else ecc("save", "--title", "u", "--body-file", body())
        assert theirs.keys() <= ours.keys(), argv
        for key in ("diagnostics", "memory"):
            assert theirs.get(key, {}).keys() <= ours.get(key, {}).keys()
