"""Is a value that has the shape of a credential one, or a placeholder, a name, a word?

Every test here only takes away: nothing is a secret because it looks random, but what does not look random is none.
"""

import re
from collections.abc import Callable
from functools import cache
from math import log2

_SHORT = 16
_WORDS = re.compile(
    r"(?i)example|placeholder|change[-_]?me|redacted|replace|insert[-_]|dummy|sample|x{5}|\*{4}|deadbeef|invalid|"
    r"your[-_ ]|[-_]your|my[-_]?(?:secret|token|key|pass)|[-_]here\b|secret[-_]?key|not[-_]a[-_]|foo[-_]?bar|lorem|\.{3}",
    re.ASCII,
)
_ALPHABETS = ("0123456789abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0123456789", "1234567890abcdef1234567890",
              "qwertyuiopasdfghjklzxcvbnm")  # fmt: skip
_RUN = 8
_WEAK = frozenset(
    "password passwd pass pw secret admin root user username test testing guest postgres mysql redis mongo mongodb "
    "rabbitmq changeme default example token xxx xxxx mypassword mypass foobar demo dev local none null empty "
    "apikey api_key access_token your_password key value string".split()
)
# Weak, and common in manuals: a password all the same where the host could be one.
_KNOWN = frozenset(
    "abc123 123456 12345678 hunter2 s3cret secret123 password123 p@ssw0rd passw0rd pass123 letmein".split()
)
_REFERENCE = re.compile(
    r"\$[A-Za-z_{(]|^\$|[<{}*>\[\]]|%2A|%24|\.\.\.|process\.env|environ|getenv|^env[.:]|secrets?\.|\(", re.IGNORECASE
)
_LOOPBACK = re.compile(r"@(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0|host(?:name)?|example\.(?:com|org|net)|db|"
                       r"[a-z0-9.-]*\.example(?:\.com)?|postgres|mysql|redis|mongo|server|proxy)\b", re.IGNORECASE)  # fmt: skip


def entropy(value: str) -> float:
    """Shannon's bits for each character of a value."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in map(value.count, set(value))) if size else 0.0


def varied(value: str, least: int = 7) -> bool:
    """Whether a value has enough different characters, and none of them in more than half of the places."""
    value = value[:256]
    kinds = set(value)
    wanted = least if len(value) >= _SHORT else min(least, 5)
    if len(kinds) < wanted or entropy(value) < 2.3:  # noqa: PLR2004 - below it no key of a provider was seen
        return False
    return max(map(value.count, kinds)) * 2 <= len(value)


def placeholder(value: str) -> bool:
    """Whether a value says of itself that it is none."""
    return bool(_WORDS.search(value))


def ascending(value: str) -> bool:
    """Whether most of a value is the alphabet, the digits or a keyboard in order."""
    low = value.lower()
    covered = position = 0
    while position <= len(low) - _RUN:
        run = next((a for a in _ALPHABETS if low[position : position + _RUN] in a), "")
        size = _RUN
        while run and position + size < len(low) and low[position : position + size + 1] in run:
            size += 1
        covered += size if run else 0
        position += size if run else 1
    return covered * 10 > len(low) * 6


def random(value: str) -> bool:
    """Varied, no placeholder, no alphabet."""
    return varied(value) and not placeholder(value[:512]) and not ascending(value[:256])


def light(value: str) -> bool:
    """For shapes that nothing else has: only what is plainly a placeholder is let go."""
    return varied(value, 5) and not placeholder(value[:512])


def digits(value: str) -> bool:
    """Random, with at least two digits and a letter."""
    return random(value) and sum(map(str.isdigit, value[:256])) > 1 and not value.isdigit()


def three_classes(value: str) -> bool:
    """Random, with a digit, a small letter and a capital one."""
    return random(value) and all(any(map(kind, value)) for kind in (str.isdigit, str.islower, str.isupper))


def mixed_case(value: str) -> bool:
    """Random letters of both cases in like numbers, which no name in camel case has."""
    letters = [c for c in value if c.isalpha()]
    large = sum(map(str.isupper, letters))
    return random(value) and 0.22 * len(letters) < large < 0.78 * len(letters)  # noqa: PLR2004 - see above


def solid(value: str) -> bool:
    """Random, and not words with hyphens between: a long unbroken run, or three kinds of characters in a shorter one."""
    if not random(value) or sum(map(str.isdigit, value)) < 2:  # noqa: PLR2004 - one digit is a version
        return False
    runs = re.findall("[A-Za-z0-9]+", value)
    longest = max(runs, key=len)
    kinds = sum(any(map(kind, longest)) for kind in (str.isdigit, str.islower, str.isupper))
    return (len(longest) > 19 and kinds > 1) or (len(longest) > 13 and kinds == 3)  # noqa: PLR2004 - measured


def _loose(value: str) -> bool:
    return light(value) and sum(map(str.isdigit, value)) > 1


def _aws(value: str) -> bool:
    return len(set(value)) > 2 and "EXAMPLE" not in value and not value.startswith("XX")  # noqa: PLR2004 - XXXXYYYY


def _jwt(value: str) -> bool:
    return len(set(value)) > 15 and not placeholder(value[:200]) and "..." not in value  # noqa: PLR2004 - base64 of JSON


def _uri(value: str) -> bool:
    """``scheme://user:password@host``, with a password that could be one."""
    authority = value.split("://", 1)[1]
    user, _, rest = authority.partition(":")
    password, _, host = rest.rpartition("@")
    low = password.lower()
    if low in _WEAK or low.strip("<>[]{}") in _WEAK or low == user.lower() or _REFERENCE.search(password):
        return False
    if (
        re.search("(?i)example|placeholder|change[-_]?me|redacted|x{4}|your[-_]?p", password)
        or password[0] in "%$#"
        or len(set(password)) < 3
    ):  # noqa: PLR2004 - aaa, 1212
        return False
    if _LOOPBACK.match("@" + host):
        return (
            low not in _KNOWN
            and len(password) > 6
            and any(map(str.isdigit, password))
            and any(map(str.isalpha, password))
            and not low.startswith(("pass", "secret", "my"))
        )  # noqa: PLR2004
    return True


def _odbc(value: str) -> bool:
    return password(value.strip(" ;"))


def password(value: str) -> bool:
    """Whether what is given as a password could be one, and no variable, no placeholder, no word."""
    low = value.lower()
    if low in _WEAK | _KNOWN or _REFERENCE.search(value) or placeholder(value) or len(set(value)) < 5:  # noqa: PLR2004
        return False
    if "password" in low or (value.startswith("Ag") and len(value) > 160):  # noqa: PLR2004 - Bitnami's sealed secrets
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def netrc(value: str) -> bool:
    """The last word of an entry of ``.netrc``."""
    return password(value.split()[-1])


TESTS: dict[str, Callable[[str], bool]] = {
    "none": bool,
    "random": random,
    "light": light,
    "digits": digits,
    "three-classes": three_classes,
    "mixed-case": mixed_case,
    "solid": solid,
    "loose": _loose,
    "aws": _aws,
    "jwt": _jwt,
    "uri": _uri,
    "odbc": _odbc,
    "netrc": netrc,
}

_HEADER = re.compile(r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s?:[^\n\\]{0,200}")
_BETWEEN = re.compile(r"\\+[nrt]|[\s>\"'`+,|#]")


@cache
def _body_pattern() -> "re.Pattern[str]":
    return re.compile("[A-Za-z0-9/=]{24}")


def key_follows(text: str, end: int) -> bool:
    """Whether the header of a private key is followed by one: 24 characters of base64, however they are wrapped."""
    body = text[end : end + 3000]
    stop = body.find("-----END")
    body = _HEADER.sub("", body if stop < 0 else body[:stop])
    found = _body_pattern().match(_BETWEEN.sub("", body))
    return bool(found) and len(set(found[0])) > 5  # noqa: PLR2004 - AAAA… is no key
