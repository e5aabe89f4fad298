"""Known values: what the environment has under the name of a secret may stand in no memory, whatever its shape."""

from eccmem import limits
from eccmem.secretscan.pattern import compiled

TYPE_CHECKING = False  # what typing has under this name takes longer than a scan
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAME = r"[A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_[A-Z0-9]{1,12})?"


def known(text: str, environment: "Mapping[str, str]") -> "Iterator[tuple[str, int]]":
    """Yield the name of each variable whose value a text holds, and where it begins there.

    Only names of secrets count, and values that are no paths and have at least ``limits.KNOWN_CHARS`` characters.
    """
    for name, value in environment.items():
        long = len(value) >= limits.KNOWN_CHARS and not value.startswith(("/", "~", "./"))
        if long and compiled(_NAME).fullmatch(name.upper()):
            at = text.find(value)
            if at >= 0:
                yield name, at
