"""Puts the MCP server into the configuration of a harness: which file, which shape, and how to take it out again."""
