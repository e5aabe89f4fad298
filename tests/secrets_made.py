"""Credentials made at run time from the shapes of the rules, so that no file of this repository holds one.

A pattern is read with Python's own parser of regular expressions, and each of its parts gives random characters.
"""

import random
import re
from collections.abc import Iterator
from re import _constants as c
from re import _parser as parser

from eccmem.secretscan.rules import SecretRule
from eccmem.secretscan.vetoes import TESTS

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALL = [chr(n) for n in range(33, 127)]
_KINDS = {c.CATEGORY_DIGIT: r"\d", c.CATEGORY_WORD: r"\w", c.CATEGORY_SPACE: r"\s", c.CATEGORY_NOT_SPACE: r"\S"}


def made(rule: SecretRule, rng: random.Random, *, longest: int = 12) -> str:
    """A credential of the shape of a rule that passes its test; repeats are at most so much over their minimum."""
    for _ in range(400):
        text = _generate(parser.parse(rule.pattern, re.ASCII), rng, longest)
        literal = next((item for item in rule.literals if item in text), "")
        if rule.test == "pem":
            body = "\n".join("".join(rng.choices(LETTERS + "0123456789", k=64)) for _ in range(4))
            return f"{text}\n{body}\n{text.replace('BEGIN', 'END')}"
        if literal and TESTS[rule.test](text.removeprefix(literal)):
            return text
    raise AssertionError(rule.id)


def lookalike(rule: SecretRule, rng: random.Random) -> str:
    """The same shape, filled with one character: what a manual shows."""
    text = made(rule, rng)
    literal = next(item for item in rule.literals if item in text)
    at = text.find(literal) + len(literal)
    return text[:at] + "".join("x" if char.isalnum() else char for char in text[at:])


def _generate(parsed: object, rng: random.Random, longest: int) -> str:
    return "".join(_one(operation, argument, rng, longest) for operation, argument in parsed)


def _one(operation: object, argument: object, rng: random.Random, longest: int) -> str:  # noqa: PLR0911 - a case each
    if operation is c.LITERAL:
        return chr(argument)
    if operation is c.NOT_LITERAL:
        return rng.choice([char for char in LETTERS if ord(char) != argument])
    if operation is c.IN:
        return rng.choice(_members(argument))
    if operation in (c.MAX_REPEAT, c.MIN_REPEAT):
        least, most, inner = argument
        return "".join(_generate(inner, rng, longest) for _ in range(rng.randint(least, min(most, least + longest))))
    if operation is c.SUBPATTERN:
        return _generate(argument[3], rng, longest)
    if operation is c.BRANCH:
        return _generate(rng.choice(argument[1]), rng, longest)
    if operation is c.ASSERT:  # what has to stand before a token is made with it
        return _generate(argument[1], rng, longest)
    if operation is c.ASSERT_NOT:
        return ""
    if operation is c.CATEGORY:
        return rng.choice(_members([(operation, argument)]))
    raise AssertionError(operation)


def _members(items: list[tuple[object, object]]) -> list[str]:
    if items[0][0] is c.NEGATE:
        barred = set(_members(items[1:])) | set(" \"'`()[]{}<>*,;:!$%&@/\\=#?.|^~+-")
        return [char for char in ALL if char not in barred]
    found: list[str] = []
    for operation, argument in items:
        if operation is c.LITERAL:
            found.append(chr(argument))
        elif operation is c.RANGE:
            found += map(chr, range(argument[0], argument[1] + 1))
        elif argument is c.CATEGORY_SPACE:
            found.append(" ")
        else:
            found += [char for char in ALL if re.fullmatch(_KINDS[argument], char, re.ASCII)]
    return found


POOL = "".join(map(chr, range(32, 127))) + "\n\t\r\x0b\x0c\x85\u2028\u200b\u0430\uff41\U0001d400\u0130\ufb01%&\\"


def mutated(rules: list[SecretRule], count: int, seed: int) -> Iterator[str]:
    """Random texts with made credentials and literals in them that are cut, doubled, repeated and mixed.

    One in fifty is long and repeats a few pieces, which is what makes a search slow where something does.
    """
    rng = random.Random(seed)
    pieces = [made(rule, rng) for rule in rules] + [literal for rule in rules for literal in rule.literals]
    for _ in range(count):
        parts = [rng.choice(pieces)[: rng.randint(0, 60)] for _ in range(rng.randint(0, 4))]
        parts += ["".join(rng.choices(POOL, k=rng.randint(0, 60))) for _ in range(rng.randint(0, 4))]
        rng.shuffle(parts)
        text = "".join(parts)
        if rng.random() < 0.02:
            text = rng.choice(("", " ", "\n", "=", '"', "\u200b", "\\n", "%20")).join(
                [text[:200]] * rng.randint(2, 100)
            )
        yield text
