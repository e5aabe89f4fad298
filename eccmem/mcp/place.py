"""Which project a call is about: a working directory that is one, or a folder that the client names as one.

Harnesses start servers in ``/``, in the home folder, or in a folder that is gone by the time of a call; a vault made
there would be found by nobody, or by every project.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eccmem import roots
from eccmem.errors import EccmemError
from eccmem.model import Scope
from eccmem.roots import PROJECT_OVERRIDE, VaultRoots, nearest_checkout

_REMEDY = f"start the server in a repository, or set {PROJECT_OVERRIDE} for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the entry point knows: how to ask for the working directory, the environment, the home folder."""

    here: Callable[[], Path]
    env: Mapping[str, str]
    home: Path | None

    def vault(self, scopes: Sequence[Scope], offered: Sequence[Path]) -> VaultRoots:
        """The roots for one call.

        Args:
            scopes: what the call is about; the user scope alone needs no project.
            offered: the folders that the client has open, for when the working directory is no project.

        Raises:
            EccmemError: when none of them is a project.
        """
        if self.home is not None and set(scopes) == {Scope.USER}:
            return roots.resolve(self.home, self.env, self.home)
        if self.env.get(PROJECT_OVERRIDE):
            return roots.resolve(self.here(), self.env, self.home)
        return roots.resolve(self._project(offered), self.env, self.home)

    def needs_offer(self) -> bool:
        """Whether the working directory is no project, so that the client's folders are worth asking for."""
        if self.env.get(PROJECT_OVERRIDE):
            return False
        try:
            self._project(())
        except EccmemError:
            return True
        return False

    def _project(self, offered: Sequence[Path]) -> Path:
        try:
            here = self.here()
            why = self._unfit(here)
        except EccmemError as error:
            here, why = None, error
        if here is not None and why is None:
            return here
        for folder in offered:
            if folder.is_absolute() and folder.is_dir() and self._unfit(folder) is None:
                return folder
        assert why is not None  # noqa: S101 - for the type checker: else it was returned
        raise why

    def _unfit(self, folder: Path) -> EccmemError | None:
        """Why a folder is no project, if so."""
        real = Path(os.path.realpath(nearest_checkout(folder)))
        if real == real.parent:
            return EccmemError("no-project", "the working directory is the root of the file system", _REMEDY)
        if real in self._homes():
            return EccmemError("no-project", "the working directory is a home folder, not a project", _REMEDY)
        return None

    def _homes(self) -> set[Path]:
        """The person's home folder, as it is named and as the system knows it, and that of Codex."""
        named = [str(self.home)] if self.home is not None else []
        try:
            import pwd  # noqa: PLC0415 - not on Windows

            named.append(pwd.getpwuid(os.getuid()).pw_dir)
        except (ImportError, KeyError):
            pass
        named += [os.path.join(home, ".codex") for home in named]  # noqa: PTH118 - text as it was named
        env = self.env
        named.append(env.get("CODEX_HOME", ""))
        return {Path(os.path.realpath(home)) for home in named if home}
