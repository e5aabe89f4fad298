"""Making a vault ready: folders, the guard, and what protects team memories from being hidden."""

from collections.abc import Sequence
from dataclasses import dataclass

from eccmem import guard
from eccmem.files import writing
from eccmem.model import Kind, Scope
from eccmem.roots import VAULT, VaultRoots
from eccmem.tree import mode_of, open_or_make


@dataclass(frozen=True, slots=True)
class Initialized:
    """The kind folders of the scopes, what else was made, and what the person should know."""

    folders: tuple[str, ...]
    made: tuple[str, ...]
    warnings: tuple[str, ...]


def init(roots: VaultRoots, scopes: Sequence[Scope]) -> Initialized:
    """Make the scopes ready; what is there already is left as it is.

    Raises:
        EccmemError: when a guard is not the right one, or something cannot be made.
    """
    folders: list[str] = []
    made: list[str] = []
    warnings: list[str] = []
    for scope in scopes:
        root = roots.of(scope)
        with open_or_make(root) as folder:
            prepared = guard.prepare(roots, scope, folder)
            made += prepared.made
            warnings += prepared.warnings
            for kind in Kind:
                shown = root.show(kind.folder)
                with writing(shown), folder.make(kind.folder, mode_of(root)) as kind_folder:
                    if guard.shield(root, shown, kind_folder):
                        made.append(f"{shown}/{guard.NAME}")
                folders.append(str(root.path / kind.folder))
        if scope is Scope.TEAM and guard.ensure_attributes(roots):
            made.append(f"{VAULT[0]}/{guard.ATTRIBUTES_NAME}")
    return Initialized(tuple(folders), tuple(made), tuple(warnings))
