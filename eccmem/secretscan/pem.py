"""Does a private key follow its header, or only the talk about one?"""

from eccmem.secretscan.pattern import compiled
from eccmem.secretscan.values import placeholder

# RFC 1421 and OpenPGP have such lines before the key.
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Subject)\s?:[^\n\\]{0,200}"
# How a line end is written where the key is in a string, in a page or in an address.
_LINE_END = r"\\{1,4}(?:[nrt]|u000[aAdD])|&#(?:1[03]|[xX]0?[aAdD]);|%0[aAdD]|<[bB][rR] ?/?>|vb(?:CrLf|Lf)"
_NO_BASE64 = "[^A-Za-z0-9+/=]+"
_RUN = "[A-Za-z0-9+/=]{16,}"
_ELLIPSIS = r"\.{3}|\u2026"
_LOOKED_AT = 1500
_MOST = 16_000  # no key is longer
_NEAR = 160  # where the first long run of base64 has to begin
_LETTERS = 24  # and how many letters may stand before it: a line that is cut short, no sentence
_LEAST = 24
_LEAST_BEFORE_ELLIPSIS = 160
_KINDS = 6
_SAMPLE = 64
_LINE = 80


def end_of_key(text: str, at: int) -> int:
    """Where the private key ends whose header ends at ``at``, however it is wrapped; 0 where no key follows.

    Lines may be quoted, numbered, commented out, in strings that are put together, or on one line.
    A key that is cut off by ``...`` in its first lines, and one that says that it is an example, is none.
    """
    after = text[at : at + _MOST].partition("-----BEGIN")[0]
    body, closed, rest = after.partition("-----END")
    if not _is_key(body[:_LOOKED_AT]):
        return 0
    if closed:
        return at + len(body) + len(closed) + max(rest.find("-----", 0, _LINE), 0)
    end = 0
    for run in compiled(_RUN).finditer(body):
        if end and run.start() - end > _NEAR:
            break
        end = run.end()
    return at + end


def _is_key(body: str) -> bool:
    body = compiled(_LINE_END).sub(" ", compiled(_HEADER).sub("", body))
    cut = compiled(_ELLIPSIS).search(body)
    if cut:
        body = body[: cut.start()]
    run = compiled(_RUN).search(body, 0, _NEAR + _LEAST)
    if not run or run.start() > _NEAR or sum(map(str.isalpha, body[: run.start()])) > _LETTERS:
        return False
    key = compiled(_NO_BASE64).sub("", body)
    least = _LEAST_BEFORE_ELLIPSIS if cut else _LEAST
    return len(key) >= least and len(set(key[:_LEAST])) >= _KINDS and _random(key[:_SAMPLE]) and not placeholder(key)


def _random(sample: str) -> bool:
    """Digits, or letters of both cases: no prose."""
    return any(map(str.isdigit, sample)) or not (sample.islower() or sample.isupper() or sample.istitle())
