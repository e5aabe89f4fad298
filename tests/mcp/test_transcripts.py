"""What six real harnesses send is answered as written down: recorded frames, golden answers.

``tests/data/mcp/<harness>.json`` holds the frames, ``<harness>.answers.json`` what they are to get.
``python tests/mcp/test_transcripts.py`` writes the answers anew, to be read before they are committed.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from eccmem import __version__
from serving import Client

DATA = Path(__file__).parents[1] / "data/mcp"
RECORDED = sorted(path for path in DATA.glob("*.json") if not path.name.endswith(".answers.json"))


def answers(client: Client, frames: list[str]) -> list[dict[str, Any]]:
    """Replay a recording; what is asked is waited for before the next is said, as harnesses do."""
    heard = []
    for frame in frames:
        client.say(frame)
        if "id" in json.loads(frame):
            heard.append(client.hear())
    assert client.silent()
    assert client.end() == 0
    return [masked(answer) for answer in heard]


def masked(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with the parts that are tested elsewhere, or change with each release, left out; text as its JSON."""
    text = json.dumps(answer).replace(json.dumps(__version__), '"VERSION"')
    result = json.loads(text)
    tools = result.get("result", {}).get("tools")
    if tools:
        result["result"]["tools"] = [tool["name"] for tool in tools]
    for block in result.get("result", {}).get("content", []):
        block["text"] = json.loads(block["text"])
    return result


def environment(session: dict[str, Any], client: str) -> dict[str, str]:
    """What the harness handed on, with values of ours."""
    values = {"LANG": "C.UTF-8", "TERM": "dumb", "GEMINI_CLI": "1", "ECC_MEMORY_HARNESS": client.partition("-")[0]}
    return {name: values[name] for name in session["env_passed"] if name in values}


def replayed(path: Path, checkout: Path, home: Path) -> list[list[dict[str, Any]]]:
    recording = json.loads(path.read_text("utf-8"))
    found = []
    for session in recording["sessions"]:
        with Client(checkout, home, **environment(session, recording["client"])) as client:
            found.append(answers(client, session["frames"]))
    return found


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_a_harness_is_answered(path: Path, checkout: Path, home: Path) -> None:
    """In an empty vault; no id is left without an answer, and none gets two."""
    golden = json.loads(path.with_suffix(".answers.json").read_text("utf-8"))

    assert replayed(path, checkout, home) == golden


def test_all_are_there() -> None:
    """Six of them."""
    names = {path.name.rpartition("-")[0] for path in RECORDED}
    assert names == {"claude-code", "codex", "copilot-cli", "gemini-cli", "hermes", "opencode"}


if __name__ == "__main__":
    for path in RECORDED:
        with tempfile.TemporaryDirectory() as scratch:
            (Path(scratch) / "repo/.git").mkdir(parents=True)
            (Path(scratch) / "home").mkdir()
            found = replayed(path, Path(scratch) / "repo", Path(scratch) / "home")
        path.with_suffix(".answers.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
