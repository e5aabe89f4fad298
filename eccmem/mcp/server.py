"""The official SDK's server, fed by our transport: it knows the protocol, the tools know the vault."""

import asyncio
import logging
import math
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit
from urllib.request import url2pathname

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from eccmem import __version__, limits
from eccmem.mcp import tools as toolwork
from eccmem.mcp.tools import Answer, Tools
from eccmem.mcp.toolset import INSTRUCTIONS, NAME, SCHEMAS, TOOLS

Message = dict[str, Any]
Context = ServerRequestContext[Any]


def build(tools: Tools | None) -> Server[Any]:
    """The server with its four tools; without an implementation it can do all but call them."""
    listed = types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in TOOLS])
    # One after the other: a tool may take seconds, and what it works on is one vault.
    worker = ThreadPoolExecutor(1, "eccmem-tool")

    async def on_list_tools(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    async def on_call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in SCHEMAS or tools is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: this server has {', '.join(SCHEMAS)}")
        try:
            offered = await _offered(context) if tools.around.needs_offer() else []
            answer = await _in(worker, _Job(tools, params.name, params.arguments or {}, offered))
        except Exception as error:  # noqa: BLE001 - the exit door of tools: the SDK would send the text of the error
            message = f"eccmem failed ({type(error).__name__}); this is our fault, please report it"
            answer = toolwork.failure(toolwork.FAILED[params.name], message)
        return types.CallToolResult(content=[types.TextContent(text=answer.text)], is_error=answer.failed)

    return Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )


class _Job:
    """A call to a tool, which is not begun any more once it was cancelled."""

    def __init__(self, tools: Tools, tool: str, arguments: dict[str, object], offered: list[Path]) -> None:
        self._work = (tools, tool, arguments, offered)
        self.cancelled = False

    def __call__(self) -> Answer:
        tools, tool, arguments, offered = self._work
        return Answer("") if self.cancelled else tools.call(tool, arguments, offered)


async def _in(worker: ThreadPoolExecutor, job: _Job) -> Answer:
    """Run a job; a cancelled one keeps its place until the worker has passed it, so that places stay bounded."""
    future = asyncio.get_running_loop().run_in_executor(worker, job)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        job.cancelled = True
        with anyio.CancelScope(shield=True):
            await future
        raise


async def _offered(context: Context) -> list[Path]:
    """The folders that the client has open, if it says so in time."""
    client = context.session.client_params
    if client is None or client.capabilities.roots is None:
        return []
    with anyio.move_on_after(limits.ROOTS_SECONDS):
        try:
            answer = await context.session.list_roots()
        except (MCPError, ValueError):
            return []
        return [folder for root in answer.roots if (folder := _local(str(root.uri))) is not None]
    return []


def _local(uri: str) -> Path | None:
    """The folder that a ``file:`` URI names; None for another one, or one of another machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        return None
    path = url2pathname(parts.path)  # which takes the escapes off, too
    return None if "\0" in path else Path(path)


# --- Between the threads ------------------------------------------------------------------------------------------


class _Outbox:
    """Where the SDK sends what goes to the client."""

    def __init__(self, deliver: Callable[[Message], None]) -> None:
        self._deliver = deliver

    async def send(self, item: SessionMessage) -> None:
        self._deliver(item.message.model_dump(mode="json", by_alias=True, exclude_unset=True))

    async def aclose(self) -> None:
        """Nothing to close: the transport owns the wire."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


def run(
    tools: Tools,
    attach: Callable[[Callable[[Message], None]], None],
    deliver: Callable[[Message], None],
    unanswered: Callable[[int], None],
) -> None:
    """Serve one connection, in the calling thread, for as long as the process lives.

    Args:
        tools: what the tools do.
        attach: is given the function that takes messages of the client, from any thread.
        deliver: takes each message that goes to the client.
        unanswered: takes the id of a request that ended without an answer.
    """
    # It logs what it was sent and tracebacks with it; neither belongs on anybody's screen.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # of roots, which older clients still have
    anyio.run(_serve, tools, attach, deliver, unanswered)


async def _serve(
    tools: Tools,
    attach: Callable[[Callable[[Message], None]], None],
    deliver: Callable[[Message], None],
    unanswered: Callable[[int], None],
) -> None:
    loop = asyncio.get_running_loop()
    # Not bounded here: the transport admits so many calls, and little else.
    inbox, source = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)

    def take(message: Message) -> None:
        try:
            inbox.send_nowait(_session_message(message, unanswered))
        except ValueError:  # half characters, where the SDK wants text
            if "id" in message:
                error = {"code": types.INVALID_PARAMS, "message": "Invalid request parameters"}
                deliver({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def feed(message: Message) -> None:
        loop.call_soon_threadsafe(take, message)

    server = build(tools)
    attach(feed)
    await server.run(source, _Outbox(deliver), server.create_initialization_options())


def _session_message(message: Message, unanswered: Callable[[int], None]) -> SessionMessage:
    if "method" not in message:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(message, by_name=False))
    if "id" not in message:
        return SessionMessage(types.JSONRPCNotification(**message))

    async def settled() -> None:
        unanswered(message["id"])

    return SessionMessage(types.JSONRPCRequest(**message), ServerMessageMetadata(on_request_unanswered=settled))
