"""Credentials in text: where they are, of which kind, and never what they are."""

from eccmem.secretscan.engine import scan, version
from eccmem.secretscan.known import known
from eccmem.secretscan.mask import masked
from eccmem.secretscan.match import Match
from eccmem.secretscan.rules import BLOCK, REVIEW

__all__ = ["BLOCK", "REVIEW", "Match", "known", "masked", "scan", "version"]
