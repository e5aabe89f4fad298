"""What a commit object claims, whatever bytes it is made of."""

import pytest

from eccmem import claims, limits

AUTHOR = b"author Ada <ada@example.invalid> 1790000000 +0200\n"
COMMITTER = b"committer Ada <ada@example.invalid> 1790000001 +0200\n"


def commit(
    author: bytes = AUTHOR, committer: bytes = COMMITTER, more: bytes = b"", message: bytes = b"Subject\n"
) -> bytes:
    return b"tree " + b"0" * 40 + b"\n" + author + committer + more + b"\n" + message


def test_author_time_and_subject() -> None:
    """The time is in UTC; a committer who is the author is not repeated, though the times differ."""
    found = claims.parse(commit(message=b"Subject\n\nBody\n"))

    assert found == claims.Claim(
        claims.Person("Ada", "ada@example.invalid", "2026-09-21T14:13:20Z"), None, "Subject", parents=0
    )


def test_another_committer_is_told() -> None:
    found = claims.parse(commit(committer=b"committer Bob <bob@example.invalid> 0 +0000\n"))

    assert found.committer == claims.Person("Bob", "bob@example.invalid", "1970-01-01T00:00:00Z")


def test_parents_are_counted_and_signatures_are_not_taken_for_headers() -> None:
    """Lines that go on a header start with a space, and what stands in a merged tag is not of this commit."""
    more = b"mergetag object 1\n parent 2\n author Eve <eve@example.invalid> 0 +0000\ngpgsig -----BEGIN\n parent 3\n"
    found = claims.parse(b"tree 1\nparent a\nparent b\n" + AUTHOR + COMMITTER + more + b"\nSubject")

    assert (found.parents, found.author.name, found.subject) == (2, "Ada", "Subject")


def test_the_first_of_two_authors_counts() -> None:
    """As for Git."""
    second = b"author Eve <eve@example.invalid> 0 +0000\n"

    assert claims.parse(commit(more=second)).author.name == "Ada"


@pytest.mark.parametrize(
    ("line", "name", "email", "date"),
    [
        (b"", "", "", None),
        (b"author \n", "", "", None),
        (b"author nobody at all\n", "nobody at all", "", None),
        (b"author <ada@example.invalid> 0 +0000\n", "", "ada@example.invalid", "1970-01-01T00:00:00Z"),
        (b"author A <b> c <d> 0 +0000\n", "A", "b> c <d", "1970-01-01T00:00:00Z"),
        (b"author Ada <a@b> 999999999999 +0000\n", "Ada", "a@b", None),
        (b"author Ada <a@b> " + b"9" * 5000 + b" +0000\n", "Ada <a@b> " + "9" * 189 + "…", "", None),
        (b"author Ada <a@b> -1 +0000\n", "Ada", "a@b", "1969-12-31T23:59:59Z"),
        (b"author Ada <a@b> -60000000000 +0000\n", "Ada", "a@b", "0068-09-03T13:20:00Z"),
        (b"author Ada <a@b> 0 +9999999\n", "Ada <a@b> 0 +9999999", "", None),
        (b"author \xff\xfe <a@b> 0 +0000\n", "��", "a@b", "1970-01-01T00:00:00Z"),
    ],
)
def test_malformed_authors(line: bytes, name: str, email: str, date: str | None) -> None:
    """Anything can stand there: it is shown as far as it can be read."""
    assert claims.parse(commit(author=line)).author == claims.Person(name, email, date)


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        (b"", "Gr��e"),
        (b"encoding ISO-8859-1\n", "Größe"),
        (b"encoding latin1\n", "Größe"),
        (b"encoding Windows-1252\n", "Größe"),
        (b"encoding unicode_escape\n", "Gr��e"),
        (b"encoding idna\n", "Gr��e"),
        (b"encoding rot13\n", "Gr��e"),
        (b"encoding ../../x\0\n", "Gr��e"),
        (b"encoding \xff\n", "Gr��e"),
    ],
)
def test_charsets(encoding: bytes, expected: str) -> None:
    """Those that commits name in practice; others are read as UTF-8, not by whatever codec has that name."""
    found = claims.parse(commit(author=b"author Gr\xf6\xdfe <a@b> 0 +0000\n", more=encoding, message=b"Gr\xf6\xdfe"))

    assert (found.author.name, found.subject) == (expected, expected)


def test_utf_8_needs_no_header() -> None:
    assert claims.parse(commit(message="Größe 文\n".encode())).subject == "Größe 文"


@pytest.mark.parametrize("unit", ["a", "é", "文", "🚀"])
def test_length_is_bounded(unit: str) -> None:
    """Whatever the bytes of a character are."""
    most = limits.SHOWN_CHARS
    for count, expected in ((most, unit * most), (most + 1, unit * (most - 1) + "…"), (10 * most, None)):
        text = claims.parse(commit(message=(unit * count).encode())).subject
        assert text == (expected or unit * (most - 1) + "…")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\0", b"author", b"tree 1\n\n", b"\n\n\n\nSubject"])
def test_what_is_no_commit_claims_nothing(data: bytes) -> None:
    found = claims.parse(data)

    assert (found.author.name, found.author.date, found.parents) == ("", None, 0)
    assert found.subject in {"", "Subject"}
