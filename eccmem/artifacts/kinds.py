"""What kind of governed document a path is, if any: by the names of its folders and of its file."""

import re
from collections.abc import Sequence
from functools import lru_cache

from eccmem import limits
from eccmem.artifacts.config import Config
from eccmem.artifacts.values import ArtifactKind

# The endings of texts; some sites put the kind of page before that of the template.
_TEXT = re.compile(r"(?i)(?:\.html)?\.(?:md|mdx|markdown|mkd|rst|adoc|asciidoc|org)(?:\.erb)?\Z")
_WIKI_TEXT = re.compile(r"(?i)\.mediawiki\Z")
_SEPARATORS = re.compile(r"[\s_.]+")

_ADR_FOLDER = re.compile(
    r"(?:[a-z0-9]+-)*adrs?|adl|decisions?|(?:architectur(?:e|al)|design|technical|tech)-(?:decisions?|decision-records?)"
    r"|(?:architectur(?:e|al)-)?decision-(?:records?|logs?)|any-decision-records"
)
_RFC_FOLDER = re.compile(
    r"(?:[a-z0-9]+-)*(?:rfcs?|rfds?|keps?|peps?|jeps?|bips?|oeps?|eips?|slips?|teps?|oteps?)"
    r"|(?:enhancement|design)-proposals?|text|proposals|enhancements"
)
_AMBIGUOUS = frozenset({"text", "proposals", "enhancements", "incidents", "incident", "outages"})
_RUNBOOK_FOLDER = re.compile(r"(?:[a-z0-9]+-)*run-?books?")
_POSTMORTEM_FOLDER = re.compile(
    r"(?:[a-z0-9]+-)*post-?mortems?|incidents?|incident-(?:reports?|retros?|reviews?|retrospectives?)|outages"
)
_POLICY_FOLDER = re.compile(r"(?:[a-z0-9]+-)*polic(?:y|ies)")

_HOME = re.compile(r"(?:[a-z0-9]+-)*(?:architecture|design)(?:-docs?)?")
# Alerts are also a subject of software: the folder counts where the names are those of alerts, or the place is one
# of those who are called.
_ALERT_NAME = re.compile(r"[A-Z][A-Za-z0-9]+|[a-z0-9]+[A-Z][A-Za-z0-9]*")
_ON_CALL = re.compile(r"(?:manual|run-?books?|ops|operations|sre|on-?call|playbooks?|monitoring|support)")

_NUMBERED = re.compile(r"[0-9]{1,6}(?![0-9])")
_DATED = re.compile(r"(?:19|20)[0-9]{2}-?[0-9]{2}-?[0-9]{2}(?![0-9])")
_PREFIXED = re.compile(r"(?i)[a-z]{1,12}[-_ ]?[0-9]{1,6}(?![0-9])|(?:[a-z]{1,12}[-_]){2,3}[0-9]{3,6}(?![0-9])")
_ADR_NAME = re.compile(r"(?i)adr[-_ ]?[0-9]{1,6}(?![0-9])")
_RFC_NAME = re.compile(r"(?i)(?:rfc|rfd|kep|pep|jep|bip|oep|eip)[-_ ]?[0-9]{1,6}(?![0-9])")
_RUNBOOK_NAME = re.compile(
    r"(?i)(?!(?:add|write|writing|create|creating|how|about|new|using)[-_ ])(?:.*[-_ ])?run-?book"
)
_POSTMORTEM_NAME = re.compile(r"(?i)(?:.*[-_ ])?post-?mortem(?:[-_ ].*)?")

# Whole names alone: a decision about templates is a decision.
_NO_RECORD = frozenset(
    {
        *("readme", "index", "-index", "summary", "toc", "about", "overview", "all"),
        *("contributing", "changelog", "skill", "license", "code-of-conduct"),
        *("process", "guidelines", "guide", "faq", "glossary", "introduction", "intro", "getting-started", "status"),
    }
)
_TEMPLATE_WORDS = frozenset(
    {"template", "templates", "modele", "mod\u00e8le", "vorlage", "plantilla", "tmpl", "sample"}
)
_FORMS = _TEMPLATE_WORDS | {"index", "list", "overview", "toc", "contents"}
_ABOUT_FORMS = _FORMS | {
    *("adr", "adrs", "madr", "rfc", "dr", "architecture", "architectural", "decision", "decisions"),
    *("record", "records", "log", "the", "of", "for", "name", "title", "topic", "subject"),
    *("short", "long", "full", "bare", "minimal", "simple", "default", "example", "nygard"),
}
_PLACEHOLDER = re.compile(r"(?i)(?:adr|dr|rfc)?[-_ ]?(?:[0-9]{1,6}|[nx]{2,6}|y{4}m{2}d{2})[-_ ]+")
# Written by people in capitals; what has such a name in small letters is a page about that program.
_RULES = frozenset({"AGENTS", "AGENTS.override", "AGENT", "CLAUDE", "CLAUDE.local", "GEMINI"})
_OLD_RULES = frozenset({".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints"})
_RULES_PATH = re.compile(
    r"(?i)(?:.*/)?(?:\.cursor/rules/.+\.(?:mdc|md)|\.github/copilot-instructions\.md"
    r"|\.github/instructions/.+\.instructions\.md|\.(?:windsurf|roo|claude|continue|augment|trae|amazonq)/rules/.+\.md"
    r"|\.kiro/steering/.+\.md|\.clinerules/.+\.md|\.junie/guidelines\.md)"
)


def kind_of(path: str, config: Config) -> ArtifactKind | None:
    """The kind of a document by its path alone, or None for what is none."""
    if not _can_be(path):
        return None
    kind = _kind_of(path, config)
    return None if kind is None or config.exclude.match(path) else kind


def _can_be(path: str) -> bool:
    return not path.startswith(".ecc/") and path.count("/") <= limits.ARTIFACT_DEPTH


def may_be_decision(path: str, config: Config) -> bool | None:
    """Whether a document that its path makes nothing may be a decision by what it holds, and lies where such do.

    True in a folder about architecture, False elsewhere, None where it cannot be one.
    """
    if not _can_be(path):
        return None
    *folders, name = path.split("/")
    stem, is_text = stem_of(name)
    if not (is_text and config.conventions):
        return None
    below = any(_folder_kind(_plain(folder)) is ArtifactKind.ADR for folder in folders)
    if not ((below or is_numbered(stem)) and _is_record(folders, name)):
        return None
    if config.exclude.match(path):
        return None
    return below or (bool(folders) and _HOME.fullmatch(_plain(folders[-1])) is not None)


def _kind_of(path: str, config: Config) -> ArtifactKind | None:
    for kind, globs in config.globs.items():
        if globs.match(path):
            return kind
    *folders, name = path.split("/")
    for kind, chosen in config.folders.items():
        if not is_rules(path) and any(_lies_in(path, folder) for folder in chosen):
            return kind if _is_record(folders, name) else None
    return _by_convention(path, folders, name) if config.conventions else None


def _lies_in(path: str, folder: str) -> bool:
    # At the top of a repository there is much else: only what has a number counts.
    return path.startswith(f"{folder}/") if folder else "/" not in path and is_numbered(path)


def _by_convention(path: str, folders: Sequence[str], name: str) -> ArtifactKind | None:
    if is_rules(path):
        return ArtifactKind.RULES
    stem, is_text = stem_of(name)
    if not is_text:
        return None
    names = [_plain(folder) for folder in folders]
    return _by_name(stem) or _by_folder(names, folders, name, stem)


def _by_name(stem: str) -> ArtifactKind | None:
    if _ADR_NAME.match(stem):
        return ArtifactKind.ADR
    return ArtifactKind.RFC if _RFC_NAME.match(stem) else None


def _by_folder(names: Sequence[str], folders: Sequence[str], name: str, stem: str) -> ArtifactKind | None:
    # The nearest folder says the most.
    for depth in range(len(names) - 1, -1, -1):
        kind = _folder_kind(names[depth])
        if kind is not None and _is_record(folders[depth + 1 :], name):
            return kind if _is_of_kind(kind, names[depth:], stem) else None
        if names[depth] == "alerts" and _is_record(folders[depth + 1 :], name) and _is_alert(names, depth, stem):
            return ArtifactKind.RUNBOOK
    if _RUNBOOK_NAME.fullmatch(stem):
        return ArtifactKind.RUNBOOK
    return ArtifactKind.POSTMORTEM if _POSTMORTEM_NAME.fullmatch(stem) else None


def _is_alert(names: Sequence[str], depth: int, stem: str) -> bool:
    """Whether a page is about one alert: right in the folder, or in that of what raises it."""
    on_call = any(_ON_CALL.fullmatch(folder) for folder in names[:depth])
    return len(names) - depth <= 2 and (on_call or _ALERT_NAME.fullmatch(stem) is not None)  # noqa: PLR2004


def _is_of_kind(kind: ArtifactKind, names: Sequence[str], stem: str) -> bool:
    """Whether a text in a folder of records is one of them.

    One without a number lies right there: deeper there are also the papers that belong to a record.
    Of folders whose name is also that of other things only what has a number counts.
    """
    numbered = is_numbered(stem) or (_plain(stem) == "readme" and len(names) > 1)
    if kind in (ArtifactKind.ADR, ArtifactKind.RFC):
        return numbered or (len(names) == 1 and names[0] not in _AMBIGUOUS)
    return numbered or names[0] not in _AMBIGUOUS


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
    if any(not _TEMPLATE_WORDS.isdisjoint(_plain(folder).split("-")) for folder in below):
        return False
    return _plain(stem) not in _NO_RECORD and not _is_form(stem)


def is_rules(path: str) -> bool:
    """Whether programs that write code take a file for their rules."""
    _, _, name = path.rpartition("/")
    stem, _, ending = name.rpartition(".")
    if ending.lower() == "md" and (stem in _RULES or ("/" not in path and stem.upper() in _RULES)):
        return True
    return name in _OLD_RULES or _RULES_PATH.fullmatch(path) is not None


def _is_form(stem: str) -> bool:
    """Whether a name is that of a template or of a list of records, whole: ``0000-adr-template``, ``adr-index``."""
    words = re.split(r"[-_ .]+", _PLACEHOLDER.sub("", stem, count=1).lower())
    return not _FORMS.isdisjoint(words) and _ABOUT_FORMS.issuperset(words)


def stem_of(name: str) -> tuple[str, bool]:
    """The name of a file without its ending, and whether it is that of a text."""
    found = _TEXT.search(name) or _WIKI_TEXT.search(name)
    return (name[: found.start()], True) if found else (name, False)


def is_numbered(name: str) -> bool:
    """Whether a name begins as that of a record does: with a number, a date, or a short word and a number."""
    return any(pattern.match(name) for pattern in (_DATED, _NUMBERED, _PREFIXED))


@lru_cache(maxsize=8192)
def _folder_kind(folder: str) -> ArtifactKind | None:
    return next((kind for kind, pattern in _FOLDERS if pattern.fullmatch(folder)), None)


@lru_cache(maxsize=8192)
def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name.strip(".").lower())
