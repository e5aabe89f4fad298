"""What kind of governed document a path is, if any: by the names of its folders and of its file."""

import re
from collections.abc import Sequence

from eccmem.artifacts.config import Config
from eccmem.artifacts.values import ArtifactKind

# The endings of texts; some sites put the kind of page before that of the template.
_TEXT = re.compile(r"(?i)(?:\.html)?\.(?:md|mdx|markdown|mkd|rst|adoc|asciidoc|org)(?:\.erb)?\Z")
_PLAIN_TEXT = re.compile(r"(?i)\.(?:txt|mediawiki)\Z")
_SEPARATORS = re.compile(r"[\s_.]+")

_ADR_FOLDER = re.compile(
    r"(?:[a-z0-9]+-)*adrs?|adl|decisions?|(?:architectur(?:e|al)|design|technical|tech)-(?:decisions?|decision-records?)"
    r"|(?:architectur(?:e|al)-)?decision-(?:records?|logs?)|any-decision-records"
)
_RFC_FOLDER = re.compile(
    r"(?:[a-z0-9]+-)*(?:rfcs?|rfds?|keps?|peps?|jeps?|bips?|oeps?|eips?|slips?)|(?:enhancement|design)-proposals?"
)
_RUNBOOK_FOLDER = re.compile(r"(?:[a-z0-9]+-)*run-?books?")
_POSTMORTEM_FOLDER = re.compile(
    r"(?:[a-z0-9]+-)*post-?mortems?|incidents?|incident-(?:reports?|retros?|reviews?|retrospectives?)|outages"
)
_POLICY_FOLDER = re.compile(r"(?:[a-z0-9]+-)*polic(?:y|ies)")

_NUMBERED = re.compile(r"[0-9]{1,6}(?![0-9])")
_DATED = re.compile(r"(?:19|20)[0-9]{2}-?[0-9]{2}-?[0-9]{2}(?![0-9])")
_PREFIXED = re.compile(r"(?i)[a-z]{1,12}[-_ ]?[0-9]{1,6}(?![0-9])")
_ADR_NAME = re.compile(r"(?i)adr[-_ ]?[0-9]{1,6}(?![0-9])")
_RFC_NAME = re.compile(r"(?i)(?:rfc|rfd|kep|pep|jep|bip|oep|eip)[-_ ]?[0-9]{1,6}(?![0-9])")
_RUNBOOK_NAME = re.compile(r"(?i)(?:.*[-_ ])?run-?book")
_POSTMORTEM_NAME = re.compile(r"(?i)(?:.*[-_ ])?post-?mortem(?:[-_ ].*)?")

# Whole names alone: a decision about templates is a decision.
_NO_RECORD = frozenset(
    {
        *("readme", "index", "-index", "summary", "toc", "about"),
        *("template", "-template", "templates", "adr-template", "decision-template"),
        *("contributing", "changelog", "skill", "license", "code-of-conduct"),
    }
)
_RULES = frozenset(
    {"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", ".cursorrules", ".windsurfrules",
     ".clinerules", ".roorules", ".goosehints"}
)  # fmt: skip
_RULES_PATH = re.compile(
    r"(?i)(?:.*/)?(?:\.cursor/rules/.+\.(?:mdc|md)|\.github/copilot-instructions\.md"
    r"|\.github/instructions/.+\.instructions\.md|\.(?:windsurf|kiro|roo|clinerules|continue|augment|trae|amazonq)"
    r"/(?:rules|steering)/.+\.md|\.clinerules/.+\.md|\.claude/rules/.+\.md|\.junie/guidelines\.md)"
)


def kind_of(path: str, config: Config) -> ArtifactKind | None:
    """The kind of a document by its path alone, or None for what is none."""
    kind = _kind_of(path, config)
    return None if kind is None or path.startswith(".ecc/") or config.exclude.match(path) else kind


def _kind_of(path: str, config: Config) -> ArtifactKind | None:
    for kind, globs in config.globs.items():
        if globs.match(path):
            return kind
    *folders, name = path.split("/")
    for kind, chosen in config.folders.items():
        if kind is not ArtifactKind.RULES and any(_lies_in(path, folder) for folder in chosen):
            return kind if _is_record(folders, name) else None
    return _by_convention(path, folders, name) if config.conventions else None


def _lies_in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/") if folder else "/" not in path


def _by_convention(path: str, folders: Sequence[str], name: str) -> ArtifactKind | None:
    if name.lower() in _RULES or _RULES_PATH.fullmatch(path):
        return ArtifactKind.RULES
    stem, is_text = stem_of(name)
    if not is_text:
        return None
    names = [_plain(folder) for folder in folders]
    return _by_name(stem) or _by_folder(names, folders, name, stem)


def _by_name(stem: str) -> ArtifactKind | None:
    for kind, pattern in (
        (ArtifactKind.ADR, _ADR_NAME),
        (ArtifactKind.RFC, _RFC_NAME),
    ):
        if pattern.match(stem):
            return kind
    return None


def _by_folder(names: Sequence[str], folders: Sequence[str], name: str, stem: str) -> ArtifactKind | None:
    # The nearest folder says the most.
    for depth in range(len(names) - 1, -1, -1):
        for kind, pattern in _FOLDERS:
            if pattern.fullmatch(names[depth]) and _is_record(folders[depth + 1 :], name):
                return kind
    if _RUNBOOK_NAME.fullmatch(stem):
        return ArtifactKind.RUNBOOK
    return ArtifactKind.POSTMORTEM if _POSTMORTEM_NAME.fullmatch(stem) else None


_FOLDERS = (
    (ArtifactKind.ADR, _ADR_FOLDER),
    (ArtifactKind.RFC, _RFC_FOLDER),
    (ArtifactKind.RUNBOOK, _RUNBOOK_FOLDER),
    (ArtifactKind.POSTMORTEM, _POSTMORTEM_FOLDER),
    (ArtifactKind.POLICY, _POLICY_FOLDER),
)


def _is_record(below: Sequence[str], name: str) -> bool:
    """Whether a file of a folder of records is one: a text, and no page about the folder.

    A README is one where its own folder has the number or the date of a record.
    """
    stem, is_text = stem_of(name)
    if not is_text:
        return False
    if _plain(stem) == "readme":
        return bool(below) and is_numbered(below[-1])
    return _plain(stem) not in _NO_RECORD


def stem_of(name: str) -> tuple[str, bool]:
    """The name of a file without its ending, and whether it is that of a text."""
    found = _TEXT.search(name) or _PLAIN_TEXT.search(name)
    return (name[: found.start()], True) if found else (name, False)


def is_numbered(name: str) -> bool:
    """Whether a name begins as that of a record does: with a number, a date, or a short word and a number."""
    return any(pattern.match(name) for pattern in (_DATED, _NUMBERED, _PREFIXED))


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name.strip(".").lower())
