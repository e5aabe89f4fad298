"""Makes eccmem/mcp/handshake.json: what the SDK's own server says to each way of beginning a connection.

Run it after a change of the tools, of the version or of the SDK: ``python tests/mcp/handshakes.py``.
"""

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from eccmem.mcp import handshake, server

CLIENT = {"name": "a client", "version": "1"}
FILE = Path(handshake.DATA)


def envelope(version: str) -> dict[str, Any]:
    """What a modern request says of itself."""
    return {handshake.VERSION_KEY: version, handshake.CAPABILITIES_KEY: {}, handshake.CLIENT_KEY: CLIENT}


def initialize(version: str) -> dict[str, Any]:
    """The params of initialize."""
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}


def said(requests: list[tuple[str, dict[str, Any]]]) -> list[bytes]:
    """The lines that the SDK's stdio transport would write: the answers to these requests of one connection."""

    async def converse() -> list[bytes]:
        inbox, source = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        sink, outbox = anyio.create_memory_object_stream[SessionMessage](math.inf)
        served = server.build(None)
        lines = []
        async with outbox, inbox, anyio.create_task_group() as group:
            group.start_soon(served.run, source, sink, served.create_initialization_options())
            for number, (method, params) in enumerate(requests):
                request = types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=params)
                await inbox.send(SessionMessage(request))
                answer = await outbox.receive()
                # As mcp.server.stdio does it.
                lines.append(answer.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await inbox.aclose()
        return lines

    return asyncio.run(converse())


def result(line: bytes) -> Any:
    """The result of an answer."""
    return json.loads(line)["result"]


def alike(one: Any, other: Any) -> bool:
    """Whether two results are the same bytes."""
    return json.dumps(one) == json.dumps(other)


def made() -> dict[str, Any]:
    """The data: each different reply once, and for each version which are its own.

    ``initialize`` differs in the version alone; the tools differ in the order of their keys.
    """
    openings: dict[str, Any] = {}
    listings = {}
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        openings[version], listings[version] = map(
            result, said([("initialize", initialize(version)), ("tools/list", {})])
        )
    first = next(iter(openings.values()))
    for version, opening in openings.items():
        assert alike(opening, first | {"protocolVersion": version})
    (modern,) = MODERN_PROTOCOL_VERSIONS
    meta = {"_meta": envelope(modern)}
    discovered, listings[modern] = map(result, said([("server/discover", meta), ("tools/list", meta)]))
    different = list({json.dumps(listing): listing for listing in listings.values()}.values())
    return {
        "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "modern": modern,
        "initialize": first,
        "discover": discovered,
        "tools/list": {
            version: next(place for place, each in enumerate(different) if alike(each, listing))
            for version, listing in listings.items()
        },
        "listings": different,
    }


def text() -> str:
    """The whole file."""
    return json.dumps(made(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
