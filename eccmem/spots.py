"""Where in a vault a path of Git lies, if it lies in one."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath

from eccmem import limits, treefiles
from eccmem.model import Scope
from eccmem.roots import VAULT, Root
from eccmem.text import printable_name
from eccmem.vault import Place

# However deep it lies, and in any spelling that some file system takes for it: HFS+ and a casefolded ext4 ignore some
# characters (Default_Ignorable_Code_Point), NTFS dots and blanks at the end, what follows a colon, and has short names;
# all of them, like most, ignore case.
_IGNORED = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)


def _spelled(name: str) -> str:
    letters = _IGNORED.join(re.escape(letter) for letter in name)
    return rf"{_IGNORED}{letters}{_IGNORED}[. ]*(?::[^/]*)?"


@cache
def _pattern(scope: Scope | None) -> re.Pattern[str]:
    """Paths in a scope, or (None) of a folder with scopes; compiled when a path may be of the kind."""
    first = rf"(?:^|.*?/)(?:{_spelled('.ecc')}|{_spelled('ecc~1')})"
    memory = _spelled("memory")
    whole = rf"({first}/{memory})/({_spelled(scope)})(?:/(.*))?" if scope else rf"{first}(?:/{memory})?"
    return re.compile(whole, re.IGNORECASE | re.DOTALL)


_COMMITTED = (Scope.PROJECT, Scope.TEAM)  # what is in both is private
# Cheap to look for in a hundred thousand names: without it, none of the above is there.
_PERHAPS = re.compile(rb"ecc|\.git(?:attributes|ignore)|[\x80-\xff]", re.IGNORECASE)
_PATHSPECS = tuple(f":(top,icase,glob)**/{some}{below}" for some in ("*ecc*", "*[^ -~]*") for below in ("", "/**"))
# All but a few paths of a vault need none of that.
OURS = "/".join(VAULT)
_USUAL_ENTRY = re.compile(rb"(?<![^\0])100644 [0-9a-f]+ 0\t(\.ecc/memory/team/[a-z]+/(mem_[a-z0-9_-]+)\.md)\0")
_USUAL = {f"{OURS}/{scope}/": scope for scope in _COMMITTED}


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in a vault a path of Git lies.

    Attributes:
        vault: the folder that holds the scopes, as written.
        folder: the scope's folder, as written.
        scope: which of them it is.
        relative: the path below; empty for an entry in the place of the folder itself.
        is_spelled_right: whether eccmem would look there, and not only some file system.
    """

    vault: str
    folder: str
    scope: Scope
    relative: str
    is_spelled_right: bool

    @property
    def place(self) -> Place:
        """The place, as the vault's other readers have it."""
        return Place(_root(self.vault, self.folder, self.scope), self.relative)

    @property
    def is_memory(self) -> bool:
        """Whether a walk through the working tree would take the file for a memory."""
        *folders, name = self.relative.split("/")
        return name.endswith(".md") and not any(part.startswith(".") for part in (*folders, name))


@cache
def _root(vault: str, folder: str, scope: Scope) -> Root:
    path = PurePosixPath(vault, folder)
    return Root(scope, Path(), path.parts, f"{printable_name(str(path))}/")


@lru_cache(maxsize=limits.SPOTS)
def spot(path: str, moved: str | None = None) -> Spot | None:
    """Where a path lies in the private or the team scope of a vault; None when it lies in none.

    Args:
        path: relative to the top of the repository.
        moved: the folder of a vault that an override moved, relative likewise, with a final slash (empty at the top).
    """
    if (not path.isascii()) or ("ecc" in (lower := path.lower()) and "memory" in lower):
        for start, scope in _USUAL.items():
            if path.startswith(start) and path.isascii() and "ecc" not in lower[len(start) :]:
                return Spot(OURS, scope.value, scope, path[len(start) :], is_spelled_right=True)
        for scope in _COMMITTED:
            if match := _pattern(scope).fullmatch(path):
                vault, folder, below = match.groups()
                right = PurePosixPath(vault).parts[-2:] == VAULT and folder == scope
                return Spot(vault, folder, scope, below or "", right)
    return None if moved is None else _moved_spot(path, moved)


def _moved_spot(path: str, moved: str) -> Spot | None:
    """As :func:`spot`, in the folder of a moved vault, in any case: to many file systems it is the same folder."""
    above, rest = path[: len(moved)], path[len(moved) :]
    folder, _, below = rest.partition("/")
    if above.lower() != moved.lower() or folder.lower() not in _COMMITTED:
        return None
    right = above == moved and folder in _COMMITTED
    return Spot(above.rstrip("/"), folder, Scope(folder.lower()), below, right)


def around(paths: Iterable[str], moved: str | None = None) -> list[str] | None:
    """What of an index concerns the vaults of some paths: their folders, and rules above them; None where all may."""
    found: set[str] = set()
    for path in paths:
        where = spot(path, moved)
        folder = where.vault.rpartition("/")[0] or where.vault if where else ""
        if not folder and is_above(path, moved):
            folder = path
        if not folder:
            return None
        above = PurePosixPath(folder).parents
        found |= {folder, *(str(parent / name) for parent in above for name in treefiles.NAMES)}
        if len(found) > limits.LISTED_PATHS:
            return None
    return sorted(found)


def take_usual(listing: bytes, touched: Collection[str]) -> tuple[frozenset[str], bytes]:
    """Take out of a listing of the index what is certainly a memory, with its id for a name, that no change touches.

    In a vault of thousands this leaves a handful of entries to look at.

    Returns:
        The ids that were taken out, and the rest of the listing.
    """
    ids: set[str] = set()

    def take(match: re.Match[bytes]) -> bytes:
        if match[1].decode() in touched:
            return match[0]
        ids.add(match[2].decode())
        return b""

    rest = _USUAL_ENTRY.sub(take, listing)
    return frozenset(ids), rest


def is_above(path: str, moved: str | None = None) -> bool:
    """Whether an entry stands in the place of a folder that holds scopes; only a symlink or a submodule can."""
    possible = not path.isascii() or path.lower().rstrip(". ").endswith(("ecc", "ecc~1", "memory")) or ":" in path
    return (possible and _pattern(None).fullmatch(path) is not None) or (moved or "").startswith(f"{path}/")


def perhaps(moved: str | None) -> re.Pattern[bytes] | None:
    """What to look for in Git's lists before :func:`concerns` decides; None where everything may concern a vault."""
    return _PERHAPS if moved is None else None


def pathspecs(moved: str | None) -> tuple[str, ...]:
    """What to ask Git for where it lists commits, before :func:`concerns` decides."""
    return _PATHSPECS if moved is None else ()


def concerns(path: str, moved: str | None = None) -> bool:
    """Whether what stands at a path can matter to a vault: a part of it, or rules about how Git takes its files."""
    return treefiles.is_named_so(path) or spot(path, moved) is not None or is_above(path, moved)
