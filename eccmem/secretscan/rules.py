"""The credential shapes that eccmem knows, as data: those of the reference implementation."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One credential shape.

    ``literals`` are looked for first: a text that holds none of them is not searched with the pattern.
    ``tier`` is ``block`` (a structured token: never stored) or ``review`` (likely: a person decides).
    """

    id: str
    label: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    tier: str = "block"


def _rule(rule_id: str, label: str, literals: tuple[str, ...], pattern: str) -> SecretRule:
    # ASCII: a word ends at the first character that no token holds, as in JavaScript's \b.
    return SecretRule(rule_id, label, literals, re.compile(pattern, re.ASCII))


RULES = (
    _rule(
        "provider-api-key",
        "provider API key",
        ("sk-", "SK-", "Sk-", "sK-"),
        r"\b[sS][kK]-[A-Za-z0-9_-]{16,}\b",
    ),
    _rule("stripe-key", "Stripe key", ("k_live_",), r"\b[sr]k_live_[A-Za-z0-9]{16,}\b"),
    _rule("npm-token", "npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{20,}\b"),
    _rule("hugging-face-token", "Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{20,}\b"),
    _rule("github-token", "GitHub token", ("ghp_", "gho_", "ghr_", "ghs_"), r"\bgh[pors]_[A-Za-z0-9]{16,}\b"),
    _rule("github-fine-grained-token", "GitHub token", ("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{16,}\b"),
    _rule("google-api-key", "Google API key", ("AIza",), r"\bAIza[A-Za-z0-9_-]{16,}\b"),
    _rule("slack-token", "Slack token", ("xox",), r"\bxox[baprs]-[A-Za-z0-9-]{10,}\b"),
    _rule("aws-access-key", "AWS access key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _rule("private-key", "private key", ("-----BEGIN ",), r"-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY-----"),
)
