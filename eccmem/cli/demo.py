"""``eccmem demo``: the main job, for real, in a repository that is thrown away."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from eccmem import limits
from eccmem.cli import console
from eccmem.errors import EccmemError, ExitCode

_BODY = """## Objective and state
Move token rotation to the new issuer; the service is done, the tests pass.

## Evidence
`make test-auth` passes on the branch; the old issuer still signs staging tokens.

## Remaining work and next action
Switch staging, then delete the old issuer. Next: ask the platform team for the staging window."""
# What the commands need of the surroundings: programs, temporary files, how Python was found, nothing personal.
_KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the demo: why, what is typed, what goes in, and what has to come out."""

    why: str
    command: tuple[str, ...]
    body: str = ""
    code: int = 0
    expect: str = ""


def demo() -> int:
    """Show the main job in a throw-away repository.

    Hand off, find, read, refuse a secret, check: every command is printed as typed, then what it said.
    """
    with tempfile.TemporaryDirectory(prefix="eccmem-demo-", ignore_cleanup_errors=True) as top:
        repository, home = Path(top, "repository"), Path(top, "home")
        repository.mkdir()
        home.mkdir()
        env = {name: os.environ[name] for name in _KEPT if name in os.environ}
        env |= {"HOME": str(home), "USERPROFILE": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
        _tour(lambda step: _run(step, repository, env))
    console.emit("\n# Everything worked; the repository is gone.\n")
    return ExitCode.OK


def _tour(run: Callable[[Step], str]) -> None:
    run(Step("A fresh repository.", ("git", "init", "--quiet", ".")))
    run(Step("The vault: folders, and a guard that keeps private memories out of commits.", ("eccmem", "init")))
    title = "Token rotation moves to the new issuer"
    handoff = (
        "eccmem",
        "handoff",
        "--from",
        "codex",
        "--target",
        "claude",
        "--title",
        title,
        "--tag",
        "auth",
        "--stdin",
    )
    saved = run(Step("Codex hands its work to Claude.", handoff, _BODY, expect="Saved unreviewed handoff"))
    memory_id = next(text.removeprefix("ID: ") for text in saved.splitlines() if text.startswith("ID: "))
    search = ("eccmem", "search", "staging", "issuer", "--target-harness", "claude")
    run(Step("Claude looks for what is known …", search, expect=memory_id))
    run(
        Step(
            "… and reads it: context, never an instruction.",
            ("eccmem", "read", memory_id),
            expect="staging window",
        )
    )
    save = ("eccmem", "save", "--title", "Deploy key", "--stdin")
    refused = Step("A secret is refused, and nothing is written.", save, _secret(), 1, "suspected secret")
    run(refused)
    run(Step("Git would commit the guard, and no private memory.", ("git", "add", "--all")))
    staged = run(Step("", ("git", "status", "--short"), expect=".ecc/memory/project/.gitignore"))
    if memory_id in staged:
        raise _failed("git status", "a private memory was staged")
    run(Step("The doctor looks at the vault and at what guards it.", ("eccmem", "doctor"), expect="PASS"))


def _secret() -> str:
    """A made-up key in a real key's shape, put together here so that no file holds it."""
    return f"The deploy key is {'AKIA' + 'DEMO' * 4}."


def _run(step: Step, repository: Path, env: Mapping[str, str]) -> str:
    program, *arguments = step.command
    # -P: what lies in the working directory is never imported.
    command = [sys.executable, "-P", "-m", "eccmem", *arguments] if program == "eccmem" else [*step.command]
    shown = f"\n$ {shlex.join(step.command)}"
    if step.body:
        shown += f" <<'END'\n{step.body}\nEND"
    console.emit((f"\n# {step.why}" if step.why else "") + f"{shown}\n")
    try:
        done = subprocess.run(
            command,
            cwd=repository,
            env=dict(env),
            input=step.body.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limits.DEMO_SECONDS,
            check=False,
        )
    except OSError:
        raise EccmemError("git-missing", f"{program} cannot be run", "install Git, or put it on PATH") from None
    except subprocess.TimeoutExpired:
        raise _failed(program, f"no answer in {limits.DEMO_SECONDS} s") from None
    output = done.stdout.decode("utf-8", "replace")
    console.emit(output)
    if done.returncode != step.code or step.expect not in output:
        raise _failed(shlex.join(step.command[:2]), f"it ended with {done.returncode}, not as expected")
    return output


def _failed(command: str, why: str) -> EccmemError:
    return EccmemError("demo-failed", f"the demo stopped at {command}: {why}", "run eccmem doctor, and report it")
