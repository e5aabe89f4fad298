"""GitLab's report: every field it asks for, for any finding, and never more than it should take."""

import json
import time

import pytest
from hypothesis import given, settings

from eccmem import checks, limits
from eccmem.output import as_gitlab
from eccmem.output.fingerprint import fingerprints
from reported import ANY_FINDINGS, BROKEN, ELSEWHERE, FINDINGS, HINT, NOTES, ODD, SECRET, finding, golden, many


@pytest.mark.parametrize(("name", "findings"), [("gitlab.json", FINDINGS), ("nothing.json", ())])
def test_it_is_as_it_was_read(name, findings):
    """Byte for byte, in whatever order they were found."""
    assert as_gitlab.report(findings) == golden(name)
    assert as_gitlab.report(findings[::-1]) == golden(name)


def test_nothing_found_is_an_empty_array():
    """Which GitLab takes as: all that was there is mended."""
    assert json.loads(as_gitlab.report(())) == []


@settings(max_examples=100, deadline=None)
@given(ANY_FINDINGS)
def test_any_finding_has_all_fields(findings):
    """Whatever it is called, its place is a relative path on one line."""
    text = as_gitlab.report(findings)

    assert text.isascii()
    assert "##[" not in text
    entries = json.loads(text)
    assert sorted(entry["fingerprint"] for entry in entries) == sorted(fingerprints(findings))
    for entry in entries:
        assert list(entry) == ["description", "check_name", "fingerprint", "severity", "location"]
        path = entry["location"]["path"]
        assert path.isprintable()
        assert path
        assert not path.startswith(("/", "./", "../"))
        assert entry["location"]["lines"]["begin"] >= 1
        assert entry["description"].isprintable()


@pytest.mark.parametrize(
    ("rule", "severity"), [(HINT, "info"), (ODD, "minor"), (BROKEN, "major"), (SECRET, "critical")], ids=repr
)
def test_severities(rule, severity):
    """Ours, but a leak and a hole in the guard outrank every error."""
    assert json.loads(as_gitlab.report([finding(rule)]))[0]["severity"] == severity


@pytest.mark.parametrize("path", ELSEWHERE)
def test_what_is_no_path_of_the_repository_is_in_the_description(path):
    """And the entry stands at a path that is no file."""
    (entry,) = json.loads(as_gitlab.report([finding(path=path)]))

    assert entry["location"]["path"].split("/")[0] == "no-file-to-show"
    assert path in entry["description"]


def test_every_rule_of_the_doctor():
    """One finding of each."""
    entries = json.loads(as_gitlab.report([finding(rule) for rule in checks.RULES]))

    assert {entry["check_name"] for entry in entries} == {rule.id for rule in checks.RULES}


@pytest.mark.parametrize("more", [0, 1])
def test_the_least_severe_are_left_out(more):
    """At the bound all are there; above it, an entry of its own says how many are not."""
    entries = json.loads(as_gitlab.report(many(limits.REPORT_FINDINGS + more)))

    assert len(entries) == limits.REPORT_FINDINGS + more
    assert [entry["check_name"] == "report-cut-short" for entry in entries[-1:]] == [bool(more)]
    assert not more or entries[-1]["description"].startswith("1 more finding is not in this report")
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)


def test_ten_thousand_findings_of_huge_names_stay_bounded():
    """In bytes and in time, and the entry that tells it is there."""
    findings = [finding(path=f"{NOTES}{number:05}{'文' * 4000}.md", message="m" * 9999) for number in range(10_000)]
    start = time.perf_counter()

    text = as_gitlab.report(findings)

    assert time.perf_counter() - start < 10
    assert len(text) < limits.REPORT_BYTES * 1.25
    assert json.loads(text)[-1]["check_name"] == "report-cut-short"
