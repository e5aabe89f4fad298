"""The SDK in a thread of its own: importing it takes half a second, in which the transport answers already."""

from __future__ import annotations

import gc
import threading

TYPE_CHECKING = False  # see eccmem.mcp.frames
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from eccmem.mcp.tools import Tools

    Message = dict[str, Any]


class Engine:
    """What works behind the transport; started once, when it is first needed."""

    def __init__(
        self,
        tools: Callable[[], Tools],
        deliver: Callable[[Message], None],
        unanswered: Callable[[int], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Prepare it.

        Args:
            tools: makes the tools; called in the thread.
            deliver: takes each message that goes to the client.
            unanswered: takes the number of a request that ended without an answer.
            failed: takes the error when the SDK cannot be loaded or breaks.
        """
        self._tools = tools
        self._deliver = deliver
        self._unanswered = unanswered
        self._failed = failed
        self._lock = threading.Lock()
        self._early: list[Message] = []
        self._feed: Callable[[Message], None] | None = None
        self._started = False

    @property
    def started(self) -> bool:
        """Whether it is loading, or loaded."""
        return self._started

    def start(self) -> None:
        """Begin to load, if that was not done yet."""
        if not self._started:
            self._started = True
            threading.Thread(target=self._run, name="eccmem-mcp", daemon=True).start()

    def feed(self, message: Message) -> None:
        """Hand over a message of the client, now or when it is loaded; loading is begun by :meth:`start` alone."""
        with self._lock:
            if self._feed is None:
                self._early.append(message)
            else:
                self._feed(message)

    def _run(self) -> None:
        # Nothing of what an import makes is garbage: looking for it costs a tenth of the time.
        gc.disable()
        try:
            from eccmem.mcp import server  # noqa: PLC0415 - the reason for this thread

            tools = self._tools()
            gc.enable()
            server.run(tools, self._attach, self._deliver, self._unanswered)
        except BaseException as error:  # noqa: BLE001 - a thread that dies unseen would leave every call unanswered
            self._failed(error)

    def _attach(self, feed: Callable[[Message], None]) -> None:
        with self._lock:
            for message in self._early:
                feed(message)
            self._early.clear()
            self._feed = feed
