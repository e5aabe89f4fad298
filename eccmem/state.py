"""What is judged: a value that :mod:`eccmem.gate` makes of an index, a commit, a range or a push."""

from dataclasses import dataclass

from eccmem.repo import Tracked
from eccmem.revisions import Added, Change


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is judged, all of it as Git has it.

    Attributes:
        entries: what of an index or a tree concerns vaults.
        touched: the paths that the change touches; None judges the whole state.
        changes: what the change does to ``entries``.
        since: what became of the published state; of the old entries, those that the change may not alter.
        beside: what others published meanwhile, which a merge will bring together with this.
        commits: what single commits bring to vaults, even if a later one takes it away again.
        moved: the folder of a vault that an override moved.
        ids: memories of the vault at the top that no change touches and that are not among ``entries``: only their
            names were looked at.
        allowed_at: the commit whose list says which values are no secrets; never one that is judged, but for a single
            commit. None where nothing is allowed.
    """

    entries: tuple[Tracked, ...]
    touched: frozenset[str] | None = None
    changes: tuple[Change, ...] = ()
    since: tuple[Change, ...] = ()
    beside: tuple[Tracked, ...] = ()
    commits: tuple[Added, ...] = ()
    moved: str | None = None
    ids: frozenset[str] = frozenset()
    allowed_at: str | None = None
