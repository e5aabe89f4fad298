"""Contents of many objects: whole, in order, bounded, and an error where Git cannot give them."""

import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from eccmem import limits, repo
from eccmem.errors import EccmemError


def blobs(checkout: Path, contents: list[bytes]) -> list[str]:
    names = []
    for number, content in enumerate(contents):
        (checkout / f"{number}.bin").write_bytes(content)
        names.append(f"{number}.bin")
    done = subprocess.run(
        ["git", "hash-object", "-w", "--stdin-paths"],
        cwd=checkout, input="\n".join(names), text=True, check=True, capture_output=True,
    )  # fmt: skip
    return done.stdout.split()


@pytest.mark.parametrize("batch", [1, 3, 10_000])
def test_all_come_once_and_in_order(batch: int, checkout: Path, monkeypatch) -> None:
    """Also those with line breaks, NULs, nothing in them; over several processes too."""
    monkeypatch.setattr(limits, "BLOBS_AT_ONCE", batch)
    contents = [b"", b"\n", b"a\0b\nmissing\n", b"x" * 5000, *(b"%d" % number for number in range(20))]
    oids = blobs(checkout, contents)

    assert list(repo.locate(checkout, os.environ).blobs([*oids, *oids], 10_000)) == list(
        zip(oids, contents, strict=True)
    )


@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize("batch", [2, 10_000])
def test_one_that_is_too_large_is_none_and_the_rest_comes(place: int, batch: int, checkout: Path, monkeypatch) -> None:
    """Wherever it stands."""
    monkeypatch.setattr(limits, "BLOBS_AT_ONCE", batch)
    contents = [b"%d" % number for number in range(5)]
    contents[place] = b"x" * 1_000_000
    oids = blobs(checkout, contents)

    found = list(repo.locate(checkout, os.environ).blobs(oids, 100))

    assert found == [(oid, None if data[:1] == b"x" else data) for oid, data in zip(oids, contents, strict=True)]


def test_a_missing_object(checkout: Path) -> None:
    """Said, not skipped."""
    oids = blobs(checkout, [b"a"])

    with pytest.raises(EccmemError) as caught:
        list(repo.locate(checkout, os.environ).blobs([*oids, "1" * 40], 100))
    assert caught.value.slug == "object-missing"


@pytest.mark.parametrize("script", ["exit 0", "echo garbage", "sleep 60", "printf '%s blob 5\\nab' $OID"])
def test_a_git_that_fails_or_hangs(script: str, checkout: Path, tmp_path: Path, monkeypatch) -> None:
    """An error within the time, and no process and no thread is left."""
    oids = blobs(checkout, [b"a"])
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\nOID={oids[0]}\nexec 2>/dev/null\n{script.replace('sleep', 'exec sleep')}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(limits, "GIT_SECONDS", 1)
    before = threading.active_count()

    with pytest.raises(EccmemError) as caught:
        list(repo.locate(checkout, os.environ).blobs(oids, 100))

    assert caught.value.slug == "git-failed"
    assert threading.active_count() == before


def test_the_time_of_the_reader_does_not_count(checkout: Path, monkeypatch) -> None:
    """What is read may be searched for long; more than a pipe holds is still to come then."""
    monkeypatch.setattr(limits, "GIT_SECONDS", 1)
    contents = [b"%d" % number + b"x" * 200_000 for number in range(2)]
    oids = blobs(checkout, contents)

    found = []
    for oid, data in repo.locate(checkout, os.environ).blobs(oids, 1_000_000):
        found.append((oid, data))
        time.sleep(2.5 if len(found) == 1 else 0)

    assert found == list(zip(oids, contents, strict=True))


def test_a_reader_that_stops_early_leaves_nothing_behind(checkout: Path) -> None:
    """The process ends with it."""
    oids = blobs(checkout, [b"%d" % number for number in range(2000)])
    before = threading.active_count()

    reading = repo.locate(checkout, os.environ).blobs(oids, 100)
    next(reading)
    reading.close()

    assert threading.active_count() == before


def test_without_git(checkout: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(EccmemError, match="Git cannot be run"):
        list(repo.locate(checkout, os.environ).blobs(["1" * 40], 100))


def test_git_is_asked_as_little_as_can_be(checkout: Path) -> None:
    """Nothing to read, no process."""
    assert list(repo.locate(checkout, {"PATH": "/nonexistent"}).blobs([], 100)) == []
