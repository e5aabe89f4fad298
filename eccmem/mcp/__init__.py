"""The MCP server: our own bounded transport in front, the official SDK behind it, one implementation of the tools."""
