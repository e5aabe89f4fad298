"""The variables of an env file, as programs that read such files take them; for their values, not for their names."""

import re

_LINE = re.compile(r"""[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]{0,200})[ \t]*=[ \t]*(.*)""")
_QUOTED = re.compile(r"""(["'`])((?:\\.|(?!\1|\\).)*)\1""")
_COMMENT = re.compile(r"[ \t]#.*")


def parse(text: str) -> dict[str, str]:
    """Names and values; what is no assignment is passed over, and of two of one name the last counts.

    A value ends with its line; one in quotes at the closing one, and a backslash before a quote goes.
    """
    found = {}
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            name, raw = match.groups()
            quoted = _QUOTED.match(raw)
            found[name] = re.sub(r"""\\(["'`\\])""", r"\1", quoted[2]) if quoted else _COMMENT.sub("", raw).strip()
    return found
