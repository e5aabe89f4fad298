"""The calls that are being worked on: bounded, each answered once under the id that the client gave it, or never.

Behind the transport a call has a number of ours, so that no id of a client can meet another one.
"""

from __future__ import annotations

import threading

from eccmem import limits


class Pending:
    """Calls by their numbers; safe to use from two threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[int, tuple[int | str | None, int]] = {}  # the client's id, None once cancelled; the size
        self._size = 0
        self._next = 1

    def __len__(self) -> int:
        with self._lock:
            return len(self._calls)

    def number(self) -> int:
        """A number that is no call's."""
        with self._lock:
            self._next += 1
            return self._next - 1

    def admit(self, client_id: int | str, size: int) -> int | None:
        """Note a call and return its number; None when there are too many, or too large ones, already."""
        with self._lock:
            if len(self._calls) >= limits.PENDING_CALLS or (self._calls and self._size + size > limits.PENDING_BYTES):
                return None
            self._next += 1
            self._calls[self._next - 1] = (client_id, size)
            self._size += size
            return self._next - 1

    def uses(self, client_id: int | str) -> bool:
        """Whether a call with this id is being worked on."""
        with self._lock:
            return any(_same(client_id, known) for known, _ in self._calls.values())

    def cancel(self, client_id: object) -> int | None:
        """Make sure that a call is not answered; return its number, or None when there is no such call."""
        with self._lock:
            for number, (known, size) in self._calls.items():
                if _same(client_id, known):
                    self._calls[number] = (None, size)
                    return number
        return None

    def settle(self, number: object) -> int | str | None:
        """Forget a call that is done; return the id to answer, or None when nobody waits for it."""
        with self._lock:
            if not isinstance(number, int):
                return None
            client_id, size = self._calls.pop(number, (None, 0))
            self._size -= size
            return client_id

    def forget(self) -> list[int | str]:
        """Forget all; return the ids that are to be answered."""
        with self._lock:
            waiting = [client_id for client_id, _ in self._calls.values() if client_id is not None]
            self._calls.clear()
            self._size = 0
            return waiting


def _same(one: object, other: int | str | None) -> bool:
    """Ids are alike in type too: 1 is not "1", nor true."""
    return type(one) is type(other) and one == other
