"""The hook scripts that hand over to eccmem-hook, and nothing else.

A plain one finds the program on ``PATH``; it lies in ``hooks/`` for people to copy.
The one that ``eccmem hooks install`` writes first tries the program that it was installed with: a virtual
environment is seldom on the ``PATH`` of a terminal, and almost never on that of a graphical client.
"""

import os
import re
import shlex
from pathlib import Path
from typing import Literal

# What a commit, a merge and a push run. No other hook of Git can stop what enters a repository.
NAMES = ("pre-commit", "pre-merge-commit", "pre-push")
PROGRAM = "eccmem-hook"
# The words that the program takes; a test compares them with its own table.
CHECKS = ("doctor", "secrets", "guard", "immutable", "links", "all")
CALLS = {name: f"{PROGRAM} all" + (' --pre-push "$@"' if name == "pre-push" else "") for name in NAMES}

_TRY = re.compile(rb"^hook=('.*')$", re.MULTILINE)


def text(name: str, program: Path | None = None) -> bytes:
    """The script for a hook, with the program to try first."""
    lines = ["#!/bin/sh", f"# eccmem shim: what Git runs as {name} is {PROGRAM}."]
    called = PROGRAM
    if program is not None:
        called = '"$hook"'
        lines += [f"hook={_quoted(program.as_posix())}", f'[ -x "$hook" ] || hook={PROGRAM}']
    lines += [
        f"command -v {called} >/dev/null 2>&1 || {{",
        f"    echo 'error: {PROGRAM} is not on PATH, so Git is stopped; install eccmem, or delete this hook' >&2",
        "    exit 3",
        "}",
        f"exec {called}{CALLS[name].removeprefix(PROGRAM)}",
    ]
    return os.fsencode("".join(f"{line}\n" for line in lines))


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"


def program_of(name: str, data: bytes) -> Path | Literal[False] | None:
    """What a script of ours tries first: a path, None for a plain one; False where it is no script of ours.

    To the byte: whatever was added to one could end it before its last line.
    """
    if data == text(name):
        return None
    found = _TRY.search(data)
    if found is None:
        return False
    try:
        words = shlex.split(os.fsdecode(found[1]))
    except ValueError:
        return False
    return Path(words[0]) if len(words) == 1 and data == text(name, Path(words[0])) else False
