"""A finding keeps its fingerprint from run to run, and shares it with none."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eccmem.output.fingerprint import fingerprints
from reported import ANY_FINDINGS, BROKEN, FINDINGS, NOTES, ODD, finding, moved


@settings(max_examples=100, deadline=None)
@given(ANY_FINDINGS)
def test_no_two_are_equal(findings):
    """Also for the same rule in the same line of the same file, and for findings that are equal in all."""
    doubled = [*findings, *findings]

    assert len(set(fingerprints(doubled))) == len(doubled)


@settings(max_examples=100, deadline=None)
@given(ANY_FINDINGS, st.integers(1, 1000))
def test_they_stay_when_text_moves_down(findings, lines):
    """Lines put in at the top of every file change nothing."""
    assert fingerprints([moved(one, lines) for one in findings]) == fingerprints(findings)


@settings(max_examples=100, deadline=None)
@given(ANY_FINDINGS, st.randoms(use_true_random=False))
def test_they_stay_in_another_order(findings, chance: random.Random):
    """They belong to the findings, not to their order."""
    shuffled = chance.sample(findings, len(findings))

    assert sorted(zip(map(repr, shuffled), fingerprints(shuffled), strict=True)) == sorted(
        zip(map(repr, findings), fingerprints(findings), strict=True)
    )


def test_they_stay_when_other_findings_come_and_go():
    """Of another rule, or in another file."""
    before = fingerprints([finding(line=5), finding(BROKEN, line=7)])
    more = [finding(path=f"{NOTES}other.md"), finding(line=5), finding(BROKEN, line=7)]

    assert fingerprints(more)[1:] == before


def test_they_do_not_hang_on_words():
    """A message may count, name a commit, or be worded better in the next release."""
    assert fingerprints([finding(message="1 file")]) == fingerprints([finding(message="2 files", remedy="other")])


@pytest.mark.parametrize(
    "other",
    [
        finding(BROKEN),
        finding(path=f"{NOTES}mem_two.md"),
        finding(path=""),
        finding(path="odd-name"),
    ],
    ids=repr,
)
def test_rule_and_path_make_the_difference(other):
    """And nothing of one runs over into the other."""
    assert fingerprints([other]) != fingerprints([finding(ODD)])


def test_they_say_nothing():
    """A digest, in which no path of anybody can be read."""
    assert all(re.fullmatch("[0-9a-f]{64}", mark) for mark in fingerprints(FINDINGS))


def test_they_are_those_of_the_last_release():
    """What is tracked elsewhere is lost when the recipe changes; then the version in its name has to change too."""
    assert fingerprints([finding(BROKEN), finding(BROKEN, line=2)]) == [
        "61e0d18d0c1f5164997a7045f2f023afde66485b0470620377e54509bf85388b",
        "a52aaa739e11348cd7c39d8f1de51820cb407735e6d164347177c4f17370632c",
    ]
