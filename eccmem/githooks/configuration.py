"""What the configuration of a hook manager says about eccmem-hook, for one hook of Git.

Pure functions of the parsed file.
A key that is not known here may change anything, so with one the answer is open.
"""

import re
from collections.abc import Callable, Iterator

from eccmem.githooks.script import Reach, Verdict, judge, read
from eccmem.githooks.shim import CHECKS, NAMES, PROGRAM

# What the manifest offers (a test compares), by the check that each asks for.
IDS = {"eccmem" if check == "all" else f"eccmem-{check}": check for check in CHECKS}
_OLD_STAGES = {"commit": "pre-commit", "push": "pre-push", "merge-commit": "pre-merge-commit"}
# Keys of a hook that cannot keep it from running.
_NAMING = {"id", "name", "alias", "description", "verbose", "log_file", "priority"}
_BUILDING = {"language_version", "additional_dependencies", "minimum_pre_commit_version"}
_JUDGED = {"args", "stages", "always_run", "pass_filenames", "require_serial", "fail_fast"}
# Keys that choose files, which an always_run hook does not look at.
_FILTERS = {"files", "exclude", "types", "types_or", "exclude_types"}
_HARMLESS = _NAMING | _BUILDING | _JUDGED | _FILTERS
# Those that run the entry; others take it for a pattern, an image or a message.
_LANGUAGES = {"system", "unsupported", "python"}
_ENTRY = re.compile(rf"((?:[A-Za-z0-9_./-]*/)?{PROGRAM}) +({'|'.join(CHECKS)})(?: +--base +[A-Za-z0-9_./@^~-]+)?$")

Script = Callable[[str], bytes | None]


def pre_commit(config: object, name: str) -> Verdict:
    """What a configuration of pre-commit or prek says about a hook."""
    if not isinstance(config, dict):
        return _open("its configuration is no mapping")
    found = [verdict for repo, hook in _hooks(config) if (verdict := _hook(repo, hook, config, name))]
    return _together(found) or Verdict(Reach.NO, f"its configuration lists no hook of eccmem for {name}")


def _together(found: list[Verdict]) -> Verdict | None:
    """Several hooks of ours are one: the ones that surely run count, else the first says why not."""
    sure = [verdict for verdict in found if verdict.reaches is Reach.YES]
    if not sure:
        return next((v for v in found if v.reaches is Reach.UNKNOWN), found[0] if found else None)
    checks = dict.fromkeys(check for verdict in sure for check in verdict.checks)
    return Verdict(Reach.YES, sure[0].why, tuple(checks), sure[0].programs)


def _hooks(config: dict[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    """Each hook with the repository that it is from."""
    repos = config.get("repos")
    for repo in repos if isinstance(repos, list) else ():
        hooks = repo.get("hooks") if isinstance(repo, dict) else None
        for hook in hooks if isinstance(hooks, list) else ():
            if isinstance(hook, dict):
                yield str(repo.get("repo")), hook


def _hook(repo: str, hook: dict[str, object], config: dict[str, object], name: str) -> Verdict | None:
    """What one hook does; None where it is not ours, or is for other hooks of Git."""
    local = repo == "local"
    entry = hook.get("entry")
    if str(hook.get("id")) not in IDS and not (local and PROGRAM in str(entry)):
        return None
    # A hook of the manifest says itself when it runs; a local one falls back to the defaults of the file.
    stages = hook.get("stages") or (config.get("default_stages") if local else None) or [*NAMES]
    if not isinstance(stages, list):
        return _open("its stages are written in a way that is not understood")
    if name not in {_OLD_STAGES.get(str(stage), str(stage)) for stage in stages}:
        return None
    return _runs(hook, local=local)


def _runs(hook: dict[str, object], *, local: bool) -> Verdict:
    """Whether a hook of ours always runs, and can be told what for."""
    if strange := sorted(set(hook) - _HARMLESS - ({"entry", "language"} if local else set())):
        return _open(f"its key {strange[0]} may change what it does")
    if _word(hook.get("always_run", not local)) != "true":
        return Verdict(Reach.NO, "its hook is left out when no file matches: it needs `always_run: true`")
    if _word(hook.get("pass_filenames", local)) != "false":
        return Verdict(Reach.NO, f"its hook is given file names, which {PROGRAM} refuses: `pass_filenames: false`")
    return _entry(hook, local=local)


def _entry(hook: dict[str, object], *, local: bool) -> Verdict:
    """Which checks a hook asks for."""
    args = hook.get("args") or []
    if not isinstance(args, list) or (args and (len(args) != 2 or args[0] != "--base")):  # noqa: PLR2004
        return _open(f"its args are not those that {PROGRAM} takes")
    why = "its configuration lists eccmem"
    if not local:
        return Verdict(Reach.YES, why, (IDS[str(hook["id"])],))
    call = _ENTRY.match(str(hook.get("entry")))
    if call is None or hook.get("language") not in _LANGUAGES:
        return _open("its entry is written in another way than shown")
    return Verdict(Reach.YES, why, (call[2],), () if hook["language"] == "python" else (call[1],))


def install_types(config: object) -> tuple[str, ...]:
    """The hooks that pre-commit installs by itself with such a configuration."""
    types = config.get("default_install_hook_types") if isinstance(config, dict) else None
    return tuple(map(str, types)) if isinstance(types, list) and types else ("pre-commit",)


# --- lefthook -------------------------------------------------------------------------------------------------

_MERGED = ("extends", "remotes")
_STAGE_KEYS = {"commands", "jobs", "scripts", "parallel", "piped", "follow"}
_RUNNERS = ("sh", "bash", "dash")
_ITEM_KEYS = {"name", "run", "script", "runner", "use_stdin", "fail_text", "tags", "priority", "interactive", "env"}


def lefthook(config: object, name: str, script: Script) -> Verdict:
    """What a configuration of lefthook says about a hook.

    Args:
        config: the parsed file.
        name: the hook.
        script: gives the content of a script of that hook by its name, or None.
    """
    if not isinstance(config, dict):
        return _open("its configuration is no mapping")
    if any(key in config for key in (*_MERGED, "source_dir")):
        return _open("its configuration is put together of several files")
    stage = config.get(name)
    if not isinstance(stage, dict):
        return Verdict(Reach.NO, f"its configuration has nothing for {name}")
    found = [verdict for item in _items(stage) if (verdict := _item(item, name, script))]
    verdict = _together(found) or Verdict(Reach.NO, f"its configuration does not call {PROGRAM} for {name}")
    strange = sorted(set(stage) - _STAGE_KEYS)
    return _open(f"its key {strange[0]} may change what it does") if found and strange else verdict


def _items(stage: dict[str, object]) -> Iterator[dict[str, object]]:
    """All that a hook runs; scripts get their name as a key."""
    for key in ("commands", "scripts"):
        group = stage.get(key)
        for called, item in group.items() if isinstance(group, dict) else ():
            if isinstance(item, dict):
                yield item | ({"script": called} if key == "scripts" else {})
    jobs = stage.get("jobs")
    yield from (job for job in (jobs if isinstance(jobs, list) else ()) if isinstance(job, dict))


def _item(item: dict[str, object], name: str, script: Script) -> Verdict | None:
    verdict = _scripted(item, name, script) if "script" in item else _command(str(item.get("run", "")), name)
    if verdict is None or verdict.reaches is not Reach.YES:
        return verdict
    if strange := sorted(set(item) - _ITEM_KEYS):
        return _open(f"its key {strange[0]} may change what it does")
    return verdict


def _command(command: str, name: str) -> Verdict | None:
    if "\n" in command.strip():
        return _open("it has commands of several lines, which are not read")
    if PROGRAM not in command:
        return None
    verdict = read(command.replace("{1} {2}", '"$@"'), name)
    if name == "pre-push" and verdict.reaches is Reach.YES:
        return _open("lefthook leaves commands out when it sees nothing new to push, but never a script")
    return verdict


def _scripted(item: dict[str, object], name: str, script: Script) -> Verdict | None:
    data = script(str(item["script"]))
    if data is None or PROGRAM.encode() not in data:
        return None
    verdict = judge(data, name)
    if verdict.reaches is Reach.YES and item.get("runner") not in _RUNNERS:
        return _open("its script has no `runner: sh`")
    if verdict.reaches is Reach.YES and name == "pre-push" and _word(item.get("use_stdin")) != "true":
        return Verdict(Reach.NO, "its script is not told what is pushed: it needs `use_stdin: true`")
    return verdict


def _word(value: object) -> str:
    """A flag as YAML has it (text) or as TOML and JSON have it."""
    return str(value).lower()


def _open(why: str) -> Verdict:
    return Verdict(Reach.UNKNOWN, why)
