"""Lets a person write a text in their editor, and again as long as it is refused."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from eccmem import limits
from eccmem.cli import console
from eccmem.cli.body import read_file
from eccmem.errors import EccmemError, Refused, UsageProblem
from eccmem.output import as_text

Made = TypeVar("Made")


def write(template: str, take: Callable[[str], Made]) -> Made:
    """Open a text in the person's editor and give what they wrote to a function, whose result is returned.

    When that refuses the text, the editor opens again with it, so that nothing is written twice; when they leave it as
    it is, the refusal stands.
    The text lies in a temporary folder that only the person can read, and is deleted with it.

    Raises:
        UsageProblem: when no editor is named.
        EccmemError: when the editor cannot be run, or ended with an error.
        Refused: when the text is refused and was not changed.
    """
    command = _command()
    with tempfile.TemporaryDirectory(prefix="eccmem-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, "handoff.md")
        path.write_text(template, "utf-8")
        before, rounds = template, 0
        while True:
            _run([*command, str(path)])
            text = read_file(str(path), "what the editor left")
            try:
                return take(text)
            except Refused as refused:
                rounds += 1
                if text == before or rounds == limits.EDITED_TIMES:
                    raise
                console.warn(as_text.error(refused))
            before = text


def _command() -> list[str]:
    # In this order, as Git and others have it.
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(named, posix=os.name != "nt")
    except ValueError:
        command = []
    if not command:
        raise UsageProblem(
            "usage", "give the text with --stdin or --body-file FILE, or name an editor", "set VISUAL or EDITOR"
        )
    return command


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, check=False)
    except OSError:
        raise EccmemError("no-editor", "the editor cannot be run", "check VISUAL and EDITOR") from None
    if done.returncode:
        raise EccmemError("no-editor", f"the editor ended with {done.returncode}", "nothing was saved")
