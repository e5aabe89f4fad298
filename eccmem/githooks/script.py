"""Whether a shell script comes to eccmem-hook, as far as its text can prove it.

Only a straight script is understood: one simple command after the other.
Such a script comes to our line, or it ends before with a failure, which stops Git as well.
Anything that branches, jumps or hides what it runs is left open, and ``eccmem hooks status --run`` can tell.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from eccmem.githooks import shim
from eccmem.githooks.shim import CALLS, CHECKS, PROGRAM


class Reach(StrEnum):
    """Whether Git comes to eccmem-hook by a hook."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one hook.

    Attributes:
        reaches: whether it comes to eccmem-hook, and stops Git when that does.
        why: the reason, without text of a script.
        checks: the checks that it asks for.
        programs: what it tries to call, one of which has to be found; none where a manager brings its own.
        ignored: whether it goes on when eccmem-hook fails.
    """

    reaches: Reach
    why: str
    checks: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    ignored: bool = False


_SHEBANG = re.compile(r"#! *(?:/usr)?/bin/(?:env +)?(?:sh|bash|dash)(?: +-([eux]+))? *$")
_WORD = r"""(?:[A-Za-z0-9_./:@%+,=-]+|'[^']*'|"[^"$`\\]*"|"\$[@0-9]")"""
_ON_FAILURE = r"(?: *\|\| *exit(?: +(?:[1-9][0-9]*|\$\?|\"\$\?\"))?)?"
_SIMPLE = re.compile(rf"([A-Za-z0-9_./-]+)(?: +{_WORD})*{_ON_FAILURE}$")
_CALL = re.compile(
    rf"""(exec +)?((?:[A-Za-z0-9_./-]*/)?{PROGRAM}|'[^']*/{PROGRAM}') +({"|".join(CHECKS)})"""
    rf"""( +--base +[A-Za-z0-9_./@^~-]+)?( +--pre-push +(?:"\$@"|"\$1" +"\$2"))?({_ON_FAILURE})$"""
)
_SET = re.compile(r"set +-(?:[eux]*o +pipefail|[eux]+)$")
# Words that end a script, jump in it, or change what a later word means; and a program that is given its input.
_BENDING = re.compile(
    "if|then|else|elif|fi|for|while|until|case|esac|do|done|select|function|time|coproc|exit|return|exec|[.]|source|eval"
    "|trap|alias|unalias|hash|builtin|command|enable|break|continue|unset|set|shopt|export|readonly|declare|typeset"
    "|local|cd|pushd|popd|kill|read|umask"
)


def judge(data: bytes, name: str, *, strict: bool = False) -> Verdict:
    """As :func:`read`, for a file that may also be a shim of ours."""
    program = shim.program_of(name, data)
    if program is False:
        return read(data.decode("utf-8", "replace"), name, strict=strict)
    first = () if program is None else (str(program),)
    return Verdict(Reach.YES, "it is a shim of eccmem", ("all",), (*first, PROGRAM))


def read(text: str, name: str, *, strict: bool = False) -> Verdict:
    """Whether a script that Git runs as a hook, or that a hook runs, comes to eccmem-hook.

    Args:
        text: the script.
        name: the hook, such as ``pre-push``.
        strict: whether the shell stops at the first failure, as after ``set -e``.
    """
    # As a shell does: str.splitlines would see lines where it sees none.
    lines = [line.strip(" \t") for line in text.split("\n")]
    commands = [line for line in lines if line and not line.startswith("#")]
    if not any(PROGRAM in line for line in commands):
        return Verdict(Reach.NO, f"it does not call {PROGRAM} itself")
    if lines[0].startswith("#!"):
        if not (shebang := _SHEBANG.match(lines[0])):
            return _open("it is no shell script")
        strict |= "e" in (shebang[1] or "")
    for index, line in enumerate(commands):
        if call := _CALL.match(line):
            return _called(call, name, first=not any(commands[:index]), last=index == len(commands) - 1, strict=strict)
        if _SET.match(line):
            strict |= "e" in line.partition("-")[2].partition("o")[0]
            commands[index] = ""
        elif not (simple := _SIMPLE.match(line)) or _BENDING.fullmatch(simple[1]):
            return _open("the script branches or jumps before")
    return _open("its call is written in another way than shown")


def _called(call: re.Match[str], name: str, *, first: bool, last: bool, strict: bool) -> Verdict:
    """What the line that calls us comes to."""
    handed_over, program, check, _, push, on_failure = call.groups()
    if name == "pre-push" and not push:
        return Verdict(Reach.NO, f"it does not hand over what is pushed: `{CALLS[name]}`")
    if name != "pre-push" and push:
        return Verdict(Reach.NO, f"it asks about a push: `{CALLS[name]}`")
    if name == "pre-push" and not first:
        return _open("what runs before could read away what Git tells of the push")
    if not (handed_over or on_failure or last or strict):
        return Verdict(Reach.NO, f"it goes on when {PROGRAM} fails: add `|| exit $?`", ignored=True)
    return Verdict(Reach.YES, f"it calls {PROGRAM}", (check,), (program.strip("'"),))


def _open(why: str) -> Verdict:
    return Verdict(Reach.UNKNOWN, f"it names {PROGRAM}, but {why}")
