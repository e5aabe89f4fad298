"""Is a value that has the shape of a credential one, or a placeholder, a name, a word?

Every test here only takes away: nothing is a secret because it looks random, but what does not look random is none.
"""

from math import log2

from eccmem.secretscan.pattern import compiled

# Patterns are text, and compiled when a value gets so far: most texts have none.
_WORDS = (
    r"(?i)example|placeholder|change[-_]?me|redacted|replace|insert[-_]|dummy|sample|x{5}|\*{4}|deadbeef|invalid|"
    r"your[-_ ]|[-_]your|my[-_]?(?:secret|token|key|pass)|[-_]here\b|"
    r"secret[-_]?key|not[-_]a[-_]|foo[-_]?bar|lorem|\.{3}"
)
_ALPHABETS = (
    "0123456789abcdefghijklmnopqrstuvwxyz",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "1234567890abcdef1234567890",
    "qwertyuiopasdfghjklzxcvbnm",
)
_SHORT = 16
_LOOKED_AT = 256
_LEAST_BITS = 2.3  # below it no key of a provider was seen
_RUN = 8
_MANY = 2
_STRETCHES = {abc[at : at + _RUN]: abc for abc in reversed(_ALPHABETS) for at in range(len(abc) - _RUN + 1)}
_CLASSES = 3
_LONG_RUN, _MIXED_RUN = 20, 14
_CAPITALS = (0.22, 0.78)
_JWT_KINDS = 16
_SHORT_KINDS = 5


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
    wanted = least if len(value) >= _SHORT else min(least, _SHORT_KINDS)
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
        size = _RUN
        abc = _STRETCHES.get(low[position : position + size], "")
        while abc and position + size < len(low) and low[position : position + size + 1] in abc:
            size += 1
        covered += size if abc else 0
        position += size if abc else 1
        if (position - covered) * 10 > len(low) * 4:
            return False
    return covered * 10 > len(low) * 6


def random(value: str) -> bool:
    """Varied, no placeholder, no alphabet."""
    return varied(value) and not placeholder(value[: 2 * _LOOKED_AT]) and not ascending(value[:_LOOKED_AT])


def light(value: str) -> bool:
    """For shapes that nothing else has: only what is plainly a placeholder is let go."""
    return varied(value, _SHORT_KINDS) and not placeholder(value[: 2 * _LOOKED_AT])


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
    longest = max(compiled("[A-Za-z0-9]+").findall(value), key=len)
    kinds = _classes(longest)
    return (len(longest) >= _LONG_RUN and kinds > 1) or (len(longest) >= _MIXED_RUN and kinds == _CLASSES)


def _classes(value: str) -> int:
    return sum(any(map(kind, value)) for kind in (str.isdigit, str.islower, str.isupper))


def loose(value: str) -> bool:
    """Light, with at least two digits."""
    return light(value) and _digits_in(value) >= _MANY


def aws(value: str) -> bool:
    """Any but the one that AWS shows in its manuals, and stars."""
    return len(set(value)) > _MANY and "EXAMPLE" not in value and not value.startswith("XX")


def jwt(value: str) -> bool:
    """Of many characters, and not cut short."""
    return len(set(value)) >= _JWT_KINDS and not placeholder(value[:200]) and "..." not in value
