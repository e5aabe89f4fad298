"""What a document says of itself: each way to write a status that was seen in real repositories, rebuilt here."""

from textwrap import dedent

import pytest

from eccmem import limits
from eccmem.artifacts.config import Config
from eccmem.artifacts.describe import describe
from eccmem.artifacts.values import Artifact, ArtifactKind, ArtifactStatus, StatusSource

PATH = "docs/adr/0007-keep-queues-short.md"
P, A, R, D, S, U = (
    ArtifactStatus.PROPOSED,
    ArtifactStatus.ACCEPTED,
    ArtifactStatus.REJECTED,
    ArtifactStatus.DEPRECATED,
    ArtifactStatus.SUPERSEDED,
    ArtifactStatus.UNKNOWN,
)


def read(text: str | bytes, path: str = PATH, sidecar: bytes | None = None) -> Artifact:
    data = text if isinstance(text, bytes) else dedent(text).encode()
    found = describe(path, data, Config(), sidecar)
    assert found is not None
    return found


def section(*lines: str) -> str:
    return "\n".join(["# 7. Keep queues short", "", "## Status", "", *lines, "", "## Context", "", "Queues grow.", ""])


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("Accepted", A),
        ("accepted", A),
        ("**Accepted** 2023-05-11", A),
        ("** Approved **", A),
        ("`Rejected`", R),
        ("> Accepted", A),
        ("{ accepted }", A),
        ('"Accepted"', A),
        ("draft**", P),
        ("✅ Accepted", A),
        (":white_check_mark: Accepted", A),
        ("[Accepted](https://example.invalid/pull/541)", A),
        ("![Status: Accepted](https://example.invalid/badge.svg)", A),
        ("~~Proposed~~ Accepted", A),
        ("<del>Proposed</del> Rejected", R),
        ("Accepted (lazy consensus) & implemented", A),
        ("Accepted by the board on 2021-03-04.", A),
        ("The decision has been accepted.", A),
        ("Proposed, not implemented yet.", P),
        ("In review", P),
        ("Work in progress", P),
        ("On hold", P),
        ("RFC by 2024-01-01", P),
        ("Declined", R),
        ("Not accepted", R),
        ("No longer relevant", D),
        ("Depracated", D),
        ("Not-Implemented", U),
        ("Accepted, later deprecated", D),
        ("Proposed → Accepted", A),
        ("2025-05-19: Drafted & Accepted", A),
        ("2025-11-13: Edited & Accepted", A),
        ("Godkjent", A),
        ("Przyjęty", A),
        ("Ehdotettu", P),
        ("Ongoing", U),
        ("Experimental", U),
        ("...", U),
        ("Someone should decide this", U),
        ("proposed | rejected | accepted | deprecated", U),
        ("Proposed / Accepted", U),
        ("[proposed | rejected | accepted | … | superseded by [ADR-0005](0005-example.md)]", U),
        ("What is it: proposed, accepted, rejected, deprecated, superseded?", U),
        ("{accepted or rejected}", U),
        ("Accepté", A),
        ("Proposée", P),
        ("Aceito", A),
        ("Aceptado", A),
        ("Angenommen", A),
        ("Afgewezen", R),
        ("Принято", A),
        ("已接受", A),
        ("提议", P),
        ("已弃用", D),
        ("2017-11-22 提议", P),
        ("承認済み", A),
        ("却下", R),
        ("승인됨", A),
    ],
)
def test_the_words_of_a_section(line: str, status: ArtifactStatus) -> None:
    """However they are dressed; where they are a choice, or no word that is known, nothing is guessed."""
    found = read(section(line))

    assert found.status is status
    assert found.source is StatusSource.SECTION
    assert found.by == ()


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["Accepted", "", "Amended by [9. Help](0009-help.md)"], A),
        (["Proposed 2020-01-01", "Accepted 2020-02-02"], A),
        (["2020-02-02 Accepted", "", "2020-01-01 Proposed"], A),
        (["2017-11-22 提议", "", "2017-11-26 已弃用"], D),
        (["列表\uff1a提议/通过/完成", "", "2017-11-22 提议", "", "2017-11-22 通过"], A),
        (["- Proposed", "- Accepted"], U),
        (["Proposed", "Accepted"], U),
        (["**Provisional** *2025-03-18*", "", "Implemented by: https://example.invalid/pull/482"], P),
        (["Valid ADR statuses are:", "", "- Proposed", "- Accepted", "- Superseded"], U),
        (["Accepted", "", "The team that proposed it was glad."], A),
        (
            [
                "Nobody knows yet what will come of it, as there was no meeting.",
                "",
                "Proposed ways out of it are many.",
            ],
            U,
        ),
        (["- [ ] Proposed", "- [x] Accepted", "- [ ] Rejected"], A),
        (["- [ ] Proposed", "- [ ] Accepted"], U),
        (["Proposed.", "", "An alternative is written down elsewhere", "and implemented."], P),
    ],
)
def test_more_than_one_status_in_a_section(lines: list[str], status: ArtifactStatus) -> None:
    """The latest by its date; without dates, what contradicts itself is unknown."""
    assert read(section(*lines)).status is status


@pytest.mark.parametrize(
    ("lines", "by"),
    [
        (["Accepted", "", "Superceded by [9. Split](0009-split.md)"], ["0009-split.md"]),
        (["Accepted", "Superceded by [9. Split](0009-split.md)"], ["0009-split.md"]),
        (["Superseded by ADR-0009"], ["ADR-0009"]),
        (["superceeded by 0009-split.md"], ["0009-split.md"]),
        (["Superseeded by [ADR 9](0009-split.md)."], ["0009-split.md"]),
        (["Superseded [0009](0009-split.md)"], ["0009-split.md"]),
        (["Superseded by [ADR 23] and [ADR 26]", "", "[ADR 23]: /adr/23", "[ADR 26]: /adr/26"], ["ADR 23", "ADR 26"]),
        (["Superseded by [ADR 23](/adr/23) and [ADR 26](/adr/26)"], ["/adr/23", "/adr/26"]),
        (["Superseded by [ADR024][]", "", "[ADR024]: 0024-later.md"], ["0024-later.md"]),
        (["Superseded by [a later one][late]", "", "[late]: 0024-later.md"], ["0024-later.md"]),
        (["Superseded by DR008"], ["DR008"]),
        (["Superseded by #12"], ["#12"]),
        (["Superseded by 12 and 14"], ["12", "14"]),
        (["Superseded by https://example.invalid/o/r/pull/7"], ["https://example.invalid/o/r/pull/7"]),
        (["Superseded"], []),
        (["Superseded. See [this one](0009-split.md)"], ["0009-split.md"]),
        (["Superseded, see [this](0009-split.md) instead"], ["0009-split.md"]),
        (["Overridden by [9](0009-split.md)"], ["0009-split.md"]),
        (["Invalidated by ADR 9"], ["ADR 9"]),
        (["Replaced (see [9](0009-split.md))"], ["0009-split.md"]),
        (["Accepted, later replaced by ADR 9"], ["ADR 9"]),
        (["This decision was superseded by ADR 9. See also [3](0003-x.md)."], ["ADR 9"]),
        (["2020-03-01: superseded by ADR-9"], ["ADR-9"]),
        (["Remplacée par [9](0009-split.md)"], ["0009-split.md"]),
        (["Ersetzt durch ADR-9"], ["ADR-9"]),
        (["已被 [ADR-9](0009-split.md) 取代"], ["0009-split.md"]),
        (["Deprecated", "", "Superseded by ADR-9"], ["ADR-9"]),
    ],
)
def test_what_took_its_place(lines: list[str], by: list[str]) -> None:
    """In every spelling, by other verbs, with one successor or some, by link, label, number or not at all."""
    found = read(section(*lines))

    assert found.status is S
    assert list(found.by) == by
    assert not found.partial


@pytest.mark.parametrize(
    ("lines", "status", "supersedes"),
    [
        (["Accepted", "", "Supersedes [3. Long queues](0003-long-queues.md)"], A, ["0003-long-queues.md"]),
        (["Accepted. Supercedes ADR-3"], A, ["ADR-3"]),
        (["Proposed, superseding ADR 3"], P, ["ADR 3"]),
        (["Accepted; replaces ADR-3"], A, ["ADR-3"]),
        (["Accepted. This record has superseded [3](0003-long-queues.md)"], A, ["0003-long-queues.md"]),
        (["Accepted until superseded by something better"], A, []),
        (["Accepted. It will be superseded by ADR-12 one day."], A, []),
        (["Accepted. Not superseded."], A, []),
    ],
)
def test_the_other_direction_is_no_retirement(lines: list[str], status: ArtifactStatus, supersedes: list[str]) -> None:
    """Nor is what may come, or what is denied."""
    found = read(section(*lines))

    assert found.status is status
    assert list(found.supersedes) == supersedes
    assert found.by == ()


@pytest.mark.parametrize(
    "lines",
    [
        ["Accepted", "", "Partly superseded by [9](0009-split.md)"],
        ["Accepted, partially superseded by [9](0009-split.md)"],
        ["Accepted", "", "Parts of this ADR were superseded by [9](0009-split.md)"],
        ["Superseded in part by [9](0009-split.md)"],
        ["Accepted. Superseded by [9](0009-split.md) (partially)"],
        ["Accepted", "", "Section 2 was superseded by [9](0009-split.md)."],
    ],
)
def test_a_part_alone_was_superseded(lines: list[str]) -> None:
    """The status stays, and what took the place of the part is named."""
    found = read(section(*lines))

    assert (found.status, found.partial, found.by) == (A, True, ("0009-split.md",))


HEAD = "# Keep queues short\n\n{}\n\n## Context\n\n### Order status\n\nShipped.\n"


@pytest.mark.parametrize(
    ("head", "status", "source"),
    [
        ("* Status: accepted", A, StatusSource.LINE),
        ("- **Status**: accepted", A, StatusSource.LINE),
        ("- **Status:** accepted", A, StatusSource.LINE),
        ("**Status**: accepted", A, StatusSource.LINE),
        ("**Status** - accepted", A, StatusSource.LINE),
        ("_Status_: accepted", A, StatusSource.LINE),
        ("> **Status:** rejected", R, StatusSource.LINE),
        ("Status: draft", P, StatusSource.HEADER),
        ("Statut : accepté", A, StatusSource.HEADER),
        ("Estado: Aceptado", A, StatusSource.HEADER),
        ("ステータス\uff1a承認", A, StatusSource.HEADER),
        ("状态: 已接受", A, StatusSource.HEADER),
        ("- Status: superseded by [20240101-later](20240101-later.md)", S, StatusSource.LINE),
        ("| Status | Accepted |\n|---|---|\n| Date | 2020-01-01 |", A, StatusSource.TABLE),
        ("| Date | Status |\n|---|---|\n| 2020-01-01 | Accepted |", A, StatusSource.TABLE),
        (">|              |              |\n>| ------ | --- |\n>| Status | `RFC` |", P, StatusSource.TABLE),
        ("|  |  |\n|---|---|\n| **Status** | ~~Proposed~~ Accepted |", A, StatusSource.TABLE),
        ("<table>\n<tr><th>Status</th><td>Accepted</td></tr>\n</table>", A, StatusSource.TABLE),
        ("Status\n:   Accepted", A, StatusSource.HEADER),
        ("> **Note**: superseded by [9](0009-split.md)", S, StatusSource.HEAD_NOTE),
        ("Superseded: 2019-12-19 by [ADR 14](0014-tags.md)", S, StatusSource.HEADER),
        ("- Superseded by: ADR-14", S, StatusSource.LINE),
        ("- Superseded by: n/a\n- Status: accepted", A, StatusSource.LINE),
    ],
)
def test_a_line_or_table_at_the_top(head: str, status: ArtifactStatus, source: StatusSource) -> None:
    """It counts more than a section further down that is about another status."""
    found = read(HEAD.format(head))

    assert (found.status, found.source) == (status, source)


@pytest.mark.parametrize(
    ("matter", "status", "by"),
    [
        ("status: accepted", A, []),
        ('status: "accepted"', A, []),
        ("Status: Accepted", A, []),
        ("status:\n  - accepted", A, []),
        ("status: {proposed}", P, []),
        ("# a comment\n# and one more\nstatus: rejected", R, []),
        ("title: |\n  A long\n  title\nstatus: proposed", P, []),
        ("status: superseded by [ADR-0005](0005-example.md)", S, ["0005-example.md"]),
        ("status: [superseded by ADR-5](0005-example.md)", S, ["0005-example.md"]),
        ("status: superseded by ADR-0123", S, ["ADR-0123"]),
        ("status: accepted\nsuperseded_by: ADR-9", S, ["ADR-9"]),
        ("status: superseded\nx-superseded-by: 0009-split.md", S, ["0009-split.md"]),
        ("superseded-by: 9", S, ["9"]),
        ("status: superseded\nsuperseded_by:\n  - ADR-8\n  - ADR-9", S, ["ADR-8", "ADR-9"]),
        ("status: accepted\nsuperseded_by: null", A, []),
        ("status: accepted\nsuperseded_by: []", A, []),
        ("status: accepted\nsuperseded_by: ''", A, []),
        ("jbake-status: published", U, []),
        ("status: [proposed | accepted]", U, []),
        ("status: 12", U, []),
        ("status: 2024-13-45", U, []),
    ],
)
def test_frontmatter(matter: str, status: ArtifactStatus, by: list[str]) -> None:
    """Also where it is no valid YAML, as a link without quotes is none."""
    found = read(f"---\n{matter}\n---\n\n# Keep queues short\n")

    assert (found.status, list(found.by)) == (status, by)
    assert found.title in ("Keep queues short", "A long title")


def test_what_to_use_instead_of_a_deprecated_one() -> None:
    """Is named, and the status stays what it says."""
    for words in ("Deprecated in favour of [9](0009-split.md)", "Deprecated by [9](0009-split.md)."):
        found = read(section(words))

        assert (found.status, found.by) == (D, ("0009-split.md",))


def test_a_part_named_in_frontmatter() -> None:
    """A section of another document took the place of a part."""
    found = read('---\nstatus: accepted\nsuperseded_by: ["ADR-167#4"]\n---\n# A\n')

    assert (found.status, found.partial) == (A, True)


@pytest.mark.parametrize(
    ("path", "text", "status"),
    [
        ("docs/adr/0001-a.rst", "1. A\n====\n\nStatus\n------\n\nAccepted\n\nContext\n-------\n", A),
        ("docs/adr/0001-a.rst", "A\n#\n\nStatus\n******\n\n**Provisional** *2025-03-18*\n\nContext\n*******\n", P),
        ("docs/adr/0001-a.rst", "A\n=\n\n:Status: Rejected\n:Date: 2020-01-01\n", R),
        ("docs/adr/0001-a.rst", "A\n=\n\n+--------+----------+\n| Status | Accepted |\n+--------+----------+\n", A),
        (
            "oeps/oep-0001.rst",
            "A\n=\n\n.. list-table::\n\n   * - OEP\n     - 1\n   * - Status\n     - Replaced (see :ref:`oep-2`)\n",
            S,
        ),
        ("docs/adr/0001-a.adoc", "= A\n\n== Status\n\nAccepted\n\n== Context\n", A),
        ("docs/adr/0001-a.adoc", "=== 1. A\n\nDate: 2020-01-01\n\nStatus::\n\nAccepted\n\nContext::\n\nIt is.\n", A),
        ("docs/adr/0001-a.adoc", "= A\n:jbake-status: published\n:status: proposed\n", P),
        ("jep/1/README.adoc", "= JEP-1\n\n|===\n| JEP\n| 1\n\n| Status\n| Draft :speech_balloon:\n|===\n", P),
        (
            "jep/1/README.adoc",
            "= A\n\n|===\n| Status\n| Accepted\n\n//| Superseded-By\n//| link:../2[JEP-2]\n|===\n",
            A,
        ),
        ("bips/bip-0001.mediawiki", "<pre>\n  BIP: 1\n  Status: Replaced\n  Proposed-Replacement: 2\n</pre>\n", S),
        (
            "peps/pep-0001.rst",
            "PEP: 1\nTitle: A\nStatus: Superseded\nSuperseded-By: 649, 749\n\nAbstract\n========\n",
            S,
        ),
        ("docs/adr/0001-a.md", "A\n===\n\nStatus\n---\n\nAccepted\n", A),
        ("docs/adr/0001-a.md", "# Status\n\nAccepted\n\n# Context\n", A),
        ("docs/adr/0001-a.md", "# A\n\n## Decision\n\nWe do.\n\n## Status: Accepted\n", A),
        ("docs/adr/0001-a.md", "# A\n\n## Decision\n\nWe do.\n\n## 4. Status\n\nAccepted\n", A),
        ("docs/adr/0001-a.md", "# A\n\n## **Status**\n\nAccepted\n", A),
        ("docs/adr/0001-a.md", "# A\n\n## \U0001f6a6 Status\n\nAccepted\n", A),
        ("docs/adr/0001-a.md", "# A\n\n## Superseded by\n\n[9](0009-b.md)\n", S),
        ("docs/adr/0001-a.md", "# A\n\n## Status\n\nAccepted\n\n## Superseded by\n\nNone\n", A),
        ("docs/adr/0001-a.md", '+++\nstatus = "accepted"\n+++\n# A\n', A),
        ("docs/adr/0001-a.md", "+++\nstatus = accepted\n+++\n# A\n", U),
        ("docs/adr/0001-a.md", "## 状态\n\n已接受\n", A),
        ("docs/adr/0001-a.MD", "## Status\n\nAccepted\n", A),
        ("adr/0001-a.org", "* A\n** Status\nAccepted\n** Context\n", A),
    ],
)
def test_other_markups(path: str, text: str, status: ArtifactStatus) -> None:
    """AsciiDoc, reStructuredText, MediaWiki, Org, and headings that are underlined."""
    assert read(text, path).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("# A\n\n```\n## Status\n\nAccepted\n```\n", U),
        ("# A\n\n~~~md\nStatus: accepted\n~~~\n", U),
        ("# A\n\n````md\n```\n## Status\nRejected\n```\n````\n\n## Status\n\nAccepted\n", A),
        ("# A\n\n<!--\n## Status\n\nAccepted\n-->\n", U),
        ("# A\n\n## Status\n\n<!-- proposed, accepted --> Rejected\n", R),
        ("# A\n\nStatus: <!-- never closed\n\naccepted", U),
    ],
)
def test_code_and_comments_say_nothing(text: str, status: ArtifactStatus) -> None:
    """Neither between fences of any kind, nor in a comment that ends or does not."""
    assert read(text).status is status


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_marks(end: bytes, mark: bytes) -> None:
    """Make no difference, with frontmatter or without."""
    for text in (b"---\nstatus: accepted\n---\n# A\n", b"# A\n\n## Status\n\nAccepted\n"):
        found = read(mark + text.replace(b"\n", end))

        assert (found.status, found.title) == (A, "A")


def test_utf_16() -> None:
    """With a byte order mark, as some editors of Windows write it."""
    assert read("# A\n\n## Status\n\nAccepted\n".encode("utf-16")).status is A


def test_a_sidecar_counts_most() -> None:
    """The ``kep.yaml`` beside a proposal, whose page has no status of its own."""
    kep = b"title: A\nstatus: replaced\nsuperseded-by:\n  - /keps/sig-a/12-b\nreplaces: []\n"
    found = read("# A\n\n## Implementation status\n", "keps/sig-a/0007-a/README.md", kep)

    assert (found.status, found.source, found.by) == (S, StatusSource.SIDECAR, ("/keps/sig-a/12-b",))


@pytest.mark.parametrize(
    ("path", "text", "status", "source"),
    [
        ("docs/deprecated_runbooks/VMDown.md", "# VMDown\n", D, StatusSource.FOLDER),
        ("docs/runbooks/VMDown.md", "# VMDown [Deprecated]\n", D, StatusSource.TITLE),
        ("docs/runbooks/VMDown.md", "# VMDown\n\n## Status\n\nAccepted\n", U, None),
        ("AGENTS.md", "# Rules\n\nStatus: accepted\n", U, None),
        ("docs/postmortems/2020-01-01-down.md", "# Down\n\nStatus: rejected\n", U, None),
    ],
)
def test_what_has_no_status(path: str, text: str, status: ArtifactStatus, source: StatusSource | None) -> None:
    """Runbooks have a folder or a mark at most; rules and post-mortems have none at all."""
    found = read(text, path)

    assert (found.status, found.source) == (status, source)


@pytest.mark.parametrize(
    ("path", "text", "status", "source"),
    [
        ("docs/adr/rejected/0001-a.md", "# A\n", R, StatusSource.FOLDER),
        ("docs/proposed-adrs/a.md", "# A\n", P, StatusSource.FOLDER),
        ("docs/historic-adrs/a.md", "# A\n", D, StatusSource.FOLDER),
        ("docs/adr/archived/0001-a.md", "# A\n\n## Status\n\nAccepted\n", A, StatusSource.SECTION),
        ("docs/adr/archived/0001-a.md", "# A\n\n## Status\n\nSomehow\n", U, StatusSource.SECTION),
        ("docs/adr/0001-a.md", "# [Superseded] A\n", S, StatusSource.TITLE),
        ("docs/adr/0001-a.md", "# A (draft)\n", P, StatusSource.TITLE),
        ("docs/adr/0001-a.md", "# A (accepted risks)\n", U, None),
        ("docs/adr/0001-a.md", "# A [v2]\n", U, None),
    ],
)
def test_a_folder_or_a_mark_in_the_title(
    path: str, text: str, status: ArtifactStatus, source: StatusSource | None
) -> None:
    """They count where the document says nothing itself."""
    found = read(text, path)

    assert (found.status, found.source) == (status, source)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# 7. Keep *queues* `short`\n", "7. Keep queues short"),
        ("---\ntitle: From the matter\n---\n\n## Status\n\nAccepted\n", "From the matter"),
        ("no heading\n", "0007-keep-queues-short"),
        ("# [Link](x.md) and <b>tags</b>\n", "Link and tags"),
        ("# \x1b[31mred\x07 \u202eflipped\u2066\n", "[31mred flipped"),
        (f"# {'long ' * 100}\n", f"{'long ' * 39}long"[: limits.ARTIFACT_TITLE_CHARS - 1] + "…"),
    ],
)
def test_titles(text: str, title: str) -> None:
    """One line without markup and control characters, within its bound."""
    found = read(text)

    assert found.title == title
    assert len(found.title) <= limits.ARTIFACT_TITLE_CHARS


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("docs/adr/0012-a.md", "0012"),
        ("docs/adr/ADR-012-a.md", "012"),
        ("docs/adr/adr_7.md", "7"),
        ("docs/adr/20240501-a.md", "20240501"),
        ("docs/adr/2024-05-01-a.md", "2024-05-01"),
        ("docs/adr/2024-05-01-a/README.md", "2024-05-01"),
        ("docs/adr/OPS-QUEUE-0042-a.md", "0042"),
        ("docs/adr/keep-it.md", None),
    ],
)
def test_numbers(path: str, number: str | None) -> None:
    """As they are written in the name of the file, or of its folder."""
    assert read("# A\n", path).number == number


def test_raw_words_are_bounded_and_on_one_line() -> None:
    """So that a person can dispute them, and a terminal is not harmed."""
    found = read(section(f"Accepted \x1b]0;title\x07 {'word ' * 200}"))

    assert found.status is A
    assert len(found.raw) == limits.ARTIFACT_RAW_CHARS
    assert found.raw.isprintable()


def test_a_section_about_the_subject_is_none_about_the_document() -> None:
    """How things are now is no status of the record."""
    for heading in ("Current status", "State", "Rollout status"):
        assert read(f"# A\n\n## {heading}\n\nAccepted by all services.\n").status is U


def test_a_note_in_the_other_direction() -> None:
    """A later document that says what it replaced is not retired by that."""
    note = "# A\n\n> [!IMPORTANT]\n> This ADR has superseded [3](0003-long-queues.md)\n\n- Status: accepted\n"

    assert read(note).status is A


def test_a_path_that_is_nothing() -> None:
    """Is not described."""
    assert describe("src/main.py", b"# Status\naccepted", Config()) is None
    assert describe("docs/guide.md", b"## Status\n\nAccepted\n", Config()) is None


def test_content_decides_where_the_path_does_not() -> None:
    """A numbered file with the headings of a record is one; with fewer only in a folder about architecture."""
    three = b"# A\n\n## Status\n\nAccepted\n\n## Context\n\n## Decision\n"
    two = b"# A\n\n## Status\n\nAccepted\n\n## Context\n"

    for path, data, is_one in (
        ("notes/0001-a.md", three, True),
        ("notes/0001-a.md", two, False),
        ("notes/a.md", three, False),
        ("docs/architecture/001-a.md", two, True),
        ("template/0001-a.md", three, False),
    ):
        found = describe(path, data, Config())
        assert (found is not None) is is_one, path
        assert found is None or (found.kind, found.status) == (ArtifactKind.ADR, A)
