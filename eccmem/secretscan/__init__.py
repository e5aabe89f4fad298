"""Credentials in text: where they are, of which kind, and never what they are."""

from eccmem.secretscan.engine import Match, scan

__all__ = ["Match", "scan"]
