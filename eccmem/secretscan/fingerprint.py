"""Names a secret without saying it: the same one has the same fingerprint everywhere, and nobody reads it back."""

from eccmem.errors import EccmemError

_DIGITS = 12
# A guess costs as long as the real thing, some 40 ms: a report that leaks is no list of passwords to try.
_COST, _BLOCK = 1 << 14, 8


def fingerprint(rule: str, value: str) -> str:
    """The rule's id, a slash, and twelve hexadecimal digits of scrypt, salted with the rule.

    With a colon, that of a password would itself look like a password that is told.

    Raises:
        EccmemError: ``no-scrypt`` where Python was built without it.
    """
    try:
        from hashlib import scrypt  # noqa: PLC0415 - only what was found needs a name
    except ImportError:
        raise EccmemError("no-scrypt", "this Python has no scrypt", "use one that was built with OpenSSL") from None
    salt = f"eccmem.secret.v1 {rule}".encode()
    data = value.encode("utf-8", "surrogatepass")
    return f"{rule}/{scrypt(data, salt=salt, n=_COST, r=_BLOCK, p=1, dklen=_DIGITS // 2).hex()}"
