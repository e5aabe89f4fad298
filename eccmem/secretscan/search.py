"""The search of one text: the literals that it holds lead to rules, and the pattern of each rule is tried there."""

from eccmem.secretscan.pattern import compiled

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    from collections.abc import Iterator

    from eccmem.secretscan.rules import Lead, SecretRule, Table

Hit = tuple["SecretRule", int, int]

_ALNUM = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_HEX = frozenset("0123456789abcdefABCDEF")
_RUNS = "[A-Za-z0-9]+"
# A token begins after an escape too, though that ends in a letter or a digit.
_AFTER_ESCAPE = r"(?:(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))[A-Za-z0-9]+"


def search(text: str, table: "Table", low: str | None = None) -> "Iterator[Hit]":
    """Yield rule, start and end of each credential that a text holds as it is; ``low`` is it in small letters."""
    for literal, wanted in leads(text, table, text.lower() if low is None else low):
        for number in wanted:
            yield from _matches(table.rule(number), literal, text)


def leads(text: str, table: "Table", low: str) -> "Iterator[Lead]":
    """The literals that a text holds, each with its rules; those that begin a token only where one could begin."""
    if not text:
        return
    for shared, inside in table.anywhere.items():
        if shared in low:
            for lead in inside:
                if lead[0] in text:
                    yield lead
    if table.runs:
        for lead in table.begun_by(runs_of(text)):
            if lead[0] in text:
                yield lead


def runs_of(text: str) -> set[str]:
    """The runs of letters and digits with which a token could begin."""
    runs = set(compiled(_RUNS).findall(text))
    if "\\" in text or "%" in text:
        runs.update(compiled(_AFTER_ESCAPE).findall(text))
    return runs


def _matches(rule: "SecretRule", literal: str, text: str) -> "Iterator[Hit]":
    from eccmem.secretscan import pem, vetoes  # noqa: PLC0415 - most texts hold no literal

    regex, test = rule.regex, vetoes.TESTS[rule.test] if rule.test != "pem" else None
    at = text.find(literal)
    while at >= 0:
        start = _begin(text, at, rule) if rule.reach else at
        step = at + len(literal)
        if not rule.left or _edge(text, start):
            found = regex.match(text, start)
            if found:
                end = found.end()
                if test is None:
                    end = pem.end_of_key(text, end)
                elif not test(found[0].removeprefix(literal)):
                    end = 0
                if end:
                    yield rule, found.start(), end
                step = max(step, found.end(), end)
        at = text.find(literal, step)


def _begin(text: str, at: int, rule: "SecretRule") -> int:
    """Where a token begins whose literal stands at ``at``: after an escape, what belongs to that is no part of it."""
    before = text[max(0, at - rule.reach) : at]
    start = at - len(before) + len(before.rstrip(rule.before))
    sign = text[max(0, start - 1) : start]
    if sign == "\\" and start < at and text[start] in "nrt":
        return start + 1
    return start + 2 if sign == "%" and start + 2 <= at and _HEX.issuperset(text[start : start + 2]) else start


def _edge(text: str, at: int) -> bool:
    """Whether a token can begin here: after no letter or digit, but after an escape that ends in one."""
    if at == 0 or text[at - 1] not in _ALNUM:
        return True
    if text[max(0, at - 2) : at] in {"\\n", "\\t", "\\r"}:
        return True
    return at > 2 and text[at - 3] == "%" and text[at - 2] in _HEX and text[at - 1] in _HEX  # noqa: PLR2004 - %41
