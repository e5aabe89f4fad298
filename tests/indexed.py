"""What the tests of the index share: a vault that is large in their eyes, and a search both ways."""

import random
import time
from pathlib import Path

import pytest

from builders import memory, put
from eccmem import cache, limits, listing, recall, roots, search, vault
from eccmem.model import DEFAULT_SCOPES, Kind, Memory, Scope, Status
from eccmem.recall import Recalled

WORDS = (
    "redis", "cache", "pool", "timeout", "deploy", "deployment", "rollback", "migration", "schema", "index", "token",
    "expire", "retry", "worker", "queue", "get_user_by_id", "getUserById", "psycopg_pool.PoolTimeout", "café", "naïve",
    "数据库迁移", "登录超时", "ฐานข้อมูล", "c++", "--no-verify", "v3.11", "kubernetes", "helm", "chart", "secret",
    "rotation", "audit", "billing", "invoice", "parser", "lexer", "grammar", "🚀", "don't",
)  # fmt: skip
QUERIES = (
    "redis cache", "kuberntes", "depl", "getuserbyid", "数据库", "库", "🚀", "", "the", "nothing-of-this-kind", "c++",
    "pool timeout retry", "rolback", "cafe", "PoolTimeout", "invoice parser grammar lexer", "secret", "@@",
)  # fmt: skip


def small(monkeypatch: pytest.MonkeyPatch, files: int = 10, overlay: int = 12) -> None:
    """Make a vault of some ten files a large one."""
    monkeypatch.setattr(limits, "INDEX_FILES", files)
    monkeypatch.setattr(limits, "OVERLAY_FILES", overlay)


def random_memory(rng: random.Random, number: int, **fields: object) -> Memory:
    """A memory of a few words out of few, so that scores tie and everything matches something."""
    given = {
        "title": " ".join(rng.choices(WORDS, k=rng.randint(1, 4))),
        "kind": rng.choice(list(Kind)),
        "scope": rng.choice(DEFAULT_SCOPES),
        "status": rng.choices(list(Status), (8, 1, 1))[0],
        "tags": tuple(dict.fromkeys(rng.choices(("redis", "deploy", "audit"), k=rng.randint(0, 2)))),
        "updated_at": f"2026-07-26T20:00:0{rng.randint(0, 4)}.000Z",
        "body": " ".join(rng.choices(WORDS, k=rng.randint(1, 40))),
    }
    return memory(f"mem_20260726_{number:06}", **given | fields)


def fill(checkout: Path, rng: random.Random, count: int) -> list[Path]:
    """Lay random memories, one in twelve of them broken in some way."""
    paths = [put(checkout, random_memory(rng, number)) for number in range(count)]
    for path in paths[::12]:
        break_it(path, rng)
    return paths


def break_it(path: Path, rng: random.Random) -> None:
    """Damage a memory as people do."""
    text = path.read_text("utf-8")
    path.write_text(
        rng.choice(
            (
                text.replace('"ecc.memory.v1"', '"ecc.memory.v2"'),
                "no memory at all\n",
                text + "\n" + "AKIA" + "TEST" * 4,
                text.replace('scope: "project"', 'scope: "team"'),
                "\ufeff" + text,
            )
        ),
        "utf-8",
    )


def by_scan(where: roots.VaultRoots, query: str, limit: int = 20, scopes: tuple[Scope, ...] = DEFAULT_SCOPES) -> tuple:
    """What a scan finds and says."""
    snapshot = vault.worktree(where, scopes)
    return search.search(snapshot, query, search.Filters(), limit), diagnostics(snapshot)


def ask(
    where: roots.VaultRoots,
    home: cache.CacheHome | None,
    query: str,
    limit: int = 20,
    scopes: tuple[Scope, ...] = DEFAULT_SCOPES,
) -> Recalled:
    """Search as a surface does, without building what is wanted."""
    return recall.recall(where, scopes, query, search.Filters(), limit, cache=home)


def answer(recalled: Recalled) -> tuple:
    """As :func:`by_scan`."""
    return recalled.found, diagnostics(recalled.snapshot)


def diagnostics(snapshot: vault.Snapshot) -> tuple:
    """All that a snapshot says but its memories."""
    return (
        snapshot.scopes,
        snapshot.broken,
        snapshot.skipped,
        snapshot.cut_short,
        snapshot.leftovers,
        snapshot.scanned_bytes,
        snapshot.complete,
    )


def home_of(where: roots.VaultRoots, home: Path) -> cache.CacheHome:
    """The cache of a home folder."""
    return cache.find(where, {}, home)


def settle() -> None:
    """Wait until no file is racy any more."""
    time.sleep(listing.TICK_NS / 1e9 * 1.2)


def indexed(where: roots.VaultRoots, home: cache.CacheHome) -> None:
    """Build what is to be built, of files that are not racy."""
    settle()
    recalled = ask(where, home, "redis")
    assert not recalled.from_index
    assert recalled.wants
    assert recall.build(where, recalled.wants, home) == ""
