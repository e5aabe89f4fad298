"""Private keys and passwords in every form in which they are written down, and what only looks like one."""

import base64
import random

import pytest

from eccmem import secretscan

ALNUM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
RNG = random.Random(15)


def value(count: int, signs: str = ALNUM) -> str:
    while True:
        made = "".join(RNG.choices(signs, k=count))
        if sum(map(str.isdigit, made)) >= min(2, count // 3) and any(map(str.isalpha, made)):
            return made


def header(kind: str, side: str = "BEGIN") -> str:
    return f"{'-' * 5}{side} {kind}{'-' * 5}"


def pem(kind: str = "RSA PRIVATE KEY", rows: int = 12) -> str:
    body = "\n".join(value(64, ALNUM + "+/") for _ in range(rows))
    return f"{header(kind)}\n{body}\n{header(kind, 'END')}\n"


def blocks(text: str) -> list[secretscan.Match]:
    return [match for match in secretscan.scan(text) if match.tier == "block"]


# --- Private keys ----------------------------------------------------------------------------------------------

KINDS = (
    *("RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
    *("OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "ENCRYPTED SIGSTORE PRIVATE KEY", "NEBULA X25519 PRIVATE KEY"),
)
MARKS = ("# ", "// ", "; ", " * ", "-- ", "> ", "> > ", "+", "- ", "| ", "! ", "' ", "    ", "REM ")


def marked(mark: str):
    return lambda key: "\n".join(mark + line for line in key.split("\n"))


def joined(form: str, between: str):
    return lambda key: between.join(form.format(line) for line in key.strip().split("\n"))


WRAPPED = {
    "line ends of Windows": lambda key: key.replace("\n", "\r\n"),
    "on one line": lambda key: key.replace("\n", " "),
    "in a table": lambda key: f"| key | {key.strip()} |".replace("\n", " "),
    "in JSON": lambda key: key.replace("\n", "\\n"),
    "in JSON in JSON": lambda key: key.replace("\n", "\\\\n"),
    "in JSON with escaped slashes": lambda key: key.replace("/", "\\/").replace("\n", "\\n"),
    "with unicode escapes": lambda key: key.replace("\n", "\\u000a"),
    "in a page": lambda key: key.replace("\n", "<br/>"),
    "with entities": lambda key: key.replace("\n", "&#10;"),
    "in an address": lambda key: key.replace("+", "%2B").replace("\n", "%0A").replace(" ", "+"),
    "in an address, with percent signs": lambda key: key.replace("+", "%2B").replace("\n", "%0A").replace(" ", "%20"),
    "in C": joined('"{}\\n"', "\n"),
    "in a long line of C": joined("{}\\n\\", "\n"),
    "in JavaScript": joined("'{}\\n'", " +\n"),
    "in PHP": joined('"{}\\n"', " .\n"),
    "in Visual Basic": joined('"{}" & vbCrLf', " & _\n"),
    "in a list": joined('"{}"', ",\n"),
    "in a diff": marked("+"),
    "with numbers": lambda key: "\n".join(f"{n:6d}  {line}" for n, line in enumerate(key.split("\n"))),
    "with headers": lambda key: key.replace("-----\n", f"-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: {value(40)}\n\n", 1),
    "with a comment": lambda key: key.replace("-----\n", "-----\nComment: of the old machine that builds it\n\n", 1),
    "cut off": lambda key: key[:300],
    "with dashes of a typesetter": lambda key: key.replace("-----", "\u2014\u2013-"),
} | {f"after {mark!r}": marked(mark) for mark in MARKS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_private_key_is_found_by_its_header(kind: str) -> None:
    """One match, from the first dash to the line that ends the key: nothing of it is left over."""
    key = pem(kind)
    (match,) = secretscan.scan(f"see\n{key}end")
    assert match.tier == "block"
    assert match.start == 4
    assert 0 <= len(key) + 4 - match.end <= 6


@pytest.mark.parametrize("form", WRAPPED)
def test_a_private_key_is_found_however_it_is_wrapped(form: str) -> None:
    """In strings, comments, pages and addresses."""
    assert [match.start for match in blocks(f"see {WRAPPED[form](pem())}")]


def test_two_keys_are_two() -> None:
    """Also where the first one has no end, and a cut key ends where its lines do."""
    cut = pem()[:200]
    first, second = blocks(f"{cut}\n{pem()}")
    assert first.end <= len(cut) < second.start
    prose = " It is kept in the vault, and nobody has seen it since the second of May." * 9
    (match,) = blocks(f"{cut}\n\n{prose} {value(40, '0123456789abcdef')}")
    assert match.end <= len(cut)


def wrapped(text: str) -> str:
    return "\n  ".join(text[at : at + 64] for at in range(0, len(text), 64))


BODIES = {
    "base64 of a key": lambda: base64.b64encode(pem().encode()).decode(),
    "in lines": lambda: base64.encodebytes(pem().encode()).decode(),
    "in short lines": lambda: wrapped(base64.b64encode(pem().encode()).decode()),
    "OpenSSH without its header": lambda: base64.b64encode(b"openssh-key-v1\0" + bytes(range(90))).decode(),
    "PKCS 8": lambda: "MIIE" + "vQIBADANBgkqhkiG9w0BAQEF" + "AASC" + value(300),
    "PKCS 1": lambda: "MIIE" + "pAIB" + "AAKCAQEA" + value(300),
    "SEC 1": lambda: "MHcC" + "AQEEI" + value(120),
    "Ed25519": lambda: "MC4C" + "AQAwBQYDK2VwBCIEI" + value(43),
    "PuTTY": lambda: f"PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n{value(64)}\nPrivate-Lines: 1\n{value(64)}",
    "JSON web key": lambda: f'{{"kty":"EC","crv":"P-256","x":"{value(43)}","d":"{value(43)}"}}',
    "JSON web key, reversed": lambda: f'{{"d":"{value(43)}","x":"{value(43)}","kty":"OKP"}}',
    "JSON web key as Python prints it": lambda: f"{{'kty': 'EC', 'd': '{value(43)}'}}",
    "WireGuard": lambda: f"PrivateKey = {value(42)}0=",
    "OpenVPN": lambda: f"OpenVPN Static key V1-----\n{value(32, '0123456789abcdef')}\n",
    "DNSSEC": lambda: f"Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: {value(43)}=",
    "XML": lambda: f"<RSAKeyValue><D>{value(172)}</D></RSAKeyValue>",
}  # fmt: skip


@pytest.mark.parametrize("form", BODIES)
def test_a_private_key_without_a_header_is_found(form: str) -> None:
    """By what its bytes begin with, or by the names around it."""
    assert blocks(f"the key\n{BODIES[form]()}\n")


NO_KEYS = {
    "a header": header("PRIVATE KEY"),
    "dots": f"{header('PRIVATE KEY')}\n...\n{header('PRIVATE KEY', 'END')}",
    "prose": f"A file with `{header('RSA PRIVATE KEY')}` in it is refused by the hook, see page 23 of RFC 1421.",
    "words": f"{header('RSA PRIVATE KEY')}\\nkey omitted for reasons of security\\n{header('RSA PRIVATE KEY', 'END')}",
    "dots in the first lines": f"{header('PRIVATE KEY')}\\nMIIE{value(70)}...{value(120)}\\n{header('A KEY', 'END')}",
    "an example": f"{header('RSA PRIVATE KEY')}\nEXAMPLE" + value(57) + "\n" + value(64) + "\n",
    "letters alone": f"{header('RSA PRIVATE KEY')}\n" + "thefirstlineofakeyisnoprose" * 4,
    "one character": f"{header('RSA PRIVATE KEY')}\n" + "A" * 64 + "\n" + "A" * 64,
    "a public key": pem("PUBLIC KEY"),
    "a certificate": pem("CERTIFICATE"),
    "a public key without its header": "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA" + value(300),
    "a hash further down": header("PRIVATE KEY") + "\n\nThat is the first line. " + "Then base64. " * 9 + value(64),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_KEYS)
def test_what_is_no_private_key_passes(name: str) -> None:
    """A header alone is talk about keys; what a manual cuts short opens nothing."""
    assert blocks(NO_KEYS[name]) == []


# --- Passwords in addresses and connection strings ----------------------------------------------------------------

SCHEMES = (
    *("https", "ftp", "ssh", "git+https", "postgres", "postgresql+psycopg2", "mysql", "mssql", "mongodb+srv", "redis"),
    *("rediss", "amqps", "mqtt", "nats", "smtp", "imaps", "ldaps", "clickhouse", "bolt", "socks5h", "rtsp", "smb"),
)
SIGNS = ("!", "#", "$9", "&", "*", "+", ",", ";", "=", "?", "^", "|", "~", ":", "(x)", "[x]", "@", "%40", "\u00fc")
HOSTS = ("db1.corp.net:5432/app", "10.2.3.4/x", "[2001:db8::1]:5432/x", "a.net:1,b.net:2/x", "localhost/x", "$HOST/x")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_password_in_an_address_is_found(scheme: str) -> None:
    """Of any scheme, in any context of Markdown, and without a digit too."""
    for password in (value(14), "qwkzjtrmvbx"):
        for context in ("{}", "<{}>", "[x]({})", "`{}`", '"{}"', "url: {}.", "**{}**"):
            address = f"{scheme}://svc:{password}@store.corp.net"
            (match,) = blocks(text := context.format(address))
            assert text[match.start :].startswith(address), context


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("host", HOSTS)
def test_a_password_may_have_signs(sign: str, host: str) -> None:
    """Those of RFC 3986 and those that people forget to escape."""
    assert blocks(f"postgres://svc:{value(5)}{sign}{value(6)}@{host}")


PASSWORDS = {
    "a user with a domain": "redis://a.b@corp.net:{}@cache.corp.net",
    "no user": "redis://:{}@cache.corp.net:6379/0",
    "a slash in the password": "postgres://svc:aB3/{}@db1.corp.net/x",
    "an escaped sign first": "postgres://svc:%40{}@store.corp.net/x",
    "escaped slashes": '"https:\\/\\/svc:{}@db1.corp.net\\/x"',
    "an escaped address": "postgres%3A%2F%2Fsvc%3A{}%40db1.corp.net%2Fx",
    "Go": "svc:{}@tcp(db1.corp.net:3306)/app?parseTime=true",
    "Go, by a socket": "dsn = `svc:{}@unix(/run/mysqld.sock)/app`",
    "Oracle by JDBC": "jdbc:oracle:thin:scott/{}@//db1.corp.net:1521/ORCL",
    "Oracle, easy connect": "sqlplus scott/{}@//db1.corp.net:1521/ORCL",
    "a parameter": "jdbc:postgresql://db1.corp.net:5432/x?user=svc&password={}",
    "a parameter in a page": "jdbc:mysql://db1.corp.net/x?user=svc&amp;password={}&amp;useSSL=true",
    "ADO": "Server=db1.corp.net;Database=x;User Id=sa;Password={};",
    "ODBC, at the end": "Driver=SQL Server;Server=db1;Uid=sa;Pwd={}",
    "libpq": "host=db1.corp.net dbname=x user=svc password={} sslmode=require",
    "a login module": 'ScramLoginModule required username="a" password="{}";',
}  # fmt: skip


@pytest.mark.parametrize("form", PASSWORDS)
def test_a_password_in_a_connection_string_is_found(form: str) -> None:
    """In the form that the client's manual has."""
    assert blocks(PASSWORDS[form].format(value(14)))


@pytest.mark.parametrize("host", ["github.com", "www.github.com", "gitlab.com", "bitbucket.org", "dev.azure.com"])
def test_a_token_in_the_address_of_a_repository_is_found(host: str) -> None:
    """With a user and without one."""
    for user in ("", "x-access-token:"):
        assert blocks(f"git clone https://{user}{value(40)}@{host}/a/b.git")


NO_PASSWORDS = (
    *("https://user:password@host/x", "postgres://postgres:postgres@localhost/db", "amqp://guest:guest@rabbit:5672"),
    *("https://$" + "{{user}}:$" + "{{pw}}@host.net", "https://u:{password}@host.net", "https://u:<token>@host.net"),
    *("https://u:%28pw%29s@host.net", "https://u:****@host.net", "https://u:%2A%2A%2A@host.net", "https://u:[pw]@host.net"),
    *("https://u:get_password(x)@host.net", "https://user:your-password@host.net", "redis://:hunter2@localhost:6379"),
    *("http://localhost:3001/@scope/package", "postgres://db:5432/a/@b", "git+ssh://git@github.com:owner/repo.git@v1.2"),
    *("mysql://host:port/a/b@c", "https://a.net/x:y@z", "?user=svc&password=changeme", "password=hunter2 host=a"),
    *("root:hunter2@tcp(localhost:3306)/x", "scott/tiger@//db1.net:1521/x", "dbname=x password=$PASSWORD"),
    *("https://u:%70%61%73%73@host.net",),
    *("https://" + "0123456789abcdef" * 2 + "@o1.ingest.sentry.io/1", "git clone https://github.com/a/b@main"),
)  # fmt: skip


@pytest.mark.parametrize("text", NO_PASSWORDS)
def test_what_is_no_password_passes(text: str) -> None:
    """Placeholders, variables, words of manuals, ports, paths and public keys."""
    assert blocks(text) == []
