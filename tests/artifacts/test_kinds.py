"""What a path is: by folders and names, and by what a repository says itself."""

import pytest

from eccmem.artifacts.config import OURS, Config, Problem, read_config
from eccmem.artifacts.globs import Globs
from eccmem.artifacts.kinds import kind_of
from eccmem.artifacts.values import ArtifactKind

ADR, RUNBOOK, RULES, RFC, POLICY, POSTMORTEM = ArtifactKind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("docs/adr/0001-a.md", ADR),
        ("docs/adr/0001-a.MD", ADR),
        ("doc/adr/0001-a.rst", ADR),
        ("docs/ADRs/2024-05-01-a.adoc", ADR),
        ("docs/Architecture Decisions/1. a.md", ADR),
        ("docs/architecture_decision_records/a.md", ADR),
        ("decision-record/DR005-a.MD", ADR),
        ("src/adr/en/0001-a.mdx", ADR),
        ("docs/historic-adrs/dotenv.md", ADR),
        ("docs/decision-records/2024-05-01-a/README.md", ADR),
        ("docs/architecture/ADR-001-a.md", ADR),
        ("anywhere/adr_12.md", ADR),
        ("docs/adr/0007-prompt-extract-template-engine.md", ADR),
        ("docs/decisions/0005-django-templates.rst", ADR),
        (".archgate/adrs/GEN-003-a.md", ADR),
        ("docs/adr/README.md", None),
        ("docs/adr/index.md", None),
        ("docs/adr/adr-index.html.md.erb", None),
        ("docs/adr/template.md", None),
        ("docs/adr/0000-template.md", None),
        ("docs/adr/NNNN-adr-template.md", None),
        ("docs/adr/ADRXXX-architecture-decision-record-template.md", None),
        ("docs/adr/YYYYMMDD-template-name.md", None),
        ("docs/decisions/0000-modele-adr.md", None),
        ("docs/adr/templates/long.md", None),
        ("docs/adr/design/guide.md", None),
        ("docs/adr/diagram.png", None),
        ("docs/adr/0001-a.json", None),
        ("skills/architecture-decision-records/SKILL.md", None),
        ("docs/guide.md", None),
        ("readme.md", None),
        (".ecc/memory/team/decisions/mem_x.md", None),
        ("runbooks/Down.md", RUNBOOK),
        ("source/runbooks/restart.html.md.erb", RUNBOOK),
        ("docs/deprecated_runbooks/Down.md", RUNBOOK),
        ("mixin/runbook.md", RUNBOOK),
        ("docs/operations/restore-runbook.md", RUNBOOK),
        ("alerts/dns-operator/CoreDNSErrorsHigh.md", RUNBOOK),
        ("alerts/dns-operator/helpers/gatherLogs.md", None),
        ("source/manual/alerts/high-load.html.md", RUNBOOK),
        ("examples/alerts/alerts.md", None),
        ("docs/add-a-new-runbook.md", None),
        ("docs/playbooks/a.md", None),
        ("AGENTS.md", RULES),
        ("a/b/AGENTS.md", RULES),
        ("CLAUDE.local.md", RULES),
        ("GEMINI.md", RULES),
        ("pages/common/claude.md", None),
        ("docs/agents.md", None),
        ("agents.md", RULES),
        (".cursorrules", RULES),
        (".cursor/rules/a/b.mdc", RULES),
        (".cursor/rules/a.md", RULES),
        (".github/copilot-instructions.md", RULES),
        ("python/.github/instructions/python.instructions.md", RULES),
        (".kiro/steering/product.md", RULES),
        ("rfcs/0001-a.md", RFC),
        ("text/0001-a.md", RFC),
        ("text/a.md", None),
        ("peps/pep-0008.rst", RFC),
        ("bip-0001.mediawiki", RFC),
        ("keps/sig-a/1234-b/README.md", RFC),
        ("docs/architectural-decisions/oep-0001.rst", RFC),
        ("docs/rfclist/rfc2045.txt", None),
        ("docs/policies/retention.md", POLICY),
        ("docs/postmortems/down.md", POSTMORTEM),
        ("incidents/2020-01-01-down.md", POSTMORTEM),
        ("incidents/what-to-do.md", None),
        ("docs/2020-post-mortem.md", POSTMORTEM),
    ],
)
def test_by_names_that_are_usual(path: str, kind: ArtifactKind | None) -> None:
    """The nearest folder decides; templates, lists and pages about a folder are none."""
    assert kind_of(path, Config()) is kind


def config(**files: str) -> Config:
    """The files by a name without what a keyword cannot have: ``_adr_dir`` for ``.adr-dir``."""
    names = {
        "pyproject": "pyproject.toml",
        "ours": ".ecc/config.toml",
        "adr_dir": ".adr-dir",
        "log4brains": ".log4brains.yml",
        "dotnet": "adr.config.json",
        "adrs": "adrs.toml",
        "pyadr": ".adr",
    }
    return read_config({names[key]: text.encode() for key, text in files.items()}.get)


def test_every_tool_is_honoured() -> None:
    """In the order of precedence, so that the first folder is where a new record belongs."""
    found = config(
        pyadr="[adr]\nrecords-dir = by-pyadr\n",
        adrs='adr_dir = "by-adrs"\n',
        dotnet='{"path": "./by-dotnet"}',
        log4brains="project:\n  adrFolder: ./by-log4brains\n  packages:\n    - adrFolder: packages/a/by-log4brains\n",
        adr_dir="by-adr-tools\n",
        ours='[artifacts.policy]\nfolders = ["by-us"]\n',
    )

    assert found.problems == ()
    assert found.folders[ADR] == (
        "by-adr-tools",
        "by-log4brains",
        "packages/a/by-log4brains",
        "by-dotnet",
        "by-adrs",
        "by-pyadr",
    )
    assert kind_of("packages/a/by-log4brains/20240501-a.md", found) is ADR
    assert kind_of("by-us/a.md", found) is POLICY
    assert kind_of("docs/adr/0001-a.md", found) is ADR


def test_ours_come_first() -> None:
    """A folder of ours stands before one of a tool, and is the place of its kind even where names say another."""
    found = config(
        pyproject='[tool.eccmem.artifacts.adr]\nfolders = ["docs/adr", "b"]\nglobs = ["x/*.md"]\n',
        ours='[artifacts.adr]\nfolders = ["docs/runbooks"]\n',
        adr_dir="by-tool",
    )

    assert found.folders[ADR] == ("docs/runbooks", "by-tool")
    assert kind_of("docs/runbooks/0001-a.md", found) is ADR
    assert kind_of("x/a.md", found) is ADR  # the other file said nothing of globs
    assert kind_of("x/y/a.md", found) is None


def test_exclude_and_conventions() -> None:
    """What is excluded is none whoever names it; without conventions only what is named counts."""
    found = config(pyproject='[tool.eccmem.artifacts]\nexclude = ["vendor/**", "fixtures"]\n')
    alone = config(ours='[artifacts]\nconventions = false\n[artifacts.rfc]\nfolders = ["."]\n')

    assert kind_of("vendor/docs/adr/0001-a.md", found) is None
    assert kind_of("tests/fixtures/adr/0001-a.md", found) is None
    assert kind_of("docs/adr/0001-a.md", found) is ADR
    assert kind_of("docs/adr/0001-a.md", alone) is None
    assert kind_of("0001-a.md", alone) is RFC
    assert kind_of("AGENTS.md", alone) is None


def test_a_nested_file_is_relative_to_its_own_folder() -> None:
    """As adr-tools looks upward from where a person works."""
    files = {"services/a/.adr-dir": b"doc/choices\n", "services/b/.adr-dir": b"../../shared/choices"}
    found = read_config(files.get, files)

    assert set(found.folders[ADR]) == {"services/a/doc/choices", "shared/choices"}
    assert kind_of("services/a/doc/choices/0001-a.md", found) is ADR


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"adr_dir": "/etc"}, "not in the repository"),
        ({"adr_dir": "../up"}, "not in the repository"),
        ({"adr_dir": ""}, "no text"),
        ({"log4brains": "- a"}, "no YAML that is read here"),
        ({"log4brains": "a: &a b"}, "has no project"),
        ({"log4brains": "project: {adrFolder: 3}"}, "no text"),
        ({"dotnet": "{"}, "no valid JSON"),
        ({"dotnet": "[" * 100_000}, "no valid JSON"),
        ({"adrs": "= 1"}, "no valid TOML"),
        ({"adrs": f"a = {'[' * 100_000}"}, "no valid TOML"),
        ({"pyadr": "records-dir = a"}, "no valid INI"),
        ({"pyadr": "[adr]\nkey\n  more"}, "no valid INI"),
        ({"ours": "[artifacts]\nfolder = 1"}, "unknown key 'folder'"),
        ({"ours": "artifacts = 1"}, "artifacts is not a table"),
        ({"ours": "[artifacts]\nconventions = 1"}, "neither true nor false"),
        ({"ours": "[artifacts]\nexclude = 'x'"}, "exclude is not a list of texts"),
        ({"ours": "[artifacts]\nexclude = ['']"}, "exclude is not a list of texts"),
        ({"ours": "[artifacts]\nexclude = ['/x']"}, "relative to the top"),
        ({"ours": f"[artifacts]\nexclude = ['{'x' * 201}']"}, "more than 200"),
        ({"ours": f"[artifacts]\nexclude = {['x'] * 65}"}, "more than 64"),
        ({"ours": "[artifacts.adr]\nfolders = ['../x']"}, "not in the repository"),
        ({"ours": "[artifacts.adr]\nfolder = ['x']"}, "folders and globs alone"),
        ({"pyproject": "[tool.eccmem.artifacts.adr]\nglobs = [1]"}, "adr.globs is not a list of texts"),
        ({"pyproject": "tool = 1"}, "tool is not a table"),
        ({"pyproject": "\x00"}, "no valid TOML"),
    ],
)
def test_what_cannot_be_used_is_a_problem(files: dict[str, str], message: str) -> None:
    """With the name of the file and the reason; nothing of it counts."""
    found = config(**files)

    (problem,) = found.problems
    assert message in problem.message
    assert problem.ours == (problem.path in OURS)
    assert (found.folders, found.globs, found.exclude.patterns) == ({}, {}, ())


def test_bytes_and_size() -> None:
    """What is no text, and what is larger than any configuration."""
    for data, message in ((b"\xff\xfe", "it is not UTF-8"), (b"#" * (1024 * 1024 + 1), "it is too large")):
        assert read_config({"pyproject.toml": data}.get).problems == (Problem("pyproject.toml", message, ours=True),)


def test_a_byte_order_mark_is_no_part_of_a_folder() -> None:
    """Some editors of Windows write one."""
    assert read_config({".adr-dir": b"\xef\xbb\xbfdoc/adr\r\n"}.get).folders[ADR] == ("doc/adr",)


@pytest.mark.parametrize(
    ("pattern", "fits", "misses"),
    [
        ("a.md", ["a.md", "x/y/a.md"], ["ba.md", "a.md.txt"]),
        ("/a", [], ["a"]),
        ("docs/*.md", ["docs/a.md"], ["docs/x/a.md", "x/docs/a.md"]),
        ("docs/**", ["docs/a", "docs/x/y"], ["docsx/a"]),
        ("**/adr/*.md", ["adr/a.md", "x/y/adr/a.md"], ["adr/x/a.md"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b/c"], ["a/x"]),
        ("docs/", ["docs/a", "x/docs/a"], ["docsy/a"]),
        ("[ab]?.md", ["ax.md"], ["cx.md", "a.md"]),
    ],
)
def test_patterns(pattern: str, fits: list[str], misses: list[str]) -> None:
    """Stars stay within a name, two of them span folders, a folder fits what is in it."""
    globs = Globs((pattern,))

    assert [path for path in fits + misses if globs.match(path)] == fits


def test_a_pattern_of_many_stars_is_not_slow() -> None:
    """It is read name by name, with no way back."""
    assert not Globs((f"{'**/a/' * 30}b",)).match("a/" * 1000 + "c")
    assert not Globs(("*a" * 90 + "b",)).match("a" * 250)
