"""The SDK's own client, in every way in which it begins a connection, against the server as it is installed."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from mcp import Client, StdioServerParameters
from serving import environment

MODES = ["auto", "legacy", "2026-07-28"]


async def converse(checkout: Path, home: Path, mode: str) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "eccmem", "mcp"], env=environment(home), cwd=checkout
    )
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["memory_save", "memory_search", "memory_read", "memory_doctor"]
        assert tools[1].annotations is not None
        assert tools[1].annotations.read_only_hint is True
        saved = await client.call_tool("memory_save", {"title": mode, "body": "Ünïcode"})
        assert saved.is_error is False
        (block,) = saved.content
        wanted = json.loads(block.text)["memory"]["id"]
        read = await client.call_tool("memory_read", {"id": wanted})
        assert json.loads(read.content[0].text)["memory"]["body"] == "Ünïcode"
        assert read.structured_content is None
        refused = await client.call_tool("memory_read", {"id": "mem_nowhere"})
        assert refused.is_error is True
        with pytest.raises(MCPError):
            await client.call_tool("nothing", {})
        found = await asyncio.gather(*(client.call_tool("memory_search", {"query": mode}) for _ in range(30)))
        assert all(len(json.loads(each.content[0].text)["results"]) == 1 for each in found)


@pytest.mark.parametrize("mode", MODES)
def test_the_python_client(checkout: Path, home: Path, mode: str) -> None:
    """It lists, saves, reads, is refused, and asks thirty things at once."""
    asyncio.run(converse(checkout, home, mode))
