"""The credential shapes that eccmem knows: rows of ``rules.json``, each compiled when a text first needs it.

A row says what to look for, never how: adding a provider is adding a row (CONTRIBUTING.md, "Add a secret rule").
"""

import json
import re
from functools import cache
from hashlib import blake2b
from pathlib import Path

FILE = Path(__file__).with_name("rules.json")
BLOCK = "block"
REVIEW = "review"

# What may stand between the beginning of a token and its literal, where the literal does not come first.
BEFORE = {
    "alnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "digit": "0123456789",
    "hex": "0123456789abcdef",
    "pem": "-BEGIN ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "scheme": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-",
    "tilde": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~.-",
    "word": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
}
# A token ends where no letter or digit follows: in Markdown it may be followed by . , ) ] > * & and the like.
_END = "(?![A-Za-z0-9])"


class SecretRule:
    r"""One credential shape.

    ``literals`` are looked for first: a text that holds none of them is never searched with the pattern.
    ``pattern`` is a regular expression that matches the whole token from its first character; all its repeats are
    bounded, so that no text makes it slow.
    ``before`` and ``reach`` say which characters, and how many, may precede the literal within the token.
    ``whole`` is true where the pattern spans white space, so that the text itself is searched and not its tokens.
    ``test`` names what the value has to pass (:mod:`eccmem.secretscan.values`).
    ``tier`` is ``block`` (structured: never stored) or ``review`` (likely: a person decides).
    """

    __slots__ = ("before", "id", "label", "left", "literals", "pattern", "reach", "source", "test", "tier", "whole",
                 "year")  # fmt: skip

    def __init__(self, row: dict[str, object]) -> None:
        self.id = str(row["id"])
        self.label = str(row["label"])
        self.literals = tuple(map(str, _items(row["literals"])))
        self.pattern = str(row["pattern"])
        self.test = str(row.get("test", "random"))
        self.tier = str(row.get("tier", BLOCK))
        self.year = row["year"]
        self.source = str(row["source"])
        self.before = BEFORE[str(row["before"])] if "before" in row else ""
        self.reach = int(str(row.get("reach", 0)))
        self.left = row.get("left", "edge") == "edge"
        self.whole = bool(row.get("whole", False))

    @property
    def regex(self) -> "re.Pattern[str]":
        """The pattern, compiled once."""
        return _compiled(self.pattern if self.pattern.endswith(("-----", ";")) else self.pattern + _END)


class Rules:
    """All rows, by the literal that leads to them."""

    __slots__ = ("keyed", "literals", "rows", "version", "whole")

    def __init__(self, data: bytes) -> None:
        loaded = json.loads(data)
        self.version = blake2b(data, digest_size=8).hexdigest()
        self.rows = [SecretRule(row) for row in loaded["rules"]]
        self.keyed: dict[str, tuple[str, str]] = {
            word: (str(row["id"]), str(row["label"])) for row in loaded["services"] for word in row["words"]
        }
        self.literals: dict[str, list[SecretRule]] = {}
        self.whole: dict[str, list[SecretRule]] = {}
        for rule in self.rows:
            for literal in rule.literals:
                (self.whole if rule.whole else self.literals).setdefault(literal, []).append(rule)


@cache
def rules() -> Rules:
    """The rules, read once in the life of a process."""
    return Rules(FILE.read_bytes())


@cache
def _compiled(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern, re.ASCII)


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
