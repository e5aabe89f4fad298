"""What makes the search fast changes nothing: each short cut finds what the long way round finds."""

import random
import re
from itertools import pairwise

import pytest

from eccmem import secretscan
from eccmem.secretscan import joined, search
from eccmem.secretscan.rules import Rules, SecretRule, Table, rules
from eccmem.secretscan.tokens import LEAST, Tokens, could_hold, long_words
from secrets_made import made, mutated

LOADED = rules()
TEXTS = [*mutated(LOADED.rows, 4000, seed=4)]
ALNUM = "[A-Za-z0-9]"


def literals(table: Table) -> list[tuple[str, list[int]]]:
    """Every literal of a table, with the numbers of its rules."""
    groups = [*table.anywhere.values(), *table.runs.values(), *table.begun.values()]
    return [lead for group in groups for lead in group]


def slowly(text: str, table: Table) -> list[tuple[str, int, int]]:
    """Each literal of each rule, wherever it is."""
    hits = (
        search._matches(table.rule(number), literal, text) for literal, numbers in literals(table) for number in numbers
    )
    return sorted((rule.id, start, end) for hit in hits for rule, start, end in hit)


def mixed(word: str) -> bool:
    """Whether a word could hold a credential, said as it is meant."""
    pair = re.compile("[A-Za-z][0-9]|[0-9][A-Za-z]")
    digit = re.search("[0-9]", word)
    runs = any(map(pair.search, re.findall(ALNUM + "{5,}", word)))
    signs = any(sign in word for sign in ("%", "\\", "@", "&#", "hooks."))
    cases = re.search("[A-Z]{12}|[a-z][A-Z][a-z]{0,2}[A-Z]", word)
    address = "://" in word and "@" in word
    return bool(cases or address or runs or (pair.search(word) and signs) or (digit and "&#" in word))


@pytest.mark.parametrize("table", [LOADED.in_tokens, LOADED.in_text], ids=["in tokens", "in text"])
def test_the_tables_hide_no_literal(table: Table) -> None:
    """A literal that is grouped with others, or looked up by its beginning, is found like one that is looked for."""
    hits = 0
    for text in TEXTS:
        expected = slowly(text, table)
        assert sorted((rule.id, start, end) for rule, start, end in search.search(text, table)) == expected, text
        hits += len(expected)
    assert hits > 50


def test_every_literal_is_in_a_table() -> None:
    """What is taken out of the text of the file is what JSON says."""
    for table, whole in ((LOADED.in_tokens, False), (LOADED.in_text, True)):
        known = {(literal, number) for literal, numbers in literals(table) for number in numbers}
        rows = enumerate(LOADED.rows)
        assert known == {(item, number) for number, row in rows if row.whole is whole for item in row.literals}


def test_the_rules_may_have_line_ends_of_windows() -> None:
    """As in a checkout there."""
    other = Rules(LOADED.data.replace(b"\n", b"\r\n"))
    assert [row.pattern for row in other.rows] == [row.pattern for row in LOADED.rows]
    assert other.services() == LOADED.services()


def test_the_shape_of_a_word_says_what_its_letters_say() -> None:
    """The words that are kept are those that a plain reading keeps, in their order."""
    kept = 0
    for text in TEXTS:
        words = [word for word in text.split() if len(word) >= LEAST and mixed(word)]
        assert long_words(text) == words
        kept += len(words)
        for word in text.split():
            assert could_hold(word) is (len(word) >= LEAST and mixed(word))
    assert kept > 1000


def test_a_line_end_hides_nothing() -> None:
    """Every line end is tried, not only those after a word with the beginning of a literal."""
    hits = 0
    for text in [*TEXTS, *broken(600)]:
        every = [
            hit
            for found in re.finditer(r"[^ \t\r\\\n](?=[ \t\r\\]{0,8}\n)", text)
            if re.search(r"[0-9_-][A-Za-z]{0,79}\Z|[A-Z]{4}\Z", text[max(0, found.end() - 80) : found.end()])
            for begin in [max(text.rfind(sign, 0, found.end()) for sign in " \t\n") + 1]
            for hit in joined._over_lines(text, max(begin, found.end() - 80), found.end(), LOADED.in_tokens)
        ]
        quick = {(rule.id, start, end) for rule, start, end in joined.joined(text, LOADED.in_tokens)}
        assert quick <= {(rule.id, start, end) for rule, start, end in every}
        assert quick >= {(rule.id, start, end) for rule, start, end in every if begins(rule, start, text)}, text
        hits += len(quick)
    assert hits > 100


def begins(rule: SecretRule, start: int, text: str) -> bool:
    """Whether a literal stands whole before the line end, at the beginning of the token."""
    return rule.left and not rule.reach and any(text.startswith(literal, start) for literal in rule.literals)


def broken(count: int) -> list[str]:
    """Made credentials with a line end somewhere in them."""
    rng = random.Random(count)
    found = []
    for _ in range(count):
        secret = made(rng.choice(LOADED.rows), rng)
        at = rng.randint(1, len(secret))
        found.append(f"a {secret[:at]}{rng.choice(['', ' ', chr(92)])}\n{rng.choice(['', '> ', '  '])}{secret[at:]} b")
    return found


def test_places_are_those_of_the_words() -> None:
    """A word that is part of another one, or that comes twice, has its own place."""
    for text in TEXTS[:1000]:
        tokens = Tokens(text, long_words(text))
        places = [place for place, _ in tokens.placed()]
        assert places == sorted(set(places))
        for place, word in tokens.placed():
            assert text[place : place + len(word)] == word
            assert place == 0 or text[place - 1].isspace()


def test_no_two_matches_overlap() -> None:
    """Each place is said once, in order."""
    for text in TEXTS:
        matches = secretscan.scan(text)
        for one, next_one in pairwise(matches):
            assert one.end <= next_one.start
