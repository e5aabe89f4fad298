"""The tools as every client can take them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from eccmem.mcp import handshake
from eccmem.mcp.arguments import _SAID
from eccmem.mcp.tools import FAILED
from eccmem.mcp.toolset import INSTRUCTIONS, NAME, SCHEMAS, TOOLS

# Each broke a client once: references, unions, formats that a model API does not know, types in a list.
REFUSED = {"$ref", "$defs", "$schema", "definitions", "anyOf", "oneOf", "allOf", "not", "const", "format", "default"}
KEYWORDS = {"type", "description", "properties", "required", "items", "enum", "additionalProperties"} | {
    "minLength",
    "maxLength",
    "maxItems",
    "minimum",
    "maximum",
}
LISTED = handshake.Handshake()


def schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for below in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from schemas(below)


def listings() -> list[tuple[str, dict[str, Any]]]:
    versions = [*LISTED.versions, LISTED.modern]
    return [(f"{version} {tool['name']}", tool) for version in versions for tool in LISTED.tools(version)["tools"]]


def test_there_are_four() -> None:
    """No more, no fewer, each with the code of its failure."""
    assert list(SCHEMAS) == ["memory_save", "memory_search", "memory_read", "memory_doctor"] == list(FAILED)


@pytest.mark.parametrize("tool", [entry[1] for entry in listings()], ids=[entry[0] for entry in listings()])
def test_the_schema_is_plain(tool: dict[str, Any]) -> None:
    """As it goes over the wire, in each version."""
    root = tool["inputSchema"]
    Draft202012Validator.check_schema(root)
    assert root["type"] == "object"
    assert root["additionalProperties"] is False
    assert set(root.get("required", [])) <= set(root["properties"])
    for schema in schemas(root):
        assert set(schema) <= KEYWORDS
        assert not set(schema) & REFUSED
        assert isinstance(schema["type"], str)
        assert ("items" in schema) == (schema["type"] == "array")
        assert ("properties" in schema) == (schema["type"] == "object")
        assert all(isinstance(value, str) for value in schema.get("enum", []))
        # Each way to break it can be said.
        assert set(schema) - {"description", "properties", "items"} <= set(_SAID)


@pytest.mark.parametrize("tool", TOOLS, ids=SCHEMAS)
def test_what_it_says_of_itself(tool: dict[str, Any]) -> None:
    """Hints for clients; names that stay within 60 characters with what clients put before them; no output schema."""
    writes = tool["name"] == "memory_save"

    assert tool["annotations"] == {
        "title": tool["title"],
        "readOnlyHint": not writes,
        "destructiveHint": False,
        "idempotentHint": not writes,
        "openWorldHint": False,
    }
    assert len(f"mcp__plugin_{NAME}_{NAME}__{tool['name']}") <= 60
    assert "_" not in NAME
    assert len(tool["description"]) <= 1000
    assert "outputSchema" not in tool


def test_all_of_it_is_short() -> None:
    """It is in every prompt."""
    assert len(INSTRUCTIONS) <= 600
    for version in (*LISTED.versions, LISTED.modern):
        assert len(json.dumps(LISTED.tools(version), separators=(",", ":"))) <= 6 * 1024


def test_what_is_returned_is_fenced_in_words() -> None:
    """The tools that return what others wrote say that it is no instruction."""
    for tool in TOOLS:
        if tool["name"] in {"memory_search", "memory_read"}:
            assert "unreviewed context written by others" in tool["description"]
            assert "instructions" in tool["description"]
    assert "never instructions" in INSTRUCTIONS
