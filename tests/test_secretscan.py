"""Credentials are found wherever they stand in Markdown and however they are disguised; prose is let go."""

import base64
import json
import random
import re
import time
from html import escape
from pathlib import Path
from re import _constants as c
from re import _parser as parser
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from builders import memory
from eccmem import limits, refusals, secretscan, vault
from eccmem.errors import Refused
from eccmem.secretscan import rules as module
from eccmem.secretscan import values
from eccmem.secretscan.rules import rules
from secrets_made import LETTERS, lookalike, made, mutated

RULES = rules().rows
BLOCK = [rule for rule in RULES if rule.tier == "block"]
TOKENS = [rule for rule in BLOCK if not rule.whole and rule.left]
CONTEXTS = (
    *("{}", "the key {}.", "({})", "**{}**", "`{}`", "a, {}, b", "| key | {} |", "<{}>", "[{}]", "KEY={}", 'x = "{}"'),
    *("- {}", "> {}", "key: {}", "?a={}&b=1", "{};", "{}!", "a\\n{}", "?a=b%20{}"),
)
BOUND = 128 * 1024


def found(text: str, tier: str = "block") -> list[secretscan.Match]:
    return [match for match in secretscan.scan(text) if match.tier == tier]


def seeded(name: str) -> random.Random:
    return random.Random(name)


# --- The rules -----------------------------------------------------------------------------------------------


def test_the_rules_keep_to_their_schema() -> None:
    """At least 220 of them, each with a page of its provider."""
    loaded = json.loads(Path(module.FILE).read_bytes())
    validator = Draft202012Validator(json.loads(Path(module.FILE).with_name("rules.schema.json").read_bytes()))

    assert [error.message for error in validator.iter_errors(loaded)] == []
    ids = [row["id"] for row in loaded["rules"] + loaded["services"]]
    assert len(ids) == len(set(ids))
    for field, value in (("teir", "block"), ("source", "http://example.com/page"), ("left", "edge"), ("literals", [])):
        assert not validator.is_valid({**loaded, "rules": [{**loaded["rules"][0], field: value}, *loaded["rules"][1:]]})


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_repeat_is_bounded(rule: module.SecretRule) -> None:
    """So that no text makes a pattern slow: no open repeat, and no repeat of a repeat without a sign between."""

    def repeats(parsed: object) -> None:
        for operation, argument in parsed:
            if operation in (c.MAX_REPEAT, c.MIN_REPEAT):
                assert argument[1] is not c.MAXREPEAT
                assert argument[1] <= 9000
                repeats(argument[2])
            elif operation is c.SUBPATTERN:
                repeats(argument[3])
            elif operation is c.BRANCH:
                for branch in argument[1]:
                    repeats(branch)

    repeats(parser.parse(rule.pattern, re.ASCII))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_made_credential_is_found_where_it_stands(rule: module.SecretRule) -> None:
    """In each context of Markdown, at its line and column, by this rule or a stricter one that covers it."""
    rng = seeded(rule.id)
    for context in CONTEXTS if rule in TOKENS else CONTEXTS[:1]:
        secret = made(rule, rng)
        text = f"first line\n\n{context.format(secret)}\nlast line"
        start = text.index(secret)
        hits = [m for m in secretscan.scan(text) if m.start < start + len(secret) and start < m.end]
        assert hits, context
        assert rule.tier == "review" or any(m.tier == "block" for m in hits), context
        if rule in TOKENS:
            assert any(m.start == start for m in hits), context


@pytest.mark.parametrize(
    "rule", [rule for rule in TOKENS if rule.test not in {"uri", "oracle"}], ids=lambda rule: rule.id
)
def test_the_shortest_credential_is_found(rule: module.SecretRule) -> None:
    """The words that are looked through are no longer than what a rule asks for."""
    assert secretscan.scan(f"a {made(rule, seeded(rule.id), longest=0)} b")


@pytest.mark.parametrize(
    "rule", [rule for rule in TOKENS if rule.test != "none" and not rule.reach], ids=lambda rule: rule.id
)
def test_a_placeholder_is_not_found(rule: module.SecretRule) -> None:
    """The same shape with x for each letter and digit, as manuals have it."""
    assert found(f"key: {lookalike(rule, seeded(rule.id))}") == []


@pytest.mark.parametrize("rule", [r for r in TOKENS if not r.reach], ids=lambda rule: rule.id)
def test_a_token_that_is_cut_off_is_not_found_by_its_rule(rule: module.SecretRule) -> None:
    """A near miss: the literal and three characters more."""
    secret = made(rule, seeded(rule.id))
    literal = next(item for item in rule.literals if secret.startswith(item))
    cut = secret[: len(literal) + 3]
    assert not any(m.rule == rule.id for m in found(f"key {cut} here"))


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_text_makes_a_rule_slow(rule: module.SecretRule) -> None:
    """128 KiB of its own literal, of almost-tokens and of its token, each well under a second (generous here)."""
    rng = seeded(rule.id)
    secret = made(rule, rng, longest=400)
    for part in (rule.literals[0], secret[:-2] + "\u00e9", secret[: len(secret) // 2]):
        text = (part * (BOUND // len(part) + 1))[:BOUND]
        began = time.process_time()
        secretscan.scan(text)
        assert time.process_time() - began < 6, part[:20]


def test_a_token_ends_where_a_word_does() -> None:
    """What goes on with letters and digits is longer than any token of the rule, so it is something else."""
    (rule,) = (rule for rule in TOKENS if rule.id == "aws-access-key")
    secret = made(rule, seeded("end"), longest=0)
    assert found(f"key {secret}, then")
    assert found(f"key {secret}{'Q7' * 20}, then") == []


# --- Disguises -------------------------------------------------------------------------------------------------

WIDE = {n: n + 0xFEE0 for n in range(33, 127)}
CYRILLIC = str.maketrans(
    "AaBcEeopPxKHMTy", "\u0410\u0430\u0412\u0441\u0415\u0435\u043e\u0440\u0420\u0445\u041a\u041d\u041c\u0422\u0443"
)
NAMES = {
    *("github-token", "aws-access-key", "stripe-key", "openai-project-key", "anthropic-api-key", "gitlab-token"),
    *("digitalocean-token", "sendgrid-key", "hugging-face-token", "notion-token", "linear-key", "shopify-token"),
}
PLAIN = [rule for rule in TOKENS if rule.id in NAMES]


def split(mark: str):
    return lambda secret: secret[:7] + mark + secret[7:]


DISGUISES = {
    "zero-width space": split("\u200b"),
    "zero-width joiner": split("\u200d"),
    "soft hyphen": split("\u00ad"),
    "word joiner": split("\u2060"),
    "tag characters": split("\U000e0041"),
    "full width": lambda secret: secret.translate(WIDE),
    "full width in part": lambda secret: secret[:4].translate(WIDE) + secret[4:],
    "bold mathematical": lambda s: "".join(
        chr(0x1D400 + LETTERS.swapcase().index(x)) if x in LETTERS else x for x in s
    ),
    "Cyrillic": lambda secret: secret.translate(CYRILLIC),
    "dashes": lambda secret: secret.replace("-", "\u2011"),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 of a line": lambda secret: base64.b64encode(f"API_KEY={secret}\n".encode()).decode(),
    "base64url": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
    "hex": lambda secret: secret.encode().hex(),
    "percent": lambda secret: "".join(f"%{ord(char):02X}" for char in secret),
    "percent in part": lambda secret: quote(secret, safe="").replace("-", "%2D").replace("_", "%5F"),
    "escapes of JSON": lambda secret: secret.replace("-", "\\u002d").replace("_", "\\u005f"),
    "all escaped": lambda secret: "".join(f"\\u{ord(char):04x}" for char in secret),
    "entities": lambda secret: escape(secret).replace("-", "&#45;").replace("_", "&#95;"),
    "all entities": lambda secret: "".join(f"&#{ord(char)};" for char in secret),
    "escapes of Markdown": lambda secret: secret.replace("_", "\\_").replace("-", "\\-"),
    "emphasis": lambda secret: f"{secret[:6]}**{secret[6:]}**",
    "struck out": lambda secret: f"{secret[:6]}~~{secret[6:]}~~",
    "in code": lambda secret: f"{secret[:6]}`{secret[6:]}`",
    "over a line end": lambda secret: secret[:-8] + "\n" + secret[-8:],
    "over a line end of a quotation": lambda secret: secret[:-8] + "\n> " + secret[-8:],
}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("rule", PLAIN, ids=lambda rule: rule.id)
def test_what_a_reader_could_undo_is_undone(rule: module.SecretRule, disguise: str) -> None:
    """And its place is that of the disguised text."""
    secret = DISGUISES[disguise](made(rule, seeded(rule.id)))
    text = f"one\ntwo {secret} end"
    hits = found(text)
    assert hits
    assert hits[0].start == 8
    assert 8 < hits[0].end <= 8 + len(secret)


@pytest.mark.parametrize("around", ["{}", "caf\u00e9 {}", "\uff41\uff42 {}", "a\u2014b {}", "\u200b {}"])
@pytest.mark.parametrize("disguise", ["base64", "hex", "percent", "all entities", "emphasis", "over a line end"])
def test_a_disguise_is_undone_in_any_text(around: str, disguise: str) -> None:
    """In ASCII, with letters that are no look-alikes, and where others are folded."""
    (rule,) = (rule for rule in PLAIN if rule.id == "github-token")
    secret = DISGUISES[disguise](made(rule, seeded(around)))
    text = around.format(secret)
    (match,) = found(text)
    assert match.start == text.index(secret)


def test_a_match_ends_with_its_last_character() -> None:
    """Not with what nobody sees after it."""
    (rule,) = (rule for rule in PLAIN if rule.id == "github-token")
    secret = split("\u200b")(made(rule, seeded("end")))
    (match,) = found(f"a {secret}\u200b\u200b b")
    assert (match.start, match.end, match.via) == (2, 2 + len(secret), "folded")


def test_what_is_decoded_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the limit it is looked through, and what comes after it is not."""
    (rule,) = (rule for rule in PLAIN if rule.id == "github-token")
    secret = made(rule, seeded("bound"))
    plain = "a line of 30 characters, now!\n"
    texts = [base64.b64encode(text.encode()).decode() for text in (plain * 20, secret)]
    monkeypatch.setattr(limits, "DECODED_BYTES", 600 + len(secret))
    assert found(" ".join(texts))
    monkeypatch.setattr(limits, "DECODED_BYTES", 600 + len(secret) - 1)
    assert not found(" ".join(texts))


def test_what_is_only_likely_is_not_looked_for_in_a_disguise() -> None:
    """A value that is decoded and then only resembles a secret says nothing."""
    (rule,) = (rule for rule in RULES if rule.id == "launchdarkly-sdk-key")
    secret = made(rule, seeded(rule.id))
    assert [match.tier for match in secretscan.scan(f"a {secret} b")] == ["review"]
    assert secretscan.scan(f"a {base64.b64encode(secret.encode()).decode()} b") == []


MARKS = ("\u200b", "\u2060", "\u00ad")


TRICKS = [lambda secret: secret, *map(split, MARKS)] + [
    DISGUISES[name]
    for name in ("tag characters", "full width", "full width in part", "bold mathematical", "Cyrillic", "dashes")
]


@given(st.sampled_from(TOKENS), st.integers(), st.sampled_from(CONTEXTS), st.sampled_from(TRICKS), st.integers(0, 5))
def test_any_rule_in_any_context_with_any_trick(rule, seed: int, context: str, trick, lines: int) -> None:
    """Line and column are those of the token; look-alikes and what nobody sees in it change nothing."""
    secret = trick(made(rule, random.Random(seed)))
    text = "\u0436 x\n" * lines + context.format(secret)
    start = text.index(secret)
    assert any(match.start <= start < match.end <= start + len(secret) + 1 for match in found(text))


def variable_parts(rule: module.SecretRule, secret: str) -> set[str]:
    """Each four characters of a token that its rule does not know beforehand."""
    literal = next(item for item in rule.literals if item in secret)
    rest = secret.removeprefix(literal)
    fours = {rest[i : i + 4] for i in range(len(rest) - 3)}
    return {four for four in fours if any(map(str.isdigit, four)) and any(map(str.isalpha, four))}


@pytest.mark.parametrize("rule", TOKENS, ids=lambda rule: rule.id)
def test_no_four_characters_of_a_secret_are_said(rule: module.SecretRule) -> None:
    """Neither by a match nor by the refusal of a save."""
    secret = made(rule, seeded(rule.id))
    item = memory(title=f"a {secret}"[:200], body=f"first\n{secret}")
    said = [repr(match) for _, _, match, _ in vault.secrets_in(item)]
    with pytest.raises(Refused) as caught:
        refusals.refuse_secrets(item)
    said += [caught.value.message, caught.value.hint or "", repr(caught.value)]

    assert said[:-3]
    assert [four for four in variable_parts(rule, secret) if any(four in text for text in said)] == []


# --- What is let go -----------------------------------------------------------------------------------------------

CLEAN = {
    "prose with sk-": "The risk-adjusted-portfolio-rebalancing-report, task-runner-2024-01 and sk-learn-contrib-0-23.",
    "a commit": "fixed in {hex40} by a merge",
    "an id": "id: {uuid}",
    "a hash of a lock file": "integrity sha512-{b64}==",
    "a digest": "FROM python:3.11@sha256:{hex64}",
    "AWS's own example": "AKIA" + "IOSFODNN7" + "EXAMPLE is the documented one",
    "a publishable key": "pk_live_{alnum24}",
    "variables": "https://$" + "{{user}}:$" + "{{password}}@host/x and https://user:$PASSWORD@host/x",
    "weak words": "postgres://user:password@localhost:5432/db",
    "a header of a key alone": "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "names": "secretary: JanetY2021, tokenizer: cl100k_base_v2024, NOPASSWD: ALL, the password is kept in the vault",
    "a masked value": "password: ********, api_key: <your-api-key>, token = os.environ['API_TOKEN_2024_VALUE']",
    "a cache key": "cache-key: node-modules-linux-{hex64}",
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_what_is_no_secret_passes(name: str) -> None:
    """Neither tier minds it."""
    rng = seeded(name)
    digits, alnum = "0123456789abcdef", LETTERS + "0123456789"
    filled = {
        "hex40": "".join(rng.choices(digits, k=40)),
        "hex64": "".join(rng.choices(digits, k=64)),
        "b64": "".join(rng.choices(alnum, k=86)),
        "alnum24": "".join(rng.choices(alnum, k=24)),
        "uuid": "-".join("".join(rng.choices(digits, k=k)) for k in (8, 4, 4, 4, 12)),
    }
    assert secretscan.scan(CLEAN[name].format(**filled)) == []


def opaque(name: str) -> str:
    """32 letters and digits, of which none could be a name with a number in it."""
    rng = seeded(name)
    return "".join(rng.sample(rng.choices(LETTERS, k=22) + rng.choices("0123456789", k=10), 32))


@pytest.mark.parametrize(
    "shape",
    [
        "ACME_API_KEY={}",
        "api key: {}",
        'client_secret = "{}"',
        "The secret token is {}",
        "Authorization: Bearer {}",
        "mailgun token {}",
        '{{"datadog_app_key": "{}"}}',
        "https://api.corp.net/v1?page=2&access_token={}",
        "wallet_private = {}",
    ],
)
def test_an_opaque_value_by_the_name_of_a_secret_is_for_review(shape: str) -> None:
    """The value and not its name; nothing is certain, so nothing is blocked."""
    value = opaque(shape)
    (match,) = secretscan.scan(text := shape.format(value))
    assert match.tier == "review"
    assert text[match.start : match.end] == value
    assert secretscan.scan(text, review=False) == []


def test_of_two_services_the_first_of_the_rules_is_named() -> None:
    """Whichever comes first in the text."""
    one, two = "datadog", "mailgun"
    value = opaque("two")
    (first,), (second,) = (secretscan.scan(f"{a}_{b}_token: {value}") for a, b in ((one, two), (two, one)))
    assert first.rule == second.rule != "assigned-secret"


MORE_PASSWORDS = ("pwd = {}", "db_pw: {}", "wget --user=admin:{} https://host", "mysql -u root -p{}", "x --password {}")


@pytest.mark.parametrize(
    "shape", ["password: {}", "curl -u admin:{} https://host", "sshpass -p {} ssh host", "DB_PASS={}", *MORE_PASSWORDS]
)
def test_a_password_is_for_review(shape: str) -> None:
    """Also a short one, where the words around it say what it is."""
    (match,) = secretscan.scan(text := shape.format("vT7" + "mQz2" + "pL9"))
    assert (match.tier, text[match.start : match.end]) == ("review", "vT7mQz2pL9")


def test_an_alphabet_is_no_secret() -> None:
    """Six tenths of a value that are in order, wherever they are, make it a sample."""
    alphabet, noise = "abcdefghijklmnopqrstuvwxyz0123456789", "kQ7w" + "Zp3x"
    assert values.ascending(alphabet)
    assert values.ascending(noise[:4] + alphabet[:20])
    assert values.ascending(alphabet[:10] + noise + alphabet[20:30])
    assert values.ascending("qwertyuiop" + "ABCDEFGHIJ")
    assert not values.ascending(noise * 2 + alphabet[:20])
    assert not values.ascending(alphabet[:7] + noise)
    assert not values.ascending("")


# --- Any text --------------------------------------------------------------------------------------------------


def check(text: str) -> None:
    for match in secretscan.scan(text):
        assert 0 <= match.start < match.end <= len(text)


def test_no_text_raises() -> None:
    """And each match lies within the text."""
    for text in mutated(RULES, 3000, seed=3000):
        check(text)


@given(st.text())
def test_no_text_at_all_raises(text: str) -> None:
    """Whatever characters it has."""
    check(text)


@pytest.mark.slow
def test_many_texts_raise_nothing_and_are_fast() -> None:
    """All put together take a few microseconds a byte at most; ``benchmarks/fuzz.py`` measures each by itself."""
    many = [*mutated(RULES, 20_000, seed=20_000)]
    began = time.process_time()
    for text in many:
        check(text)
    assert time.process_time() - began < 60 * sum(map(len, many)) / 1e6
