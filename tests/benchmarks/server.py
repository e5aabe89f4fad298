"""Times the MCP server, and prints ratios against the JavaScript tool's on the same machine in the same run.

usage: python tests/benchmarks/server.py [--memories 5000] [--runs 15]

Without ``ECCMEM_REFERENCE_CHECKOUT``, which names a checkout of the JavaScript tool with its packages installed, our
own figures alone. Both sides run in turn; nothing fails on time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from speed import environment, fill

OURS = [sys.executable, "-m", "eccmem", "mcp"]
_SDK = """
import anyio
from mcp.server.stdio import stdio_server
from eccmem.mcp.server import build

async def main():
    async with stdio_server() as streams:
        server = build(None)
        await server.run(*streams, server.create_initialization_options())

anyio.run(main)
"""
SDK = [sys.executable, "-c", _SDK]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a benchmark", "version": "1"}}
Answer = dict[str, object]


class Server:
    """A server that was just started."""

    def __init__(self, command: list[str], folder: Path, **env: str) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(folder.parent / "home") | {"ECC_MEMORY_HARNESS": "codex"} | env,
        )
        self._id = 0

    def ask(self, method: str, params: object) -> float:
        """Ask, wait for the answer, and return the milliseconds that it took."""
        self._id += 1
        asked = time.perf_counter()
        frame = {"jsonrpc": "2.0", "id": self._id, "method": method}
        self.say(frame | ({"params": params} if params else {}))
        answer = json.loads(self.process.stdout.readline())
        assert "result" in answer, answer
        assert not answer["result"].get("isError"), answer
        return (time.perf_counter() - asked) * 1000

    def say(self, frame: Answer) -> None:
        """Send a frame."""
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self) -> float:
        """Shake hands; return the milliseconds since the start."""
        self.ask("initialize", HELLO)
        took = (time.perf_counter() - self.started) * 1000
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return took

    def search(self, query: str) -> float:
        """Search; return the milliseconds."""
        return self.ask("tools/call", {"name": "memory_search", "arguments": {"query": query}})

    def end(self) -> None:
        """Stop it."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def starts(commands: dict[str, list[str]], folder: Path, runs: int) -> dict[str, list[tuple[float, float]]]:
    """For each command: the milliseconds to the answer to initialize, and from there to that to tools/list."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(runs + 1):
        for name, command in commands.items():
            server = Server(command, folder)
            found[name].append((server.begin(), server.ask("tools/list", None)))
            server.end()
    return {name: rows[1:] for name, rows in found.items()}  # the first warms up


def first_call(folder: Path, runs: int, **env: str) -> float:
    """Milliseconds from the start of our server to the answer to a call that is made at once."""
    found = []
    for _ in range(runs):
        server = Server(OURS, folder, **env)
        server.begin()
        server.search("")
        found.append((time.perf_counter() - server.started) * 1000)
        server.end()
    return statistics.median(found)


def searches(commands: dict[str, list[str]], folder: Path, runs: int) -> dict[str, list[float]]:
    """Milliseconds of each search of a warm server."""
    time.sleep(3)  # of files that changed just now, an index compares the contents
    build = [sys.executable, "-m", "eccmem", "index", "rebuild"]
    subprocess.run(build, cwd=folder, env=environment(folder.parent / "home"), capture_output=True, check=True)
    servers = {name: Server(command, folder) for name, command in commands.items()}
    for server in servers.values():
        server.begin()
        server.search("warm up")
    words = min(folder.rglob("mem_*.md")).read_text("utf-8").rpartition("---")[2].split()
    found: dict[str, list[float]] = {name: [] for name in servers}
    for number in range(runs + 1):
        for name, server in servers.items():
            found[name].append(server.search(" ".join(words[number * 3 : number * 3 + 3])))
    for server in servers.values():
        server.end()
    return {name: times[1:] for name, times in found.items()}


def show(what: str, ours: list[float], theirs: list[float] | None) -> None:
    """One line: medians, and the median of the ratios of pairs."""
    line = f"{what}: {statistics.median(ours):.1f} ms"
    if theirs:
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        line += f" against {statistics.median(theirs):.1f} ms, ratio {ratio:.3f}"
    print(line)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=15)
    asked = parser.parse_args()
    reference = os.environ.get("ECCMEM_REFERENCE_CHECKOUT")
    theirs = {"theirs": ["node", f"{reference}/scripts/memory-mcp.mjs"]} if reference else {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "repo")
        (folder / ".git").mkdir(parents=True)
        Path(scratch, "home").mkdir()  # beside it: no index may lie in a repository
        begun = starts({"ours": OURS, "sdk": SDK, **theirs}, folder, asked.runs)
        against = begun.get("theirs")
        for name, title in (("ours", "start to initialize"), ("sdk", "the SDK alone, start to initialize")):
            show(title, [row[0] for row in begun[name]], against and [row[0] for row in against])
        show("tools/list after it", [row[1] for row in begun["ours"]], against and [row[1] for row in against])
        print(f"start to the answer of a first call: {first_call(folder, 5):.0f} ms")
        first: list[float] = []
        for run in range(3):
            cold = folder.parent / f"pycache{run}"
            server = Server(OURS, folder, PYTHONPYCACHEPREFIX=str(cold))
            first.append(server.begin())
            server.end()
        show("start to initialize without compiled files", first, None)
        fill(folder, asked.memories)
        warm = searches({"ours": OURS, **theirs}, folder, asked.runs)
        show(f"warm search over {asked.memories} memories", warm["ours"], warm.get("theirs"))


if __name__ == "__main__":
    main()
