"""``eccmem secrets allow``: what to paste into the list of allowed values."""

from collections.abc import Sequence
from datetime import date, timedelta

from eccmem import allowlist, limits
from eccmem.allowance import today
from eccmem.cli import console
from eccmem.cli.context import one, repository_here, required
from eccmem.cli.options import Values
from eccmem.errors import UsageProblem
from eccmem.text import UNSAFE_IN_LINE

_ALLOWED_DAYS = 365


def allow(names: Sequence[str], reason: Values, by: Values, expires: Values) -> int:
    """Print an entry for the list; a person puts it there, and commits it.

    Args:
        names: the fingerprint.
        reason: why it is no secret.
        by: who says so.
        expires: the last day.
    """
    if len(names) != 1 or not allowlist.FINGERPRINT.fullmatch(names[0]):
        raise UsageProblem(
            "usage", "allow takes one fingerprint, such as rule:0123456789ab", "eccmem secrets names them"
        )
    why = _line("--reason", required("--reason", reason))
    who = _line("--by", one("--by", by) or _author())
    until = one("--expires", expires)
    day = today()
    last = _day(until) if until else day + timedelta(days=_ALLOWED_DAYS)
    entry = allowlist.Entry(names[0], why, who, day, last)
    console.warn(f"paste this into {allowlist.PATH}, and commit it: it counts from the next commit on")
    return console.emit(allowlist.to_toml(entry))


def _line(option: str, text: str) -> str:
    if not text.strip() or len(text) > limits.SHOWN_CHARS or UNSAFE_IN_LINE.search(text):
        raise UsageProblem(
            "usage", f"{option} must be one line of at most {limits.SHOWN_CHARS} characters", "shorten it"
        )
    return text


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise UsageProblem("usage", "--expires must be a day such as 2027-06-30", "see --help") from None
    if day < today():
        raise UsageProblem("usage", "--expires is over already", "name a day to come")
    return day


def _author() -> str:
    _, name = repository_here().run("config", "--get", "user.name", ok=(0, 1))
    if not name.strip():
        raise UsageProblem("usage", "Git knows no user.name here", "say who allows it: --by NAME")
    return name.decode("utf-8", "replace").strip()
