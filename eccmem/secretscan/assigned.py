"""The review tier: opaque values that stand by the name of a secret, an authorization header, a password in a command.

Nothing here is certain, so nothing here is quarantined: a save is refused, and whoever saves names the secret instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from eccmem.secretscan import values

Hit = tuple[str, str, int, int]

_SECRET = ("assigned-secret", "value of a secret")
_PASSWORD = ("assigned-password", "password")
_HEADER = ("authorization-header", "authorization header")
_COMMAND = ("command-password", "password in a command")

# A name, and the value that it is given; both short enough that no text makes this slow.
_GIVEN = (
    r"[\w.-]{0,30}[\"'`\])>]{0,3}[ \t]{0,8}(?::=|=>|\|\||==|->|\?=|[:=,>(|]|\bis\b:?)[ \t]{0,8}[*`]{0,2}"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\s]{8,400})(?P=quote)|(?P<bare>[^\s\"'`,;<>(){}\[\]]{8,400}))"
)
_PASSWORD_WORDS = ("passw", "passphrase", "pwd", "_pass", "_pw")
_FLAGS = (
    (("curl ", "wget "),
     r"(?:curl|wget)\b[^\n|;&]{0,300}?(?:\s-u\s?|--user[ =]|--proxy-user[ =]|\s-a\s)[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{4,128})"),
    (("sshpass", "mysql", "docker login", "psexec", "PSEXEC", "PsExec", "--password"),
     r"(?:sshpass\s+-p|docker login\b[^\n]{0,120}?\s-p|(?i:psexec)\b[^\n]{0,120}?\s-p|--password[= ]|mysql\b[^\n]{0,80}?\s-p)"
     r"\s{0,2}[\"']?(?P<value>[^\s\"']{6,128})"),
)  # fmt: skip
_AUTH = r"(?i:authorization|x-[a-z-]{1,24}(?:key|token|auth))[\"']?\s{0,3}[:=,]\s{0,3}[\"']?(?:(?i:basic|bearer|token|apikey|bot)\s{1,3})?(?P<value>[A-Za-z0-9+/_.=~:-]{16,1000})"

# How the name of a secret ends; the name is the last words before the value.
_NAME = re.compile(
    r"(?i)(?:key|token|secret|passw(?:or)?d|pwd|passphrase|[_-]pass|\bpat|[_-]pat|credentials?|\bauth|[_-]auth|authorization|bearer"
    r"|[a-z_-]access|[a-z_-]private|[a-z ]access|cookie)s?(?:[_.-]?(?:live|test|prod|dev|value|b64|base64|data|string|env|v?[0-9]{1,3}))?"
    r"(?:\s(?:is|string|val|value))?$"
)
_NOT_NAMED = re.compile(
    r"(?i)public|cache|foreign|primary|partition|idempotency|(?:next|page|start|starting|continuation|client|lock|purchase|request|"
    r"sync|delta|pagination|export|import|change|resume|cursor|sort|s3|object|hash|range|route|row|ssh|host|image|group|item|map)"
    r"[_ -]?(?:page)?(?:token|key)|key[_ -]?pair|checksum|digest|sha[0-9]|integrity|etag|commit|revision|\brev\b|fingerprint|uuid|"
    r"keyboard|monkey|turkey|author\b|sealed|encrypted|pubkey|thumbprint|example|\bgit\b|version|recv-keys|keyserver"
)
_OPENING = " \t\r\n\"'`*<[{"
_GIVES = ":=>|-?"
# Within an address only a parameter with the name of a secret counts.
_PARAMETER = r"(?i)[?&;](?:[a-z_-]{0,24}(?:token|key|secret|password|auth|code))="
_OPAQUE = "[A-Za-z0-9+/_=~.@!:%-]{16,1000}"
_TRIM = ".,:;!?=-*_~)("
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_CONTEXT = 100
_NEAR = 64
_hint = re.compile("[kpstacb](?:ey|ass|wd|ecr|oken|at|uth|red|ccess|earer|ookie)").search
_HEX = 32


@cache
def _compiled(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern, re.ASCII)


def assigned(text: str, words: Iterable[tuple[int, str]], services: Mapping[str, tuple[str, str]]) -> Iterator[Hit]:
    """Yield rule, label, start and end of each value in a text that is likely to be a secret.

    Args:
        text: what is searched.
        words: its long mixed words, with their places.
        services: for the name of each known service, rule and label.
    """
    low = text.lower()
    if len(low) == len(text):
        yield from _passwords(text, low)
    yield from _commands(text)
    for place, word in words:
        near = low[max(0, place - _NEAR) : place + len(word)]
        if _hint(near) or ("://" not in word and ("=" in word or ":" in word or text[place - 2 : place - 1] in ":=>")):
            yield from _opaque(text, place, word, services)


def _passwords(text: str, low: str) -> Iterator[Hit]:
    for name in _PASSWORD_WORDS:
        at = low.find(name)
        while at >= 0:
            found = _compiled(_GIVEN).match(text, at + len(name))
            step = at + len(name)
            if found:
                group = "quoted" if found["quoted"] else "bare"
                value = found[group].rstrip(_TRIM)
                if values.password(value) and not _is_name(value) and len(value) > 7:  # noqa: PLR2004
                    yield *_PASSWORD, found.start(group), found.start(group) + len(value)
                    step = found.end()
            at = low.find(name, step)


def _commands(text: str) -> Iterator[Hit]:
    for literals, pattern in _FLAGS:
        if any(literal in text for literal in literals):
            for found in _compiled(pattern).finditer(text):
                if values.password(found["value"]):
                    yield *_COMMAND, *found.span("value")


def _opaque(text: str, place: int, word: str, services: Mapping[str, tuple[str, str]]) -> Iterator[Hit]:
    address = "://" in word or word.startswith(("arn:", '"arn:', "git@"))
    for found in _compiled(_OPAQUE).finditer(word):
        value = found[0]
        for begin in _beginnings(value) if not address else _parameters(value, word, found.start()):
            inner = value[begin:].rstrip(_TRIM if not value.endswith("=") else ".,:;")
            inner = inner.partition("&")[0]
            start = place + found.start() + begin
            before = text[max(0, start - _CONTEXT) : start].rpartition("\n\n")[2]
            hit = _belongs(before, inner, services)
            if hit:
                yield *hit, start, start + len(inner)
                break


def _beginnings(value: str) -> list[int]:
    """Where a value may begin that is glued to its name: ``name=value``, ``api-key-value``."""
    stem = value.rstrip("=")
    cut = max(stem.rfind("=", 0, _CONTEXT), stem.rfind(":", 0, _CONTEXT)) + 1
    glued = _compiled(r"(?i)[\w.-]{0,40}?(?:key|token|secret|private|access)[=:_.-]").match(value)
    return sorted({0, cut, glued.end() if glued else 0})


def _parameters(value: str, word: str, at: int) -> list[int]:
    inside = [found.end() - at for found in _compiled(_PARAMETER).finditer(word)]
    return [begin for begin in inside if 0 <= begin < len(value)]


def _belongs(before: str, value: str, services: Mapping[str, tuple[str, str]]) -> tuple[str, str] | None:
    bare = before.rstrip(_OPENING)
    if bare.endswith(",") and bare[-2:-1] in {'"', "'"}:
        bare = bare[:-2] + ":"
    name = bare.rstrip(_GIVES).rstrip(_OPENING + "]})")
    given = len(name) < len(bare) and bool(bare[len(name) :].strip(_OPENING + "]})-?"))
    words = name[-60:].split()[-3:]
    said = " ".join(words)
    named = bool(_NAME.search(said))
    if not (named or given) or len(value) < 14 or not looks_opaque(value) or _NOT_NAMED.search(said):  # noqa: PLR2004
        return None
    if not named:
        return _service(words[-1], services) if words else None
    uuid = bool(_compiled(_UUID).search(value))
    if uuid and words[-1].strip("\"'`*<").lower() in {"key", "keys"}:
        return None  # of an object in a store
    long = len(value) > 19 and not uuid  # noqa: PLR2004
    if given or long or said.endswith((" is", " string")):
        return _service(name[-60:], services) or (_HEADER if "uthorization" in said else _SECRET)
    return None


def _service(before: str, services: Mapping[str, tuple[str, str]]) -> tuple[str, str] | None:
    low = before.lower()
    return next((hit for word, hit in services.items() if word in low), None)


def looks_opaque(value: str) -> bool:
    """Whether a value is made up of characters rather than of words."""
    if values.placeholder(value) or not any(map(str.isdigit, value)) or value.isdigit():
        return False
    if len(set(value)) < 8 or values.entropy(value[:256]) < 2.8:  # noqa: PLR2004 - fewer than any random value has
        return False
    return not _is_name(value)


def _is_name(value: str) -> bool:
    """Whether a value is a path, an address, a name or a version: words and numbers, with signs between."""
    if (
        "://" in value
        or value.startswith(("./", "/", "~/", "../", "arn:", "mem_"))
        or "@" in value[1:-4]
        and "." in value[-6:]
    ):
        return True
    if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:$|[T ])", value):
        return True
    parts = [part for part in re.split("[^A-Za-z0-9]+", value) if part]
    return len(value) > 0 and sum(map(_wordy, parts)) * 10 > sum(map(len, parts)) * 8


def _wordy(part: str) -> int:
    """How many characters of a part of a name belong to words, or to a number such as names have."""
    if (part.isalpha() and (part.islower() or part.isupper() or part.istitle())) or (part.isdigit() and len(part) < 9):  # noqa: PLR2004
        return len(part)
    if re.fullmatch(r"v?[0-9]{1,4}[A-Za-z]{0,2}|[A-Za-z]{2,}[0-9]{1,3}|[A-Za-z]{2,}[0-9]{1,2}[A-Za-z]{2,16}", part):
        return len(part)
    return sum(len(word) for word in re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", part) if len(word) > 3)  # noqa: PLR2004
