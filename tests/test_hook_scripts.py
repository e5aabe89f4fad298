"""What scripts and the configurations of hook managers come to, by their text alone; and our own shims, run."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from eccmem import hook
from eccmem.githooks import configuration, managed, script, shim
from eccmem.githooks.script import Reach

CHECKOUT = Path(__file__).parents[1]
YES, NO, UNKNOWN = Reach.YES, Reach.NO, Reach.UNKNOWN


def test_the_words_are_those_that_the_program_knows() -> None:
    assert list(shim.CHECKS) == list(hook.CHECKS)


# --- Scripts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reaches"),
    [
        ("#!/bin/sh\nexec eccmem-hook all\n", YES),
        ("#!/usr/bin/env bash\neccmem-hook all", YES),
        ("eccmem-hook guard\n", YES),
        ("#!/bin/sh\neccmem-hook all || exit $?\nnpm test\n", YES),
        ("#!/bin/sh\neccmem-hook all || exit 1\nif true; then exit 0; fi\n", YES),
        ("#!/bin/sh\nset -eu\nnpm run lint -- --fix 'a b'\neccmem-hook all\necho done\n", YES),
        ("#!/bin/bash\nset -euo pipefail\neccmem-hook all\necho done\n", YES),
        ("#!/bin/sh -e\n./gradlew check\n.venv/bin/eccmem-hook all\necho done\n", YES),
        ("#!/bin/sh\nruff check || exit 1\neccmem-hook all --base origin/main\n", YES),
        # It is reached, but what it says does not count.
        ("#!/bin/sh\neccmem-hook all\necho done\n", NO),
        ("#!/bin/sh\nset -o pipefail\neccmem-hook all\necho done\n", NO),
        # Nothing calls it.
        ("#!/bin/sh\nnpm test\n", NO),
        ("#!/bin/sh\n# eccmem-hook all\n", NO),
        ("", NO),
        # Anything may happen.
        ("#!/bin/sh\neccmem-hook all || true\n", UNKNOWN),
        ("#!/bin/sh\neccmem-hook all || exit 0\n", UNKNOWN),
        ("#!/bin/sh\neccmem-hook all &\n", UNKNOWN),
        ("#!/bin/sh\neccmem-hook all | cat\n", UNKNOWN),
        ("#!/bin/sh\neccmem-hook nonsense\n", UNKNOWN),
        ("#!/bin/sh\nexit 0\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\n'exit' 0\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\nruff check || exit 0\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\ntest -n x && exit\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\nif false; then\neccmem-hook all\nfi\n", UNKNOWN),
        ("#!/bin/sh\nif false\nthen\neccmem-hook all\nfi\n", UNKNOWN),
        ("#!/bin/sh\n{\neccmem-hook all\n}\n", UNKNOWN),
        ("#!/bin/sh\nf() {\neccmem-hook all\n}\n", UNKNOWN),
        ("#!/bin/sh\ncat <<END\neccmem-hook all\nEND\n", UNKNOWN),
        ("#!/bin/sh\necho 'a\neccmem-hook all\n'\n", UNKNOWN),
        ("#!/bin/sh\necho a \\\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\necho a \x0c\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\n. ./other\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\nPATH=/nowhere\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\nalias eccmem-hook=true\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\nexec ./other\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\nset +e\neccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh -n\neccmem-hook all\n", UNKNOWN),
        ("#!/usr/bin/env python3\nrun(['eccmem-hook', 'all'])\n", UNKNOWN),
        ("#!/bin/sh\necho eccmem-hook all\n", UNKNOWN),
        # No line ends there for a shell.
        ("#!/bin/sh\necho a\x0ceccmem-hook all\n", UNKNOWN),
        ("#!/bin/sh\necho a\u2028eccmem-hook all\n", UNKNOWN),
    ],
)
def test_a_script(text: str, reaches: Reach) -> None:
    """Straight ones are understood, and nothing is claimed of others."""
    assert script.read(text, "pre-commit").reaches is reaches


@pytest.mark.parametrize(
    ("text", "reaches"),
    [
        ('#!/bin/sh\nexec eccmem-hook all --pre-push "$@"\n', YES),
        ('set -e\neccmem-hook all --pre-push "$1" "$2"\nnpm test\n', YES),
        ("eccmem-hook all\n", NO),
        ('npm test || exit 1\neccmem-hook all --pre-push "$@"\n', UNKNOWN),
        ("eccmem-hook all --pre-push $@\n", UNKNOWN),
    ],
)
def test_a_script_of_a_push(text: str, reaches: Reach) -> None:
    """It has to hand over what Git tells, and nothing may have read that away."""
    assert script.read(text, "pre-push").reaches is reaches


def test_a_push_is_judged_at_a_push_alone() -> None:
    assert script.read('eccmem-hook all --pre-push "$@"\n', "pre-commit").reaches is NO


def test_what_runs_strictly_stops_at_any_line() -> None:
    """As husky runs its scripts."""
    assert script.read("eccmem-hook all\necho done\n", "pre-commit", strict=True).reaches is YES


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_straight_scripts_do_what_is_said_of_them(shell: str, tmp_path: Path) -> None:
    """Each that is said to come to us stops with our code, in a real shell."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, code in (("eccmem-hook", 42), ("npm", 1), ("ruff", 0), ("gradlew", 0)):
        (folder / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (folder / name).chmod(0o755)
    env = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    for text in (
        "exec eccmem-hook all\necho x\n",
        "eccmem-hook all\n",
        "npm test\neccmem-hook all || exit $?\necho x\n",
        "set -e\nruff check\neccmem-hook all\necho x\n",
        "ruff check || exit 1\neccmem-hook all --base origin/main\n",
    ):
        verdict = script.read(text, "pre-commit")
        done = subprocess.run([shell, "-c", text], env=env, cwd=tmp_path, check=False, capture_output=True)
        assert (verdict.reaches, done.returncode) == (YES, 42), text


# --- Our own --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shim.NAMES)
def test_the_shims_to_copy_are_those_that_are_known(name: str) -> None:
    """In hooks/, executable; and so status knows them where they were copied to."""
    file = CHECKOUT / "hooks" / name

    assert file.read_bytes() == shim.text(name)
    assert os.access(file, os.X_OK)
    assert shim.program_of(name, file.read_bytes()) is None
    assert script.judge(file.read_bytes(), name).reaches is YES


@pytest.mark.parametrize("program", [None, "/opt/a b/it's/eccmem-hook", "/opt/$(x)`y`\\z/eccmem-hook"])
@pytest.mark.parametrize("name", shim.NAMES)
def test_a_shim_is_known_to_the_byte(name: str, program: str | None) -> None:
    """One more line could end it before its last."""
    path = None if program is None else Path(program)
    data = shim.text(name, path)

    assert shim.program_of(name, data) == path
    for other in (data + b"\n", data.replace(b"exec", b"exit 0\nexec"), data.replace(b" all", b" guard")):
        assert shim.program_of(name, other) is False


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("name", shim.NAMES)
def test_a_shim_hands_over_or_stops(name: str, shell: str, tmp_path: Path) -> None:
    """It tries its own program first, then PATH; without one, Git is stopped with one line."""
    bare = tmp_path / "bare"
    bare.mkdir()
    called = {}
    for place in ("own place's", "path"):
        program = tmp_path / place / "eccmem-hook"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\necho "{place}: $*"\nexit 7\n')
        program.chmod(0o755)
        called[place] = program

    def run(data: bytes, path: Path) -> subprocess.CompletedProcess:
        file = tmp_path / "hook"
        file.write_bytes(data)
        words = ["origin", "a url"] if name == "pre-push" else []
        return subprocess.run(
            [shutil.which(shell), str(file), *words],
            env={"PATH": str(path)},
            capture_output=True,
            text=True,
            check=False,
        )

    words = "all --pre-push origin a url" if name == "pre-push" else "all"
    own = shim.text(name, called["own place's"])
    for data, path, place in ((own, bare, "own place's"), (own, called["path"].parent, "own place's"),
                              (shim.text(name), called["path"].parent, "path")):  # fmt: skip
        done = run(data, path)
        assert (done.returncode, done.stdout) == (7, f"{place}: {words}\n")
    called["own place's"].unlink()
    assert run(own, called["path"].parent).stdout == f"path: {words}\n"
    for data in (own, shim.text(name)):
        done = run(data, bare)
        assert done.returncode == 3
        assert done.stdout == ""
        assert done.stderr.startswith("error: eccmem-hook is not on PATH")
        assert done.stderr.count("\n") == 1


# --- Configurations -------------------------------------------------------------------------------------------

LOCAL = {
    "id": "eccmem",
    "name": "eccmem",
    "entry": "eccmem-hook all",
    "language": "system",
    "always_run": "true",
    "pass_filenames": "false",
}


def local(**changes: object) -> dict:
    return {"repo": "local", "hooks": [{k: v for k, v in (LOCAL | changes).items() if v is not None}]}


def remote(identity: str = "eccmem", **more: object) -> dict:
    return {"repo": "https://example.invalid/eccmem", "rev": "v1", "hooks": [{"id": identity, **more}]}


def judged(*repos: object, name: str = "pre-push", **top: object) -> Reach:
    return configuration.pre_commit({"repos": list(repos), **top}, name).reaches


@pytest.mark.parametrize(
    ("repo", "reaches"),
    [
        (local(), YES),
        (local(always_run=True, pass_filenames=False), YES),
        (local(args=["--base", "origin/main"]), YES),
        (local(language="python"), YES),
        (local(files="^x$", types_or=["python"]), YES),
        (local(stages=["pre-push"]), YES),
        (local(stages=["push"]), YES),
        (local(id="other"), YES),
        (remote(), YES),
        (remote(args=["--base", "origin/main"]), YES),
        (remote("eccmem-guard", stages=["pre-commit", "pre-push"]), YES),
        (local(stages=["pre-commit"]), NO),
        (remote(stages=["manual"]), NO),
        (local(always_run=None), NO),
        (local(pass_filenames=None), NO),
        (remote(always_run="false"), NO),
        (remote(pass_filenames="true"), NO),
        (remote("black"), NO),
        (local(id="x", entry="ruff check"), NO),
        (local(language="pygrep"), UNKNOWN),
        (local(language=None), UNKNOWN),
        (local(entry="sh -c 'eccmem-hook all || true'"), UNKNOWN),
        (local(entry=None), UNKNOWN),
        (local(args=["--help"]), UNKNOWN),
        (local(args="--base x"), UNKNOWN),
        (local(stages="pre-push"), UNKNOWN),
        (remote(entry="true"), UNKNOWN),
        (remote(language="fail"), UNKNOWN),
        (remote(new_key="x"), UNKNOWN),
    ],
)
def test_a_configuration_of_pre_commit(repo: dict, reaches: Reach) -> None:
    """Whether a hook of ours runs for sure at a push."""
    assert judged({"repo": "https://example.invalid/x", "hooks": [{"id": "black"}]}, repo) is reaches


def test_default_stages_are_for_hooks_that_do_not_say() -> None:
    """A local hook has them; one of the manifest has its own."""
    assert judged(local(), default_stages=["pre-commit"]) is NO
    assert judged(remote(), default_stages=["pre-commit"]) is YES
    assert judged(local(stages=["pre-push"]), default_stages=["pre-commit"]) is YES


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/pre-commit.md"])
def test_the_configuration_that_we_recommend_is_understood(page: str) -> None:
    """As the page has it, at all three hooks."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", (CHECKOUT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    configs = [managed.read_yaml(block) for block in blocks if "default_install_hook_types" in block]

    assert configs
    for config in configs:
        assert configuration.install_types(config) == shim.NAMES
        for name in shim.NAMES:
            assert configuration.pre_commit(config, name).reaches is YES


def test_several_hooks_are_one() -> None:
    """The checks add up, and one that is not sure takes nothing from one that is."""
    found = configuration.pre_commit(
        {"repos": [remote("eccmem-guard"), remote("eccmem-links"), remote(entry="true")]}, "pre-commit"
    )

    assert found.reaches is YES
    assert found.checks == ("guard", "links")


@pytest.mark.parametrize("config", [[], "", {}, {"repos": "x"}, {"repos": ["x", {"hooks": "y"}, {"hooks": ["z"]}]}])
def test_a_configuration_that_is_none(config: object) -> None:
    assert configuration.pre_commit(config, "pre-commit").reaches in (NO, UNKNOWN)
    assert configuration.lefthook(config, "pre-commit", lambda _: None).reaches in (NO, UNKNOWN)


def test_our_manifest_is_what_is_assumed_of_it() -> None:
    """The ids with their checks; that they always run, without names, at all three hooks."""
    manifest = yaml.safe_load((CHECKOUT / ".pre-commit-hooks.yaml").read_text())

    assert {item["id"]: item["entry"] for item in manifest} == {
        identity: f"eccmem-hook {check}" for identity, check in configuration.IDS.items()
    }
    for item in manifest:
        assert item["always_run"]
        assert not item["pass_filenames"]
        assert set(shim.NAMES) <= set(item["stages"])


SCRIPT = shim.text("pre-push").decode()
LEFTHOOK = [
    ("pre-commit:\n  commands:\n    eccmem:\n      run: eccmem-hook all\n", "pre-commit", YES),
    (
        "pre-commit:\n  parallel: true\n  jobs:\n    - run: x\n    - name: e\n      run: eccmem-hook all\n",
        "pre-commit",
        YES,
    ),
    ("pre-commit:\n  scripts:\n    eccmem:\n      runner: sh\n", "pre-commit", YES),
    ("pre-push:\n  scripts:\n    eccmem:\n      runner: sh\n      use_stdin: true\n", "pre-push", YES),
    ("pre-push:\n  jobs:\n    - script: eccmem\n      runner: bash\n      use_stdin: true\n", "pre-push", YES),
    ("pre-push:\n  scripts:\n    eccmem:\n      runner: sh\n", "pre-push", NO),
    ("pre-push:\n  scripts:\n    other:\n      runner: sh\n", "pre-push", NO),
    ("pre-push:\n  scripts:\n    eccmem:\n      use_stdin: true\n", "pre-push", UNKNOWN),
    ("pre-push:\n  jobs:\n    - run: eccmem-hook all --pre-push {1} {2}\n      use_stdin: true\n", "pre-push", UNKNOWN),
    ("pre-push:\n  jobs:\n    - run: eccmem-hook all\n", "pre-push", NO),
    ("pre-commit:\n  jobs:\n    - run: eccmem-hook all\n", "pre-merge-commit", NO),
    ("pre-commit:\n  jobs:\n    - run: eccmem-hook all\n      glob: '*.md'\n", "pre-commit", UNKNOWN),
    ("pre-commit:\n  skip: true\n  jobs:\n    - run: eccmem-hook all\n", "pre-commit", UNKNOWN),
    ("pre-commit:\n  jobs:\n    - run: |\n        eccmem-hook all\n", "pre-commit", YES),
    ("pre-commit:\n  jobs:\n    - run: |\n        exit 0\n        eccmem-hook all\n", "pre-commit", UNKNOWN),
    ("pre-commit:\n  jobs:\n    - run: x\n", "pre-commit", NO),
    ("extends: [x.yml]\n", "pre-commit", UNKNOWN),
    ("remotes:\n  - git_url: x\n", "pre-commit", UNKNOWN),
]


@pytest.mark.parametrize(("text", "name", "reaches"), LEFTHOOK)
def test_a_configuration_of_lefthook(text: str, name: str, reaches: Reach) -> None:
    """Commands and scripts that surely run; at a push only scripts, as lefthook leaves commands out."""
    scripts = {"eccmem": shim.text(name), "other": b"#!/bin/sh\nnpm test\n"}

    assert configuration.lefthook(managed.read_yaml(text), name, scripts.get).reaches is reaches
