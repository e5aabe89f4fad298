"""The tests that the rules name, by their names there."""

from collections.abc import Callable

from eccmem.secretscan import passwords, values

TESTS: dict[str, Callable[[str], bool]] = {
    "none": bool,
    "random": values.random,
    "light": values.light,
    "digits": values.digits,
    "three-classes": values.three_classes,
    "mixed-case": values.mixed_case,
    "solid": values.solid,
    "loose": values.loose,
    "aws": values.aws,
    "jwt": values.jwt,
    "uri": passwords.in_uri,
    "odbc": passwords.odbc,
    "named": passwords.named,
    "oracle": passwords.after_slash,
    "netrc": passwords.last_word,
}
