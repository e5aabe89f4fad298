"""The wire: lines in and lines out, on descriptors that nothing else in the process has.

What a tool, a library or a child prints goes to standard error, and what it reads is empty.
Nothing here costs start-up time: a harness waits a second for the first answer, and Python's own start is in it.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections import deque

from eccmem import limits

_CHUNK = 64 * 1024
# A pipe that can be written to takes so many bytes without blocking (POSIX: PIPE_BUF is at least 512; Linux: 4096).
_AT_ONCE = 512 if sys.platform != "linux" else 4096
_HAS_POLL = hasattr(select, "poll")
_LEFT = getattr(select, "POLLERR", 0) | getattr(select, "POLLHUP", 0) | getattr(select, "POLLNVAL", 0)
_HUNG_UP = getattr(select, "POLLHUP", 0) | getattr(select, "POLLRDHUP", 0)


class Gone(Exception):
    """Nobody is at the other end any more."""


class TooLong(Exception):
    """A line was longer than a message may be; it was skipped."""


class Wire:
    """The two descriptors; one thread receives, any may send."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._sending = threading.Lock()
        self._lines: deque[bytes | None] = deque()  # None: a line that was too long
        self._part = bytearray()
        self._skipping = False
        self._ended = False

    @classmethod
    def claim(cls) -> Wire:
        """Take standard input and output away from the rest of the process.

        Raises:
            Gone: when one of them is closed.
        """
        try:
            source, sink = _moved(0), _moved(1)
        except OSError:
            raise Gone from None
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # there is no standard error
            os.dup2(nowhere, 1)
        os.close(nowhere)
        return cls(source, sink)

    def receive(self, seconds: float | None = None) -> bytes | None:
        """Return the next line without its end, or None when none came in time.

        Raises:
            TooLong: for a line of more than :data:`eccmem.limits.MESSAGE_BYTES`; the next call goes on behind it.
            Gone: when there are no more, or when nobody reads what we would say.
        """
        while not self._lines:
            if self._ended:
                raise Gone
            if not self._readable(seconds):
                return None
            try:
                self._take(os.read(self._source, _CHUNK))
            except OSError:
                raise Gone from None
        line = self._lines.popleft()
        if line is None:
            raise TooLong
        return line

    def send(self, data: bytes) -> None:
        """Write a whole line.

        Raises:
            Gone: when nobody reads.
        """
        with self._sending:
            rest = memoryview(data)
            while rest:
                self._wait_for_room()
                try:
                    rest = rest[os.write(self._sink, rest[: _AT_ONCE if _HAS_POLL else _CHUNK]) :]
                except OSError:
                    raise Gone from None

    def _take(self, chunk: bytes) -> None:
        if not chunk:
            self._ended = True
            if self._part:
                self._complete(b"")
            return
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            self._complete(line)
        if not self._skipping:
            self._part += rest
            if len(self._part) > limits.MESSAGE_BYTES:
                self._give_up_line()
                self._skipping = True

    def _complete(self, end: bytes) -> None:
        if self._skipping:
            self._skipping = False
            return
        self._part += end
        if len(self._part) > limits.MESSAGE_BYTES:
            self._give_up_line()
            return
        self._lines.append(bytes(self._part))
        self._part.clear()

    def _give_up_line(self) -> None:
        self._lines.append(None)
        self._part = bytearray()

    def _readable(self, seconds: float | None) -> bool:
        if not _HAS_POLL:
            return True  # Windows: a read waits, and a closed output shows at the next write
        poller = select.poll()
        poller.register(self._source, select.POLLIN)
        if self._sink != self._source:
            poller.register(self._sink, 0)
        seen = poller.poll(None if seconds is None else seconds * 1000)
        if any(descriptor == self._sink and event & _LEFT for descriptor, event in seen):
            raise Gone
        return bool(seen)

    def _wait_for_room(self) -> None:
        """Wait until the sink takes a piece; but not for long when the other end hung up and does not read."""
        if not _HAS_POLL:
            return
        poller = select.poll()
        poller.register(self._sink, select.POLLOUT)
        if poller.poll(0):
            return
        both = select.poll()
        both.register(self._sink, select.POLLOUT)
        both.register(self._source, _HUNG_UP & ~select.POLLHUP)
        seen = dict(both.poll())
        if self._sink not in seen and not poller.poll(limits.LAST_WORDS_SECONDS * 1000):
            raise Gone


def _moved(descriptor: int) -> int:
    """A private copy, above the standard ones, that no child inherits."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - there alone

        copy = os.dup(descriptor)
        msvcrt.setmode(copy, os.O_BINARY)
        return copy
    import fcntl  # noqa: PLC0415 - not on Windows

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
