"""A real server process, spoken to over its pipes."""

import contextlib
import json
import os
import queue
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

# A slow machine loads the SDK in some seconds; what never comes fails here.
PATIENCE = 60
COMMAND = [sys.executable, "-m", "eccmem", "mcp"]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a harness hands on: little."""
    named = {"PATH": os.environ["PATH"], "HOME": str(home), "ECC_MEMORY_HARNESS": "codex"}
    return {name: value for name, value in {**named, **more}.items() if value}


class Client:
    """A client that says exactly what it is told to say."""

    def __init__(self, cwd: Path, home: Path, command: list[str] | None = None, **env: str) -> None:
        self.process = subprocess.Popen(
            command or COMMAND,
            cwd=cwd,
            env=environment(home, **env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._deaf = threading.Event()
        self.error = b""
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._listen, self._collect)]
        for thread in self._threads:
            thread.start()
        self._last = 1000

    def _listen(self) -> None:
        part = b""
        while not self._deaf.is_set():
            # A thread that blocks in a read would keep the pipe open.
            if select.select([self.process.stdout], [], [], 0.05)[0]:
                data = os.read(self.process.stdout.fileno(), 1 << 20)
                *lines, part = (part + data).split(b"\n")
                for line in lines:
                    self._lines.put(line + b"\n")
                if not data:
                    return

    def deafen(self) -> None:
        """Read no more, and close the pipe."""
        self._deaf.set()
        self._threads[0].join(PATIENCE)
        self.process.stdout.close()

    def _collect(self) -> None:
        self.error = self.process.stderr.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def write(self, data: bytes) -> None:
        """Bytes as they are."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def say(self, *frames: str | dict[str, Any]) -> None:
        """Frames, all at once."""
        self.write("".join(f"{f if isinstance(f, str) else json.dumps(f)}\n" for f in frames).encode())

    def line(self) -> bytes:
        """The next line that the server says."""
        return self._lines.get(timeout=PATIENCE)

    def hear(self) -> dict[str, Any]:
        """The same, as what it means."""
        heard: dict[str, Any] = json.loads(self.line())
        return heard

    def silent(self) -> bool:
        """Whether the server has said nothing more: a ping is answered next."""
        self.say({"jsonrpc": "2.0", "id": "are you there", "method": "ping"})
        return self.hear() == {"jsonrpc": "2.0", "id": "are you there", "result": {}}

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask, and return the answer whole."""
        self._last += 1
        self.say({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}})
        answer = self.hear()
        assert answer["id"] == self._last, answer
        return answer

    def begin(self, **params: Any) -> dict[str, Any]:
        """Shake hands."""
        answer = self.ask("initialize", HELLO | params)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its payload."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        (block,) = result["content"]
        assert block["type"] == "text"
        payload: dict[str, Any] = json.loads(block["text"])
        assert result["isError"] is ("error" in payload)
        assert set(result) == {"content", "isError"}
        return payload

    def refusal(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """Call a tool in a way that is refused; return code and message."""
        error = self.call(tool, **arguments)["error"]
        assert set(error) == {"code", "message"}
        return error["code"], error["message"]

    def end(self) -> int:
        """Close the input, and wait for the end."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


def written(folder: Path) -> list[str]:
    """Every memory below a folder."""
    return sorted(path.name for path in folder.rglob("mem_*.md"))
