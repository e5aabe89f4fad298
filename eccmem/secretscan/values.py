"""Is a value that has the shape of a credential one, or a placeholder, a name, a word?

Every test here only takes away: nothing is a secret because it looks random, but what does not look random is none.
"""

import re
from collections.abc import Callable
from math import log2

from eccmem.secretscan.pattern import compiled

# Patterns are text, and compiled when a value gets so far: most texts have none.
_WORDS = (
    r"(?i)example|placeholder|change[-_]?me|redacted|replace|insert[-_]|dummy|sample|x{5}|\*{4}|deadbeef|invalid|"
    r"your[-_ ]|[-_]your|my[-_]?(?:secret|token|key|pass)|[-_]here\b|"
    r"secret[-_]?key|not[-_]a[-_]|foo[-_]?bar|lorem|\.{3}"
)
_REFERENCE = r"(?i)\$[a-z_{(]|^\$|[<{}*>\[\]]|%2A|%24|\.\.\.|process\.env|environ|getenv|^env[.:]|secrets?\.|\("
_TEMPLATE = "(?i)example|placeholder|change[-_]?me|redacted|x{4}|your[-_]?p"
_LOOPBACK = (
    r"(?i)(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0|host(?:name)?|example\.(?:com|org|net)|db|"
    r"[a-z0-9.-]*\.example(?:\.com)?|postgres|mysql|redis|mongo|server|proxy)\b"
)
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s?:[^\n\\]{0,200}"
_BETWEEN = r"\\+[nrt]|[\s>\"'`+,|#]"
_ALPHABETS = (
    "0123456789abcdefghijklmnopqrstuvwxyz",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "1234567890abcdef1234567890",
    "qwertyuiopasdfghjklzxcvbnm",
)
# What manuals write where a password belongs.
_WEAK = frozenset(
    (
        *(
            "password",
            "passwd",
            "pass",
            "pw",
            "secret",
            "admin",
            "root",
            "user",
            "username",
            "test",
            "testing",
            "guest",
        ),
        *(
            "postgres",
            "mysql",
            "redis",
            "mongo",
            "mongodb",
            "rabbitmq",
            "changeme",
            "default",
            "example",
            "token",
            "xxx",
        ),
        *(
            "xxxx",
            "mypassword",
            "mypass",
            "foobar",
            "demo",
            "dev",
            "local",
            "none",
            "null",
            "empty",
            "apikey",
            "api_key",
        ),
        *("access_token", "your_password", "key", "value", "string"),
    )
)
# Weak too, and a password all the same where the host could be one.
_KNOWN = frozenset(
    (
        *("abc123", "123456", "12345678", "hunter2", "s3cret", "secret123", "password123", "p@ssw0rd", "passw0rd"),
        *("pass123", "letmein"),
    )
)

_SHORT = 16
_LOOKED_AT = 256
_LEAST_BITS = 2.3  # below it no key of a provider was seen
_RUN = 8
_MANY = 2
_CLASSES = 3
_LONG_RUN, _MIXED_RUN = 20, 14
_CAPITALS = (0.22, 0.78)
_JWT_KINDS = 16
_PASSWORD_KINDS = 5
_LOCAL_LEAST = 7
_SEALED = 160
_KEY_CHARS = 3000
_KEY_KINDS = 6


def _digits_in(value: str) -> int:
    return sum(map(str.isdigit, value))


def entropy(value: str) -> float:
    """Shannon's bits for each character of a value."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in map(value.count, set(value))) if size else 0.0


def varied(value: str, least: int = 7) -> bool:
    """Whether a value has enough different characters, and none of them in more than half of the places."""
    value = value[:_LOOKED_AT]
    kinds = set(value)
    wanted = least if len(value) >= _SHORT else min(least, _PASSWORD_KINDS)
    if len(kinds) < wanted or entropy(value) < _LEAST_BITS:
        return False
    return max(map(value.count, kinds)) * 2 <= len(value)


def placeholder(value: str) -> bool:
    """Whether a value says of itself that it is none."""
    return bool(compiled(_WORDS).search(value))


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
    return varied(value) and not placeholder(value[: 2 * _LOOKED_AT]) and not ascending(value[:_LOOKED_AT])


def light(value: str) -> bool:
    """For shapes that nothing else has: only what is plainly a placeholder is let go."""
    return varied(value, _PASSWORD_KINDS) and not placeholder(value[: 2 * _LOOKED_AT])


def digits(value: str) -> bool:
    """Random, with at least two digits and a letter."""
    return random(value) and _digits_in(value[:_LOOKED_AT]) >= _MANY and not value.isdigit()


def three_classes(value: str) -> bool:
    """Random, with a digit, a small letter and a capital one."""
    return random(value) and _classes(value) == _CLASSES


def mixed_case(value: str) -> bool:
    """Random letters of both cases in like numbers, which no name in camel case has."""
    letters = [char for char in value if char.isalpha()]
    share = sum(map(str.isupper, letters)) / max(len(letters), 1)
    return random(value) and _CAPITALS[0] < share < _CAPITALS[1]


def solid(value: str) -> bool:
    """Random, and not words with hyphens: a long unbroken run, or three kinds of characters in a shorter one."""
    if not random(value) or _digits_in(value) < _MANY:
        return False
    longest = max(re.findall("[A-Za-z0-9]+", value), key=len)
    kinds = _classes(longest)
    return (len(longest) >= _LONG_RUN and kinds > 1) or (len(longest) >= _MIXED_RUN and kinds == _CLASSES)


def _classes(value: str) -> int:
    return sum(any(map(kind, value)) for kind in (str.isdigit, str.islower, str.isupper))


def _loose(value: str) -> bool:
    return light(value) and _digits_in(value) >= _MANY


def _aws(value: str) -> bool:
    return len(set(value)) > _MANY and "EXAMPLE" not in value and not value.startswith("XX")


def _jwt(value: str) -> bool:
    return len(set(value)) >= _JWT_KINDS and not placeholder(value[:200]) and "..." not in value


def _uri(value: str) -> bool:
    """``scheme://user:password@host``, with a password that could be one."""
    user, _, rest = value.partition("://")[2].partition(":")
    secret, _, host = rest.rpartition("@")
    low = secret.lower()
    if low.strip("<>[]{}") in _WEAK or low == user.lower() or secret[0] in "%$#" or len(set(secret)) <= _MANY:
        return False
    if compiled(_REFERENCE).search(secret) or compiled(_TEMPLATE).search(secret):
        return False
    if compiled(_LOOPBACK).match(host):
        strong = len(secret) >= _LOCAL_LEAST and any(map(str.isdigit, secret)) and any(map(str.isalpha, secret))
        return strong and low not in _KNOWN and not low.startswith(("pass", "secret", "my"))
    return True


def _odbc(value: str) -> bool:
    return password(value.strip(" ;"))


def password(value: str) -> bool:
    """Whether what is given as a password could be one, and no variable, no placeholder, no word."""
    low = value.lower()
    if low in _WEAK or low in _KNOWN or "password" in low or len(set(value)) < _PASSWORD_KINDS:
        return False
    if compiled(_REFERENCE).search(value) or placeholder(value):
        return False
    if value.startswith("Ag") and len(value) > _SEALED:
        return False  # a sealed secret of Kubernetes, which only the cluster can open
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _netrc(value: str) -> bool:
    return password(value.rpartition(" ")[2])


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
    "netrc": _netrc,
}


def key_follows(text: str, end: int) -> bool:
    """Whether the header of a private key is followed by one: 24 characters of base64, however they are wrapped."""
    body, _, _ = text[end : end + _KEY_CHARS].partition("-----END")
    body = compiled(_BETWEEN).sub("", compiled(_HEADER).sub("", body))
    found = compiled("[A-Za-z0-9/=]{24}").match(body)
    return bool(found) and len(set(body[:24])) >= _KEY_KINDS
