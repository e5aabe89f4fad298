"""Limits that whoever runs eccmem has set lower, for a small machine or a short answer; never higher.

A lower limit is met like any other: what was cut short is said, and a check that could not see all ends with 3.
"""

from collections.abc import Mapping

from eccmem import limits
from eccmem.errors import UsageProblem

# Not the format's, which all share, and none that would let something pass unseen when it is low.
LOWERABLE = ("SCAN_ENTRIES", "SCAN_BYTES", "WALK_DEPTH", "INDEX_BYTES", "DIAGNOSTICS")
PREFIX = "ECCMEM_"
_HIGHEST = {name: getattr(limits, name) for name in LOWERABLE}


def lower(env: Mapping[str, str]) -> None:
    """Set the limits of this process as the environment says; once, by an entry point, before any work.

    Raises:
        UsageProblem: when a value is no whole number from 1 to the limit.
    """
    for name, highest in _HIGHEST.items():
        text = env.get(f"{PREFIX}{name}")
        if not text:
            continue
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(highest)) else 0
        if not 1 <= value <= highest:
            problem = f"{PREFIX}{name} must be a whole number from 1 to {highest}"
            raise UsageProblem("usage", problem, "unset it for the default")
        setattr(limits, name, value)
