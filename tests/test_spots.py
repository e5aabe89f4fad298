"""A path of Git lies in a vault in every spelling that some file system takes for the vault's folders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eccmem import limits
from eccmem.model import Scope
from eccmem.spots import around, concerns, is_above, perhaps, spot, take_usual

IGNORED = "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\u206b\u206f\ufeff"


@pytest.mark.parametrize(
    ("path", "scope", "relative", "right"),
    [
        (".ecc/memory/team/notes/a.md", Scope.TEAM, "notes/a.md", True),
        (".ecc/memory/project/.gitignore", Scope.PROJECT, ".gitignore", True),
        (".ecc/memory/project", Scope.PROJECT, "", True),
        ("pkg/.ecc/memory/team/notes/a.md", Scope.TEAM, "notes/a.md", True),
        (".ECC/memory/team/a.md", Scope.TEAM, "a.md", False),
        (".ecc/Memory/Project/a", Scope.PROJECT, "a", False),
        (".ecc./memory /team:x/a.md", Scope.TEAM, "a.md", False),
        ("ecc~1/memory/project/a", Scope.PROJECT, "a", False),
        (".e\u200ccc/memory/project/a", Scope.PROJECT, "a", False),
        (".ecc/memory/team/.ecc/memory/project/a", Scope.PROJECT, "a", True),
    ],
)
def test_what_lies_in_a_vault(path: str, scope: Scope, relative: str, right: bool) -> None:
    found = spot(path)

    assert found
    assert (found.scope, found.relative, found.is_spelled_right) == (scope, relative, right)


@pytest.mark.parametrize(
    "path",
    [
        "x.ecc/memory/team/a.md",
        ".eccx/memory/team/a.md",
        ".ecc/memory/teams/a.md",
        ".ecc/memory/user/a.md",
        ".ecc/team/a.md",
        "docs/memory/team/a.md",
        "recce/memory/team/a.md",
        ".ecc\\memory\\team\\a.md",
        "",
    ],
)
def test_what_does_not(path: str) -> None:
    assert spot(path) is None


def respelled(name: str) -> st.SearchStrategy[str]:
    """Other cases, characters that HFS+ ignores, ends that NTFS ignores."""
    letters = [st.tuples(st.sampled_from([c.lower(), c.upper()]), st.text(IGNORED, max_size=1)) for c in name]
    end = st.sampled_from(["", ".", " ", ". .", ":$DATA", ":x:$INDEX_ALLOCATION"])
    return st.builds(lambda parts, tail: "".join(a + b for a, b in parts) + tail, st.tuples(*letters), end)


@given(
    st.sampled_from(["", "pkg/", "a/b c/"]),
    st.one_of(respelled(".ecc"), respelled("ecc~1")),
    respelled("memory"),
    st.sampled_from([Scope.PROJECT, Scope.TEAM]).flatmap(lambda scope: st.tuples(st.just(scope), respelled(scope))),
    st.sampled_from(["", "/notes/a.md", "/ü\n.md"]),
)
def test_no_spelling_is_missed(above: str, ecc: str, memory: str, scoped: tuple, below: str) -> None:
    """Not by the pattern, and not by the cheap look before it."""
    scope, folder = scoped
    path = f"{above}{ecc}/{memory}/{folder}{below}"

    found = spot(path)
    assert found
    assert found.scope is scope
    assert concerns(path)
    only = perhaps(None)
    assert only
    assert only.search(path.encode())
    assert is_above(f"{above}{ecc}")
    assert is_above(f"{above}{ecc}/{memory}")


@given(st.text(max_size=60))
def test_whatever_is_a_name_is_no_error(path: str) -> None:
    """Hostile, and still a path."""
    assert spot(path) is None or concerns(path)
    is_above(path)


def test_a_long_name_takes_no_time() -> None:
    """No pattern may go back and forth over it."""
    for path in ("\u200c" * 4000, ".ecc/" * 2000, ("." + "\ufeff" * 500 + "/") * 8, ".ecc" + " ." * 2000):
        assert spot(path + "x") is None


def test_a_moved_vault() -> None:
    """By the folder that an override names; at the top, too."""
    found = spot("shared/team/notes/a.md", "shared/")
    assert found
    assert (found.vault, found.scope, found.is_spelled_right) == ("shared", Scope.TEAM, True)
    top = spot("project/notes/a.md", "")
    assert top
    assert top.scope is Scope.PROJECT
    assert spot("other/team/a.md", "shared/") is None
    other = spot("SHARED/Project/notes/a.md", "shared/")
    assert other
    assert (other.vault, other.scope, other.is_spelled_right) == ("SHARED", Scope.PROJECT, False)
    assert is_above("shared", "shared/vault/")
    assert not is_above("share", "shared/vault/")


def test_what_of_an_index_concerns_a_change() -> None:
    """The vault's own folder and the rules above it; everything as soon as rules change."""
    assert around([".ecc/memory/team/notes/a.md"]) == [".ecc", ".gitattributes", ".gitignore"]
    assert around(["pkg/.ecc/memory/team/a.md"]) == [
        ".gitattributes", ".gitignore", "pkg/.ecc", "pkg/.gitattributes", "pkg/.gitignore",
    ]  # fmt: skip
    assert around([".ecc/memory/team/a.md", ".gitattributes"]) is None
    assert around([f"p{number}/.ecc/memory/team/a.md" for number in range(limits.LISTED_PATHS)]) is None  # too many
    assert around(["shared/team/a.md"], "shared/") == [".gitattributes", ".gitignore", "shared"]


def test_only_the_usual_is_taken_out_of_a_listing() -> None:
    """Other modes, stages, places and names stay to be looked at, and so does what is touched."""
    oid = "1" * 40
    rows = [
        f"100644 {oid} 0\t.ecc/memory/team/notes/mem_one.md",
        f"100644 {oid} 0\t.ecc/memory/team/notes/mem_two.md",
        f"100755 {oid} 0\t.ecc/memory/team/notes/mem_three.md",
        f"120000 {oid} 0\t.ecc/memory/team/notes/mem_four.md",
        f"100644 {oid} 2\t.ecc/memory/team/notes/mem_five.md",
        f"100644 {oid} 0\tx/.ecc/memory/team/notes/mem_six.md",
        f"100644 {oid} 0\t.ecc/memory/team/notes/Odd.md",
        f"100644 {oid} 0\t.ecc/memory/team/notes/deep/mem_seven.md",
        f"100644 {oid} 0\tx\n100644 {oid} 0\t.ecc/memory/team/notes/mem_eight.md",
    ]
    listing = "".join(f"{row}\0" for row in rows).encode()

    ids, rest = take_usual(listing, {".ecc/memory/team/notes/mem_two.md"})

    assert ids == {"mem_one"}
    assert rest == "".join(f"{row}\0" for row in rows[1:]).encode()
