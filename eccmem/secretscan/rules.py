"""The credential shapes that eccmem knows: rows of ``rules.json``, each compiled when a text first needs it.

A row says what to look for, never how: adding a provider is adding a row (CONTRIBUTING.md, "Add a secret rule").
"""

from functools import cache

from eccmem.secretscan.pattern import compiled

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

# No pathlib, and no hashlib below: a hook that searches one document pays for every import.
FILE = f"{__file__.rpartition('rules')[0]}rules.json"
BLOCK = "block"
REVIEW = "review"

# What may stand between the beginning of a token and its literal, where the literal does not come first.
BEFORE = {
    "alnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "dash": "- ",
    "digit": "0123456789",
    "hex": "0123456789abcdef",
    "printable": "".join(sign for sign in map(chr, range(33, 127)) if sign not in "\"'`<>"),
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
    ``left`` and ``right`` say whether a match has to begin and end where a word does.
    ``whole`` is true where the pattern spans white space, so that the text itself is searched and not its tokens.
    ``test`` names what the value has to pass (:mod:`eccmem.secretscan.values`).
    ``tier`` is ``block`` (structured: never stored) or ``review`` (likely: a person decides).
    """

    __slots__ = (
        *("before", "id", "label", "left", "literals", "pattern", "reach", "right", "source", "test", "tier", "whole"),
        "year",
    )

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
        self.right = row.get("right", "edge") == "edge"
        self.whole = bool(row.get("whole", False))

    @property
    def regex(self) -> "re.Pattern[str]":
        """The pattern, compiled once."""
        return compiled(self.pattern + _END if self.right else self.pattern)


# A literal, and the numbers of the rows that it leads to.
Lead = tuple[str, list[int]]
# The names of services by their first three letters; the number says which of two that are named comes first.
Services = dict[str, list[tuple[int, str, tuple[str, str]]]]
_BEGIN = 3
_LITERALS = '"literals": ["'
# What several literals have in common, in small letters: a text that has none of it is not searched for each of them.
_SHARED = ("rivate", "secret", "assword", "beamer", "recaptcha", "kty", "wd=")
_BESIDE = {'"d"': "kty"}  # what the pattern asks for besides its literal


class Table:
    """Rules by the literals that lead to them.

    ``runs`` has the literals that begin a token, by how they begin: a whole run of letters and digits where the
    literal goes on with another sign (``ghp`` for ``ghp_``), else the first two or three characters of one.
    ``anywhere`` has the others, by a part that they share in small letters; most share none: the empty string.
    """

    __slots__ = ("anywhere", "begun", "rule", "runs")

    def __init__(self, rows: list[tuple[int, str]], rule: "Callable[[int], SecretRule]", *, edges: bool) -> None:
        self.rule = rule
        first: dict[str, list[int]] = {}
        inside: dict[str, list[int]] = {}
        for number, row in rows:
            at_edge = edges and '"left": ' not in row and '"reach": ' not in row
            for literal in _literals(row):
                (first if at_edge else inside).setdefault(literal, []).append(number)
        self.anywhere: dict[str, list[Lead]] = {}
        for lead in inside.items():
            shared = _BESIDE.get(lead[0]) or next((part for part in _SHARED if part in lead[0].lower()), "")
            self.anywhere.setdefault(shared, []).append(lead)
        self.runs: dict[str, list[Lead]] = {}
        self.begun: dict[str, list[Lead]] = {}
        for lead in first.items():
            begin = lead[0].lstrip("_")
            rest = begin.lstrip(BEFORE["alnum"])
            run = begin[: len(begin) - len(rest)]
            where, key = (self.runs, run) if rest else (self.begun, run[:_BEGIN])
            where.setdefault(key, []).append(lead)

    def begun_by(self, runs: set[str]) -> list[Lead]:
        """The literals that begin as one of the runs of letters and digits of a text does."""
        found = [lead for key in self.runs.keys() & runs for lead in self.runs[key]]
        begins = {run[:_BEGIN] for run in runs}
        begins.update([begin[: _BEGIN - 1] for begin in begins])
        return found + [lead for key in self.begun.keys() & begins for lead in self.begun[key]]


class Rules:
    """All rows, as the search needs them.

    Each row of ``rules.json`` is a line of its own, so that the literals can be taken out of the text of the file:
    most searches need nothing else, and reading it all as JSON would take longer than they do.
    """

    __slots__ = ("_made", "_owners", "_rows", "_services", "data", "in_text", "in_tokens")

    def __init__(self, data: bytes) -> None:
        self.data = data
        lines = [line.rstrip(",\r") for line in data.decode().split("\n") if line.startswith('{"id": ')]
        self._rows = [line for line in lines if '"literals": ' in line]
        self._owners = [line for line in lines if '"words": ' in line]
        self._services: Services = {}
        self._made: dict[int, SecretRule] = {}
        whole = [item for item in enumerate(self._rows) if '"whole": ' in item[1]]
        tokens = [item for item in enumerate(self._rows) if '"whole": ' not in item[1]]
        self.in_tokens = Table(tokens, self.rule, edges=True)
        self.in_text = Table(whole, self.rule, edges=False)

    @property
    def rows(self) -> list[SecretRule]:
        """Every rule."""
        return [self.rule(number) for number in range(len(self._rows))]

    def rule(self, number: int) -> SecretRule:
        """The rule of a row, made when a text first needs it."""
        if number not in self._made:
            import json  # noqa: PLC0415 - most texts hold no literal

            self._made[number] = SecretRule(json.loads(self._rows[number]))
        return self._made[number]

    def services(self) -> Services:
        """The services whose credentials have no shape of their own."""
        if not self._services:
            import json  # noqa: PLC0415 - most texts name no secret

            for number, row in enumerate(map(json.loads, self._owners)):
                for word in row["words"]:
                    self._services.setdefault(word[:_BEGIN], []).append((number, word, (row["id"], row["label"])))
        return self._services


@cache
def rules() -> Rules:
    """The rules, read once in the life of a process."""
    with open(FILE, "rb") as file:  # noqa: PTH123 - see above
        return Rules(file.read())


def _literals(row: str) -> list[str]:
    """The literals in the text of a row; the only sign that is escaped in one is the quotation mark."""
    begin = row.index(_LITERALS) + len(_LITERALS)
    return row[begin : row.index('"], "', begin)].replace('\\"', '"').split('", "')


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
