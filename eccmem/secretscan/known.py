"""Known values: what the environment has under the name of a secret may stand in no memory, whatever its shape."""

import re
from collections.abc import Iterator, Mapping

from eccmem import limits

_NAME = re.compile(
    r"[A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_[A-Z0-9]{1,12})?",
    re.ASCII,
)


def known(text: str, environment: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the name of each variable whose value a text holds, and where it begins there.

    Only names of secrets count, and values that are no paths and have at least ``limits.KNOWN_CHARS`` characters.
    """
    for name, value in environment.items():
        long = len(value) >= limits.KNOWN_CHARS and not value.startswith(("/", "~", "./"))
        if long and _NAME.fullmatch(name.upper()):
            at = text.find(value)
            if at >= 0:
                yield name, at
