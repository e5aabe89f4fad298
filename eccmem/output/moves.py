"""Where the repository stood when a hand-off was written, and how far it has moved since, for people and programs."""

from eccmem.output.terminal import line
from eccmem.standing import Moved, Standing


def told(written_at: Standing, moved: Moved | None) -> list[str]:
    """A line for the head of a memory; none where the memory does not say."""
    if not written_at.shown:
        return []
    return [f"Written at: {line(written_at.shown)}{_since(moved) if written_at.head else ''}"]


def _since(moved: Moved | None) -> str:
    if moved is None:
        return "; how far the repository has moved since cannot be told"
    if not moved.known:
        return "; this repository does not have that commit"
    if not (moved.commits or moved.left):
        return "; the repository has not moved since"
    beside = f", without {_many(moved.left, 'commit')} that led there" if moved.left else ""
    return f"; since then {_many(moved.commits, 'commit')}{beside}, {_many(moved.files, 'file')} changed"


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def payload(written_at: Standing, moved: Moved | None) -> dict[str, object]:
    """A field of a payload; none where the memory does not say."""
    if not written_at.shown:
        return {}
    known = moved is not None and moved.known
    return {
        "writtenAt": {
            "branch": written_at.branch or None,
            "head": written_at.head or None,
            "known": known,
            "commitsSince": moved.commits if moved and known else None,
            "commitsLeft": moved.left if moved and known else None,
            "filesChanged": moved.files if moved and known else None,
        }
    }
