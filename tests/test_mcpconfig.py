"""The MCP server in a harness's configuration: the right shape in the right file, and out again to the byte."""

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Run
from eccmem import contract, limits
from eccmem.mcpconfig import as_json, as_toml, write
from eccmem.mcpconfig.harness import BY_NAME, HARNESSES, SERVER, Foreign
from eccmem.mcpconfig.write import Outcome

ENTRY = {"command": "/a b/ü/eccmem-mcp", "args": [], "env": {"ECC_MEMORY_HARNESS": "x"}}
WRITABLE = [harness.name for harness in HARNESSES if harness.project]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The server beside the interpreter, as pip puts it there, in a folder with a space in its name."""
    folder = tmp_path / "an environment"
    folder.mkdir()
    name = "eccmem-mcp.exe" if os.name == "nt" else "eccmem-mcp"
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder / name


def file_of(checkout: Path, name: str) -> Path:
    return checkout.joinpath(*BY_NAME[name].project)


def put(checkout: Path, name: str, text: str | bytes) -> Path:
    path = file_of(checkout, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parsed(path: Path) -> dict:
    text = path.read_text("utf-8-sig")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


# --- What is printed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harness", HARNESSES, ids=lambda harness: harness.name)
def test_each_harness_has_its_snippet(run: Run, checkout: Path, program: Path, harness) -> None:
    """It parses, names the program by its full path and the harness, and says where it goes and who says so."""
    done = run("mcp-config", harness.name)
    payload = run("mcp-config", harness.name, "--json").json

    assert (done.code, contract.violations("mcp-config", payload)) == (0, [])
    for said in (harness.personal, harness.source, *filter(None, ["/".join(harness.project)])):
        assert said in done.out
    assert done.out.endswith(f"\n\n{payload['snippet']}")
    read = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}[harness.form](payload["snippet"])
    entry = read[harness.container][SERVER]
    assert entry == payload["entry"]
    assert [entry["command"]] == [[str(program)]] if harness.name == "opencode" else entry["command"] == str(program)
    assert (entry.get("env") or entry["environment"]) == {"ECC_MEMORY_HARNESS": harness.name}
    assert harness.source.startswith("https://")
    assert not (checkout / ".mcp.json").exists()


GOLDEN = {
    "claude": (".mcp.json", {"mcpServers": {"eccmem": {"type": "stdio", "command": "P", "args": [], "env": "E"}}}),
    "codex": (".codex/config.toml", {"mcp_servers": {"eccmem": {"command": "P", "args": [], "env": "E"}}}),
    "opencode": (
        "opencode.json",
        {"mcp": {"eccmem": {"type": "local", "command": ["P"], "environment": "E", "enabled": True}}},
    ),
    "gemini": (".gemini/settings.json", {"mcpServers": {"eccmem": {"command": "P", "args": [], "env": "E"}}}),
    "copilot": (
        ".github/mcp.json",
        {"mcpServers": {"eccmem": {"type": "local", "command": "P", "args": [], "env": "E", "tools": ["*"]}}},
    ),
    "vscode": (".vscode/mcp.json", {"servers": {"eccmem": {"type": "stdio", "command": "P", "args": [], "env": "E"}}}),
    "cursor": (".cursor/mcp.json", {"mcpServers": {"eccmem": {"command": "P", "args": [], "env": "E"}}}),
    "zed": (".zed/settings.json", {"context_servers": {"eccmem": {"command": "P", "args": [], "env": "E"}}}),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_file_and_the_shape_are_those_of_the_harness(run: Run, checkout: Path, program: Path, name: str) -> None:
    """A fresh file, in a checkout that has none; and it is gone again when it is taken out."""
    place, shape = GOLDEN[name]
    expected = json.dumps(shape).replace('"P"', json.dumps(str(program)))
    expected = expected.replace('"E"', json.dumps({"ECC_MEMORY_HARNESS": name}))

    assert run("mcp-config", name, "--write").out == f"{place}: made\n"
    assert parsed(checkout / place) == json.loads(expected)
    assert run("mcp-config", name, "--write").out == f"{place}: there already\n"
    assert run("mcp-config", name, "--remove").out == f"{place}: deleted, it held nothing else\n"
    assert not (checkout / place).exists()
    assert run("mcp-config", name, "--remove").out == f"{place}: there was none\n"
    assert set(GOLDEN) == set(WRITABLE)


def test_who_shares_a_file_is_warned_of(run: Run, checkout: Path, program: Path) -> None:
    """Claude Code and Copilot CLI read one; and every file would get a path of this machine."""
    assert "Claude Code and Copilot CLI both read .mcp.json" in run("mcp-config", "claude").err
    assert "also reads the .mcp.json of Claude Code" in run("mcp-config", "copilot").err
    assert "keep .zed/settings.json out of commits" in run("mcp-config", "zed", "--write").err


def test_a_command_of_the_harness_can_be_pasted(run: Run, checkout: Path, program: Path) -> None:
    """With a path that has a space in it."""
    assert f"-- '{program}'\n" in run("mcp-config", "claude").out


def test_bad_command_lines(run: Run, checkout: Path, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with its code; and a dry run writes nothing."""
    assert run("mcp-config").code == 2
    assert run("mcp-config", "emacs").code == 2
    assert run("mcp-config", "zed", "--write", "--remove").code == 2
    for name in ("hermes", "windsurf"):
        done = run("mcp-config", name, "--write", "--json")
        assert (done.code, done.json["error"]["code"]) == (1, "no-project-file")
    monkeypatch.setenv("ECC_DRY_RUN", "1")
    assert run("mcp-config", "zed", "--write").code == 3
    assert run("mcp-config", "zed").code == 0
    assert not (checkout / ".zed").exists()


def test_a_program_that_is_not_there_is_not_written_down(run: Run, checkout: Path, program: Path) -> None:
    """It is printed with a warning; what names it can be taken out."""
    assert run("mcp-config", "claude", "--write").code == 0
    program.unlink()

    assert "eccmem-mcp is not beside this Python" in run("mcp-config", "claude").err
    done = run("mcp-config", "zed", "--write", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "no-mcp-program")
    assert run("mcp-config", "claude", "--remove").code == 0
    assert not (checkout / ".mcp.json").exists()


def test_outside_of_a_repository_there_is_no_file_of_a_project(
    run: Run, home: Path, program: Path, monkeypatch
) -> None:
    """A home folder is none."""
    monkeypatch.chdir(home)

    done = run("mcp-config", "claude", "--write", "--json")

    assert (done.code, done.json["error"]["code"]) == (3, "not-a-repository")
    assert list(home.iterdir()) == []


# --- Into a text and out again --------------------------------------------------------------------------------

JSON_TEXTS = [
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    " \n{\t}  ",
    '{"mcpServers": {}}',
    '{"mcpServers": {}, "a": 1}',
    '{"mcpServers":{ }}',
    '{\n  "mcpServers": {\n  }\n}\n',
    '{\n  "mcpServers": {}\n}',
    '{"a":1}',
    '{"a": {"mcpServers": {}}}',
    '{\n  "a": 1\n}\n',
    '{\r\n\t"a": [1,\r\n2]\r\n}\r\n',
    '{\n    "mcpServers": {\n        "other": {"command": "x"}\n    },\n    "z": "\\u00e9é"\n}\n',
    '{"mcpServers":{"other":{"command":"x"}},"z":0}',
    '{\n"a": 1, "b": 2\n}',
    '{\n"mcpServers": {"o": {},\n"p": {}}\n}',
    '{"mcpServers": {"eccmem2": {}, "}{\\"": "}"}, "mcp": "{"}',
]


@pytest.mark.parametrize("text", JSON_TEXTS)
def test_json_in_and_out_again(text: str) -> None:
    """Nothing but the entry is added, in the style of its neighbours, and what was there is there again."""
    longer = as_json.added(text, "mcpServers", SERVER, ENTRY)

    value, before = json.loads(longer), json.loads(text)
    assert value["mcpServers"].pop(SERVER) == ENTRY == as_json.found(longer, "mcpServers", SERVER)
    if "mcpServers" not in before:
        assert value.pop("mcpServers") == {}
    assert value == before
    assert list(value) == list(before)
    assert as_json.removed(longer, "mcpServers", SERVER) == text
    assert longer.count("\n") - longer.count("\r\n") in (0, longer.count("\n"))


NAMES = st.sampled_from(["mcpServers", "a", "other", "é", '"', "{", ""])
VALUES = st.recursive(
    st.none() | st.integers() | st.text('a{}[],:"\\ \n', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    value=st.dictionaries(NAMES, VALUES, max_size=4),
    indent=st.sampled_from([None, 0, 2, "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    around=st.sampled_from(["", "\n", " "]),
)
def test_any_json_in_and_out_again(value: dict, indent, newline: str, around: str) -> None:
    """Or it is refused, because its servers are no object."""
    text = (around + json.dumps(value, indent=indent) + around).replace("\n", newline)
    if not isinstance(value.get("mcpServers", {}), dict):
        with pytest.raises(Foreign):
            as_json.added(text, "mcpServers", SERVER, ENTRY)
        return

    longer = as_json.added(text, "mcpServers", SERVER, ENTRY)

    expected = {**value, "mcpServers": {**value.get("mcpServers", {}), SERVER: ENTRY}}
    assert json.loads(longer) == expected
    assert as_json.removed(longer, "mcpServers", SERVER) == text


def test_an_entry_that_others_were_added_around_is_taken_out_alone() -> None:
    """Wherever it stands by now, what others wrote stays as it is."""
    middle = '{"mcpServers": {"a": {}, "eccmem": {}, "b": {}}}'
    first = '{"mcpServers": {\n  "eccmem": {},\n  "b": {}\n}}'

    assert as_json.removed(middle, "mcpServers", SERVER) == '{"mcpServers": {"a": {}, "b": {}}}'
    assert as_json.removed(first, "mcpServers", SERVER) == '{"mcpServers": {\n  "b": {}\n}}'


TOML_TEXTS = [
    "",
    "\n",
    "a = 1\n",
    "a = 1",
    "a = 1\n\n\n",
    "# a comment\n[mcp_servers.other] # and one more\ncommand = 'x'   # spaced\n\n\n[z]\n",
    "# a comment\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n",
    "mcp_servers.other.command = 'x'\n",
    "[mcp_servers]\n",
    '["mcp_servers"."other"]\nargs = [\n  "a", # why\n]\n',
]


@pytest.mark.parametrize("text", TOML_TEXTS)
def test_toml_in_and_out_again(text: str) -> None:
    """All that was there is there as before, to the byte, with its comments and line ends."""
    longer = as_toml.added(text, "mcp_servers", SERVER, ENTRY)

    assert longer.startswith(text)
    value = tomllib.loads(longer)
    assert value["mcp_servers"].pop(SERVER) == ENTRY == as_toml.found(longer, "mcp_servers", SERVER)
    before = tomllib.loads(text)
    assert value == {"mcp_servers": {}} | before
    assert as_toml.removed(longer, "mcp_servers", SERVER, ENTRY) == text
    assert longer.count("\n") - longer.count("\r\n") in (0, longer.count("\n"))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_table_that_others_follow_is_taken_out_alone(newline: str) -> None:
    """With the comments around it left."""
    text = f"# first{newline}a = 1{newline}"
    longer = as_toml.added(text, "mcp_servers", SERVER, ENTRY) + f"{newline}[z] # last{newline}b = 2{newline}"

    shorter = as_toml.removed(longer, "mcp_servers", SERVER, ENTRY)

    assert tomllib.loads(shorter) == {"a": 1, "z": {"b": 2}}
    assert shorter.startswith(text)
    assert f"[z] # last{newline}b = 2{newline}" in shorter
    assert shorter.count("\n") - shorter.count("\r\n") in (0, shorter.count("\n"))


# --- Files ----------------------------------------------------------------------------------------------------

FOREIGN = [
    ("claude", "", "no strict JSON"),
    ("claude", "[]", "no JSON object"),
    ("claude", '{"mcpServers": []}', "mcpServers is no object"),
    ("claude", '{"mcpServers": null}', "mcpServers is no object"),
    ("claude", '{"a": 1, "a": 2}', "a key is there twice"),
    ("claude", '{"mcpServers": {"x": 1}, "mcpServers": {}}', "a key is there twice"),
    ("claude", '{"a": NaN}', "a number that JSON does not know"),
    ("vscode", '{\n  // why\n  "servers": {}\n}', "comments"),
    ("zed", '{"a": 1,}', "trailing commas"),
    ("claude", '{"mcpServers": {"eccmem": {"command": "other"}}}', "another entry"),
    ("claude", "[" * 100_000, "no strict JSON"),
    ("claude", b"\xff\xfe{\x00}\x00", "not UTF-8"),
    ("claude", '{"a": "' + "x" * limits.CONFIG_BYTES + '"}', "more than"),
    ("codex", "a = ", "no TOML"),
    ("codex", "mcp_servers = 1\n", "no table"),
    ("codex", "mcp_servers = {a = {command = 'x'}}\n", "no table can be added"),
    ("codex", "[[mcp_servers]]\n", "no table"),
    ("codex", "[mcp_servers.eccmem]\ncommand = 'x'\n", "another entry"),
]


@pytest.mark.parametrize(("name", "text", "why"), FOREIGN)
def test_what_is_foreign_stays_as_it_is(run: Run, checkout: Path, program: Path, name: str, text, why: str) -> None:
    """One line says why, without a word of the file."""
    path = put(checkout, name, text)
    before = path.read_bytes()

    done = run("mcp-config", name, "--write", "--json")

    assert (done.code, done.json["error"]["code"]) == (1, "foreign-config")
    assert why in done.json["error"]["message"]
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in path.parent.iterdir() if entry.name.startswith(".eccmem-")) == []


def test_opencode_with_comments_in_its_name(run: Run, checkout: Path, program: Path) -> None:
    """A second file beside the one that the person keeps would be read too."""
    (checkout / "opencode.jsonc").write_text("{}")

    assert "configured in opencode.jsonc" in run("mcp-config", "opencode", "--write").err
    assert not (checkout / "opencode.json").exists()


def test_an_entry_of_others_is_not_taken_out(run: Run, checkout: Path, program: Path) -> None:
    """It has our name and starts another program; one that starts ours from elsewhere is ours."""
    path = put(checkout, "claude", '{"mcpServers": {"eccmem": {"command": "rm"}}}')
    assert run("mcp-config", "claude", "--remove").code == 1
    path.write_text('{"mcpServers": {"eccmem": {"command": "C:\\\\old\\\\eccmem-mcp.exe"}}}')
    assert run("mcp-config", "claude", "--remove").code == 0
    assert path.read_text() == '{"mcpServers": {}}'


def test_mode_and_mark_stay(run: Run, checkout: Path, program: Path) -> None:
    """A byte order mark, the rights, and the content."""
    data = "\ufeff".encode() + b'{\r\n  "a": 1\r\n}\r\n'
    path = put(checkout, "cursor", data)
    path.chmod(0o640)

    assert run("mcp-config", "cursor", "--write").code == 0
    assert path.read_bytes().startswith(data[:10])
    assert parsed(path)["mcpServers"][SERVER]
    assert path.stat().st_mode & 0o777 == 0o640
    assert run("mcp-config", "cursor", "--remove").out == ".cursor/mcp.json: removed\n"
    assert path.read_bytes() == data


@pytest.mark.parametrize("what", ["file", "folder"])
def test_no_link_is_followed(run: Run, checkout: Path, program: Path, tmp_path: Path, what: str) -> None:
    """Neither for the file nor for a folder on the way to it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}")
    if what == "folder":
        (checkout / ".cursor").symlink_to(outside)
    else:
        (checkout / ".cursor").mkdir()
        (checkout / ".cursor/mcp.json").symlink_to(outside / "mcp.json")

    for action in ("--write", "--remove"):
        done = run("mcp-config", "cursor", action, "--json")
        assert (done.code, done.json["error"]["code"]) == (3, "unsafe-path")
    assert (outside / "mcp.json").read_text() == "{}"
    assert len(list(outside.iterdir())) == 1


def test_a_file_that_changes_meanwhile_is_not_replaced(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another program wrote just now is kept, and nothing is left lying about."""
    path = put(checkout, "claude", "{}")
    real = write._with

    def meddling(*args: object):
        path.write_text('{"theirs": 1}')
        return real(*args)

    monkeypatch.setattr(write, "_with", meddling)

    with pytest.raises(Exception, match="changed by another program"):
        write.add(checkout, BY_NAME["claude"], ENTRY)
    assert path.read_text() == '{"theirs": 1}'
    assert [entry.name for entry in checkout.iterdir() if entry.name.startswith(".eccmem-")] == []


def test_what_could_not_be_taken_out_is_not_put_in(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way back is tried before anything is written."""
    path = put(checkout, "claude", "{}")
    monkeypatch.setattr(as_json, "removed", lambda *_: "{ }")

    with pytest.raises(Exception, match="to the byte"):
        write.add(checkout, BY_NAME["claude"], ENTRY)
    assert path.read_text() == "{}"


@pytest.mark.parametrize("text", ["", "# mine\n"])
def test_an_empty_file_stays_one(checkout: Path, text: str) -> None:
    """One that was there is not deleted."""
    path = put(checkout, "codex", text)

    assert write.add(checkout, BY_NAME["codex"], ENTRY) is Outcome.ADDED
    assert write.remove(checkout, BY_NAME["codex"]) is Outcome.REMOVED
    assert path.read_text() == text
