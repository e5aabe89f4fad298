"""All documents of a tree, and what they say of each other."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from conftest import git
from eccmem import limits, repo
from eccmem.artifacts import survey, trees
from eccmem.artifacts.trees import SYMLINK, Entry
from eccmem.artifacts.values import Artifact, ArtifactKind, ArtifactStatus, StatusSource

A, P, S, U = ArtifactStatus.ACCEPTED, ArtifactStatus.PROPOSED, ArtifactStatus.SUPERSEDED, ArtifactStatus.UNKNOWN


class Texts:
    """A tree of texts, without a repository; a link has None."""

    def __init__(self, files: Mapping[str, str | None]) -> None:
        self._files = files
        self.entries = {path: Entry(SYMLINK if text is None else "100644", "0" * 40) for path, text in files.items()}

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path in dict.fromkeys(paths):
            text = self._files.get(path)
            if text is not None:
                yield path, text.encode()


def surveyed(files: Mapping[str, str | None]) -> dict[str, Artifact]:
    tree = Texts(files)
    return survey.survey(tree, survey.config_of(tree))


def adr(status: str, *more: str) -> str:
    return "\n".join(["# A", "", *more, "", "## Status", "", status, "", "## Context", ""])


def folder(**records: str) -> dict[str, str | None]:
    """Records of one folder by name: ``n3="…"`` is ``docs/adr/0003-record.md``."""
    return {f"docs/adr/{int(name[1:]):04}-record.md": text for name, text in records.items()}


THREE, NINE = "docs/adr/0003-record.md", "docs/adr/0009-record.md"


@pytest.mark.parametrize(
    "said",
    [
        "Accepted\n\nSupersedes [3](0003-record.md)",
        "Accepted. Supercedes ADR-3",
        "Accepted; supersedes 0003-record.md.",
        "Accepted, superseding ADR 0003",
    ],
)
def test_what_only_the_later_document_says(said: str) -> None:
    """An accepted one retires the other, which still reads accepted; where that was read is said."""
    found = surveyed(folder(n3=adr("Accepted"), n9=adr(said)))

    assert (found[THREE].status, found[THREE].by, found[THREE].source) == (S, (NINE,), StatusSource.REVERSE)
    assert found[THREE].raw == "Accepted"
    assert (found[NINE].status, found[NINE].supersedes) == (A, (THREE,))


@pytest.mark.parametrize(
    ("status", "pending"), [("Proposed", True), ("Rejected", False), ("Something", False), ("Deprecated", False)]
)
def test_a_document_that_does_not_hold_retires_nothing(status: str, pending: bool) -> None:
    """A proposed one may; that is said, and the status stays."""
    found = surveyed(folder(n3=adr("Accepted"), n9=adr(f"{status}\n\nSupersedes [3](0003-record.md)")))

    assert (found[THREE].status, found[THREE].by, found[THREE].pending) == (A, (), pending)


def test_a_part_that_only_the_later_document_names() -> None:
    """It is marked, and stays accepted."""
    for text in (
        adr("Accepted", "- Supersedes: part of [3](0003-record.md)"),
        adr("Accepted. Partly supersedes ADR-3"),
    ):
        found = surveyed(folder(n3=adr("Accepted"), n9=text))

        assert (found[THREE].status, found[THREE].partial, found[THREE].by) == (A, True, (NINE,))


def test_both_say_it() -> None:
    """Then it is said once, where the document says it of itself."""
    found = surveyed(
        folder(
            n3=adr("Superseded by [9](0009-record.md)"),
            n9=adr("Accepted\n\nSupersedes [3](0003-record.md)"),
        )
    )

    assert (found[THREE].by, found[THREE].source) == ((NINE,), StatusSource.SECTION)


def test_a_fork() -> None:
    """Two documents took the place of one, of which it names the first."""
    found = surveyed(
        folder(
            n3=adr("Superseded by [9](0009-record.md)"),
            n9=adr("Accepted"),
            n10=adr("Accepted\n\nSupersedes [3](0003-record.md)"),
        )
    )

    assert found[THREE].by == (NINE, "docs/adr/0010-record.md")


@pytest.mark.parametrize(
    ("words", "by"),
    [
        ("[9](0009-record.md)", NINE),
        ("[9](./0009-record.md#decision)", NINE),
        ("[9](/docs/adr/0009-record.md)", NINE),
        ("[9](https://example.invalid/o/r/blob/main/docs/adr/0009-record.md)", NINE),
        ("[9](https://example.invalid/adr/0009-record/)", NINE),
        ("[ADR 9](/adr/9)", NINE),
        ("[ADR-0009]", NINE),
        ("ADR-9", NINE),
        ("#9", NINE),
        ("0009-record", NINE),
        ("0009-record.md", NINE),
        ("`0009-record.md`", NINE),
        ("[other](../../notes/other.md)", "../../notes/other.md"),
        ("[Use HTTP 9](0040-gone.md)", "0040-gone.md"),
        ("[#9](https://example.invalid/o/r/issues/9)", "https://example.invalid/o/r/issues/9"),
        ("[a change](https://example.invalid/o/r/pull/9)", "https://example.invalid/o/r/pull/9"),
        ("ADR-77", "ADR-77"),
    ],
)
def test_who_is_meant(words: str, by: str) -> None:
    """By path, file name, short name or number; what leads nowhere keeps its words."""
    found = surveyed(folder(n3=adr(f"Superseded by {words}"), n9=adr("Accepted")))

    assert (found[THREE].status, found[THREE].by) == (S, (by,))


def test_words_that_lead_nowhere_are_harmless() -> None:
    """They are on one line, without control characters."""
    found = surveyed(folder(n3=adr("Superseded by [a\x1b7b](c\x07d\u202e)")))

    assert all(words.isprintable() for words in found[THREE].by)
    assert len(found[THREE].by) == 1


def test_numbers_are_no_identifiers() -> None:
    """Where two have the same number, none is guessed; nor is one of another folder."""
    twice = surveyed(
        {THREE: adr("Superseded by ADR-9"), NINE: adr("Accepted"), "docs/adr/0009-twin.md": adr("Accepted")}
    )
    elsewhere = surveyed({THREE: adr("Superseded by ADR-9"), "other/adr/0009-record.md": adr("Accepted")})

    assert twice[THREE].by == elsewhere[THREE].by == ("ADR-9",)


def test_old_records_in_a_folder_of_their_own() -> None:
    """They name those of the folder above, where they were once."""
    old, new = "docs/adr/deprecated/0003-a.md", "docs/adr/0009-record.md"

    assert surveyed({old: adr("Superseded by ADR 9"), new: adr("Accepted")})[old].by == (new,)


def test_records_that_are_folders() -> None:
    """Each is called by the name of its folder."""
    one, two = "decisions/2024-01-01-a/README.md", "decisions/2024-02-02-b/README.md"
    found = surveyed({one: adr("Superseded by [b](../2024-02-02-b)"), two: adr("Accepted")})

    assert found[one].by == (two,)


def test_nothing_retires_itself_and_circles_end() -> None:
    """Two that say it of each other are both superseded, and one that says it of itself is not."""
    circle = surveyed(folder(n3=adr("Accepted\n\nSupersedes ADR-9"), n9=adr("Accepted\n\nSupersedes ADR-3")))
    itself = surveyed(folder(n3=adr("Accepted\n\nSupersedes ADR-3")))

    assert (circle[THREE].status, circle[NINE].status) == (S, S)
    assert (itself[THREE].status, itself[THREE].by) == (A, ())


def test_the_order_of_the_tree_does_not_matter() -> None:
    """A chain of three comes out alike from either end."""
    chain = folder(n1=adr("Accepted"), n2=adr("Accepted\n\nSupersedes ADR-1"), n3=adr("Accepted\n\nSupersedes ADR-2"))
    forward, backward = surveyed(chain), surveyed(dict(reversed(chain.items())))

    assert list(forward) == list(backward) == sorted(chain)
    assert forward == backward
    assert [artifact.status for artifact in forward.values()] == [S, S, A]


def test_a_chain_against_the_order_of_names() -> None:
    """What counts is what each says itself, whichever is looked at first."""
    found = surveyed(
        folder(n1=adr("Accepted\n\nSupersedes ADR-2"), n2=adr("Accepted\n\nSupersedes ADR-3"), n3=adr("Accepted"))
    )

    assert [artifact.status for artifact in found.values()] == [A, S, S]


def test_a_successor_that_was_superseded_itself() -> None:
    """It had taken the place of the other one before."""
    found = surveyed(
        folder(
            n3=adr("Accepted"),
            n9=adr("Superseded by ADR-10\n\nSupersedes [3](0003-record.md)"),
            n10=adr("Accepted"),
        )
    )

    assert (found[THREE].status, found[THREE].by) == (S, (NINE,))


def test_what_was_rejected_stays_so() -> None:
    """It was never in force, whoever took its place."""
    found = surveyed(folder(n3=adr("Rejected"), n9=adr("Accepted\n\nSupersedes ADR-3")))

    assert (found[THREE].status, found[THREE].by) == (ArtifactStatus.REJECTED, (NINE,))


def test_a_sidecar_is_read_with_its_page() -> None:
    """And is no document itself."""
    page = "keps/sig-a/12-b/README.md"
    found = surveyed({page: "# B\n", "keps/sig-a/12-b/kep.yaml": "status: implementable\n"})

    assert list(found) == [page]
    assert (found[page].status, found[page].source) == (A, StatusSource.SIDECAR)


def test_a_link_in_the_place_of_rules() -> None:
    """It is listed by its name; a link anywhere else is not."""
    found = surveyed({"AGENTS.md": "# Rules", "CLAUDE.md": None, "docs/adr/0001-a.md": None})

    assert {path: artifact.title for path, artifact in found.items()} == {"AGENTS.md": "Rules", "CLAUDE.md": "CLAUDE"}


def test_configuration_is_found_at_any_depth() -> None:
    """That of tools; ours lies at the top alone."""
    found = surveyed(
        {
            "services/a/.adr-dir": "choices",
            "services/a/choices/0001-a.md": adr("Accepted"),
            "services/a/pyproject.toml": "[tool.eccmem.artifacts]\nexclude = ['**']\n",
        }
    )

    assert found["services/a/choices/0001-a.md"].kind is ArtifactKind.ADR


def test_a_document_that_is_too_large_is_listed(checkout: Path) -> None:
    """By its path, its status unknown."""
    path = checkout / "docs/adr/0001-a.md"
    path.parent.mkdir(parents=True)
    path.write_text(adr("Accepted") + "x" * limits.ARTIFACT_BYTES)
    git(checkout, "add", ".")
    tree = trees.of_worktree(repo.locate(checkout, os.environ))

    (found,) = survey.survey(tree, survey.config_of(tree)).values()

    assert (found.path, found.title, found.status) == ("docs/adr/0001-a.md", "0001-a", U)


def _many(count: int) -> dict[str, str | None]:
    return {f"docs/adr/{number:05}-a.md": adr(f"Accepted\n\nSupersedes ADR-{number // 2}") for number in range(count)}


def _all_of_one(count: int) -> dict[str, str | None]:
    return {f"docs/adr/{number:05}-a.md": adr("Accepted\n\nSupersedes ADR-1") for number in range(count)}


@pytest.mark.parametrize("made", [_many, _all_of_one])
def test_many_documents_take_time_by_their_number(made: Callable[[int], dict[str, str | None]]) -> None:
    """Four times as many take some four times as long, also when all name the same one; quadratic would be sixteen."""

    def seconds(count: int) -> float:
        files = made(count)
        start = time.process_time()
        found = surveyed(files)
        assert all(len(artifact.by) <= limits.ARTIFACT_SUCCESSORS for artifact in found.values())
        return time.process_time() - start

    few = min(seconds(500) for _ in range(3))
    many = min(seconds(2000) for _ in range(3))

    assert many < 9 * few
