"""What to add by hand where there are hooks already: lines that can be copied."""

from eccmem.githooks.place import HookFile, Kind
from eccmem.githooks.shim import CALLS, NAMES, PROGRAM, text

_LOCAL_HOOK = f"""\
  - repo: local
    hooks:
      - id: eccmem
        name: eccmem
        entry: {PROGRAM} all
        language: system
        always_run: true
        pass_filenames: false
        stages: [{", ".join(NAMES)}]
"""
_LEFTHOOK = """\
{name}:
  scripts:
    eccmem:
      runner: sh{stdin}
"""
# A script that reads what Git tells of a push (that of Git LFS does) has to get it all the same.
_FOREIGN_PUSH = f"""\
pushed=$(cat)
printf '%s' "$pushed" | {CALLS["pre-push"]} || exit $?
"""


def lines_to_add(hook: HookFile, manager: Kind | None = None) -> tuple[str, ...]:
    """First where to add something, then what; a hook that is missing beside a manager's is the manager's to make."""
    name = hook.name
    if manager and hook.kind in (Kind.NONE, Kind.SAMPLE):
        return (f"{manager} install --hook-type {name}",)
    if hook.kind in (Kind.PRE_COMMIT, Kind.PREK):
        return ("to .pre-commit-config.yaml, below repos:", *_lines(_LOCAL_HOOK))
    if hook.kind is Kind.HUSKY:
        return (f"to .husky/{name}, as its first line:", CALLS[name])
    if hook.kind is Kind.LEFTHOOK:
        stdin = "\n      use_stdin: true" if name == "pre-push" else ""
        script = text(name).decode()
        return (
            "to lefthook.yml:",
            *_lines(_LEFTHOOK.format(name=name, stdin=stdin)),
            f"and as .lefthook/{name}/eccmem:",
            *_lines(script),
        )
    if hook.kind is Kind.FOREIGN:
        added = _FOREIGN_PUSH if name == "pre-push" else f"{CALLS[name]} || exit $?\n"
        then = ('and give "$pushed" to what reads standard input after it',) if name == "pre-push" else ()
        return (f"to {hook.shown}, right after its first line:", *_lines(added), *then)
    return (f"as {hook.shown}, executable:", *_lines(text(name).decode()))


def _lines(block: str) -> tuple[str, ...]:
    return tuple(block.splitlines())
