"""The shape of the source: imports point down, each heavy package has one owner, only the CLI prints."""

import ast
from pathlib import Path

import pytest

import eccmem

SOURCE = Path(eccmem.__file__).parent
# A module may import only what stands in rows above its own; no row imports itself, so there are no cycles.
ROWS = (
    {"__init__"},
    {"errors", "limits", "finding", "text", "invisible", "stemmer"},
    {"analyser", "rerank", "trailers", "handoff", "lowered", "allowlist", "envfile", "secretscan.fingerprint"},
    {"model", "excerpt", "claims"},
    {"ranking", "lineage"},
    {"scanned", "provenance"},
    {"catfile", "quick", "gitdir", "secretscan.pattern", "secretscan.match"},
    {
        "roots",
        "files",
        "document",
        "contract",
        "repo",
        "secretscan.rules",
        "secretscan.values",
        "secretscan.fold",
        "secretscan.known",
        "index_store",
    },
    {"files_portable", "secretscan.passwords", "secretscan.pem", "secretscan.decode", "history"},
    {"secretscan.assigned", "secretscan.vetoes", "secretscan.tokens"},
    {"secretscan.search"},
    {"secretscan.joined"},
    {"secretscan.engine"},
    {"secretscan.mask"},
    {"secretscan"},
    {"tree", "cache", "allowance"},
    {"secretsearch"},
    {"skill", "mcpconfig.harness", "githooks.shim"},
    {"mcpconfig.as_json", "mcpconfig.as_toml"},
    {"mcpconfig.write"},
    {"mcpconfig"},
    {"githooks.script", "githooks.place"},
    {"githooks.configuration", "githooks.probe", "githooks.chain"},
    {"githooks.managed"},
    {"githooks.status", "githooks.install"},
    {"githooks"},
    {"guard", "vault", "listing", "revisions", "treefiles"},
    {"secretsources", "spots", "published", "report", "state", "standing", "refusals"},
    {
        "artifacts.values",
        "artifacts.globs",
        "artifacts.markup",
        "artifacts.yamltext",
        "artifacts.trees",
    },
    {"artifacts.words", "artifacts.config", "artifacts.page", "artifacts.references"},
    {"artifacts.kinds", "artifacts.fields", "artifacts.confirm"},
    {"artifacts.describe", "artifacts.pointers"},
    {"artifacts.survey"},
    {"artifacts"},
    {"committed"},
    {"intake", "init", "search", "read", "retire", "inbox"},
    {"adopt"},
    {"contextcopy"},
    {"index", "log"},
    {"overlay", "shelf"},
    {"recall"},
    {
        "checks.contract",
        "checks.layout",
        "checks.secrets",
        "checks.links",
        "checks.text",
        "checks.guard",
        "checks.history",
        "checks.machine",
        "checks.review",
    },
    {"checks"},
    {"leaks"},
    {"doctor", "judgement"},
    {"gate"},
    {"output", "output.terminal", "output.fingerprint"},
    {"output.common"},
    {
        "output.as_json",
        "output.as_text",
        "output.adopted",
        "output.history",
        "output.moves",
        "output.as_sarif",
        "output.as_github",
        "output.as_gitlab",
    },
    {"output.inbox", "output.briefing", "output.secrets", "output.artifacts"},
    {
        "mcp",
        "mcp.wire",
        "mcp.frames",
        "mcp.pending",
        "mcp.toolset",
        "mcp.place",
        "mcp.indexing",
    },
    {"mcp.arguments", "mcp.handshake"},
    {"mcp.tools"},
    {"mcp.server"},
    {"mcp.engine"},
    {"mcp.transport"},
    {"cli.console", "cli.context", "cli.options", "cli.report_file"},
    {"cli.body", "cli.recall", "cli.history", "cli.reports", "cli.allow"},
    {"cli.save", "cli.log", "cli.hooks", "cli.editor", "cli.session_start"},
    {
        "cli.init",
        "cli.handoff",
        "cli.artifacts",
        "cli.inbox",
        "cli.mcp_config",
        "cli.skill",
        "cli.search",
        "cli.secrets",
        "cli.read",
        "cli.doctor",
        "cli.retire",
        "cli.adopt",
        "cli.index",
        "cli.mcp",
        "cli.demo",
    },
    {"cli.app", "cli.plain"},
    {"cli.dispatch"},
    {"cli"},
    {"hook"},
    {"__main__"},
)
# Packages that cost start-up time or that nobody else should need to know.
OWNERS = {
    "jsonschema": {"contract"},
    "referencing": {"contract"},
    "subprocess": {"repo", "catfile", "quick", "cli.demo", "cli.editor"},
    "typer": {"cli.app"},
    "git": {"history"},
    "mcp": {"mcp.server"},
    "mcp_types": {"mcp.server"},
    "anyio": {"mcp.server"},
    "asyncio": {"mcp.server"},
    "sqlite3": {"index_store"},
    "frontmatter": {"artifacts.yamltext"},
    "yaml": {"artifacts.yamltext", "githooks.managed"},
    "tomlkit": {"mcpconfig.as_toml"},
}
IMPORTED_INSIDE = {"frontmatter", "git", "jsonschema", "referencing", "sqlite3", "tomlkit", "yaml"}
IMPORTED_INSIDE_BY = {"repo": {"subprocess"}}
BROAD = {"Exception", "BaseException"}
PRINTS = {"print", "input"}


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


MODULES = {name_of(path): ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
ROW_OF = {module: number for number, row in enumerate(ROWS) for module in row}


def imports(tree: ast.AST) -> list[str]:
    """Dotted names: ``eccmem.cli.console`` for ``from eccmem.cli import console``."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def inner(dotted: str) -> str:
    """The module of ours that an imported name belongs to."""
    parts = dotted.split(".")[1:] or ["__init__"]
    while parts and ".".join(parts) not in MODULES:
        parts.pop()
    return ".".join(parts) or "__init__"


def test_every_module_has_a_row() -> None:
    """And no row names one that is gone."""
    assert set(MODULES) == set(ROW_OF)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_up_the_rows(module: str) -> None:
    """So a reader goes one way, and cycles cannot exist."""
    for dotted in imports(MODULES[module]):
        if dotted.split(".")[0] == "eccmem":
            assert ROW_OF[inner(dotted)] < ROW_OF[module], f"{module} imports {dotted}"


@pytest.mark.parametrize("module", MODULES)
def test_each_heavy_package_has_one_owner(module: str) -> None:
    """Imported by its owner alone, and inside a function where every command would pay for it."""
    tree = MODULES[module]
    for dotted in imports(tree):
        package = dotted.split(".")[0]
        assert module in OWNERS.get(package, {module}), f"{module} imports {package}"
    at_top = {dotted.split(".")[0] for node in tree.body for dotted in imports(ast.Module([node], []))
              if isinstance(node, ast.Import | ast.ImportFrom)}  # fmt: skip
    assert not at_top & (IMPORTED_INSIDE | IMPORTED_INSIDE_BY.get(module, set()))


@pytest.mark.parametrize("module", MODULES)
def test_only_the_cli_and_the_hook_touch_the_outside(module: str) -> None:
    """Standard streams and the environment belong to the entry points."""
    if module.split(".", maxsplit=1)[0] in {"cli", "hook"}:
        return
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.Name):
            assert node.id not in PRINTS
        if isinstance(node, ast.Attribute):
            assert node.attr not in {"environ", "getenv", "stdout", "stderr", "stdin", "argv"} or _is_local(node)


def _is_local(node: ast.Attribute) -> bool:
    """``done.stdout``: the output of a process that we ran."""
    return isinstance(node.value, ast.Name) and node.value.id in {"done", "process"}


def test_few_broad_excepts() -> None:
    """The exit doors of commands and of hooks of both kinds, and around code of others; else one swallows an error."""
    found = [
        module
        for module, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in BROAD))
    ]
    assert sorted(set(found)) == ["cli.dispatch", "cli.session_start", "hook", "mcp.engine", "mcp.server", "rerank"]


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=name_of)
def test_modules_and_functions_are_short(path: Path) -> None:
    """A module fits in the head (300 lines), a function on a screen (50)."""
    assert len(path.read_text("utf-8").splitlines()) <= 300
    for node in ast.walk(MODULES[name_of(path)]):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 50, node.name
