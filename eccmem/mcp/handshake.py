"""What clients ask before they work, answered from the SDK's own replies, which lie beside this file as data.

The data is made by ``tests/mcp/handshakes.py``; a test makes it again and compares it with what a client receives.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False  # see eccmem.mcp.frames
if TYPE_CHECKING:
    from typing import Any

    from eccmem.mcp.frames import Request

DATA = os.path.join(os.path.dirname(__file__), "handshake.json")  # noqa: PTH118, PTH120 - pathlib costs 10 ms
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"


class Handshake:
    """The replies of the SDK.

    Attributes:
        versions: the protocol versions that begin with ``initialize``, the oldest first.
        modern: the version whose requests each say what they are.
    """

    def __init__(self) -> None:
        with open(DATA, encoding="utf-8") as file:  # noqa: PTH123 - as above
            self._data: dict[str, Any] = json.load(file)
        self.versions: list[str] = self._data["versions"]
        self.modern: str = self._data["modern"]

    def negotiate(self, wanted: str) -> str:
        """The version to speak with a client that wants this one."""
        return wanted if wanted in self.versions else self.versions[-1]

    def initialize(self, version: str) -> Any:  # noqa: ANN401 - a result, as the SDK has it
        """The result of ``initialize``."""
        return self._data["initialize"] | {"protocolVersion": version}

    def discover(self) -> Any:  # noqa: ANN401 - as above
        """The result of ``server/discover``."""
        return self._data["discover"]

    def tools(self, version: str) -> Any:  # noqa: ANN401 - as above
        """The result of ``tools/list``."""
        return self._data["listings"][self._data["tools/list"][version]]


def checked_initialize(params: dict[str, Any]) -> dict[str, Any]:
    """What matters of the params of ``initialize``; the rest, which changes from client to client, is left out.

    Raises:
        ValueError: when something that every client sends is missing.
    """
    client, capabilities = params.get("clientInfo", {}), params.get("capabilities")
    if not (isinstance(params.get("protocolVersion"), str) and isinstance(capabilities, dict) and _is_named(client)):
        raise ValueError
    return {
        "protocolVersion": params["protocolVersion"],
        "clientInfo": {key: client[key] for key in ("name", "version")},
        "capabilities": {"roots": {}} if isinstance(capabilities.get("roots"), dict) else {},
    }


def is_enveloped(request: Request) -> bool:
    """Whether a request says itself which version it is of, as those of the modern versions do."""
    meta = request.params.get("_meta")
    return isinstance(meta, dict) and VERSION_KEY in meta


def is_plain(request: Request, modern: str) -> bool:
    """Whether what a modern request says of itself is as it should be; the SDK explains what is not."""
    meta = request.params["_meta"]
    client = meta.get(CLIENT_KEY, {"name": "", "version": ""})
    return meta[VERSION_KEY] == modern and isinstance(meta.get(CAPABILITIES_KEY), dict) and _is_named(client)


def _is_named(client: Any) -> bool:  # noqa: ANN401 - what was sent
    return isinstance(client, dict) and all(isinstance(client.get(key), str) for key in ("name", "version"))
