"""What a line on the wire is: a request, a notification, an answer, nothing, or a mistake with its error code.

JSON-RPC 2.0 says the codes; where it leaves room, a mistake is answered with the id that it had, if it had one, so
that no client waits for its own timeout.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False  # what typing has under this name costs as much as reading ten frames
if TYPE_CHECKING:
    from typing import Any, Never

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
BUSY = -32000
TOO_LARGE = -32001
NOT_INITIALIZED = -32002

_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"


class Invalid(Exception):
    """A line that is no message: what to answer."""

    def __init__(self, code: int, message: str, frame_id: int | str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = frame_id


class Request:
    """A message that wants an answer."""

    __slots__ = ("id", "method", "params")

    def __init__(self, frame_id: int | str, method: str, params: dict[str, Any]) -> None:
        self.id = frame_id
        self.method = method
        self.params = params


class Notification:
    """A message that wants none."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: dict[str, Any]) -> None:
        self.method = method
        self.params = params


class Response:
    """An answer to something that we asked, whole."""

    __slots__ = ("id", "message")

    def __init__(self, frame_id: int | str, message: dict[str, Any]) -> None:
        self.id = frame_id
        self.message = message


def read(line: bytes) -> Request | Notification | Response | None:
    """Read a line; None for a blank one.

    Raises:
        Invalid: when it is no message.
    """
    line = line.removeprefix(_BOM).strip(_SPACE)
    if not line:
        return None
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError:
        raise Invalid(PARSE_ERROR, "Parse error: the message is not UTF-8") from None
    except (ValueError, RecursionError):
        raise Invalid(PARSE_ERROR, "Parse error: the message is not JSON, or nests too deep") from None
    if not isinstance(value, dict):
        raise Invalid(INVALID_REQUEST, "Invalid request: a message is one JSON object; batches are not taken")
    return _message(value)


def _refuse(_constant: str) -> Never:
    raise ValueError  # NaN and Infinity are not JSON


def _message(value: dict[str, Any]) -> Request | Notification | Response | None:
    known = value.get("id")
    frame_id = known if isinstance(known, (str, int)) and not isinstance(known, bool) else None
    if value.get("jsonrpc") != "2.0":
        raise Invalid(INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"', frame_id)
    method = value.get("method")
    if "method" not in value and ("result" in value or "error" in value):
        # An answer is never answered, however odd.
        return None if frame_id is None else Response(frame_id, value)
    if not isinstance(method, str) or not method:
        raise Invalid(INVALID_REQUEST, "Invalid request: method must be text", frame_id)
    if "id" in value and frame_id is None:
        raise Invalid(INVALID_REQUEST, "Invalid request: id must be text or a whole number")
    params = value.get("params", {})
    if not isinstance(params, dict):
        if params is not None and "id" not in value:
            return None  # a notification is never answered
        if params is not None:
            raise Invalid(INVALID_PARAMS, "Invalid params: params must be an object", frame_id)
        params = {}
    return Notification(method, params) if frame_id is None else Request(frame_id, method, params)


def encode(message: object) -> bytes:
    """A message as a line of ASCII, so that no locale and no half character can break it."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def result(frame_id: int | str, value: object) -> bytes:
    """The line that answers a request."""
    return encode({"jsonrpc": "2.0", "id": frame_id, "result": value})


def error(frame_id: int | str | None, code: int, message: str) -> bytes:
    """The line that answers a mistake; the id is null where none could be told."""
    return encode({"jsonrpc": "2.0", "id": frame_id, "error": {"code": code, "message": message}})
