"""Ranking: what is found, what is not, and in which order; the same by a scan and by a full analysis."""

# ruff: noqa: RUF001 - look-alikes are what is tested

import random
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.recall import Whole
from builders import memory
from eccmem import analyser, ranking, stemmer
from eccmem.model import Memory
from eccmem.scanned import Scanned

# Queries and documents that others get wrong: research/recall.md §6.1. Four are misses on purpose.
PAIRS = [
    ("Ｒｅｄｉｓ", "Redis cache stampede", True),
    ("ﾃﾞｰﾀﾍﾞｰｽ", "データベースの初期化", True),
    ("STRASSE", "Straße gesperrt", True),
    ("istanbul", "İSTANBUL office", True),
    ("ISPARTA", "ısparta sunucusu", True),
    ("cafe menu", "café menü", True),
    ("nai\u0308ve", "naïve approach", True),
    ("file", "ﬁle handle leak", True),
    ("数据库迁移", "所有数据库的迁移必须可回滚", True),
    ("库", "数据库迁移", True),
    ("迁移数据库", "数据库迁移脚本", True),
    ("Python版本", "最低Python版本为3.11", True),
    ("登錄", "登录超时", False),  # traditional and simplified: no conversion table
    ("멱등성", "멱등성을 반드시 포함", True),
    ("ฐานข้อมูล", "ติดตั้งฐานข้อมูลใหม่", True),
    ("हिन्दी", "मुझे हिन्दी पसंद है", True),
    ("محمد", "قال مُحَمَّد ذلك", True),
    ("كتاب", "فتح الكتاب", False),  # the Arabic article is not taken off
    ("שלום", "שָׁלוֹם עולם", True),
    ("🚀", "🚀 deploy done", True),
    ("C++", "C++ build needs -std=c++20", True),
    ("C#", "C++ build needs -std=c++20", False),
    ("--no-verify", "never use --no-verify", True),
    ("getUserById", "call get_user_by_id once", True),
    ("getuserbyid", "getUserById in loops", True),
    ("memory vault", "memoryVault.write()", True),
    ("memoryvault", "the memory-vault format", True),
    ("ERR_PNPM_OUTDATED_LOCKFILE", "pnpm fails: err pnpm outdated lockfile", True),
    ("password", "pass\u200bword rotation", True),
    ("admin", "\u0430dmin panel", False),  # a Cyrillic letter must not pass for a Latin one
    ("don't", "dont use this", True),
    ('foo" OR "1', "the foo flag", True),
    ("NEAR(a b) NOT", "a near miss", True),
    ("еще", "ещё один", True),
    ("deploying", "Deployments go out", True),
    ("kuberntes", "Kubernetes pods", True),
    ("at", "cats and dogs", False),
    ("the pool", "the and the and the", False),
    ("3.11", "requires Python 3.11", True),
    ("x2", "x² growth", True),
]

# Words that meet each other's edges: identifiers, signs, scripts, marks, invisible characters, nothing at all.
PIECES = [
    "deploy", "Deploying", "deployments", "getUserById", "get_user_by_id", "C++", "c#", ".NET", "3.11", "v1.6", "don't",
    "--no-verify", "psycopg_pool.PoolTimeout", "the", "of", "use", "Straße", "café", "cafe\u0301", "İSTANBUL", "數據庫",
    "数据库迁移", "库", "データ", "ﾃﾞｰﾀ", "멱등성을", "ติดตั้ง", "हिन्दी", "مُحَمَّد", "שָׁלוֹם", "ещё", "ﬁle", "🚀",
    "👩\u200d💻", "++", "...",
    "pass\u200bword", "\u200b", "\u0301", "x" * 130, "a/b/c", "I", "ies", "bl", "ability", "notability", "x-", "_", "'",
]  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map(" ".join),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.text(max_size=30),
    st.text("aeiouybctlsnz-_.'AB ", max_size=20),
)
VAULTS = st.lists(st.tuples(TEXTS, TEXTS, st.sampled_from([(), ("deploy",), ("n-plus-1", "x")])), max_size=6)
FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def memories(rows: list) -> list[Memory]:
    return [
        memory(f"mem_{number:03}", title=title, body=body, tags=tags) for number, (title, body, tags) in enumerate(rows)
    ]


def scan(items: list[Memory], query: str) -> list[str]:
    return [items[row.key].id for row in ranking.rank(Scanned(items, query), query).ranked]


@pytest.mark.parametrize(("query", "text", "found"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_the_forty_tricky_pairs(query: str, text: str, found: bool) -> None:
    """Scripts, forms, identifiers, signs, typos: each is found, or deliberately not."""
    assert bool(scan([memory(title=".", body=text)], query)) == found


def test_forty() -> None:
    """None was lost."""
    assert len(PAIRS) == 40


def test_title_beats_tags_beat_body() -> None:
    """Where a word stands decides between memories of one length."""
    items = [
        memory("mem_body", body="about rotation"),
        memory("mem_tag", tags=("rotation",)),
        memory("mem_title", title="Rotation"),
        memory("mem_none"),
    ]
    assert scan(items, "rotation") == ["mem_title", "mem_tag", "mem_body"]


def test_a_rare_word_beats_a_common_one() -> None:
    """And each is reported in the query's order, with what was found nowhere."""
    items = [memory(f"mem_{n}", body="common words here") for n in range(5)] + [memory("mem_rare", body="zebra words")]
    answer = ranking.rank(Scanned(items, "common zebra qqqqq"), "common zebra qqqqq")
    assert items[answer.ranked[0].key].id == "mem_rare"
    assert answer.ranked[0].matched == ("zebra",)
    assert (answer.unmatched, answer.replaced) == (("qqqqq",), {})


@pytest.mark.parametrize(
    ("query", "body", "replaced"),
    [
        ("kuberntes", "Kubernetes", {"kubernt": ("kubernet",)}),
        ("postg", "postgres postgresql", {"postg": ("postgr", "postgresql")}),
        ("recieve", "receive", {"reciev": ("receiv",)}),
        ("xeceive", "receive", {}),  # the first letter is not guessed
        ("cta", "cat", {}),  # too short for a typo
        ("getUserByID", "get_user_by_ids", {}),  # parts are known: no need to guess at the whole
        ("数据桌", "数据库", {}),
    ],
)
def test_unknown_terms_are_replaced(query: str, body: str, replaced: dict) -> None:
    """By terms that begin so, else by terms a typo away; only where no memory holds the term."""
    assert ranking.rank(Scanned([memory(body=body)], query), query).replaced == replaced


def test_a_substitute_counts_less() -> None:
    """A memory that has the word as it was typed is above one that has a longer one."""
    items = [memory("mem_a", body="gadget"), memory("mem_b", body="widget")]
    answer = ranking.rank(Scanned(items, "widget gadgt"), "widget gadgt")
    assert [items[row.key].id for row in answer.ranked] == ["mem_b", "mem_a"]


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("abc", "abc", 0), ("abcd", "abdc", 1), ("abc", "abcd", 1), ("ab", "ba", 1), ("a", "", 1)],
)
def test_distance(one: str, other: str, steps: int) -> None:
    """Change, add, drop, swap."""
    assert ranking.distance(one, other) == ranking.distance(other, one) == steps


def test_an_empty_query_lists_the_newest() -> None:
    """All of them, without scores."""
    items = [memory("mem_b", updated_at="2026-07-01T00:00:00.000Z"), memory("mem_c"), memory("mem_a")]
    assert scan(items, "") == ["mem_a", "mem_c", "mem_b"]


def test_a_query_of_nothing_visible_finds_nothing() -> None:
    """And says so."""
    assert ranking.rank(Scanned([memory()], "\u200b"), "\u200b") == ranking.Ranking((), ("\u200b",))


# --- Properties ---------------------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(rows=VAULTS, query=TEXTS)
def test_a_scan_gives_what_a_full_analysis_gives(rows: list, query: str) -> None:
    """The quick look never loses a memory, and the sums are the same to the last bit."""
    items = memories(rows)
    assert ranking.rank(Scanned(items, query), query) == ranking.rank(Whole(items), query)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, form=st.sampled_from(FORMS), other=st.sampled_from(FORMS), data=st.data())
def test_a_text_is_found_by_each_of_its_words(text: str, form: str, other: str, data: st.DataObject) -> None:
    """In any normal form of either."""
    words = [word for word in text.split() if analyser.terms(word) or analyser.fold(word).strip()]
    assume(words)
    word = data.draw(st.sampled_from(words))
    items = [memory("mem_hit", title="-", body=unicodedata.normalize(form, text)), memory("mem_other", body="nothing")]
    assert "mem_hit" in scan(items, unicodedata.normalize(other, word))


@settings(max_examples=200, deadline=None)
@given(rows=VAULTS, more=TEXTS, query=TEXTS)
def test_another_memory_never_removes_a_hit(rows: list, more: str, query: str) -> None:
    """Unless it holds a word that was guessed at before: then nothing need be guessed."""
    items = memories(rows)
    before = ranking.rank(Scanned(items, query), query)
    assume(not before.replaced)
    after = scan([*items, memory("mem_more", title=".", body=more)], query)
    assert {items[row.key].id for row in before.ranked} <= set(after)


@settings(max_examples=100, deadline=None)
@given(rows=VAULTS, query=TEXTS, seed=st.integers())
def test_the_order_of_files_never_matters(rows: list, query: str, seed: int) -> None:
    """Shuffled vaults give the same answer."""
    items = memories(rows)
    expected = scan(items, query)
    random.Random(seed).shuffle(items)
    assert scan(items, query) == expected


@settings(max_examples=300, deadline=None)
@given(word=st.text("aeiouybctlsnizedg", min_size=1, max_size=14))
def test_every_word_begins_with_what_is_sure_of_its_stem(word: str) -> None:
    """The scan's quick look rests on it."""
    assert word.startswith(stemmer.unchanged(stemmer.stem(word)))
