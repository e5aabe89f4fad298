"""A server builds the index that its searches want, beside the calls."""

import time
from pathlib import Path

import pytest

from builders import memory, put
from conftest import Serve
from eccmem import limits
from serving import PATIENCE


@pytest.mark.slow
@pytest.mark.parametrize("dry", ["", "1"])
def test_a_large_vault_gets_an_index(serve: Serve, checkout: Path, home: Path, dry: str) -> None:
    """After the first search, not before it is answered; in a dry run, nothing is written."""
    for number in range(limits.INDEX_FILES + 10):
        put(checkout, memory(f"mem_x{number:04}", body=f"word{number % 7} more{number}"))
    client = serve(ECC_DRY_RUN=dry)
    client.begin()
    first = client.call("memory_search", query="word3")
    folder = home / ".cache/eccmem"
    end = time.monotonic() + (5 if dry else PATIENCE)
    while time.monotonic() < end and not list(folder.glob("*.sqlite")):
        time.sleep(0.05)

    assert bool(list(folder.glob("*.sqlite"))) is not bool(dry)
    assert client.call("memory_search", query="word3")["results"] == first["results"]
    if not dry:
        saved = client.call("memory_save", title="new", body="zyzzogeton")["memory"]
        assert client.call("memory_search", query="zyzzogeton")["results"][0]["memory"]["id"] == saved["id"]
