"""The credential shapes that eccmem knows, as data: those of the reference implementation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SecretRule:
    r"""One credential shape.

    ``literals`` are looked for first: a text that holds none of them is not searched with the pattern.
    ``pattern`` is a regular expression with ASCII classes: a word ends at the first character that no token holds,
    as in JavaScript's ``\b``; it is compiled when first searched for.
    ``tier`` is ``block`` (a structured token: never stored) or ``review`` (likely: a person decides).
    """

    id: str
    label: str
    literals: tuple[str, ...]
    pattern: str
    tier: str = "block"


RULES = (
    SecretRule(
        "provider-api-key",
        "provider API key",
        ("sk-", "SK-", "Sk-", "sK-"),
        r"\b[sS][kK]-[A-Za-z0-9_-]{16,}\b",
    ),
    SecretRule("stripe-key", "Stripe key", ("k_live_",), r"\b[sr]k_live_[A-Za-z0-9]{16,}\b"),
    SecretRule("npm-token", "npm token", ("npm_",), r"\bnpm_[A-Za-z0-9]{20,}\b"),
    SecretRule("hugging-face-token", "Hugging Face token", ("hf_",), r"\bhf_[A-Za-z0-9]{20,}\b"),
    SecretRule("github-token", "GitHub token", ("ghp_", "gho_", "ghr_", "ghs_"), r"\bgh[pors]_[A-Za-z0-9]{16,}\b"),
    SecretRule("github-fine-grained-token", "GitHub token", ("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{16,}\b"),
    SecretRule("google-api-key", "Google API key", ("AIza",), r"\bAIza[A-Za-z0-9_-]{16,}\b"),
    SecretRule("slack-token", "Slack token", ("xox",), r"\bxox[baprs]-[A-Za-z0-9-]{10,}\b"),
    SecretRule("aws-access-key", "AWS access key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    SecretRule("private-key", "private key", ("-----BEGIN ",), r"-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY-----"),
)
