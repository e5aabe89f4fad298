"""Could what is given as a password be one, or is it a variable, a placeholder, a word of a manual?"""

from eccmem.secretscan.pattern import compiled
from eccmem.secretscan.values import placeholder

_REFERENCE = r"(?i)\$[a-z_{(]|^\$|[<{}*>\[\]]|%2A|%24|\.\.\.|process\.env|environ|getenv|^env[.:]|secrets?\.|\("
# In an address signs are part of many passwords: only what is plainly a reference counts as one.
_REFERENCE_IN_URI = (
    r"(?i)\$[a-z_{(]|^[$%#]|^[<\[{(].*[>\]})]$|\{[a-z_. {}-]*[0-9]?\}|\$\{|\{\{|%[({]|\*\*|^\*+$|%s|\.\.\.|"
    r"process\.env|environ|getenv|^env[.:]|secrets?\.|^[a-z_.]+\(.{0,80}\)$"
)
_TEMPLATE = "(?i)example|placeholder|change[-_]?me|redacted|x{4}|your[-_]?p"
_LOOPBACK = (
    r"(?i)(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0|host(?:name)?|example\.(?:com|org|net)|db|"
    r"[a-z0-9.-]*\.example(?:\.com)?|postgres|mysql|redis|mongo|server|proxy)\b|[${]"
)
_NAMED = r"(?i)password=\\?[\"']?"
_ESCAPE = "%([0-9A-Fa-f]{2})"
# What manuals write where a password belongs.
_WORDS = (
    "password passwd pass pw secret admin root user username test testing guest postgres mysql redis mongo mongodb "
    "rabbitmq changeme default example token xxx xxxx mypassword mypass foobar demo dev local none null empty apikey "
    "api_key access_token your_password key value string"
)
_WEAK = frozenset(_WORDS.split())
# Weak too, and a password all the same where the host could be one.
_COMMON = "abc123 123456 12345678 hunter2 s3cret secret123 password123 p@ssw0rd passw0rd pass123 letmein"
_KNOWN = frozenset(_COMMON.split())
_KINDS = 5
_MANY = 2
_LOCAL_LEAST = 7
_SEALED = 160
_JUDGED = 64  # how much of a long one is looked at, so that no text makes this slow


def password(value: str) -> bool:
    """Whether what is given as a password could be one, and no variable, no placeholder, no word."""
    low = value.lower()
    if low in _WEAK or low in _KNOWN or "password" in low or len(set(value)) < _KINDS:
        return False
    if compiled(_REFERENCE).search(value, 0, _JUDGED) or placeholder(value[:_JUDGED]):
        return False
    if value.startswith("Ag") and len(value) > _SEALED:
        return False  # a sealed secret of Kubernetes, which only the cluster can open
    return _mixed(value)


def in_uri(value: str) -> bool:
    """``scheme://user:password@host`` or ``user:password@tcp(host)``, with a password that could be one."""
    user, _, rest = (value.partition("://")[2] or value).partition(":")
    raw, _, host = rest.rpartition("@")
    secret = compiled(_ESCAPE).sub(lambda found: chr(int(found[1], 16)), raw)
    low = secret.lower()
    if {low.strip("<>[]{}()"), low.partition("@")[0]} & _WEAK or low == user.lower() or len(set(secret)) <= _MANY:
        return False
    if compiled(_REFERENCE_IN_URI).search(secret) or compiled(_TEMPLATE).search(secret):
        return False
    strong = len(secret) >= _LOCAL_LEAST and _mixed(secret)
    if compiled(_LOOPBACK).match(host.removeprefix("tcp(").removeprefix("unix(")):
        return strong and low not in _KNOWN and not low.startswith(("pass", "secret", "my"))
    return _mixed(secret) or "/" not in raw  # else it is a path


def odbc(value: str) -> bool:
    """What follows ``Password=`` in a connection string."""
    return password(value.strip(" ;"))


def named(value: str) -> bool:
    """What follows the last ``password=`` of a value; all of it where there is none."""
    return password(compiled(_NAMED).split(value)[-1])


def after_slash(value: str) -> bool:
    """``user/password@host``, as Oracle has it."""
    return password(value.partition("/")[2].partition("@")[0])


def last_word(value: str) -> bool:
    """``machine host login user password value``, as in a netrc file."""
    return password(value.rpartition(" ")[2])


def _mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
