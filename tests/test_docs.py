"""The documentation says what the program does: what can be compared with it is, in both directions."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

import eccmem
from eccmem import checks, contract, document, errors, guard, limits, lowered, read, secretscan
from eccmem.cli.dispatch import COMMANDS
from eccmem.errors import Bug, ExitCode
from eccmem.mcpconfig.harness import HARNESSES
from eccmem.model import FRONTMATTER_KEYS

ROOT = Path(__file__).parent.parent
SOURCE = Path(eccmem.__file__).parent
TREES = {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
REFERENCE = ROOT / "docs/reference"

INSTALL = "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/eccmem demo"
RUN_TESTS = ".venv/bin/python -m pytest -n 2"


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def outside_fences(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def blocks(text: str, language: str) -> list[str]:
    """The contents of the fenced blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def sections(page: Path) -> dict[str, str]:
    """What stands below each heading of the second level; a heading within a fence is none."""
    found: dict[str, str] = {}
    heading, fenced = "", False
    for line in page.read_text("utf-8").splitlines(keepends=True):
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            heading = line[3:].strip()
            assert heading not in found, f"{heading} is there twice"
            found[heading] = ""
        elif heading:
            found[heading] += line
    return found


def rows(page: Path) -> list[list[str]]:
    """The cells of each row of each table whose first cell is code or a number; code marks are taken off."""
    table = re.findall(r"^\| (`[^`]+`|[0-9]+) \| (.*) \|$", page.read_text("utf-8"), flags=re.MULTILINE)
    return [[first.strip("`"), *(cell.strip("`") for cell in rest.split(" | "))] for first, rest in table]


# --- The reference pages --------------------------------------------------------------------------------------


def test_every_rule_has_its_section() -> None:
    """All rules, in their order, none too many; each with its severity and its summary."""
    documented = sections(REFERENCE / "rules.md")

    assert list(documented) == [rule.id for rule in checks.RULES]
    for rule in checks.RULES:
        start = f"\nSeverity: **{rule.severity.word}**\n\n{rule.summary}\n\n"
        assert documented[rule.id].startswith(start), rule.id
        assert len(documented[rule.id]) > len(start), f"{rule.id} is not explained"


def live_help(command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "eccmem", *command.split(), "--help"],
        env={**os.environ, "COLUMNS": "80", "PYTHONPATH": str(SOURCE.parent), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def test_every_command_has_its_section() -> None:
    """The program itself, its commands in their order, the hook; each says what it ends with."""
    documented = sections(REFERENCE / "cli.md")

    assert list(documented) == ["eccmem", *(f"eccmem {name}" for name in COMMANDS), "eccmem-hook"]
    for heading, text in documented.items():
        assert re.search("^Exit codes: ", text, re.MULTILINE), heading


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_what_the_program_prints(command: str) -> None:
    """Word for word with the typer that the page names; with another one, which lays help out anew, each option."""
    page = REFERENCE / "cli.md"
    (captured_with,) = re.findall(r"captured with typer ([0-9]+\.[0-9]+) at 80 columns", page.read_text("utf-8"))
    written = blocks(sections(page)[f"eccmem {command}".strip()], "text")[0]
    printed = live_help(command)

    if version("typer").startswith(f"{captured_with}."):
        assert written == printed
    else:
        assert set(re.findall(r"--[a-z-]+", written)) == set(re.findall(r"--[a-z-]+", printed))


def test_every_exit_code_is_in_the_table() -> None:
    """Number and name; and the sentence to remember, which the source has too."""
    page = REFERENCE / "exit-codes.md"

    assert [row[:2] for row in rows(page)] == [[str(code.value), code.name] for code in ExitCode]
    for text in (page.read_text("utf-8"), errors.__doc__):
        assert "1 is your files, 2 is your command, 3 is your machine, 70 is us." in text


def test_every_limit_is_in_the_tables() -> None:
    """With its value of today, and a reason."""
    documented = rows(REFERENCE / "limits.md")

    assert [row[:2] for row in documented] == [[k, str(v)] for k, v in vars(limits).items() if k.isupper()]
    assert all(row[2] for row in documented)


VARIABLE = re.compile("(?:ECC(?:MEM)?|GITHUB)_[A-Z_]+")


def environment() -> Iterator[str]:
    """Every variable that has a name in the source, or is asked for by it."""
    for tree in TREES.values():
        for node in ast.walk(tree):
            match node:
                case ast.Assign(value=ast.Constant(value=str(name))) if VARIABLE.fullmatch(name):
                    yield name
                case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="environ")), args=[ast.Constant(str(name))]):
                    yield name
                case ast.Call(
                    func=ast.Attribute(value=ast.Name("env"), attr="get"), args=[ast.Constant(str(name)), *_]
                ):
                    yield name


def test_every_variable_has_its_section() -> None:
    """And no section is about one that nobody reads."""
    page = REFERENCE / "environment.md"
    headings = [heading.strip("`") for heading in sections(page)]

    assert {heading for heading in headings if heading.isupper()} == set(environment()) - {read.INCOMPLETE}


def test_every_limit_that_can_be_lowered_is_told() -> None:
    """With its variable."""
    text = sections(REFERENCE / "environment.md")["Lower limits"]
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|$", text, re.MULTILINE)
    assert rows == [(f"{lowered.PREFIX}{name}", name) for name in lowered.LOWERABLE]


def test_what_git_gets_is_told() -> None:
    """Each of Git's own variables that the source names."""
    text = sections(REFERENCE / "environment.md")["What Git gets"]
    names = ("repo.py", "quick.py", "standing.py", "cli/demo.py")
    source = "".join((SOURCE / name).read_text("utf-8") for name in names)

    assert set(re.findall("`(GIT_[A-Z_]+)`", text)) == set(re.findall('"(GIT_[A-Z_]+)"', source))


CODES = {
    "EccmemError": ExitCode.CANNOT_RUN,
    "Refused": ExitCode.FINDINGS,
    "UsageProblem": ExitCode.USAGE,
}


def slugs() -> Iterator[tuple[str, str]]:
    """The word and the exit code of every error that is made anywhere; a name stands for what is assigned to it."""
    yield Bug(Exception()).slug, str(ExitCode.BUG.value)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CODES:
                words = list(texts(node.args[0], tree))
                assert words, f"{path.name} line {node.lineno}: the word of this error cannot be told"
                for word in words:
                    yield word, str(CODES[node.func.id].value)


def texts(value: ast.expr, tree: ast.Module) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(word)):
            yield word
        case ast.IfExp(body=left, orelse=right):
            yield from texts(left, tree)
            yield from texts(right, tree)
        case ast.Name(id=name):
            for node in ast.walk(tree):
                if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                    yield from texts(node.value, tree)


def test_every_error_is_in_the_table() -> None:
    """Its word and its exit code, with a meaning and a remedy; and no row is about one that is never made."""
    documented = rows(REFERENCE / "errors.md")

    assert {(row[0], row[1]) for row in documented} == set(slugs())
    assert read.INCOMPLETE in {row[0] for row in documented}
    words = [row[0] for row in documented]
    assert words == sorted(set(words))
    assert all(len(row) == 4 and all(row) for row in documented)


def test_the_format_page_has_every_field_and_a_memory() -> None:
    """In the order in which they are written; the example is a memory in canonical form."""
    page = REFERENCE / "format.md"
    example = blocks(page.read_text("utf-8"), "text")[0].encode()

    assert tuple(row[0] for row in rows(page)) == FRONTMATTER_KEYS
    assert document.serialize(document.parse(example)) == example


def test_json_examples_keep_to_the_schemas() -> None:
    """One at least for each payload."""
    shown = set()
    for block in blocks((REFERENCE / "json.md").read_text("utf-8"), "json"):
        payload = json.loads(block)
        name = payload.get("schemaVersion", "ecc.memory.error.v1").split(".")[-2]
        shown.add(name)
        assert contract.violations(name, payload) == [], name

    assert shown == set(contract.names()) - {"memory"}


def test_every_harness_has_its_row() -> None:
    """With the files that its configuration may be in, and where that is documented."""
    cells = {row[0]: row[1:] for row in rows(ROOT / "docs/how-to/harnesses.md")}

    assert cells == {
        each.name: [each.title, "/".join(each.project) or "none", each.personal, f"<{each.source}>"]
        for each in HARNESSES
    }


def test_what_is_written_into_a_repository_is_quoted_exactly() -> None:
    """The guard, the lines in info/exclude, the attributes."""
    about_guard = (ROOT / "docs/explanation/the-guard.md").read_text("utf-8")
    about_team = (ROOT / "docs/how-to/share-with-the-team.md").read_text("utf-8")

    assert guard.CONTENT.decode() in blocks(about_guard, "text")
    assert guard.SHIELD.decode() in blocks(about_guard, "text")
    assert guard.ATTRIBUTES.decode() in blocks(about_team, "text")
    assert f"/.ecc/memory/project/*\n!/.ecc/memory/project/{guard.NAME}\n" in about_guard


def test_the_map_names_every_module_and_none_that_is_gone() -> None:
    """The table of questions has each module of the package, and the page no file that is not there."""
    page = ROOT / "docs/explanation/architecture.md"
    mentioned = set(re.findall(r"`([a-z_/]+\.py)`", page.read_text("utf-8")))
    in_table = set(re.findall(r"`([a-z_/]+\.py)`", sections(page)["Where is what"]))

    assert {name for name in mentioned if not (SOURCE / name).exists() and not (ROOT / name).exists()} == set()
    assert {path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")} - in_table == set()


# --- All pages ------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The anchors that forges give to headings."""
    headings = re.findall(r"^#+ (.+)$", outside_fences(page.read_text("utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    """To a file that exists, and to a heading of it where one is named."""
    for link in re.findall(r"\]\(([^)\s]+)\)", outside_fences(page.read_text("utf-8"))):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_in_the_table_of_contents() -> None:
    """Once, under its own title or a shorter one."""
    index = ROOT / "docs/index.md"
    links = re.findall(r"\]\(([^)#]+)\)", index.read_text("utf-8"))

    assert sorted(links) == sorted(p.relative_to(index.parent).as_posix() for p in PAGES[3:] if p != index)


def test_pages_that_the_program_names_exist() -> None:
    """A remedy that leads to a page leads somewhere."""
    found = {name for path in TREES for name in re.findall(r"docs/[\w/-]+\.md", path.read_text("utf-8"))}

    assert found
    assert [name for name in found if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_page_holds_what_belongs_to_nobody(page: Path) -> None:
    """No word of the workshop, no path of a machine, nothing in the shape of a secret.

    The start of a harness has a name that others gave it: our word ``session-start``, and theirs ``session:start``.
    """
    text = page.read_text("utf-8")

    assert re.findall(r"(?i)\bsessions?\b(?![-:]start)", text) == []
    assert re.findall(r"(?<![\w.~-])/(?:tmp|root|work)(?:/\S*|\b)", text) == []
    assert secretscan.scan(text) == []


def test_the_readme_has_the_two_commands_once() -> None:
    """Exactly as they are to be typed, each on a line of its own."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()

    assert lines.count(INSTALL) == 1
    assert lines.count(RUN_TESTS) == 1
    assert sum(".venv/bin" in line for line in lines) == 2


# --- What was typed, and what came out ------------------------------------------------------------------------

TOURS = [page for page in PAGES if blocks(page.read_text("utf-8"), "console")]
ID = re.compile(r"mem_[0-9]{8}_[0-9a-f]{20}")
OID = re.compile(r"\b(?:[0-9a-f]{40}|[0-9a-f]{12})\b")
AGE = re.compile(r"\bjust now\b|\b[0-9]+ minutes? old\b")
TIME = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")


def steps(page: Path) -> Iterator[tuple[str, str]]:
    """Each command of a page's console blocks, with its here-document, and what it printed."""
    for block in blocks(page.read_text("utf-8"), "console"):
        assert block.startswith("$ ")
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = step.partition("\nEND\n") if "<<'END'" in step else step.partition("\n")
            yield (f"{command}\nEND" if "<<'END'" in command else command), printed


def test_the_readme_has_a_tour() -> None:
    """It shows the main commands, and nothing is left out of it."""
    tour = list(steps(ROOT / "README.md"))

    for command in ("init", "handoff", "search", "read", "save", "doctor", "retire"):
        assert any(f"eccmem {command} " in f"{typed} " for typed, _ in tour), command
    for typed, printed in tour:
        assert not re.search(r"\.\.\.|<[a-z][^>\n]*>", typed + printed), typed


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A PATH on which ``eccmem`` and ``eccmem-hook`` are these."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, run in (("eccmem", "-m eccmem"), ("eccmem-hook", "-c 'from eccmem.hook import run; run()'")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{SOURCE.parent}" exec "{sys.executable}" {run} "$@"\n')
        program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.skipif(sys.platform != "linux", reason="the pages show what Linux prints")
@pytest.mark.parametrize("page", TOURS, ids=named)
def test_a_tour_goes_as_it_is_written(page: Path, checkout: Path, tools: str) -> None:
    """Every command of a page, in a fresh repository: the same output, but for ids, times and the folder."""
    for tool in ("openssl", "patch"):
        if tool in "".join(command for command, _ in steps(page)) and not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    real: dict[str, str] = {}

    for command, expected in steps(page):
        typed = ID.sub(lambda match: real[match[0]], command)
        done = subprocess.run(
            ["sh", "-c", typed],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PATH": tools, "LC_ALL": "C.UTF-8"},
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        printed = done.stdout.replace(str(checkout), "/home/you/project")
        for written, made in zip(ID.findall(expected), ID.findall(printed), strict=False):
            real.setdefault(written, made)
        assert masked(printed, {}) == masked(expected, real), typed


def masked(text: str, real: dict[str, str]) -> str:
    text = TIME.sub("TIME", ID.sub(lambda match: real.get(match[0], match[0]), text))
    return AGE.sub("AGE", OID.sub("OID", text))
