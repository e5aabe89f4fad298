"""Which project a call is about, wherever the server was started; and nothing is made where there is none."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Serve
from eccmem.errors import EccmemError
from eccmem.mcp.place import Surroundings
from eccmem.model import DEFAULT_SCOPES, Scope
from serving import Client, written

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_save", {"title": "t", "body": "b"}),
    ("memory_search", {}),
    ("memory_read", {"id": "mem_abc"}),
    ("memory_doctor", {}),
]


def refusals(client: Client) -> set[str]:
    found = set()
    for tool, arguments in CALLS:
        code, message = client.refusal(tool, **arguments)
        assert code in {"MEMORY_WRITE_REJECTED", "MEMORY_SEARCH_FAILED", "MEMORY_READ_FAILED", "MEMORY_DOCTOR_FAILED"}
        found.add(message)
    return found


def test_a_home_folder_is_no_project(serve: Serve, home: Path) -> None:
    """Nor is a folder of it that lies in no repository of its own, when the home folder is one."""
    client = serve(cwd=home)
    client.begin()

    (message,) = refusals(client)
    assert "home folder" in message
    assert "ECC_MEMORY_PROJECT_ROOT" in message
    assert str(home) not in message
    assert list(home.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="there are several roots")
def test_the_root_of_the_file_system_is_no_project(serve: Serve) -> None:
    """Zed starts servers there."""
    client = serve(cwd=Path("/"))
    client.begin()

    (message,) = refusals(client)
    assert "root of the file system" in message
    assert not Path("/.ecc").exists()


@pytest.mark.skipif(os.name != "posix", reason="a folder in use cannot be deleted")
def test_a_deleted_folder_is_no_project(serve: Serve, tmp_path: Path) -> None:
    """It is asked for at each call."""
    folder = tmp_path / "gone"
    folder.mkdir()
    client = serve(cwd=folder)
    client.begin()
    assert client.call("memory_search")["results"] == []
    folder.rmdir()

    (message,) = refusals(client)
    assert "no longer exists" in message
    assert not folder.exists()


@pytest.mark.parametrize("name", [".codex", "elsewhere"])
def test_the_folder_of_codex_is_no_project(serve: Serve, home: Path, name: str) -> None:
    """Its app server asks for the tools there."""
    folder = home / name
    folder.mkdir()
    client = serve(cwd=folder, CODEX_HOME=str(folder) if name == "elsewhere" else "")
    client.begin()

    assert refusals(client)
    assert list(folder.iterdir()) == []


def test_a_home_folder_that_is_a_repository(home: Path) -> None:
    """Of settings, say: what is saved below it would be for every project that is none."""
    (home / ".git").mkdir()
    (home / "notes").mkdir()
    around = Surroundings(here=lambda: home / "notes", env={}, home=home)

    with pytest.raises(EccmemError, match="home folder"):
        around.vault(DEFAULT_SCOPES, ())


def test_the_user_scope_needs_no_project(serve: Serve, home: Path) -> None:
    """It lies in the home folder."""
    client = serve(cwd=home, ECC_MEMORY_ALLOW_USER_SCOPE="1")
    client.begin()

    saved = client.call("memory_save", title="t", body="b", scope="user")["memory"]
    assert client.call("memory_read", id=saved["id"], scope="user")["memory"]["body"] == "b"
    assert written(home / ".ecc/memory/notes") == [f"{saved['id']}.md"]
    assert client.refusal("memory_search", scopes=["user", "project"])


def test_a_named_root_is_taken_anywhere(serve: Serve, home: Path, tmp_path: Path) -> None:
    """The person said so."""
    client = serve(cwd=home, ECC_MEMORY_PROJECT_ROOT=str(tmp_path / "vault"))
    client.begin()

    saved = client.call("memory_save", title="t", body="b")["memory"]
    assert written(tmp_path / "vault/project") == [f"{saved['id']}.md"]


def test_a_folder_of_a_checkout_is_the_checkout(serve: Serve, checkout: Path) -> None:
    """And a linked worktree is its own."""
    (checkout / "deep/er").mkdir(parents=True)
    client = serve(cwd=checkout / "deep/er")
    client.begin()
    saved = client.call("memory_save", title="t", body="b")["memory"]
    assert (checkout / f".ecc/memory/project/notes/{saved['id']}.md").is_file()

    subprocess.run(["git", "worktree", "add", "-q", "../linked"], cwd=checkout, check=True)
    other = serve(cwd=checkout.parent / "linked")
    other.begin()
    assert other.call("memory_search")["results"] == []
    saved = other.call("memory_save", title="t", body="b")["memory"]
    assert (checkout.parent / f"linked/.ecc/memory/project/notes/{saved['id']}.md").is_file()


# --- The folders of a client ----------------------------------------------------------------------------------


def offering(serve: Serve, cwd: Path) -> Client:
    client = serve(cwd=cwd)
    client.begin(capabilities={"roots": {}})
    return client


def call_with_roots(client: Client, answer: dict[str, Any]) -> dict[str, Any]:
    """Search; the server is to ask for the roots first."""
    call = {"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "memory_search"}}
    client.say(call)
    asked = client.hear()
    assert asked["method"] == "roots/list"
    client.say({"jsonrpc": "2.0", "id": asked["id"], **answer})
    heard = client.hear()
    assert heard["id"] == "call"
    result: dict[str, Any] = heard["result"]
    return result


def roots(*uris: str) -> dict[str, Any]:
    return {"result": {"roots": [{"uri": uri, "name": "x"} for uri in uris]}}


def test_the_client_says_where_the_project_is(serve: Serve, home: Path, checkout: Path) -> None:
    """Its first folder that is one; names are escaped in URIs."""
    odd = checkout.parent / "a b é%20"
    odd.mkdir()
    client = offering(serve, home)

    assert call_with_roots(client, roots(home.as_uri(), odd.as_uri(), checkout.as_uri()))["isError"] is False
    client.say(
        {"jsonrpc": "2.0", "id": 9, "method": "tools/call"}
        | {"params": {"name": "memory_save", "arguments": {"title": "t", "body": "b"}}}
    )
    client.say({"jsonrpc": "2.0", "id": client.hear()["id"], **roots(odd.as_uri())})
    assert client.hear()["result"]["isError"] is False
    assert len(written(odd / ".ecc")) == 1


@pytest.mark.parametrize(
    "answer",
    [
        roots(),
        roots("https://example.invalid/x", "file://elsewhere/x", "file:///no/such/folder", "file:///", "file:///%00"),
        {"error": {"code": -32601, "message": "no"}},
        {"result": {"roots": "x"}},
        {"result": {}},
    ],
    ids=["none", "none that is here", "error", "nonsense", "nothing"],
)
def test_a_client_without_a_folder_for_us(serve: Serve, home: Path, answer: dict[str, Any]) -> None:
    """The call is refused as if it had none, and the server goes on."""
    client = offering(serve, home)

    assert call_with_roots(client, answer)["isError"] is True
    assert client.silent()
    assert list(home.iterdir()) == []


def test_a_client_that_does_not_answer(serve: Serve, home: Path) -> None:
    """It waits some seconds, no longer; an answer that comes later is nothing."""
    client = offering(serve, home)
    client.say({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "memory_search"}})
    asked = client.hear()
    heard = client.hear()
    while "method" in heard:  # it tells the client that it waits no more
        heard = client.hear()

    assert heard["id"] == "call"
    assert heard["result"]["isError"] is True
    client.say({"jsonrpc": "2.0", "id": asked["id"], **roots(home.as_uri())})
    assert client.silent()


def test_nobody_is_asked_without_need(serve: Serve, checkout: Path) -> None:
    """In a project, or where the client has no such thing."""
    client = offering(serve, checkout)

    assert client.call("memory_search")["results"] == []


def test_only_the_user_scope_is_looked_up_at_home(home: Path, checkout: Path) -> None:
    """With a second scope the project counts."""
    around = Surroundings(here=lambda: checkout, env={}, home=home)

    assert around.vault([Scope.USER], ()).user == around.vault([Scope.USER, Scope.TEAM], ()).user
    assert around.vault([Scope.USER, Scope.TEAM], ()).checkout == checkout
