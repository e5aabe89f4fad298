"""The file of an index: named columns and numbered rows of bytes, each with its checksum, in SQLite.

SQLite has no checksums of its own: a flipped byte can change an answer without an error.
And a damaged tree can hide a row: so nothing here is looked up by text, and a row that should be there and is not
is damage too.
The file is never changed once it has its name, so it is opened as immutable: no locks, no files beside it.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

APPLICATION = 0x65636349  # "eccI"
_LAYOUT = """
PRAGMA page_size = 8192;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
CREATE TABLE columns (name TEXT PRIMARY KEY, data BLOB, sum BLOB) WITHOUT ROWID;
CREATE TABLE rows (number INTEGER PRIMARY KEY, data BLOB, sum BLOB);
BEGIN;
"""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


class Damaged(Exception):
    """The file is not what was written, or SQLite is not there: do without it."""


def sum_of(name: str, data: bytes) -> bytes:
    """The checksum of a column or row, which also says which one it is."""
    return blake2b(data, digest_size=8, key=name.encode()[:64]).digest()


class Store:
    """An open file of columns and rows, for reading."""

    def __init__(self, file: Path) -> None:
        """Open a file.

        Raises:
            Damaged: when it is no such file.
        """
        try:
            import sqlite3  # noqa: PLC0415 - 5 ms, and some builds of Python lack it
        except ImportError:
            raise Damaged("this Python has no sqlite3") from None
        self._error = sqlite3.Error
        try:
            self._open: Any = sqlite3.connect(_uri(file), uri=True, isolation_level=None, check_same_thread=False)
        except sqlite3.Error:
            raise Damaged("it cannot be opened") from None
        if self._first("PRAGMA application_id") != (APPLICATION,):
            self.close()
            raise Damaged("it is not ours")

    def column(self, name: str) -> bytes:
        """The bytes of a column; raises Damaged."""
        return self._checked(name, "SELECT data, sum FROM columns WHERE name = ?", name)

    def row(self, number: int) -> bytes:
        """The bytes of a row; raises Damaged."""
        return self._checked(str(number), "SELECT data, sum FROM rows WHERE number = ?", number)

    def close(self) -> None:
        """Give the file back."""
        self._open.close()

    def _checked(self, name: str, query: str, key: str | int) -> bytes:
        found = self._first(query, key)
        if found is None or not all(isinstance(value, bytes) for value in found):
            raise Damaged("a row is missing")
        data: bytes = found[0]
        if found[1] != sum_of(name, data):
            raise Damaged("a checksum is wrong")
        return data

    def _first(self, query: str, *values: str | int) -> tuple[Any, ...] | None:
        try:
            row: tuple[Any, ...] | None = self._open.execute(query, values).fetchone()
        except (self._error, ValueError, MemoryError, OverflowError):
            # A damaged length asks for any amount of memory; a damaged name makes a message that is not UTF-8.
            raise Damaged("SQLite cannot read it") from None
        return row


def write(file: Path, columns: Mapping[str, bytes], rows: Iterable[bytes]) -> None:
    """Fill an empty file.

    Raises:
        Damaged: when SQLite cannot write it, say on a full disk.
    """
    try:
        import sqlite3  # noqa: PLC0415 - as above
    except ImportError:
        raise Damaged("this Python has no sqlite3") from None
    try:
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.executescript(f"PRAGMA application_id = {APPLICATION};{_LAYOUT}")
            connection.executemany(
                "INSERT INTO columns VALUES (?, ?, ?)", ((n, data, sum_of(n, data)) for n, data in columns.items())
            )
            connection.executemany(
                "INSERT INTO rows VALUES (?, ?, ?)",
                ((number, data, sum_of(str(number), data)) for number, data in enumerate(rows)),
            )
            connection.execute("COMMIT")
    except sqlite3.Error:
        raise Damaged("SQLite cannot write it") from None


def _uri(file: Path) -> str:
    """The file as SQLite's URI; by hand, because urllib costs more to import than the query takes."""
    data = os.fsencode(file.as_posix())
    path = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in data)
    return f"file:{'' if path.startswith('/') else '/'}{path}?mode=ro&immutable=1"
