"""Which file each harness reads MCP servers from, and what an entry looks like there; as data, with the source of each.

The name that a server is registered under is ``eccmem``: harnesses build the names of tools from it, and some of them
cut or parse at underscores.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SERVER = "eccmem"
_IDENTITY = "ECC_MEMORY_HARNESS"

Entry = Mapping[str, object]


class Foreign(ValueError):
    """A text that is not of the shape that an entry can be put into, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """How a harness is told of a server.

    Attributes:
        name: the word for it, which is also what the server is told it works for.
        title: how people call it.
        project: the file below the checkout, in parts; empty where it reads none there.
        personal: the person's own file, as its documentation names it.
        form: ``json``, ``toml`` or ``yaml``.
        container: the key under which servers stand.
        entry: makes the entry of a server from the command that starts it.
        source: where the documentation says so.
        command: its own command that does the same, where it has one; ``{}`` stands for the server's program.
        also: a file that it reads too and that has comments, so that it is never written.
        notes: what a person has to know.
    """

    name: str
    title: str
    project: tuple[str, ...]
    personal: str
    form: str
    container: str
    entry: Callable[[str, str], Entry]
    source: str
    command: str = ""
    also: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def _env(name: str) -> Entry:
    return {_IDENTITY: name}


def _plain(command: str, name: str) -> Entry:
    return {"command": command, "args": [], "env": _env(name)}


def _stdio(command: str, name: str) -> Entry:
    return {"type": "stdio", "command": command, "args": [], "env": _env(name)}


def _copilot(command: str, name: str) -> Entry:
    return {"type": "local", "command": command, "args": [], "env": _env(name), "tools": ["*"]}


def _opencode(command: str, name: str) -> Entry:
    return {"type": "local", "command": [command], "environment": _env(name), "enabled": True}


_SHARED = (
    "Claude Code and Copilot CLI both read .mcp.json, so Copilot CLI would speak as claude through it: "
    "`eccmem mcp-config copilot` gives it an entry of its own in .github/mcp.json"
)

HARNESSES = (
    Harness(
        name="claude",
        title="Claude Code",
        project=(".mcp.json",),
        personal="~/.claude.json",
        form="json",
        container="mcpServers",
        entry=_stdio,
        source="https://code.claude.com/docs/en/mcp",
        # The name stands before -e, which would swallow it.
        command="claude mcp add --scope project eccmem -e ECC_MEMORY_HARNESS=claude -- {}",
        notes=(_SHARED,),
    ),
    Harness(
        name="codex",
        title="Codex",
        project=(".codex", "config.toml"),
        personal="~/.codex/config.toml",
        form="toml",
        container="mcp_servers",
        entry=_plain,
        source="https://developers.openai.com/codex/mcp",
        command="codex mcp add eccmem --env ECC_MEMORY_HARNESS=codex -- {}",
        notes=("Codex reads the file of a project only when the person trusts the project",),
    ),
    Harness(
        name="opencode",
        title="OpenCode",
        project=("opencode.json",),
        personal="~/.config/opencode/opencode.json",
        form="json",
        container="mcp",
        entry=_opencode,
        source="https://opencode.ai/docs/mcp-servers/",
        also=("opencode.jsonc",),
    ),
    Harness(
        name="gemini",
        title="Gemini CLI",
        project=(".gemini", "settings.json"),
        personal="~/.gemini/settings.json",
        form="json",
        container="mcpServers",
        entry=_plain,
        source="https://geminicli.com/docs/tools/mcp-server/",
        command="gemini mcp add -s project -e ECC_MEMORY_HARNESS=gemini eccmem {}",
        notes=("Gemini CLI starts servers only in folders that the person trusts",),
    ),
    Harness(
        name="copilot",
        title="Copilot CLI",
        project=(".github", "mcp.json"),
        personal="~/.copilot/mcp-config.json",
        form="json",
        container="mcpServers",
        entry=_copilot,
        # The file of a project: https://github.com/github/docs/pull/44236, and the program's own help.
        source="https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
        command="copilot mcp add eccmem --env ECC_MEMORY_HARNESS=copilot -- {}",
        notes=(
            "Copilot CLI also reads the .mcp.json of Claude Code: an entry there that is called eccmem says claude",
            "Copilot CLI loads servers of a project only in folders that the person trusts",
        ),
    ),
    Harness(
        name="vscode",
        title="VS Code",
        project=(".vscode", "mcp.json"),
        personal="the mcp.json of the profile (command MCP: Open User Configuration)",
        form="json",
        container="servers",
        entry=_stdio,
        source="https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        notes=("agents of Copilot in VS Code also read .mcp.json: an entry there that is called eccmem says claude",),
    ),
    Harness(
        name="cursor",
        title="Cursor",
        project=(".cursor", "mcp.json"),
        personal="~/.cursor/mcp.json",
        form="json",
        container="mcpServers",
        entry=_plain,
        source="https://cursor.com/docs/mcp",
    ),
    Harness(
        name="zed",
        title="Zed",
        project=(".zed", "settings.json"),
        personal="~/.config/zed/settings.json",
        form="json",
        container="context_servers",
        entry=_plain,
        source="https://zed.dev/docs/ai/mcp",
        # https://github.com/zed-industries/zed/issues/60879
        notes=("Zed may start servers in the folder /: then set ECC_MEMORY_PROJECT_ROOT in env to the vault",),
    ),
    Harness(
        name="hermes",
        title="Hermes",
        project=(),
        personal="~/.hermes/config.yaml",
        form="yaml",
        container="mcp_servers",
        entry=_plain,
        source="https://hermes-agent.nousresearch.com/docs/user-guide/features/mcp",
        # --args would have to stand last.
        command="hermes mcp add eccmem --command {} --env ECC_MEMORY_HARNESS=hermes",
    ),
    Harness(
        name="windsurf",
        title="Windsurf",
        project=(),
        personal="~/.codeium/windsurf/mcp_config.json",
        form="json",
        container="mcpServers",
        entry=_plain,
        source="https://docs.windsurf.com/windsurf/cascade/mcp",
    ),
)
BY_NAME: Mapping[str, Harness] = {harness.name: harness for harness in HARNESSES}


def yaml_snippet(harness: Harness, entry: Entry) -> str:
    """The entry as YAML, which takes JSON as it is: no value of it can be taken for another type."""
    fields = "".join(f"    {key}: {json.dumps(value)}\n" for key, value in entry.items())
    return f"{harness.container}:\n  {SERVER}:\n{fields}"
