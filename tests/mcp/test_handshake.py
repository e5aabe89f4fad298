"""What is said before the SDK is there is what the SDK says, to the byte, in every version it speaks."""

import json

import handshakes
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from conftest import Serve
from eccmem.mcp import handshake
from serving import Client

(MODERN,) = MODERN_PROTOCOL_VERSIONS
META = {"_meta": handshakes.envelope(MODERN)}


def test_the_data_is_fresh() -> None:
    """Else run tests/mcp/handshakes.py."""
    assert handshakes.FILE.read_text("utf-8") == handshakes.text()


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, MODERN, "2024-10-07", "1.0", "", "2099-01-01"])
def test_the_handshake_of_a_version(serve: Serve, version: str) -> None:
    """The replies to initialize, tools/list and ping, and what is agreed on when the version is not known."""
    requests = [("initialize", handshakes.initialize(version)), ("tools/list", {}), ("ping", {})]
    client = serve()
    client.say(*({"jsonrpc": "2.0", "id": n, "method": m, "params": p} for n, (m, p) in enumerate(requests)))

    assert [client.line() for _ in requests] == handshakes.said(requests)


def test_the_modern_handshake(serve: Serve) -> None:
    """The replies to server/discover and tools/list."""
    requests = [("server/discover", META), ("tools/list", META)]
    client = serve()
    client.say(*({"jsonrpc": "2.0", "id": n, "method": m, "params": p} for n, (m, p) in enumerate(requests)))

    assert [client.line() for _ in requests] == handshakes.said(requests)


ODD = [
    ("unknown version", [("server/discover", {"_meta": handshakes.envelope("2027-01-01")})]),
    ("version is no text", [("server/discover", {"_meta": META["_meta"] | {handshake.VERSION_KEY: 1}})]),
    ("no capabilities", [("tools/list", {"_meta": {handshake.VERSION_KEY: MODERN}})]),
    ("modern ping", [("server/discover", META), ("ping", META)]),
    ("list without an envelope", [("server/discover", META), ("tools/list", {})]),
    ("initialize after discover", [("server/discover", META), ("initialize", handshakes.initialize(MODERN))]),
    ("envelope after initialize", [("initialize", handshakes.initialize("2025-11-25")), ("tools/list", META)]),
    ("what we do not have", [("initialize", handshakes.initialize("2025-11-25")), ("resources/list", {})]),
    ("what nobody has", [("initialize", handshakes.initialize("2025-11-25")), ("foo/bar", {})]),
    ("no such tool", [("initialize", handshakes.initialize("2025-11-25")), ("tools/call", {"name": "rm"})]),
    ("modern unknown method", [("foo/bar", META)]),
]  # fmt: skip


@pytest.mark.parametrize("requests", [odd[1] for odd in ODD], ids=[odd[0] for odd in ODD])
def test_the_sdk_judges_the_rest(serve: Serve, requests: list[tuple[str, dict[str, object]]]) -> None:
    """What is not as clients send it gets the SDK's own words too."""
    client = serve()
    answers = []
    for number, (method, params) in enumerate(requests):
        client.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answers.append(json.loads(client.line()))

    assert answers == [json.loads(line) for line in handshakes.said(requests)]


def test_before_the_handshake(serve: Serve) -> None:
    """Only a ping is answered; a probe without an envelope learns that there is no such method."""
    client = serve()
    client.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert client.ask("ping")["result"] == {}
    assert client.ask("ping", {"_meta": {"progressToken": 1}})["result"] == {}
    for method in ("tools/list", "tools/call", "foo"):
        assert client.ask(method)["error"]["code"] == -32002
    assert client.ask("server/discover")["error"]["code"] == -32601
    for wrong in ({}, {"capabilities": []}, {"clientInfo": {"name": 1, "version": "1"}}, {"clientInfo": None}):
        params = handshakes.initialize("2025-11-25") | wrong if wrong else {}
        assert client.ask("initialize", params)["error"]["code"] == -32602
    assert client.begin()["result"]["protocolVersion"] == "2025-06-18"


def test_after_the_handshake(client: Client) -> None:
    """There is one only; and what clients add to params is welcome."""
    assert client.ask("initialize", handshakes.initialize("2025-11-25"))["error"]["code"] == -32600
    for params in ({"_meta": {"progressToken": 0}}, {"_meta": None}, {"cursor": "x"}, {"task": {}}):
        assert len(client.ask("tools/list", params)["result"]["tools"]) == 4


def test_what_clients_say_of_themselves_is_not_judged(serve: Serve) -> None:
    """Capabilities change from version to version; the SDK never sees those of this client."""
    client = serve()
    client.begin(capabilities={"roots": {"listChanged": "yes"}, "elicitation": 7, "x": []}, more=1)

    assert client.call("memory_search")["results"] == []
