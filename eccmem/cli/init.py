"""``eccmem init``."""

from eccmem import init as initialization
from eccmem.cli import console
from eccmem.cli.context import refuse_dry_run, scopes_or_default, vault_roots
from eccmem.cli.options import Json, Scopes
from eccmem.output import as_json, as_text


def init(scope: Scopes = None, json: Json = False) -> int:
    """Make the vault's folders and guard ready.

    Writes .ecc/memory/ with one folder per kind, the guard .ecc/memory/project/.gitignore and one more .gitignore
    in each private folder, two lines in the repository's info/exclude, and .ecc/.gitattributes; never changes what
    is there.
    """
    refuse_dry_run("init")
    roots, scopes = vault_roots(), scopes_or_default(scope)
    done = initialization.init(roots, scopes)
    console.warn_all(done.warnings)
    if json:
        return console.emit_json(as_json.init(roots, scopes, done))
    return console.emit(as_text.init(roots, scopes, done))
