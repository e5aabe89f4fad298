"""What a commit says of itself: who wrote it, when, and its subject. All of it is claimed, nothing is proven.

The raw object is read, not a format of Git's: settings and files would decide what is seen there, and a mailmap lets
a later commit rename the authors of earlier ones.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from eccmem import limits

_PERSON = re.compile(rb"(.*?) ?<(.*)> (-?[0-9]{1,18}) [-+][0-9]{4}", re.DOTALL)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOT_LETTERS = re.compile("[^a-z0-9]+")
# What commits name in practice. Not all that Python knows: some of its codecs are no charsets, some are slow.
_CHARSETS = {
    _NOT_LETTERS.sub("", name): name
    for name in (
        *("ascii", "utf-8", "latin-1", "koi8-r", "koi8-u", "shift_jis", "euc-jp", "euc-kr", "big5", "gbk", "gb18030"),
        *(f"iso-8859-{number}" for number in (*range(1, 12), *range(13, 17))),
        *(f"windows-{number}" for number in range(1250, 1259)),
        *(f"cp{number}" for number in (437, 850, 866, 932, 949, *range(1250, 1259))),
    )
}


@dataclass(frozen=True, slots=True)
class Person:
    """Who a commit names, and when; the time is in UTC, or None where none can be read."""

    name: str
    email: str
    date: str | None

    @property
    def who(self) -> str:
        """Name and address, as Git writes them."""
        return f"{self.name} <{self.email}>"


@dataclass(frozen=True, slots=True)
class Claim:
    """What one commit claims: the author, the committer where that is another, the first line of its message."""

    author: Person
    committer: Person | None
    subject: str
    parents: int


def parse(data: bytes) -> Claim:
    """Read a commit object; whatever is malformed in it reads as empty."""
    head, _, message = data.partition(b"\n\n")
    headers: dict[bytes, bytes] = {}
    parents = 0
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")  # a line that goes on another one has an empty key
        headers.setdefault(key, value)
        parents += key == b"parent"
    charset = _CHARSETS.get(_NOT_LETTERS.sub("", headers.get(b"encoding", b"").decode("ascii", "replace").lower()))
    author = _person(headers.get(b"author", b""), charset)
    committer = _person(headers.get(b"committer", b""), charset)
    subject = message.lstrip(b"\n").partition(b"\n")[0]
    return Claim(author, None if committer.who == author.who else committer, _text(subject, charset), parents)


def _person(value: bytes, charset: str | None) -> Person:
    match = _PERSON.fullmatch(value)
    if match is None:
        return Person(_text(value, charset), "", None)
    return Person(_text(match[1], charset), _text(match[2], charset), _moment(int(match[3])))


def _moment(seconds: int) -> str | None:
    try:
        return f"{(_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()}Z"
    except OverflowError:
        return None


def _text(data: bytes, charset: str | None) -> str:
    # Cut before it is decoded too: nobody bounds a message. No charset of ours takes more than four bytes.
    text = data[: 4 * (limits.SHOWN_CHARS + 1)].decode(charset or "utf-8", "replace")
    return text if len(text) <= limits.SHOWN_CHARS else f"{text[: limits.SHOWN_CHARS - 1]}…"
