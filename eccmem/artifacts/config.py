"""Where a repository keeps its governed documents, as it says itself.

Its own settings for eccmem come first, then those of the tools that make decision records, in this order:
adr-tools, log4brains, dotnet-adr, adrs, pyadr.
"""

import json
import posixpath
import tomllib
from collections.abc import Callable, Iterable, Mapping
from configparser import ConfigParser
from configparser import Error as IniError
from dataclasses import dataclass, field
from typing import Any

from eccmem import limits
from eccmem.artifacts import yamltext
from eccmem.artifacts.globs import Globs, problem_of
from eccmem.artifacts.values import ArtifactKind

OURS = ("pyproject.toml", ".ecc/config.toml")
# The order is that of precedence.
TOOLS = (".adr-dir", ".log4brains.yml", "adr.config.json", "adrs.toml", ".adr")
_KEYS = frozenset({"folders", "globs"})

Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Problem:
    """A configuration file that cannot be used as it is, and why; ``ours`` for one that is written for eccmem."""

    path: str
    message: str
    ours: bool


@dataclass(frozen=True, slots=True)
class Config:
    """Where governed documents are.

    Attributes:
        folders: for a kind the folders that hold such documents, the first one first of all, relative to the
            repository; "" is its top.
        globs: for a kind the patterns of such documents.
        exclude: the patterns of what is none.
        conventions: whether names and folders that are usual count too.
        problems: what could not be used.
    """

    folders: Mapping[ArtifactKind, tuple[str, ...]] = field(default_factory=dict)
    globs: Mapping[ArtifactKind, Globs] = field(default_factory=dict)
    exclude: Globs = field(default_factory=Globs)
    conventions: bool = True
    problems: tuple[Problem, ...] = ()


def is_config(path: str) -> bool:
    """Whether a path may say where documents are: ours lie at the top, those of the tools anywhere."""
    return path in OURS or path.rpartition("/")[2] in TOOLS


def read_config(read: Read, paths: Iterable[str] = (*OURS, *TOOLS)) -> Config:
    """What the files of a repository say.

    Args:
        read: gives the content of a file by its path; None where there is none.
        paths: the files to look at, of those that :func:`is_config` knows.
    """
    found = _Found()
    chosen = sorted(filter(is_config, paths), key=_precedence)
    for path in chosen[: limits.ARTIFACT_CONFIGS]:
        data = read(path)
        if data is None:
            continue
        try:
            (_ours if path in OURS else _of_tool)(found, path, _text(data))
        except _Unusable as error:
            found.problem(path, str(error))
    for path in chosen[limits.ARTIFACT_CONFIGS :]:
        found.problem(path, f"it was not looked at: there are more than {limits.ARTIFACT_CONFIGS} such files")
    return found.done()


def _text(data: bytes) -> str:
    if len(data) > limits.CONFIG_BYTES:
        raise _Unusable("it is too large")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Unusable("it is not UTF-8") from None


def _precedence(path: str) -> tuple[int, int, str]:
    if path in OURS:
        return -OURS.index(path), 0, path  # ours of .ecc/ stands before what a project file says
    return 1 + TOOLS.index(path.rpartition("/")[2]), path.count("/"), path


class _Unusable(Exception):
    pass


class _Found:
    """What the files said so far."""

    def __init__(self) -> None:
        self.folders: dict[ArtifactKind, list[str]] = {}
        self.globs: dict[ArtifactKind, list[str]] = {}
        self.exclude: list[str] | None = None
        self.conventions: bool | None = None
        self.problems: list[Problem] = []
        self._by_us: set[tuple[ArtifactKind, str]] = set()

    def problem(self, path: str, message: str) -> None:
        self.problems.append(Problem(path, message, path in OURS))

    def own(self, kind: ArtifactKind, key: str, values: list[str]) -> None:
        """Take a setting of ours, unless a file before said another."""
        if (kind, key) not in self._by_us:
            self._by_us.add((kind, key))
            (self.folders if key == "folders" else self.globs)[kind] = values

    def folder(self, kind: ArtifactKind, folder: str) -> None:
        known = self.folders.setdefault(kind, [])
        if folder not in known:
            known.append(folder)

    def done(self) -> Config:
        return Config(
            {kind: tuple(folders) for kind, folders in self.folders.items()},
            {kind: Globs(tuple(globs)) for kind, globs in self.globs.items()},
            Globs(tuple(self.exclude or ())),
            self.conventions is not False,
            tuple(self.problems),
        )


def _ours(found: _Found, path: str, text: str) -> None:
    table = _toml(text)
    names = ("tool", "eccmem", "artifacts") if path == OURS[0] else ("artifacts",)
    for depth, name in enumerate(names, 1):
        table = table.get(name, {})
        if not isinstance(table, dict):
            raise _Unusable(f"{'.'.join(names[:depth])} is not a table")
    unknown = sorted(set(table) - {"exclude", "conventions", *ArtifactKind})
    if unknown:
        raise _Unusable(f"[{'.'.join(names)}] has the unknown key {unknown[0][:40]!r}")
    conventions = table.get("conventions", True)
    if not isinstance(conventions, bool):
        raise _Unusable("conventions is neither true nor false")
    exclude = _texts("exclude", table.get("exclude", []))
    kinds = {kind: _kind(kind, table[kind]) for kind in ArtifactKind if kind in table}
    if found.conventions is None and "conventions" in table:
        found.conventions = conventions
    if found.exclude is None and "exclude" in table:
        found.exclude = exclude
    for kind, settings in kinds.items():
        for key, values in settings.items():
            found.own(kind, key, values)


def _kind(kind: ArtifactKind, table: object) -> dict[str, list[str]]:
    if not isinstance(table, dict) or not set(table) <= _KEYS:
        raise _Unusable(f"{kind} is not a table of folders and globs alone")
    settings = {key: _texts(f"{kind}.{key}", values) for key, values in table.items()}
    if "folders" in settings:
        settings["folders"] = [_inside("", folder) for folder in settings["folders"]]
    return settings


def _texts(key: str, values: object) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) and value for value in values):
        raise _Unusable(f"{key} is not a list of texts")
    if len(values) > limits.ARTIFACT_PATTERNS:
        raise _Unusable(f"{key} has more than {limits.ARTIFACT_PATTERNS} entries")
    if not key.endswith("folders") and (why := next(filter(None, map(problem_of, values)), None)):
        raise _Unusable(f"{key}: {why}")
    return values


def _of_tool(found: _Found, path: str, text: str) -> None:
    folder, _, name = path.rpartition("/")
    for value in _TOOLS[name](text):
        if not isinstance(value, str) or not value.strip():
            raise _Unusable("the folder that it names is no text")
        found.folder(ArtifactKind.ADR, _inside(folder, value.strip()))


def _inside(folder: str, value: str) -> str:
    """A folder, relative to that of the file that names it, as a path in the repository."""
    path = posixpath.normpath(posixpath.join(folder, value.replace("\\", "/")))
    if path.startswith(("/", "..")) or "\0" in path or len(path) > limits.REPORT_PATH_CHARS:
        raise _Unusable("the folder that it names is not in the repository")
    return "" if path == "." else path


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        raise _Unusable("it is no valid TOML") from None


def _adr_dir(text: str) -> list[object]:
    """One line: a path (npryce/adr-tools, _adr_dir)."""
    return [text.strip().partition("\n")[0].strip()]


def _log4brains(text: str) -> list[object]:
    """``project.adrFolder``, and ``adrFolder`` of each of ``project.packages`` (thomvaill/log4brains)."""
    try:
        project = yamltext.mapping(text).get("project")
    except yamltext.NotRead:
        raise _Unusable("it is no YAML that is read here") from None
    if not isinstance(project, dict):
        raise _Unusable("it has no project")
    packages = project.get("packages") or []
    tables = [project, *packages] if isinstance(packages, list) else [project]
    return [table["adrFolder"] for table in tables if isinstance(table, dict) and table.get("adrFolder")]


def _dotnet_adr(text: str) -> list[object]:
    """``{"path": …}`` (endjin/dotnet-adr)."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _Unusable("it is no valid JSON") from None
    return [value["path"]] if isinstance(value, dict) and "path" in value else []


def _adrs(text: str) -> list[object]:
    """``adr_dir`` (joshrotenberg/adrs)."""
    table = _toml(text)
    return [table["adr_dir"]] if "adr_dir" in table else []


def _pyadr(text: str) -> list[object]:
    """``records-dir`` of the section ``adr`` (opinionated-digital-center/pyadr)."""
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except IniError:
        raise _Unusable("it is no valid INI file") from None
    named: list[object] = [parser[section].get("records-dir") for section in ("DEFAULT", *parser.sections())]
    return [value for value in named if value][:1]


_TOOLS: Mapping[str, Callable[[str], list[object]]] = {
    ".adr-dir": _adr_dir,
    ".log4brains.yml": _log4brains,
    "adr.config.json": _dotnet_adr,
    "adrs.toml": _adrs,
    ".adr": _pyadr,
}
