"""Each rule has an example that breaks it and one that keeps it, built in a real repository and judged at its door."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import fake_key
from conftest import git
from eccmem import checks, doctor, hook, roots, vault
from eccmem.finding import Finding, Rule, Severity
from eccmem.gate import Gate
from eccmem.model import DEFAULT_SCOPES, Scope
from eccmem.repo import Repo

EXAMPLES = Path(__file__).parent.parent / "data/rules"
# What only files on disk, or the machine, can be; every other rule is judged where a commit is.
ON_DISK = {
    *(rule.id for rule in checks.rules_of(["machine"])),
    *("not-a-regular-file", "leftover-temporary-file", "private-memory-not-ignored", "guard-changed"),
    *("guard-missing", "guard-crlf", "guard-not-in-exclude", "user-memory-not-ignored"),
}
# These need another user or another platform; tests/test_doctor.py and tests/test_odd_files.py have them.
ELSEWHERE = {"unreadable", "checked-by-path"}
RULES = [rule for rule in checks.RULES if rule.id not in ELSEWHERE]


def lay(source: Path, target: Path) -> None:
    """Copy the files of one part of an example, with their real names."""
    for file in sorted(source.rglob("*")):
        if file.is_file():
            parts = [part.replace("dot-", ".", 1) if part.startswith("dot-") else part for part in file.parts]
            place = target.joinpath(*parts[len(source.parts) :])
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(file.read_text("utf-8").replace("{{a made-up key}}", fake_key()), "utf-8")


def symlink(checkout: Path, path: str, target: str) -> None:
    (checkout / path).unlink(missing_ok=True)
    (checkout / path).parent.mkdir(parents=True, exist_ok=True)
    (checkout / path).symlink_to(target)


def pipe(checkout: Path, path: str) -> None:
    (checkout / path).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(checkout / path)


def gitlink(checkout: Path, path: str) -> None:
    head = git(checkout, "rev-parse", "HEAD").strip()
    git(checkout, "update-index", "--add", "--cacheinfo", f"160000,{head},{path}")


def submodule(checkout: Path, path: str) -> None:
    git(checkout, "rm", "-r", "-q", "--cached", path)
    git(checkout / path, "init", "-q")
    git(checkout / path, "add", "-A")
    git(checkout / path, "commit", "-q", "-m", "x")
    git(checkout, "-c", "advice.addEmbeddedRepo=false", "add", path)


def crlf(checkout: Path, path: str) -> None:
    (checkout / path).write_bytes((checkout / path).read_bytes().replace(b"\n", b"\r\n"))


def exclude(checkout: Path, line: str) -> None:
    (checkout / ".git/info").mkdir(exist_ok=True)
    with (checkout / ".git/info/exclude").open("a") as file:
        file.write(f"{line}\n")


STEPS: dict[str, Callable[..., object]] = {
    "remove": lambda checkout, path: (checkout / path).unlink(),
    "symlink": symlink,
    "pipe": pipe,
    "gitlink": gitlink,
    "submodule": submodule,
    "force": lambda checkout, path: git(checkout, "add", "-f", path),
    "crlf": crlf,
    "chmod": lambda checkout, mode, path: (checkout / path).chmod(int(mode, 8)),
    "exclude": exclude,
    "break-git": lambda checkout: (checkout / ".git/index").write_bytes(b"broken"),
}


def judged(example: Path, checkout: Path, home: Path, *, on_disk: bool) -> tuple[Finding, ...]:
    """Build an example in a repository with an upstream, and judge what it stages, or what lies on disk."""
    upstream = checkout.parent / "upstream.git"
    git(checkout.parent, "init", "-q", "--bare", str(upstream))
    git(checkout, "remote", "add", "origin", str(upstream))
    if (example / "base").is_dir():
        lay(example / "base", checkout)
        git(checkout, "add", "-A")
        git(checkout, "commit", "-q", "-m", "base")
    git(checkout, "push", "-q", "-u", "origin", "main")
    lay(example / "change", checkout)
    steps = (example / "steps").read_text().splitlines() if (example / "steps").exists() else []
    is_home = "home" in steps
    for step in steps:
        word, *arguments = step.split(" ", 1 if step.startswith("exclude") else -1)
        if word in ("remove", "symlink"):
            STEPS[word](checkout, *arguments)
    if "break-git" not in steps:
        git(checkout, "add", "-A")
    for step in steps:
        word, *arguments = step.split(" ", 1 if step.startswith("exclude") else -1)
        if word not in ("remove", "symlink", "home"):
            STEPS[word](checkout, *arguments)
    if (example / "worktree").is_dir():
        git(checkout, "worktree", "add", "-q", "-b", "side", str(checkout.parent / "side"))
        lay(example / "worktree", checkout.parent / "side")
    places = roots.resolve(checkout, {}, checkout if is_home else home)
    if on_disk:
        scopes = (Scope.USER,) if is_home else DEFAULT_SCOPES
        return doctor.examine(vault.worktree(places, scopes), places, os.environ).findings
    report = Gate(repo=Repo(checkout, os.environ)).staged({}, places.project, whole=False)
    return report.findings if report else ()


def expected(example: Path) -> tuple[str, int]:
    path, _, line = (example / "expect").read_text().strip().rpartition(":")
    return (path, int(line)) if line.isdigit() else ((example / "expect").read_text().strip(), 1)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_what_breaks_a_rule_is_found(rule: Rule, checkout: Path, home: Path) -> None:
    """At its place, by the rule."""
    example = EXAMPLES / rule.id / "fail"

    found = judged(example, checkout, home, on_disk=rule.id in ON_DISK)

    assert expected(example) in [(item.path, item.line) for item in found if item.rule is rule]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_what_keeps_a_rule_is_not(rule: Rule, checkout: Path, home: Path) -> None:
    """And nothing else about it is an error."""
    found = judged(EXAMPLES / rule.id / "pass", checkout, home, on_disk=rule.id in ON_DISK)

    assert [item for item in found if item.rule is rule or item.rule.severity is Severity.ERROR] == []


def test_every_rule_has_its_examples() -> None:
    """Both, and no folder is for a rule that is gone."""
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}

    assert folders == {rule.id for rule in RULES}
    for rule in RULES:
        assert (EXAMPLES / rule.id / "fail").is_dir()
        assert (EXAMPLES / rule.id / "pass").is_dir()


def test_no_example_is_a_vault_of_ours() -> None:
    """Our own hook judges this repository: an example with real names would be a memory of it."""
    assert not [path for path in EXAMPLES.rglob("*") if path.name.startswith(".")]


def test_the_page_says_which_rules_a_word_of_the_hook_has() -> None:
    """As the program has it."""
    page = (Path(__file__).parent.parent.parent / "docs/reference/rules.md").read_text("utf-8")
    table = dict(re.findall(r"^\| `([a-z]+)` \| (.*) \|$", page, flags=re.MULTILINE))

    assert set(table) == set(hook.CHECKS) - {"all"}
    for word, rules in table.items():
        assert set(re.findall(r"`([a-z-]+)`", rules)) == {rule.id for rule in checks.rules_of(hook.CHECKS[word])}
    assert checks.rules_of(hook.CHECKS["all"]) == {
        rule for word in table for rule in checks.rules_of(hook.CHECKS[word])
    }
