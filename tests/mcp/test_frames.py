"""Every line on the wire is told apart, and every mistake has its code and, where it had one, its id."""

import json

import pytest

from eccmem.mcp import frames
from eccmem.mcp.frames import Invalid, Notification, Request, Response

PARSE, REQUEST, PARAMS = -32700, -32600, -32602
DEEP = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
LONG = b'{"jsonrpc":"2.0","id":' + b"9" * 20_000 + b',"method":"ping"}'

MISTAKES = [
    ("junk", b"hello", PARSE, None),
    ("half", b'{"jsonrpc":"2.0","id":1,', PARSE, None),
    ("not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}', PARSE, None),
    ("UTF-16", '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), PARSE, None),
    ("encoded surrogate", b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}', PARSE, None),
    ("NaN", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', PARSE, None),
    ("infinity", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}', PARSE, None),
    ("deep", DEEP, PARSE, None),
    ("long number", LONG, PARSE, None),
    ("two on a line", b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}', PARSE, None),
    ("null", b"null", REQUEST, None),
    ("text", b'"x"', REQUEST, None),
    ("number", b"7", REQUEST, None),
    ("batch", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', REQUEST, None),
    ("empty batch", b"[]", REQUEST, None),
    ("nothing", b"{}", REQUEST, None),
    ("no version", b'{"id":1,"method":"ping"}', REQUEST, 1),
    ("other version", b'{"jsonrpc":"1.0","id":"a","method":"ping"}', REQUEST, "a"),
    ("id null", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', REQUEST, None),
    ("id 1.5", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', REQUEST, None),
    ("id true", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', REQUEST, None),
    ("id list", b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', REQUEST, None),
    ("no method", b'{"jsonrpc":"2.0","id":3}', REQUEST, 3),
    ("method null", b'{"jsonrpc":"2.0","id":3,"method":null}', REQUEST, 3),
    ("method empty", b'{"jsonrpc":"2.0","id":3,"method":""}', REQUEST, 3),
    ("params list", b'{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', PARAMS, 4),
    ("params text", b'{"jsonrpc":"2.0","id":4,"method":"ping","params":"x"}', PARAMS, 4),
]


@pytest.mark.parametrize(("line", "code", "frame_id"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_a_mistake_is_answered(line: bytes, code: int, frame_id: object) -> None:
    """With the code of JSON-RPC, and the id when it is a legal one."""
    with pytest.raises(Invalid) as caught:
        frames.read(line)

    assert (caught.value.code, caught.value.id) == (code, frame_id)
    assert caught.value.message


@pytest.mark.parametrize("line", [b"", b"\r", b"   ", b"\t\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r"])
def test_a_blank_line_is_nothing(line: bytes) -> None:
    """With or without a byte order mark or the rest of a line end."""
    assert frames.read(line) is None


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b" \t"])
@pytest.mark.parametrize("after", [b"", b"\r", b"  \r"])
def test_a_request(before: bytes, after: bytes) -> None:
    """Whatever surrounds it."""
    frame = frames.read(before + b'{"jsonrpc":"2.0","id":"1","method":"m","params":{"_meta":null},"more":1}' + after)

    assert isinstance(frame, Request)
    assert (frame.id, frame.method, frame.params) == ("1", "m", {"_meta": None})


def test_half_characters_are_taken() -> None:
    """JSON can spell them; what is stored refuses them, and what is said escapes them."""
    frame = frames.read(rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}')

    assert isinstance(frame, Request)
    assert frames.result(frame.id, {}) == rb'{"jsonrpc":"2.0","id":"\ud800","result":{}}' + b"\n"


@pytest.mark.parametrize("params", ["", ',"params":{}', ',"params":null'])
def test_a_notification(params: str) -> None:
    """It has no id."""
    frame = frames.read(f'{{"jsonrpc":"2.0","method":"notifications/initialized"{params}}}'.encode())

    assert isinstance(frame, Notification)
    assert frame.params == {}


def test_a_notification_is_never_answered() -> None:
    """Even when its params are wrong."""
    assert frames.read(b'{"jsonrpc":"2.0","method":"x","params":[1]}') is None


@pytest.mark.parametrize("outcome", ['"result":{}', '"error":{"code":1,"message":"x"}', '"result":null'])
def test_an_answer_is_no_request(outcome: str) -> None:
    """It keeps its id; without a legal one it is nothing."""
    frame = frames.read(f'{{"jsonrpc":"2.0","id":15,{outcome}}}'.encode())

    assert isinstance(frame, Response)
    assert frame.id == 15
    assert frames.read(f'{{"jsonrpc":"2.0","id":null,{outcome}}}'.encode()) is None


def test_lines_are_ascii() -> None:
    """So that no code page of a console can break them."""
    line = frames.error("é", -1, "\u2028\U0001f600")

    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line)["error"]["message"] == "\u2028\U0001f600"
