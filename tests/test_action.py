"""The GitHub action: its steps as they stand in action.yml, run under bash in clones as actions/checkout makes them."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from builders import fake_key, memory, put
from conftest import git
from eccmem import __version__
from eccmem.errors import ExitCode
from eccmem.model import Scope

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "action.yml").read_text("utf-8")
ACTION = yaml.safe_load(TEXT)
STEPS = ACTION["runs"]["steps"]
(STEP,) = (step for step in STEPS if "run" in step)
HOW_TO = (ROOT / "docs/how-to/ci.md").read_text("utf-8")
ZEROS = "0" * 40

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the action runs on Linux and macOS")


# --- The file -------------------------------------------------------------------------------------------------


def test_it_is_a_composite_action_whose_scripts_hold_no_expression() -> None:
    """An expression in a script is text that a pull request may choose, run as code."""
    assert ACTION["runs"]["using"] == "composite"
    assert STEP["shell"] == "bash"
    assert "${{" not in STEP["run"]
    for script in (ROOT / "action").iterdir():
        assert "${{" not in script.read_text("utf-8")


def test_inputs_reach_the_script_as_variables_alone() -> None:
    """Each of them, under its own name."""
    given = {name: value for name, value in STEP["env"].items() if name.startswith("INPUT_")}

    assert given == {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]
    }
    assert STEP["env"]["PYTHONIOENCODING"] == "utf-8"
    assert all(isinstance(entry["default"], str) for entry in ACTION["inputs"].values())


def test_other_actions_are_pinned_by_commit() -> None:
    """In the action and in the how-to, with the version beside it for those who read."""
    uses = re.findall(r"uses: *(.*)$", TEXT + HOW_TO, flags=re.MULTILINE)

    assert len(uses) == TEXT.count("uses:") + HOW_TO.count("uses:") >= 2
    for used in uses:
        assert re.fullmatch(r"[\w-]+/[\w/-]+@([0-9a-f]{40} # v[0-9.]+|REVISION)", used), used
    assert "REVISION" not in TEXT


def test_sarif_is_uploaded_also_when_the_job_fails() -> None:
    """But never without a file: nothing found and nothing judged would look alike."""
    (upload,) = (step for step in STEPS if "uses" in step)

    assert upload["uses"].startswith("github/codeql-action/upload-sarif@")
    assert upload["if"] == "always() && steps.doctor.outputs.sarif-file != ''"
    assert upload["with"]["category"] == "eccmem"
    assert STEP["id"] == "doctor"


# --- A forge, a runner ----------------------------------------------------------------------------------------


@dataclass
class Forge:
    """A repository with a pull request: two commits on a branch, one on main meanwhile, and the merge of both."""

    folder: Path
    ids: dict[str, str] = field(default_factory=dict)

    def commit(self, name: str, text: str = "text") -> str:
        """A commit that brings a file of its own."""
        (self.folder / f"{name}.txt").write_text(text)
        git(self.folder, "add", "--all", "--force")
        git(self.folder, "commit", "-q", "-m", name)
        self.ids[name] = git(self.folder, "rev-parse", "HEAD").strip()
        return self.ids[name]

    def branch(self, name: str, start: str) -> None:
        git(self.folder, "checkout", "-q", "-B", name, start)

    def merge(self) -> None:
        """What a forge makes of the pull request, beside all branches."""
        git(self.folder, "checkout", "-q", "--detach", "main")
        git(self.folder, "merge", "-q", "--no-ff", "-m", "merge", "feature")
        self.ids["merge"] = git(self.folder, "rev-parse", "HEAD").strip()
        git(self.folder, "update-ref", "refs/pull/1/merge", "HEAD")

    def clone(self, target: Path, what: str, depth: int = 0) -> Path:
        """As actions/checkout does it; a depth of 0 stands for everything."""
        git(self.folder, "init", "-q", str(target))
        git(target, "remote", "add", "origin", self.folder.as_uri())
        judged = f"+{self.ids[what]}:refs/remotes/judged"
        if depth:
            git(target, "fetch", "-q", "--no-tags", f"--depth={depth}", "origin", judged)
        else:
            git(target, "fetch", "-q", "--no-tags", "origin", "+refs/heads/*:refs/remotes/origin/*", judged)
        git(target, "checkout", "-q", "--detach", "refs/remotes/judged")
        return target


@pytest.fixture
def forge(tmp_path: Path, home: Path) -> Forge:
    folder = tmp_path / "forge"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    made = Forge(folder)
    for name in ("root", "older", "first"):
        made.commit(name)
    made.branch("feature", "main")
    made.commit("one")
    made.commit("two")
    git(folder, "checkout", "-q", "main")
    made.commit("second")
    made.merge()
    return made


@dataclass(frozen=True)
class Ended:
    """How a run of the step ended, and which commands it ran."""

    code: int
    log: str
    outputs: dict[str, str]
    calls: list[list[str]]
    summary: str = ""

    @property
    def judged(self) -> list[str]:
        """The options of the one call that say what is judged."""
        (call,) = self.calls
        assert call[0] == "doctor"
        return [word for word in call[1:] if not word.startswith(("--format=", "--fail-on="))]


@dataclass
class Runner:
    """What GitHub's runner gives a step: its variables and files, and a script for bash."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / "temp").mkdir(parents=True)

    @property
    def venv(self) -> Path:
        return self.folder / "temp/eccmem-venv"

    def install(self, program: str) -> None:
        """What the step finds when the job has used the action before."""
        (self.venv / "bin").mkdir(parents=True)
        (self.venv / "bin/python").symlink_to(sys.executable)
        (self.venv / "bin/eccmem").write_text(program)
        (self.venv / "bin/eccmem").chmod(0o755)
        (self.venv / "installed-from").write_text(str(ROOT))

    def run(self, workspace: Path, event: str, payload: object, ref: str = "refs/heads/main", **inputs: str) -> Ended:
        files = {name: self.folder / name for name in ("output", "summary", "event.json", "step.sh", "calls")}
        for path in files.values():
            path.write_text("")
        files["event.json"].write_text(json.dumps(payload))
        files["step.sh"].write_text(STEP["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(files["step.sh"])],
            cwd=workspace,
            env={
                **os.environ,
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_EVENT_NAME": event,
                "GITHUB_EVENT_PATH": str(files["event.json"]),
                "GITHUB_OUTPUT": str(files["output"]),
                "GITHUB_REF": ref,
                "GITHUB_STEP_SUMMARY": str(files["summary"]),
                "GITHUB_WORKSPACE": str(workspace),
                "RUNNER_OS": "Linux",
                "RUNNER_TEMP": str(self.folder / "temp"),
                "CALLS": str(files["calls"]),
                **self.env,
                **self._step_env(inputs),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        return Ended(
            done.returncode,
            done.stdout.decode(),
            dict(line.split("=", 1) for line in files["output"].read_text().splitlines()),
            [json.loads(line) for line in files["calls"].read_text().splitlines()],
            files["summary"].read_text(),
        )

    @staticmethod
    def _step_env(inputs: dict[str, str]) -> dict[str, str]:
        given = {name: entry["default"] for name, entry in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() == ACTION["inputs"].keys()
        return {
            name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: given[match[1]], value)
            for name, value in STEP["env"].items()
        }


# Writes down how it was called, and ends as it is told.
STUB = f"""#!{sys.executable}
import json, os, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
for word in sys.argv:
    if word.startswith("--output="):
        open(word.removeprefix("--output="), "w").close()
sarif = "--format=sarif" in sys.argv
sys.exit(int(os.environ.get("SARIF_ENDS" if sarif else "ENDS", "0")))
"""
REAL = f"""#!/bin/sh
PYTHONPATH='{ROOT}' exec '{sys.executable}' -m eccmem "$@"
"""


@pytest.fixture
def runner(tmp_path: Path, home: Path) -> Runner:
    """A runner whose eccmem only writes down how it was called."""
    made = Runner(tmp_path / "runner")
    made.install(STUB)
    return made


@pytest.fixture
def real(tmp_path: Path, home: Path) -> Runner:
    """A runner with eccmem itself."""
    made = Runner(tmp_path / "real")
    made.install(REAL)
    return made


def pull_request(forge: Forge, **changes: object) -> dict:
    base, head = {"sha": forge.ids["first"]}, {"sha": forge.ids["two"]}
    return {"pull_request": {"base": base, "head": head} | changes}


def push(before: str, after: str, default: object = "main") -> dict:
    return {"before": before, "after": after, "repository": {"default_branch": default}}


# --- Pull requests --------------------------------------------------------------------------------------------


def test_a_pull_request_is_its_merge_against_its_first_parent(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """All its commits, and what others did on main meanwhile is not among them."""
    workspace = forge.clone(tmp_path / "w", "merge")

    done = runner.run(workspace, "pull_request", pull_request(forge))

    assert done.code == 0
    assert done.judged == [f"--range={forge.ids['second']}..{forge.ids['merge']}"]
    assert "::" not in done.log


def test_at_depth_two_the_sum_is_judged_and_that_is_said(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """The commits between are not there."""
    workspace = forge.clone(tmp_path / "w", "merge", depth=2)

    done = runner.run(workspace, "pull_request", pull_request(forge))

    assert done.judged == [f"--rev={forge.ids['merge']}", f"--base={forge.ids['second']}"]
    assert re.findall("^::notice title=eccmem::.*fetch-depth: 0$", done.log, re.MULTILINE)


def test_a_depth_that_holds_the_whole_pull_request_is_enough(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """A shallow clone is judged as a whole one when its end lies further down."""
    for depth, option in ((3, "--rev="), (4, "--range=")):
        workspace = forge.clone(tmp_path / str(depth), "merge", depth)
        assert git(workspace, "rev-parse", "--is-shallow-repository") == "true\n"
        assert runner.run(workspace, "pull_request", pull_request(forge)).judged[0].startswith(option)


def test_at_depth_one_a_pull_request_cannot_be_judged(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Exit code 3 with what to do, and eccmem is not asked."""
    workspace = forge.clone(tmp_path / "w", "merge", depth=1)

    done = runner.run(workspace, "pull_request", pull_request(forge))

    assert (done.code, done.calls, done.outputs) == (ExitCode.CANNOT_RUN, [], {"exit-code": "3"})
    assert re.findall("^::error title=eccmem::.*fetch-depth: 0$", done.log, re.MULTILINE)


def test_the_head_of_a_pull_request_may_be_checked_out(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Then the event says what it is compared with; its last commit alone is never taken for the whole."""
    whole = forge.clone(tmp_path / "w", "two")
    shallow = forge.clone(tmp_path / "s", "two", depth=2)

    done = runner.run(whole, "pull_request", pull_request(forge))
    assert done.judged == [f"--range={forge.ids['first']}..{forge.ids['two']}"]
    done = runner.run(shallow, "pull_request", pull_request(forge))
    assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])


def test_a_merge_that_is_not_the_pull_request_is_not_taken_for_it(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Its second parent has to be the head that the event names."""
    workspace = forge.clone(tmp_path / "w", "merge")

    done = runner.run(workspace, "pull_request", pull_request(forge, head={"sha": forge.ids["one"]}))

    assert done.judged == [f"--range={forge.ids['first']}..{forge.ids['one']}"]


# --- Pushes ---------------------------------------------------------------------------------------------------


def test_a_push_is_what_came_since(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """From the commit that the branch had."""
    workspace = forge.clone(tmp_path / "w", "second")

    done = runner.run(workspace, "push", push(forge.ids["first"], forge.ids["second"]))

    assert done.judged == [f"--range={forge.ids['first']}..{forge.ids['second']}"]


@pytest.mark.parametrize("before", ["first", ""])
def test_a_push_in_a_clone_that_is_too_shallow_cannot_be_judged(
    before: str, forge: Forge, runner: Runner, tmp_path: Path
) -> None:
    """Also that of a new branch: what it is compared with is not there."""
    workspace = forge.clone(tmp_path / "w", "two", depth=1)

    payload = push(forge.ids.get(before, ZEROS), forge.ids["two"])
    done = runner.run(workspace, "push", payload, "refs/heads/feature")

    assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])
    assert "fetch-depth: 0" in done.log


def test_a_new_branch_is_compared_with_where_it_left_the_default_one(
    forge: Forge, runner: Runner, tmp_path: Path
) -> None:
    """A tag likewise; one that has nothing new is judged by its state."""
    workspace = forge.clone(tmp_path / "w", "two")

    done = runner.run(workspace, "push", push(ZEROS, forge.ids["two"]), "refs/heads/feature")
    assert done.judged == [f"--range={forge.ids['first']}..{forge.ids['two']}"]
    done = runner.run(workspace, "push", push(ZEROS, forge.ids["first"]), "refs/tags/v1")
    assert done.judged == [f"--rev={forge.ids['first']}"]


def test_a_new_branch_without_a_default_one_cannot_be_judged(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Nothing is claimed by comparing it with nothing."""
    workspace = forge.clone(tmp_path / "w", "two")

    done = runner.run(workspace, "push", push(ZEROS, forge.ids["two"], "trunk"), "refs/heads/feature")

    assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])


def test_the_first_push_and_an_unrelated_branch_are_judged_by_their_state(
    forge: Forge, runner: Runner, tmp_path: Path
) -> None:
    """There is nothing to compare with, which is said."""
    git(forge.folder, "checkout", "-q", "--orphan", "pages")
    forge.commit("pages")
    for name, ref in (("second", "refs/heads/main"), ("pages", "refs/heads/pages")):
        done = runner.run(forge.clone(tmp_path / name, name), "push", push(ZEROS, forge.ids[name]), ref)
        assert done.judged == [f"--rev={forge.ids[name]}"]
        assert "::notice title=eccmem::" in done.log


def test_a_rewritten_branch_is_compared_with_the_default_one(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Whether its old commit is here or not: what was rewritten was nobody's yet."""
    forge.branch("feature", "main")
    forge.commit("rewritten")
    workspace = forge.clone(tmp_path / "w", "rewritten")
    expected = [f"--range={forge.ids['second']}..{forge.ids['rewritten']}"]

    done = runner.run(workspace, "push", push("1" * 40, forge.ids["rewritten"]), "refs/heads/feature")
    assert done.judged == expected
    git(workspace, "fetch", "-q", "origin", forge.ids["two"])
    done = runner.run(workspace, "push", push(forge.ids["two"], forge.ids["rewritten"]), "refs/heads/feature")
    assert done.judged == expected


def test_a_rewritten_default_branch_cannot_be_judged(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """It was published, and eccmem compares with what old and new have in common: what it lost would not be seen."""
    forge.branch("main", forge.ids["first"])
    forge.commit("rewritten")
    workspace = forge.clone(tmp_path / "w", "rewritten")

    for _ in ("without the old commit", "with it"):
        done = runner.run(workspace, "push", push(forge.ids["second"], forge.ids["rewritten"]))
        assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])
        git(workspace, "fetch", "-q", "origin", forge.ids["second"])


# --- Other events, inputs -------------------------------------------------------------------------------------


def test_a_merge_queue_is_judged_as_its_event_says(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """From the commit below the group to its head."""
    workspace = forge.clone(tmp_path / "w", "merge")
    payload = {"merge_group": {"base_sha": forge.ids["second"], "head_sha": forge.ids["merge"]}}

    done = runner.run(workspace, "merge_group", payload)
    assert done.judged == [f"--range={forge.ids['second']}..{forge.ids['merge']}"]
    payload["merge_group"]["base_sha"] = "1" * 40
    assert runner.run(workspace, "merge_group", payload).code == ExitCode.CANNOT_RUN


@pytest.mark.parametrize("event", ["schedule", "workflow_dispatch"])
def test_an_event_without_a_change_judges_the_state(event: str, forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """At any depth, and whatever the event holds."""
    workspace = forge.clone(tmp_path / "w", "second", depth=1)

    assert runner.run(workspace, event, ["no", "object"]).judged == [f"--rev={forge.ids['second']}"]


def test_inputs_come_before_the_event(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Each is one word, whatever is in it; the event is not even read."""
    workspace = forge.clone(tmp_path / "w", "merge", depth=1)
    odd = "--output=x $(touch pwned) `touch pwned` ; touch pwned"

    done = runner.run(workspace, "push", {}, range="v1..HEAD", base="origin/main")
    assert done.judged == ["--range=v1..HEAD", "--base=origin/main"]
    done = runner.run(workspace, "push", {}, rev=odd, fail_on=odd, format=odd)
    assert done.calls == [["doctor", f"--rev={odd}", f"--fail-on={odd}", f"--format={odd}"]]
    assert not (workspace / "pwned").exists()


def test_a_base_goes_with_what_the_event_says(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """It takes the place of the one that would be guessed."""
    workspace = forge.clone(tmp_path / "w", "merge", depth=2)

    done = runner.run(workspace, "pull_request", pull_request(forge), base="v1")
    assert done.judged == [f"--rev={forge.ids['merge']}", "--base=v1"]
    assert runner.run(workspace, "schedule", {}, base="v1").judged[1:] == ["--base=v1"]


def test_the_repository_may_lie_in_a_folder_of_the_workspace(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Its name is a name, and nothing else."""
    (tmp_path / "w").mkdir()
    forge.clone(tmp_path / "w/-p $(touch pwned)", "second")

    forge.clone(tmp_path / "elsewhere/-p $(touch pwned)", "first")
    runner.env["CDPATH"] = str(tmp_path / "elsewhere")  # where a shell would look first

    done = runner.run(tmp_path / "w", "schedule", {}, working_directory="-p $(touch pwned)")
    assert done.judged == [f"--rev={forge.ids['second']}"]
    assert not list(tmp_path.rglob("pwned"))
    assert runner.run(tmp_path / "w", "schedule", {}, working_directory="gone").code == ExitCode.USAGE
    assert runner.run(tmp_path / "w", "schedule", {}).code == ExitCode.CANNOT_RUN


# --- What an attacker chooses ---------------------------------------------------------------------------------

HOSTILE = [
    "$(touch pwned)",
    "`touch pwned`",
    "x; touch pwned",
    "--output=pwned",
    "main",
    "HEAD",
    "HEAD^{/first}",
    f"{'a' * 40}\n::error::pwned",
    f"{'a' * 40} --output=pwned",
    "A" * 40,
    "",
    None,
    7,
    ["a" * 40],
    {"sha": "a" * 40},
]


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
@pytest.mark.parametrize("event", ["pull_request", "push", "merge_group"])
def test_an_event_that_is_not_what_it_should_be_does_nothing(
    event: str, value: object, forge: Forge, runner: Runner, tmp_path: Path
) -> None:
    """No command runs, no file appears, and the log does not repeat it; it is not taken for no change either."""
    workspace = forge.clone(tmp_path / "w", "merge")
    payload = {
        "pull_request": {"base": {"sha": value}, "head": {"sha": value}},
        "merge_group": {"base_sha": value, "head_sha": value},
        "before": value,
        "after": value,
        "repository": {"default_branch": value},
    }
    runner.env |= {"GITHUB_HEAD_REF": str(value), "GITHUB_BASE_REF": str(value), "GITHUB_REF_NAME": str(value)}

    done = runner.run(workspace, event, payload, f"refs/heads/{value}")

    assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])
    assert "pwned" not in done.log
    assert "Traceback" not in done.log
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_a_default_branch_of_any_name_is_only_looked_up(
    value: object, forge: Forge, runner: Runner, tmp_path: Path
) -> None:
    """It is the one text of an event that is not an object id."""
    workspace = forge.clone(tmp_path / "w", "two")

    done = runner.run(workspace, "push", push(ZEROS, forge.ids["two"], value), "refs/heads/feature")

    if value == "main":
        assert done.judged == [f"--range={forge.ids['first']}..{forge.ids['two']}"]
    else:
        assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])
    assert not list(tmp_path.rglob("pwned"))


def test_an_event_that_cannot_be_read_is_said(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """In one line."""
    workspace = forge.clone(tmp_path / "w", "merge")
    runner.env["GITHUB_EVENT_PATH"] = str(tmp_path / "gone")

    for event in ("pull_request", "push", "merge_group"):
        done = runner.run(workspace, event, {})
        assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])
        assert done.log == "::error title=eccmem::the event cannot be read: name the input range or rev\n"


def test_modules_of_the_repository_are_not_imported(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Python looks for modules in the working directory, unless it is told not to."""
    workspace = forge.clone(tmp_path / "w", "merge")
    for name in ("json", "venv", "pip", "sitecustomize", "encodings"):
        (workspace / f"{name}.py").write_text("open('pwned', 'w')")

    assert runner.run(workspace, "pull_request", pull_request(forge)).code == 0
    (runner.venv / "installed-from").unlink()
    # A Python that ends right after the first module that it would import from here.
    runner.run(workspace, "pull_request", pull_request(forge), python=sys.executable)
    assert not (workspace / "pwned").exists()


# --- How it ends ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [*ExitCode])
def test_the_exit_code_is_that_of_eccmem(code: ExitCode, forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Of the step, and as an output for later ones."""
    workspace = forge.clone(tmp_path / "w", "second", depth=1)
    runner.env["ENDS"] = str(code.value)

    done = runner.run(workspace, "schedule", {})

    assert (done.code, done.outputs) == (code, {"exit-code": str(code.value)})


@pytest.mark.parametrize("code", [*ExitCode])
def test_sarif_is_written_when_it_was_judged(code: ExitCode, forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """By a second run that ends with 0; one that could not judge writes nothing, which would close alerts."""
    workspace = forge.clone(tmp_path / "w", "second", depth=1)
    runner.env["ENDS"] = str(code.value)
    file = str(runner.folder / "temp/eccmem.sarif")

    done = runner.run(workspace, "schedule", {}, sarif="true", fail_on="note")

    assert done.code == code
    what = ["doctor", f"--rev={forge.ids['second']}", "--fail-on=note"]
    again = [[*what, "--format=sarif", "--exit-zero", f"--output={file}"]] if code <= 1 else []
    assert done.calls == [[*what, "--format=github"], *again]
    written = {"sarif-file": file, "top": str(workspace)} if code <= 1 else {}
    assert done.outputs == {"exit-code": str(code.value), **written}


def test_sarif_that_cannot_be_written_fails(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """And nothing is uploaded."""
    workspace = forge.clone(tmp_path / "w", "second", depth=1)
    runner.env["SARIF_ENDS"] = "3"

    done = runner.run(workspace, "schedule", {}, sarif="true")

    assert (done.code, done.outputs) == (ExitCode.CANNOT_RUN, {"exit-code": "3"})
    assert runner.run(workspace, "schedule", {}, sarif="yes").code == ExitCode.USAGE


def test_windows_is_refused(forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """Before anything else happens there."""
    runner.env["RUNNER_OS"] = "Windows"

    done = runner.run(forge.clone(tmp_path / "w", "second"), "schedule", {})

    assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])


# --- The installation -----------------------------------------------------------------------------------------


# Each a program in place of Python: too old; without the module venv; with one, but without pip.
POOR = {"old": "exit 1", "bare": '[ "$2" = -c ]', "half": '[ "$2" = -c ] || rm "$5/bin/python"'}


@pytest.mark.parametrize("python", ["/gone/python3", "", *POOR])
def test_a_python_that_will_not_do_is_said(python: str, forge: Forge, runner: Runner, tmp_path: Path) -> None:
    """With 3, because pip's own 1 would mean findings."""
    if python in POOR:
        program = tmp_path / python
        program.write_text(f"#!/bin/sh\n{POOR[python]}\n")
        program.chmod(0o755)
    (runner.venv / "installed-from").write_text("another revision")
    says = {"bare": "Python cannot make a virtual environment", "half": "eccmem could not be installed"}

    done = runner.run(
        forge.clone(tmp_path / "w", "second"),
        "schedule",
        {},
        python=str(tmp_path / python) if python in POOR else python,
    )

    assert (done.code, done.calls) == (ExitCode.CANNOT_RUN, [])
    assert f"::error title=eccmem::{says.get(python, 'Python 3.11 or newer is needed')}" in done.log


@pytest.mark.slow
def test_this_revision_is_what_gets_installed(forge: Forge, tmp_path: Path, home: Path) -> None:
    """By pip, from the action's own folder, offline; and a second use in the job installs nothing."""
    for module in ("ensurepip", "hatchling"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not here, so nothing can be installed offline")
    packages = str(Path(importlib.util.find_spec("hatchling").origin).parents[1])
    made = Runner(tmp_path / "fresh")
    # No index, and what eccmem needs to be built and run is taken from where the tests have it.
    made.env |= {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": packages}
    workspace = forge.clone(tmp_path / "w", "second")

    done = made.run(workspace, "schedule", {}, python=sys.executable)

    assert "could not be installed" not in done.log, done.log
    assert done.code == 0, done.log
    version = [str(made.venv / "bin/eccmem"), "--version"]
    env = {**os.environ, "PYTHONPATH": packages}
    assert subprocess.run(version, env=env, check=True, capture_output=True).stdout.decode().split()[1] == __version__
    assert list(made.venv.glob(f"lib/*/site-packages/eccmem-{__version__}.dist-info"))
    assert "Install eccmem" in done.log
    assert "Install eccmem" not in made.run(workspace, "schedule", {}).log


# --- With eccmem itself ---------------------------------------------------------------------------------------


def offer(forge: Forge, *steps: Callable[[Path], object]) -> None:
    """A pull request of one commit for each step."""
    forge.branch("feature", "main")
    for number, step in enumerate(steps):
        step(forge.folder)
        forge.commit(f"step{number}")
    forge.ids["two"] = forge.ids[f"step{len(steps) - 1}"]
    forge.ids["first"] = forge.ids["second"]
    forge.merge()


def team(folder: Path, body: str = "A body.", memory_id: str = "mem_team") -> Path:
    return put(folder, memory(memory_id, scope=Scope.TEAM, body=body))


def test_a_good_memory_passes(forge: Forge, real: Runner, tmp_path: Path) -> None:
    """At either depth."""
    offer(forge, team)

    for depth in (0, 2):
        done = real.run(forge.clone(tmp_path / f"w{depth}", "merge", depth), "pull_request", pull_request(forge))
        assert (done.code, done.outputs) == (0, {"exit-code": "0"}), done.log
        assert "::error" not in done.log


def test_a_bad_memory_fails_with_an_annotation_a_summary_and_sarif(forge: Forge, real: Runner, tmp_path: Path) -> None:
    """At its place, at either depth."""
    offer(forge, lambda folder: team(folder).write_text("no memory"))
    path = ".ecc/memory/team/notes/mem_team.md"

    for depth in (0, 2):
        workspace = forge.clone(tmp_path / f"w{depth}", "merge", depth)
        done = real.run(workspace, "pull_request", pull_request(forge), sarif="true")
        assert done.code == ExitCode.FINDINGS, done.log
        assert re.findall(f"^::error .*file={re.escape(path)},", done.log, re.MULTILINE)
        assert path in done.summary
        sarif = json.loads(Path(done.outputs["sarif-file"]).read_text("utf-8"))
        assert sarif["version"] == "2.1.0"
        places = [result["locations"][0]["physicalLocation"] for result in sarif["runs"][0]["results"]]
        assert [place["artifactLocation"]["uri"] for place in places] == [path]
        assert done.outputs["top"] == str(workspace)


def test_a_published_memory_that_changes_fails(forge: Forge, real: Runner, tmp_path: Path) -> None:
    """What main has is published; on the branch itself a memory may still change."""
    forge.branch("main", "main")
    team(forge.folder)
    forge.commit("second")
    offer(forge, lambda folder: team(folder, "Another."), lambda folder: team(folder, "New.", "mem_new"))
    again = lambda folder: team(folder, "Newer.", "mem_new")  # noqa: E731 - a third commit, on the branch

    done = real.run(forge.clone(tmp_path / "w", "merge"), "pull_request", pull_request(forge))
    assert done.code == ExitCode.FINDINGS, done.log
    assert len(re.findall("^::error ", done.log, re.MULTILINE)) == 1
    offer(forge, lambda folder: team(folder, "New.", "mem_new"), again)
    done = real.run(forge.clone(tmp_path / "v", "merge"), "pull_request", pull_request(forge))
    assert done.code == 0, done.log


def test_a_secret_that_comes_and_goes_is_seen_with_the_whole_history(
    forge: Forge, real: Runner, tmp_path: Path
) -> None:
    """At depth two it is not, and that is said."""
    offer(forge, lambda folder: team(folder, f"The key is {fake_key()}."), team)

    whole = real.run(forge.clone(tmp_path / "w", "merge"), "pull_request", pull_request(forge))
    assert whole.code == ExitCode.FINDINGS, whole.log
    assert fake_key() not in whole.log + whole.summary
    done = real.run(forge.clone(tmp_path / "s", "merge", depth=2), "pull_request", pull_request(forge))
    assert done.code == 0, done.log
    assert "::notice title=eccmem::" in done.log


def test_what_others_did_meanwhile_is_not_held_against_a_branch(forge: Forge, real: Runner, tmp_path: Path) -> None:
    """A memory that main got since is no memory that the branch deletes, whichever way it is checked out."""
    offer(forge, team)
    git(forge.folder, "checkout", "-q", "main")
    team(forge.folder, "Meanwhile.", "mem_main")
    later = forge.commit("later")
    forge.merge()
    payload = pull_request(forge, base={"sha": later})

    for what in ("merge", "two"):
        done = real.run(forge.clone(tmp_path / what, what), "pull_request", payload)
        assert done.code == 0, done.log


@pytest.mark.parametrize("name", ["--output=pwned", "$(touch pwned)", "::error::pwned", "no-such-branch"])
@pytest.mark.parametrize("field", ["range", "rev", "base"])
def test_a_hostile_input_is_refused_by_eccmem(
    field: str, name: str, forge: Forge, real: Runner, tmp_path: Path
) -> None:
    """A workflow may pass on the name of a branch: it is looked up, and nothing else."""
    workspace = forge.clone(tmp_path / "w", "merge")

    done = real.run(workspace, "schedule", {}, **{field: f"{name}..HEAD" if field == "range" else name})

    assert done.code in {ExitCode.USAGE, ExitCode.CANNOT_RUN}, done.log
    assert not re.findall("^::error::pwned", done.log, re.MULTILINE)
    assert "Traceback" not in done.log
    assert not list(tmp_path.rglob("pwned"))


# --- The how-to -----------------------------------------------------------------------------------------------


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", HOW_TO, flags=re.MULTILINE | re.DOTALL)


def table(heading: str) -> list[list[str]]:
    """The rows below a heading, without code marks."""
    text = HOW_TO.split(f"# {heading}\n", 1)[1].split("\n#", 1)[0]
    lines = re.findall(r"^\| (.*) \|$", text, re.MULTILINE)
    return [[cell.strip("` ") for cell in line.split("|")] for line in lines[1:] if not line.startswith("---")]


WORKFLOWS = [yaml.safe_load(block) for block in blocks("yaml") if "\njobs:" in block]
(GITLAB,) = (yaml.safe_load(block)["eccmem"] for block in blocks("yaml") if "\njobs:" not in block)


def test_the_tables_have_every_input_and_output() -> None:
    """In their order, with the defaults of action.yml; and every exit code that a job can see."""
    defaults = [[name, entry["default"]] for name, entry in ACTION["inputs"].items()]

    assert [row[:2] for row in table("Inputs")] == defaults
    assert [row[0] for row in table("Outputs")] == list(ACTION["outputs"])
    codes = [str(code.value) for code in ExitCode if code is not ExitCode.INTERRUPTED]
    assert [row[0] for row in table("What the exit codes mean there")] == codes


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_an_example_asks_for_no_more_than_it_needs(workflow: dict) -> None:
    """Read, and for SARIF the one permission more; the whole history, and no credentials left behind."""
    (job,) = workflow["jobs"].values()
    checkout, action = job["steps"]
    granted = {**workflow["permissions"], **job.get("permissions", {})}

    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert set(action.get("with", {})) <= set(ACTION["inputs"])
    more = {"security-events": "write"} if "sarif" in action.get("with", {}) else {}
    assert granted == {"contents": "read", **more}


@pytest.fixture
def tools(real: Runner) -> str:
    """A PATH on which eccmem is this one, and pip has nothing to do."""
    (real.venv / "bin/pip").symlink_to("/bin/true" if Path("/bin/true").exists() else "/usr/bin/true")
    return f"{real.venv / 'bin'}{os.pathsep}{os.environ['PATH']}"


def typed(script: str, folder: Path, **env: str) -> subprocess.CompletedProcess:
    """Run what a page says, as a person or another CI does."""
    return subprocess.run(
        ["sh", "-ec", script], cwd=folder, env={**os.environ, **env}, capture_output=True, timeout=60, check=False
    )


def test_the_gitlab_job_writes_its_report(forge: Forge, tools: str, tmp_path: Path) -> None:
    """As it stands there, with the variables that GitLab sets; the report is the artifact that it names."""
    offer(forge, lambda folder: team(folder).write_text("no memory"))
    workspace = forge.clone(tmp_path / "w", "two")
    ends = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": forge.ids["first"], "CI_COMMIT_SHA": forge.ids["two"]}

    done = typed("\n".join(GITLAB["script"]), workspace, PATH=tools, **ends)

    assert done.returncode == ExitCode.FINDINGS, done.stderr
    assert GITLAB["variables"]["GIT_DEPTH"] == "0"
    report = workspace / GITLAB["artifacts"]["reports"]["codequality"]
    assert [entry["location"]["path"] for entry in json.loads(report.read_text())] == [
        ".ecc/memory/team/notes/mem_team.md"
    ]


def test_other_commands_of_the_page_judge(forge: Forge, tools: str, tmp_path: Path) -> None:
    """A range against the main branch; and a bare repository."""
    plain, bare, _ = blocks("sh")
    offer(forge, lambda folder: team(folder).write_text("no memory"))
    workspace = forge.clone(tmp_path / "w", "two")
    git(tmp_path, "clone", "-q", "--bare", str(forge.folder), "project.git")
    git(tmp_path / "project.git", "update-ref", "refs/heads/main", forge.ids["two"])

    for script, folder in ((plain, workspace), (bare, tmp_path)):
        done = typed(script, folder, PATH=tools)
        assert done.returncode == ExitCode.FINDINGS, done.stderr


def test_a_server_judges_a_push_before_it_takes_it(forge: Forge, tools: str, tmp_path: Path) -> None:
    """In its update hook, as the page has it: the objects are in a quarantine then; a bad push is refused."""
    offer(forge, lambda folder: team(folder).write_text("no memory"))
    git(tmp_path, "init", "-q", "--bare", "project.git")
    hook = tmp_path / "project.git/hooks/update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(blocks("sh")[2])
    hook.chmod(0o755)

    first = typed(f"git push ../project.git {forge.ids['first']}:refs/heads/main", forge.folder, PATH=tools)
    assert first.returncode == 0, first.stderr
    second = typed(f"git push ../project.git {forge.ids['two']}:refs/heads/main", forge.folder, PATH=tools)
    assert second.returncode != 0
    assert "error[malformed-memory]" in second.stderr.decode()
    other = typed(f"git push ../project.git {forge.ids['two']}:refs/heads/other", forge.folder, PATH=tools)
    assert "error[malformed-memory]" in other.stderr.decode()
    again = typed(f"git push ../project.git {forge.ids['first']}:refs/heads/other", forge.folder, PATH=tools)
    assert again.returncode == 0, again.stderr
    assert typed("git push ../project.git :other", forge.folder, PATH=tools).returncode == 0
