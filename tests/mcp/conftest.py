"""A server in a fresh checkout."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from serving import Client

Start = Callable[..., Client]


@pytest.fixture
def start(checkout: Path, home: Path) -> Iterator[Start]:
    """Start a server: ``start(ECC_MEMORY_HARNESS="claude")``; in the checkout unless ``cwd`` is named."""
    with ExitStack() as stack:

        def begin(cwd: Path | None = None, **env: Any) -> Client:
            return stack.enter_context(Client(cwd or checkout, home, **env))

        yield begin


@pytest.fixture
def client(start: Start) -> Client:
    """A client of a server that is ready."""
    client = start()
    client.begin()
    return client
