"""Between the wire and the SDK: answers the handshake at once, bounds everything, and lets the SDK do the rest.

What the transport answers itself, for as long as the connection lives: mistakes on the wire, ``initialize``,
``server/discover``, ``tools/list``, ``ping``. Where one of these is not quite as clients send it, the SDK judges it.
"""

from __future__ import annotations

import threading
import time

from eccmem import limits
from eccmem.mcp import frames, handshake
from eccmem.mcp.engine import Engine
from eccmem.mcp.frames import Invalid, Notification, Request, Response
from eccmem.mcp.handshake import Handshake
from eccmem.mcp.pending import Pending
from eccmem.mcp.wire import Gone, TooLong, Wire

TYPE_CHECKING = False  # see eccmem.mcp.frames
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from eccmem.mcp.tools import Tools

_TICK = 0.005
_NOT_READY = "Server not initialized: send initialize first"


class Transport:
    """One connection, from its first line to its last."""

    def __init__(self, wire: Wire, tools: Callable[[], Tools], complain: Callable[[BaseException], str]) -> None:
        """Prepare it.

        Args:
            wire: where the client is.
            tools: makes the tools; called when the SDK is loaded, in its thread.
            complain: tells a person of the error that makes all calls fail, and returns what to tell the client.
        """
        self._wire = wire
        self._engine = Engine(tools, self._deliver, self._unanswered, self._fail)
        self._complain = complain
        self._handshake = Handshake()
        self._pending = Pending()
        self._delivering = threading.Lock()
        self._asked: set[int | str] = set()
        self._broken = ""
        # The version that was negotiated; the modern one when requests say themselves what they are.
        self._version = ""

    def run(self) -> bool:
        """Serve until the client is gone; return whether the SDK could be used."""
        while True:
            try:
                line = self._wire.receive(limits.IDLE_SECONDS if self._version and not self._engine.started else None)
                if line is None:
                    self._engine.start()
                else:
                    self._take(line)
            except TooLong:
                self._refuse(None, frames.PARSE_ERROR, f"Parse error: at most {limits.MESSAGE_BYTES} bytes a message")
            except Gone:
                break
        self._finish()
        return not self._broken

    def _finish(self) -> None:
        """Let calls that are almost done end."""
        end = time.monotonic() + limits.LAST_CALLS_SECONDS
        while len(self._pending) and time.monotonic() < end:
            time.sleep(_TICK)
        # What is being written is no longer pending.
        if self._delivering.acquire(timeout=max(0.0, end - time.monotonic())):
            self._delivering.release()

    # --- From the client ------------------------------------------------------------------------------------------

    def _take(self, line: bytes) -> None:
        try:
            frame = frames.read(line)
        except Invalid as mistake:
            self._refuse(mistake.id, mistake.code, mistake.message)
            return
        if isinstance(frame, Request):
            self._answer(frame, len(line))
        elif isinstance(frame, Notification):
            self._note(frame)
        elif isinstance(frame, Response) and frame.id in self._asked:
            self._asked.discard(frame.id)
            self._engine.feed(frame.message)

    def _answer(self, request: Request, size: int) -> None:
        enveloped = handshake.is_enveloped(request)
        if not self._version:
            if enveloped and request.method != "initialize":
                self._open_modern()
            else:
                self._open(request)
                return
        modern = self._version == self._handshake.modern
        if request.method == "initialize" and not modern:
            self._refuse(request.id, frames.INVALID_REQUEST, "Invalid request: the server is initialized already")
        elif request.method == "ping" and not enveloped:
            self._reply(request, {})
        elif enveloped == modern and (not modern or handshake.is_plain(request, self._version)):
            if request.method == "tools/list":
                self._reply(request, self._handshake.tools(self._version))
                self._engine.start()
            elif request.method == "server/discover" and modern:
                self._reply(request, self._handshake.discover())
            else:
                self._forward(request, size)
        else:
            self._forward(request, size)

    def _open(self, request: Request) -> None:
        """The first requests of a connection that begins with ``initialize``."""
        if request.method == "initialize":
            try:
                params = handshake.checked_initialize(request.params)
            except ValueError:
                message = "Invalid params: protocolVersion, capabilities and clientInfo with name and version"
                self._refuse(request.id, frames.INVALID_PARAMS, message)
                return
            self._version = self._handshake.negotiate(params["protocolVersion"])
            self._reply(request, self._handshake.initialize(self._version))
            self._replay("initialize", params)
            self._engine.feed({"jsonrpc": "2.0", "method": "notifications/initialized"})
        elif request.method == "ping":
            self._reply(request, {})
        elif request.method == "server/discover":
            # A probe without an envelope is of no version that has the method: the client falls back to initialize.
            self._refuse(request.id, frames.METHOD_NOT_FOUND, "Method not found")
        else:
            self._refuse(request.id, frames.NOT_INITIALIZED, _NOT_READY)

    def _open_modern(self) -> None:
        self._version = self._handshake.modern
        envelope = {handshake.VERSION_KEY: self._version, handshake.CAPABILITIES_KEY: {}}
        self._replay("server/discover", {"_meta": envelope})

    def _replay(self, method: str, params: dict[str, Any]) -> None:
        """Tell the SDK how the connection began; its answer has been given already, and is dropped."""
        self._engine.feed({"jsonrpc": "2.0", "id": self._pending.number(), "method": method, "params": params})

    def _forward(self, request: Request, size: int) -> None:
        if self._broken:
            self._refuse(request.id, frames.INTERNAL_ERROR, self._broken)
            return
        if self._pending.uses(request.id):
            self._refuse(request.id, frames.INVALID_REQUEST, "Invalid request: a call with this id is not done yet")
            return
        number = self._pending.admit(request.id, size)
        if number is None:
            self._refuse(request.id, frames.BUSY, f"Server busy: at most {limits.PENDING_CALLS} calls at once; wait")
            return
        self._engine.start()
        self._engine.feed({"jsonrpc": "2.0", "id": number, "method": request.method, "params": request.params})

    def _note(self, notification: Notification) -> None:
        """Of all notifications, only a cancelled call means something to us."""
        if notification.method == "notifications/cancelled":
            number = self._pending.cancel(notification.params.get("requestId"))
            if number is not None:
                params = {"requestId": number}
                self._engine.feed({"jsonrpc": "2.0", "method": notification.method, "params": params})

    # --- To the client --------------------------------------------------------------------------------------------

    def _reply(self, request: Request, result: object) -> None:
        self._wire.send(frames.result(request.id, result))

    def _refuse(self, frame_id: int | str | None, code: int, message: str) -> None:
        self._wire.send(frames.error(frame_id, code, message))

    def _deliver(self, message: dict[str, Any]) -> None:
        """Send what the SDK says; called in its thread."""
        with self._delivering:
            if "method" not in message:
                client_id = self._pending.settle(message.get("id"))
                if client_id is None:
                    return
                message["id"] = client_id
                line = frames.encode(message)
                if len(line) > limits.MESSAGE_BYTES:
                    line = frames.error(client_id, frames.TOO_LARGE, "The response is too large: ask for less")
            else:
                if "id" in message:
                    self._asked.add(message["id"])
                line = frames.encode(message)
            try:
                self._wire.send(line)
            except Gone:
                return  # the thread that receives sees it too

    def _unanswered(self, number: int) -> None:
        self._pending.settle(number)

    def _fail(self, error: BaseException) -> None:
        """The SDK cannot be used: say so to everyone who waits, and to everyone who asks; called in its thread."""
        self._broken = self._complain(error)
        with self._delivering:
            for client_id in self._pending.forget():
                try:
                    self._refuse(client_id, frames.INTERNAL_ERROR, self._broken)
                except Gone:
                    return
