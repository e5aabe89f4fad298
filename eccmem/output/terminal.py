"""Text from a vault made safe for a terminal: no escape sequence, no control character, no reordering.

A memory arrives by ``git pull``; shown raw, it could clear the screen, set the title, fake a prompt, or write to
the clipboard.
In a CI job it could command the runner, which obeys ``::`` at the start of a line, blanks before it or not, and
``##[`` anywhere (actions/runner, ActionCommand.cs).
"""

import re

from eccmem import limits

# Text, not compiled: most output is plain and needs none of them.
_ESCAPES = (
    # Strings with a terminator (OSC, DCS, SOS, PM, APC), as ESC sequence or as one C1 character.
    "(?:\x1b[PX\\]^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"
    # CSI: parameters, intermediates, one final character.
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"
    # Any other escape sequence.
    "|\x1b[ -/]*[0-~]?"
)
# C0 but tab and line feed, DEL and C1; bidirectional marks, embeddings, overrides, isolates; tag characters.
_CONTROLS = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
_COMMAND = r"(?m)^(\s*)::"
_BREAKS = "[\t\n\u2028\u2029]+"


def clean(text: str) -> str:
    """Make text safe; its lines and tabs stay."""
    if not (text.isascii() and text.isprintable()):
        text = re.sub(_CONTROLS, "", re.sub(_ESCAPES, "", text))
    if "::" in text:
        text = re.sub(_COMMAND, r"\1\\::", text)
    return text.replace("##[", r"#\#[")


def line(text: str, most: int = limits.SHOWN_CHARS) -> str:
    """Make text safe and one line of at most ``most`` characters."""
    one = re.sub(_BREAKS, " ", clean(text))
    return one if len(one) <= most else one[: most - 1] + "…"
