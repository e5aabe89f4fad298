"""What the script of a hook manager, and the configuration that it reads, come to."""

import json
import os
import re
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path
from shutil import which

from eccmem.githooks import configuration
from eccmem.githooks.place import HookFile, Kind, content
from eccmem.githooks.script import Reach, Verdict, judge
from eccmem.githooks.shim import NAMES

_PRE_COMMIT = re.compile(r"^ARGS=\(hook-impl (.*)\)$", re.MULTILINE)
_PREK = re.compile(r'^exec (?:"\$PREK"|[\w./]+(?: [\w./]+)*) hook-impl (.*) -- "\$@"$', re.MULTILINE)
_KNOWN = ("--config", "--hook-type", "--hook-dir", "--script-version", "--skip-on-missing-config")
_PREK_FILES = ("prek.toml", ".pre-commit-config.yaml", ".pre-commit-config.yml")
_LEFTHOOK_FILES = tuple(
    f"{stem}.{kind}"
    for stem in ("lefthook", ".lefthook", ".config/lefthook")
    for kind in ("yml", "yaml", "toml", "json")
)
_LEFTHOOK_PROGRAM = re.compile(r"^ *elif (/[^\s'\"]+) -h >", re.MULTILINE)
_NOT_READ = Verdict(Reach.UNKNOWN, "its configuration is written in a way that is not read here")


class Unclear(Exception):
    """A configuration that cannot be read."""


def verdict(hook: HookFile, checkout: Path, search: str) -> Verdict:
    """What a hook of a manager comes to.

    Args:
        hook: the hook, of a kind that has a manager.
        checkout: the top of the working tree, where managers look for their files.
        search: the folders in which Git's hooks find programs.
    """
    text = (hook.data or b"").decode("utf-8", "replace")
    if hook.kind is Kind.HUSKY:
        return _husky(hook)
    if hook.kind is Kind.LEFTHOOK:
        return _lefthook(hook.name, text, checkout, search)
    found = _generated(hook.kind, text, checkout)
    return found if found.reaches is Reach.YES else _replaced(hook) or found


def _generated(kind: Kind, text: str, checkout: Path) -> Verdict:
    """What pre-commit and prek do, by the words that their script calls them with."""
    call = (_PRE_COMMIT if kind is Kind.PRE_COMMIT else _PREK).search(text)
    options = _options(call[1]) if call else None
    if options is None or options.get("--hook-type") not in NAMES or re.search(r"\bexit 0\b", text):
        return Verdict(Reach.UNKNOWN, f"it is made by {kind}, but not as {kind} makes it today")
    named = options.get("--config")
    names = (named,) if named is not None else _PREK_FILES
    path = next((checkout / name for name in names if os.path.lexists(checkout / name)), None)
    if path is None:
        return Verdict(Reach.NO, "its configuration is not there")
    try:
        return configuration.pre_commit(parsed(path), options["--hook-type"])
    except Unclear:
        return _NOT_READ


def _options(words: str) -> dict[str, str] | None:
    """The options of a call; None with anything else in it, which would choose among the hooks."""
    try:
        pairs = [word.partition("=") for word in shlex.split(words)]
    except ValueError:
        return None
    return {name: value for name, _, value in pairs} if all(name in _KNOWN for name, _, _ in pairs) else None


def _replaced(hook: HookFile) -> Verdict | None:
    """The hook that was there before the manager, which goes on to run."""
    before = hook.path.with_name(f"{hook.name}.legacy")
    data = content(before) if os.access(before, os.X_OK) else None
    found = judge(data, hook.name) if data is not None else None
    if found is None or found.reaches is not Reach.YES:
        return None
    return replace(found, why=f"{hook.kind} still runs the hook that it replaced")


def _husky(hook: HookFile) -> Verdict:
    data = content(hook.path.parent.parent / hook.name)
    if data is None:
        return Verdict(Reach.NO, f"husky has no script for {hook.name}, and lets everything through")
    # It runs the script with `sh -e`.
    return judge(data, hook.name, strict=True)


def _lefthook(name: str, text: str, checkout: Path, search: str) -> Verdict:
    known = _LEFTHOOK_PROGRAM.search(text)
    if not (which("lefthook", path=search) or (known and os.access(known[1], os.X_OK))):
        return Verdict(Reach.UNKNOWN, "lefthook is not on PATH, and where its hook does not find it all is let through")
    found = [checkout / file for file in _LEFTHOOK_FILES if os.path.lexists(checkout / file)]
    local = [
        file for file in _LEFTHOOK_FILES if os.path.lexists(checkout / re.sub(r"lefthook\.", "lefthook-local.", file))
    ]
    if not found:
        return Verdict(Reach.NO, "its configuration is not there")
    if len(found) > 1 or local:
        return Verdict(Reach.UNKNOWN, "its configuration is put together of several files")
    try:
        config = parsed(found[0])
    except Unclear:
        return _NOT_READ
    return configuration.lefthook(config, name, lambda script: content(checkout / ".lefthook" / name / script))


def parsed(path: Path) -> object:
    """The content of a configuration file.

    Raises:
        Unclear: when it is written in a way that is not read here.
    """
    data = content(path)
    if data is None:
        raise Unclear
    try:
        text = data.decode()
        if path.suffix == ".toml":
            return tomllib.loads(text)
        return json.loads(text) if path.suffix == ".json" else read_yaml(text)
    except (ValueError, RecursionError):  # what both readers say of a wrong text, and of one that nests without end
        raise Unclear from None


def read_yaml(text: str) -> object:
    """The value of a YAML text: mappings, sequences, and scalars as they are written.

    Raises:
        Unclear: for what is no YAML, or has aliases: with these, a small file can stand for a huge one.
    """
    import yaml  # noqa: PLC0415 - 30 ms for one command

    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise Unclear
        # It makes nothing but text, lists and mappings; no word of a configuration becomes a boolean or a date.
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        raise Unclear from None
