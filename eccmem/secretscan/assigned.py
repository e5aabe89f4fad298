"""The review tier: opaque values that stand by the name of a secret, an authorization header, a password in a command.

Nothing here is certain, so nothing here is quarantined: a save is refused, and whoever saves names the secret instead.
"""

from eccmem.secretscan.pattern import compiled

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from eccmem.secretscan.rules import Services

Hit = tuple[str, str, int, int]

_SECRET = ("assigned-secret", "key or token")
_PASSWORD = ("assigned-password", "password")
_HEADER = ("authorization-header", "authorization header")
_COMMAND = ("command-password", "password in a command")

# A password's name, and the value that it is given; both short enough that no text makes this slow.
# By what they have in common: a text that has none of it is not searched for each of them.
_PASSWORD_WORDS = {"pass": ("passw", "passphrase", "_pass"), "pw": ("pwd", "_pw")}
_GIVEN = (
    r"[\w.-]{0,30}[\"'`\])>]{0,3}[ \t]{0,8}(?::=|=>|\|\||==|->|\?=|[:=,>(|]|\bis\b:?)[ \t]{0,8}[*`]{0,2}"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\s]{8,400})(?P=quote)|(?P<bare>[^\s\"'`,;<>(){}\[\]]{8,400}))"
)
# What a command that takes a password begins with, and how it goes on.
_USER = (
    r"(?:curl|wget)\b[^\n|;&]{0,300}?(?:\s-u\s?|--user[ =]|--proxy-user[ =])"
    r"[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{4,128})"
)
_VALUE = r"\s{0,2}[\"']?(?P<value>[^\s\"']{6,128})"
_COMMANDS = {
    "": {
        "curl ": _USER,
        "wget ": _USER,
        "docker login": r"docker login\b[^\n]{0,120}?\s-p" + _VALUE,
        "psexec": r"(?i:psexec)\b[^\n]{0,120}?\s-p" + _VALUE,
        "mysql": r"mysql\b[^\n]{0,80}?\s-p" + _VALUE,
    },
    "pass": {"sshpass": r"sshpass\s{1,4}-p" + _VALUE, "--password": "--password[= ]" + _VALUE},
}

# How the name of a secret ends; the name is the last words before the value.
_NAME = (
    r"(?i)(?:key|token|secret|passw(?:or)?d|pwd|passphrase|[_-]pass|\bpat|[_-]pat|credentials?|\bauth|[_-]auth|"
    r"authorization|bearer|[a-z_-]access|[a-z_-]private|[a-z ]access|cookie)s?"
    r"(?:[_.-]?(?:live|test|prod|dev|value|b64|base64|data|string|env|v?[0-9]{1,3}))?(?:\s(?:is|string|val|value))?$"
)
_NOT_NAMED = (
    r"(?i)public|cache|foreign|primary|partition|idempotency|(?:next|page|start|starting|continuation|client|lock|"
    r"purchase|request|sync|delta|pagination|export|import|change|resume|cursor|sort|s3|object|hash|range|route|row|ssh|"
    r"host|image|group|item|map)[_ -]?(?:page)?(?:token|key)|key[_ -]?pair|checksum|digest|sha[0-9]|integrity|etag|"
    r"commit|revision|\brev\b|fingerprint|uuid|keyboard|monkey|turkey|author\b|sealed|encrypted|pubkey|thumbprint|"
    r"example|\bgit\b|version|recv-keys|keyserver"
)
_GLUED = r"(?i)[\w.-]{0,40}?(?:key|token|secret|private|access)[=:_.-]"
# Within an address only a parameter with the name of a secret counts.
_PARAMETER = r"(?i)[?&;](?:[a-z_-]{0,24}(?:token|key|secret|password|auth|code))="
_OPAQUE = "[A-Za-z0-9+/_=~.@!:%-]{16,1000}"
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:$|[T ])"
_NUMBERED = r"v?[0-9]{1,4}[A-Za-z]{0,2}|[A-Za-z]{2,}[0-9]{1,3}|[A-Za-z]{2,14}[0-9]{1,2}[A-Za-z]{2,14}"
_HINT = "[kpstacb](?:ey|ass|wd|ecr|oken|at|uth|red|ccess|earer|ookie)"

_OPENING = " \t\r\n\"'`*<[{"
_CLOSING = _OPENING + "]})"
_GIVES = ":=>|-?"
_TRIM = ".,:;!?=-*_~)("
_CONTEXT = 100
_NEAR = 64
_NAME_CHARS = 60
_LEAST_PASSWORD = 8
_JUDGED = 64
_LEAST = 14  # shorter ones are words too often
_LONG = 20  # so long that no sign of giving has to stand before it
_KINDS = 8
_BITS = 2.8
_WORD = 4
_NUMBER = 8


def assigned(
    text: str, low: str, words: "Iterable[tuple[int, str]]", services: "Callable[[], Services]"
) -> "Iterator[Hit]":
    """Yield rule, label, start and end of each value in a text that is likely to be a secret.

    Args:
        text: what is searched.
        low: it in small letters.
        words: its long mixed words, with their places.
        services: gives the names of the known services, with rule and label.
    """
    if len(low) != len(text):
        low = text  # a character that has no small form of one character: the names then have to be in small letters
    yield from _passwords(text, low)
    yield from _commands(text, low)
    hint, names = compiled(_HINT).search, _Names(services)
    for place, word in words:
        given = "=" in word or ":" in word or text[max(0, place - 2) : place - 1] in {":", "=", ">"}
        if hint(low, max(0, place - _NEAR), place + len(word)) or ("://" not in word and given):
            yield from _opaque(text, place, word, names)


def _passwords(text: str, low: str) -> "Iterator[Hit]":
    for name in (name for shared, names in _PASSWORD_WORDS.items() if shared in low for name in names):
        at = low.find(name)
        while at >= 0:
            step = at + len(name)
            found = compiled(_GIVEN).match(text, step)
            if found:
                group = "quoted" if found["quoted"] else "bare"
                value = found[group].rstrip(_TRIM)
                if len(value) >= _LEAST_PASSWORD and _password(value) and not is_name(value[:_JUDGED]):
                    yield *_PASSWORD, found.start(group), found.start(group) + len(value)
                    step = found.end()
            at = low.find(name, step)


def _commands(text: str, low: str) -> "Iterator[Hit]":
    for begin, pattern in (item for shared, all_of in _COMMANDS.items() if shared in low for item in all_of.items()):
        at = low.find(begin)
        while at >= 0:
            found = compiled(pattern).match(text, at)
            if found and _password(found["value"]):
                yield *_COMMAND, *found.span("value")
            at = low.find(begin, found.end() if found else at + len(begin))


def _password(value: str) -> bool:
    from eccmem.secretscan.passwords import password  # noqa: PLC0415 - most texts have no password

    return password(value)


def _opaque(text: str, place: int, word: str, names: "_Names") -> "Iterator[Hit]":
    address = "://" in word or word.startswith(("arn:", '"arn:', "git@"))
    if address and "=" not in word:
        return
    for found in compiled(_OPAQUE).finditer(word):
        value = found[0]
        for begin in _parameters(value, word, found.start()) if address else _beginnings(value):
            inner = value[begin:].rstrip(".,:;" if value.endswith("=") else _TRIM).partition("&")[0]
            start = place + found.start() + begin
            before = text[max(0, start - _CONTEXT) : start].rpartition("\n\n")[2]
            hit = _belongs(before, inner, names)
            if hit:
                yield *hit, start, start + len(inner)
                break


def _beginnings(value: str) -> list[int]:
    """Where a value may begin that is glued to its name: ``name=value``, ``api-key-value``."""
    stem = value.rstrip("=")
    cut = max(stem.rfind("=", 0, _CONTEXT), stem.rfind(":", 0, _CONTEXT)) + 1
    low = value[:_CONTEXT].lower()
    named = "key" in low or "token" in low or "secret" in low or "private" in low or "access" in low
    glued = compiled(_GLUED).match(value) if named else None
    return sorted({0, cut, glued.end() if glued else 0})


def _parameters(value: str, word: str, at: int) -> list[int]:
    inside = [found.end() - at for found in compiled(_PARAMETER).finditer(word, max(0, at - _NEAR), at + len(value))]
    return [begin for begin in inside if 0 <= begin < len(value)]


def _belongs(before: str, value: str, names: "_Names") -> tuple[str, str] | None:
    """Whose a value is, by what stands before it: rule and label; None where nothing says that it is a secret."""
    bare = before.rstrip(_OPENING)
    if bare.endswith(('",', "',")):
        bare = bare[:-2] + ":"
    name = bare.rstrip(_GIVES).rstrip(_CLOSING)
    given = bool(bare[len(name) :].strip(_CLOSING + "-?"))
    words = name[-_NAME_CHARS:].split()[-3:]
    if not words or len(value) < _LEAST:
        return None
    said = " ".join(words)
    named = names.of_secret(said)
    service = names.service(words[-1]) if given and not named else None
    if not (named or service) or not looks_opaque(value) or compiled(_NOT_NAMED).search(said):
        return None
    if not named:
        return service
    uuid = bool(compiled(_UUID).search(value))
    if uuid and words[-1].strip("\"'`*<").lower() in {"key", "keys"}:
        return None  # of an object in a store
    if given or (len(value) >= _LONG and not uuid) or said.endswith((" is", " string")):
        return names.service(name[-_NAME_CHARS:]) or (_HEADER if "uthorization" in said else _SECRET)
    return None


class _Names:
    """What the words before the values of one text say; a text repeats them, so each is looked at once."""

    __slots__ = ("_known", "_owners", "_services")

    def __init__(self, services: "Callable[[], Services]") -> None:
        self._services = services
        self._known: dict[str, bool] = {}
        self._owners: dict[str, tuple[str, str] | None] = {}

    def of_secret(self, said: str) -> bool:
        """Whether words end as the name of a secret does."""
        if said not in self._known:
            low = said.lower()
            hinted = bool(compiled(_HINT).search(low)) or "private" in low
            self._known[said] = hinted and bool(compiled(_NAME).search(said))
        return self._known[said]

    def service(self, before: str) -> tuple[str, str] | None:
        """The rule and the label of the service that words name."""
        low = before.lower()
        if low not in self._owners:
            begins = [low[at : at + 3] for at in range(len(low) - 2)]
            services = self._services()
            near = [item for begin in services.keys() & begins for item in services[begin]]
            named = [(number, owner) for number, word, owner in near if word in low]
            self._owners[low] = min(named)[1] if named else None
        return self._owners[low]


def looks_opaque(value: str) -> bool:
    """Whether a value is made up of characters rather than of words."""
    if not any(map(str.isdigit, value)) or value.isdigit() or len(set(value)) < _KINDS or is_name(value):
        return False
    from eccmem.secretscan import values  # noqa: PLC0415 - most texts have nothing so random

    return values.entropy(value[:256]) >= _BITS and not values.placeholder(value)


def is_name(value: str) -> bool:
    """Whether a value is a path, an address, a date, a name or a version: words and numbers, with signs between."""
    if "://" in value or value.startswith(("./", "/", "~/", "../", "arn:", "mem_")):
        return True
    if ("@" in value[1:-4] and "." in value[-6:]) or compiled(_DATE).match(value):
        return True
    parts = [part for part in compiled("[^A-Za-z0-9]+").split(value) if part]
    return sum(map(_wordy, parts)) * 10 > sum(map(len, parts)) * 8


def _wordy(part: str) -> int:
    """How many characters of a part of a name belong to words, or to a number such as names have."""
    if part.isalpha() and (part.islower() or part.isupper() or part.istitle()):
        return len(part)
    if (part.isdigit() and len(part) <= _NUMBER) or compiled(_NUMBERED).fullmatch(part):
        return len(part)
    return sum(len(word) for word in compiled("[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall(part) if len(word) >= _WORD)
