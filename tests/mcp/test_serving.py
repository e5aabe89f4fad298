"""The server under load, under attack, and at its end: bounded, never silent, never in the way."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_frames import MISTAKES

from conftest import Serve
from eccmem import limits
from serving import COMMAND, HELLO, PATIENCE, Client, environment, written

MIB = 1024 * 1024
# Harnesses wait two seconds; a busy machine gets more.
SOON = 10


def request(frame_id: object, method: str = "ping", **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": frame_id, "method": method, "params": params}


# --- Frames ---------------------------------------------------------------------------------------------------


def test_mistakes_are_answered_and_forgotten(client: Client) -> None:
    """One after the other on one connection, each with its answer; what is no mistake is passed over."""
    for name, line, code, frame_id in MISTAKES:
        client.write(line.replace(b"\n", b"") + b"\n")
        answer = client.hear()
        assert (answer["error"]["code"], answer["id"]) == (code, frame_id), name
    client.write(b"\xef\xbb\xbf\n\r\n   \n")
    client.say({"jsonrpc": "2.0", "id": 15, "result": {}}, {"jsonrpc": "2.0", "id": 16, "error": {"code": 1}})
    client.say({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}, {"jsonrpc": "2.0", "method": "foo"})
    assert client.silent()


def test_crlf_and_a_byte_order_mark(serve: Serve) -> None:
    """As consoles of Windows write."""
    client = serve()
    client.write(b"\xef\xbb\xbf" + json.dumps(request(0, "initialize", **HELLO)).encode() + b"\r\n\r\n")
    assert client.hear()["id"] == 0
    client.write(json.dumps(request(1)).encode() + b"\r\n")
    assert client.hear() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_message_may_have_a_mebibyte(client: Client) -> None:
    """To the byte; one more is refused, and what comes behind it is read."""
    frame = json.dumps(request(1, x="")).encode()
    for size, known in ((limits.MESSAGE_BYTES, True), (limits.MESSAGE_BYTES + 1, False)):
        client.write(frame.replace(b'""', b'"' + b"x" * (size - len(frame)) + b'"') + b"\n")
        answer = client.hear()
        assert answer == ({"jsonrpc": "2.0", "id": 1, "result": {}} if known else answer)
        assert known or (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert client.silent()


def test_a_line_without_an_end(client: Client) -> None:
    """100 MiB of it: one answer, and little memory, that of the SDK with it."""
    client.call("memory_search")
    for _ in range(100):
        client.write(b"x" * MIB)
    client.write(b"\n")

    answer = client.hear()
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert client.silent()
    if sys.platform == "linux":
        status = Path(f"/proc/{client.process.pid}/status").read_text()
        peak = int(status.partition("VmHWM:")[2].split()[0])
        assert peak <= 120 * 1024


def test_two_thousand_pings_at_once(client: Client) -> None:
    """2,000 answers, each with its id."""
    client.say(*(request(number) for number in range(2000)))

    assert sorted(client.hear()["id"] for _ in range(2000)) == list(range(2000))


def test_a_flood_of_calls(client: Client) -> None:
    """Each is answered under its id: 64 are worked on, and the others are refused at once."""
    client.say(*(request(f"c{number}", "tools/call", name="memory_search") for number in range(500)))
    answers = {answer["id"]: answer for answer in (client.hear() for _ in range(500))}

    assert set(answers) == {f"c{number}" for number in range(500)}
    refused = [answer for answer in answers.values() if "error" in answer]
    assert refused
    assert {answer["error"]["code"] for answer in refused} <= {-32000}
    assert len(answers) - len(refused) >= limits.PENDING_CALLS
    assert client.silent()


def test_many_large_calls(client: Client) -> None:
    """What waits is bounded in bytes too."""
    large = "x" * (MIB - 1000)
    client.say(
        *(request(number, "tools/call", name="memory_search", arguments={"query": large}) for number in range(20))
    )
    answers = [client.hear() for _ in range(20)]

    assert {answer["id"] for answer in answers} == set(range(20))
    codes = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert set(codes) <= {-32000}
    assert client.silent()


def test_ids_of_clients_do_not_meet(client: Client) -> None:
    """1 and "1" are two; one that is in use is refused; after its answer it can be used again."""
    call = {"name": "memory_search", "arguments": {}}
    client.say(request(1, "tools/call", **call), request("1", "tools/call", **call), request(1, "tools/call", **call))
    answers = [client.hear() for _ in range(3)]

    assert sorted(str(type(a["id"])) for a in answers if "result" in a) == ["<class 'int'>", "<class 'str'>"]
    assert [(a["id"], a["error"]["code"]) for a in answers if "error" in a] == [(1, -32600)]
    client.say(request(1, "tools/call", **call))
    assert client.hear()["id"] == 1


def test_a_cancelled_call_is_not_answered(client: Client) -> None:
    """And one that was not begun is not begun; a late or unknown cancel is passed over."""
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    client.call("memory_search")
    saves = [request(n, "tools/call", name="memory_save", arguments={"title": f"{n}", "body": "b"}) for n in range(30)]
    client.say(*saves, *(cancel | {"params": {"requestId": number}} for number in range(1, 30)))
    client.say(cancel | {"params": {"requestId": "nobody"}}, cancel | {"params": {}}, cancel)
    client.say(request("last", "tools/call", name="memory_search", arguments={"limit": 100}))
    answers = [client.hear()]
    while answers[-1]["id"] != "last":
        answers.append(client.hear())

    results = json.loads(answers[-1]["result"]["content"][0]["text"])["results"]
    titles = {result["memory"]["title"] for result in results}
    assert "0" in titles
    assert titles >= {str(answer["id"]) for answer in answers[:-1]}
    assert len(titles) < 30
    client.say(cancel | {"params": {"requestId": "last"}})
    assert client.silent()


def test_half_characters_in_a_call(client: Client) -> None:
    """Refused wherever they are, in words that hold none."""
    half = "\ud800"
    for params in ({"name": half}, {"name": "memory_search", "arguments": {half: 1}}, {half: 1}):
        answer = client.ask("tools/call", params)
        assert answer.get("result", {}).get("isError") or answer["error"]["code"] == -32602
    assert client.ask(half)["error"]["code"] in {-32600, -32601, -32602}
    for tool, arguments in (("memory_save", {"title": "t", "body": half}), ("memory_search", {"query": half})):
        assert "half a character" in client.refusal(tool, **arguments)[1]


def test_what_others_print_stays_off_the_wire(checkout: Path, home: Path) -> None:
    """A print, a write to descriptor 1 and a child's output go to standard error; what reads gets nothing."""
    program = """
import os, subprocess, sys
from eccmem.mcp import tools
def noisy(self, tool, arguments, offered=()):
    print("from print", flush=True)
    os.write(1, b"from write\\n")
    subprocess.run([sys.executable, "-c", "import sys; print('from child', repr(sys.stdin.read()))"])
    return tools.Answer("{}")
tools.Tools.call = noisy
from eccmem.cli import main
sys.exit(main(["mcp"]))
"""
    with Client(checkout, home, [sys.executable, "-c", program]) as client:
        client.begin()
        assert client.call("memory_search") == {}
        assert client.silent()
        assert client.end() == 0
        client._threads[1].join(PATIENCE)
        for said in (b"from print", b"from write", b"from child ''"):
            assert said in client.error


def test_an_error_of_ours_tells_nothing(checkout: Path, home: Path) -> None:
    """Its kind, but neither its text nor a traceback, to the client or on standard error."""
    program = """
import sys
from eccmem.mcp import tools
def broken(self, *_):
    raise KeyError("the secret text at /some/where")
tools.Tools._search = broken
from eccmem.cli import main
sys.exit(main(["mcp"]))
"""
    with Client(checkout, home, [sys.executable, "-c", program]) as client:
        client.begin()
        code, message = client.refusal("memory_search")
        assert client.end() == 0
        client._threads[1].join(PATIENCE)

    assert code == "MEMORY_SEARCH_FAILED"
    assert "KeyError" in message
    for said in (message.encode(), client.error):
        assert b"secret text" not in said
        assert b"Traceback" not in said


# --- The end --------------------------------------------------------------------------------------------------

SLOW = """
import sys, time
from eccmem.mcp import tools
def slow(self, *_):
    with open("begun", "w"):
        time.sleep(300)
tools.Tools.call = slow
from eccmem.cli import main
sys.exit(main(["mcp"]))
"""


def busy(checkout: Path, home: Path) -> Client:
    """A server in the middle of a call that takes minutes."""
    client = Client(checkout, home, [sys.executable, "-c", SLOW])
    client.begin()
    client.say(request(1, "tools/call", name="memory_doctor"))
    while not (checkout / "begun").exists():
        time.sleep(0.01)
    return client


ENDS = ["eof", "SIGTERM", "SIGINT", "SIGHUP", "closed output"]


def finish(client: Client, how: str) -> None:
    if how == "eof":
        client.process.stdin.close()
    elif how == "closed output":
        client.deafen()
    else:
        client.process.send_signal(getattr(signal, how))


@pytest.mark.skipif(os.name != "posix", reason="signals, and pipes that can be polled")
@pytest.mark.parametrize("when", ["before a word", "idle", "loading", "in a call"])
@pytest.mark.parametrize("how", ENDS)
def test_it_goes_at_once(checkout: Path, home: Path, how: str, when: str) -> None:
    """Whatever ends it, and whatever it does; nothing on standard error, no process left behind."""
    if when == "in a call":
        client = busy(checkout, home)
    else:
        client = Client(checkout, home)
        client.say(request(0))
        client.hear()
        if when != "before a word":
            client.begin()
        if when == "idle":
            client.call("memory_search")
        elif when == "loading":
            client.say(request("load", "tools/list"))
            client.hear()
    with client:
        started = time.monotonic()
        finish(client, how)
        code = client.process.wait(PATIENCE)
        took = time.monotonic() - started
        client._threads[1].join(PATIENCE)

    assert took < SOON
    assert client.error == b""
    assert code == {"SIGTERM": -signal.SIGTERM, "SIGHUP": -signal.SIGHUP, "SIGINT": 130}.get(how, 0)


@pytest.mark.skipif(os.name != "posix", reason="pipes that can be polled")
def test_a_client_that_reads_nothing_and_leaves(checkout: Path, home: Path) -> None:
    """Its answers fill the pipe; when it hangs up, nobody waits for it."""
    process = subprocess.Popen(COMMAND, cwd=checkout, env=environment(home), stdin=-1, stdout=-1)
    try:
        process.stdin.write(json.dumps(request(0, "initialize", **HELLO)).encode() + b"\n")
        process.stdin.write(b"".join(json.dumps(request(n, "tools/list")).encode() + b"\n" for n in range(60)))
        process.stdin.flush()
        time.sleep(1)
        process.stdin.close()
        assert process.wait(SOON) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_what_was_asked_before_the_end_is_answered(serve: Serve) -> None:
    """A call that is almost done is not dropped with the line."""
    client = serve()
    client.begin()
    client.call("memory_search")
    client.say(request(1, "tools/call", name="memory_save", arguments={"title": "t", "body": "b"}))
    assert client.end() == 0
    assert client.hear()["id"] == 1


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}, {"PYTHONUTF8": "0", "LC_ALL": "POSIX"}]
)
def test_any_locale(serve: Serve, env: dict[str, str]) -> None:
    """The wire is bytes."""
    client = serve(**env)
    client.begin()
    saved = client.call("memory_save", title="Grüße \U0001f600", body="日本語 «x»")

    read = client.call("memory_read", id=saved["memory"]["id"])
    assert (read["memory"]["title"], read["memory"]["body"]) == ("Grüße \U0001f600", "日本語 «x»")


# --- Many -----------------------------------------------------------------------------------------------------


def test_eight_servers_save_at_once(serve: Serve, checkout: Path) -> None:
    """25 memories each: 200, all valid, and nothing else is left."""
    clients = [serve(ECC_MEMORY_HARNESS=f"h{number}") for number in range(8)]
    for client in clients:
        client.begin()
    for number in range(25):
        for client in clients:
            client.say(
                request(number, "tools/call", name="memory_save", arguments={"title": f"T {number}", "body": "b"})
            )
    for client in clients:
        for _ in range(25):
            assert client.hear()["result"]["isError"] is False

    assert len(written(checkout)) == 200
    report = clients[0].call("memory_doctor")
    assert (report["ok"], report["memoryCount"], report["findingCount"]) == (True, 200, 0)
    notes = checkout / ".ecc/memory/project/notes"
    assert [path.name for path in notes.iterdir() if not path.name.startswith("mem_")] == [".gitignore"]


# --- How it is started ----------------------------------------------------------------------------------------


def started(
    home: Path, cwd: Path, *, command: list[str] | None = None, **env: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command or COMMAND,
        cwd=cwd,
        env=environment(home, **env),
        input=b"",
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("name", ["", "Codex", "a b", "-x", ".x", "x" * 65, "é", "a\u0660", "codex\n;"])
def test_without_a_harness(checkout: Path, home: Path, name: str) -> None:
    """One line that names the variable."""
    done = started(home, checkout, ECC_MEMORY_HARNESS=name)

    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"ECC_MEMORY_HARNESS" in done.stderr


@pytest.mark.parametrize("name", ["codex", "a", "0", "a.b_c-d", "x" * 64, " codex "])
def test_with_a_harness(checkout: Path, home: Path, name: str) -> None:
    """Any slug is one."""
    assert started(home, checkout, ECC_MEMORY_HARNESS=name).returncode == 0


def test_without_the_sdk(checkout: Path, home: Path) -> None:
    """One line that says how to install it."""
    hidden = "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]; sys.path.insert(0, {!r})\n"
    program = hidden.format(str(Path(__file__).parents[2])) + "from eccmem.cli import main; sys.exit(main(['mcp']))"
    done = started(home, checkout, command=[sys.executable, "-c", program])

    assert done.returncode == 3
    assert done.stderr.count(b"\n") == 1
    assert b"pip install 'eccmem[mcp]'" in done.stderr
    assert b"Traceback" not in done.stderr


def test_with_an_sdk_that_does_not_fit(checkout: Path, home: Path, tmp_path: Path) -> None:
    """The handshake is answered; each call, now and later, is told why it cannot be done; the end says so too."""
    (tmp_path / "sdk/mcp").mkdir(parents=True)
    (tmp_path / "sdk/mcp/__init__.py").write_text("raise ImportError('old')\n")
    (tmp_path / "sdk/mcp_types.py").write_text("raise ImportError('old')\n")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path / "sdk")!r})
from eccmem.cli import main
sys.exit(main(["mcp"]))
"""
    with Client(checkout, home, [sys.executable, "-c", program]) as client:
        client.begin()
        for _ in range(2):
            error = client.ask("tools/call", {"name": "memory_search"})["error"]
            assert error["code"] == -32603
            assert "mcp>=2.3,<3" in error["message"]
        assert client.end() == 3
        client._threads[1].join(PATIENCE)
    assert client.error.count(b"\n") == 1
    assert b"eccmem[mcp]" in client.error


def test_the_other_name(checkout: Path, home: Path) -> None:
    """``eccmem-mcp`` is the same program."""
    program = "import sys; sys.argv = ['eccmem-mcp']; from eccmem.cli import run_mcp; run_mcp()"
    with Client(checkout, home, [sys.executable, "-c", program]) as client:
        assert client.begin()["result"]["serverInfo"]["name"] == "eccmem"
