"""What ``adopt`` did, for people and for programs."""

from eccmem.adopt import Adopted
from eccmem.output.terminal import line
from eccmem.text import printable_name


def text(done: Adopted, source: str) -> str:
    """How many memories were copied and which, and what was not.

    Args:
        done: what came of it.
        source: the other worktree, as it is named from here.
    """
    source = line(source)
    if not (done.copied or done.here or done.left):
        return f"There are no private memories in {source}\n"
    count = len(done.copied)
    lines = [f"Adopted {count} {'memory' if count == 1 else 'memories'} from {source}"]
    lines += [f"- {path}" for path in done.copied]
    if done.here:
        lines.append(f"Here already: {done.here}")
    lines += [f"Left: {line(printable_name(item.path)) or 'the rest'} ({line(item.why)})" for item in done.left]
    return "".join(f"{item}\n" for item in lines)


def payload(done: Adopted) -> dict[str, object]:
    """The same as a payload."""
    return {
        "schemaVersion": "eccmem.adopt.v1",
        "copied": list(done.copied),
        "here": done.here,
        "left": [{"path": printable_name(item.path), "why": item.why} for item in done.left],
        "warnings": list(done.warnings),
    }
