"""The analyser: terms of any text, the same for documents, queries and highlights."""

# ruff: noqa: RUF001 - look-alikes are what is tested

import sys
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eccmem import analyser, stemmer


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Deploying the deployments", ["deploy", "the", "deploy"]),
        ("psycopg_pool.PoolTimeout", ["psycopg", "pool", "pool", "timeout", "pooltimeout", "psycopgpoolpooltimeout"]),
        ("getUserById", ["get", "user", "by", "id", "getuserbyid"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("ERR_PNPM", ["err", "pnpm", "errpnpm"]),
        ("src/a.py", ["src", "a", "py", "srcapi"]),
        ("C++ c# F# .NET", ["c++", "c#", "f#", ".net"]),
        ("-std=c++20", ["std", "c++", "20"]),
        ("gcc/c++", ["gcc", "c++"]),
        ("a.c#L10", ["a", "c", "l10", "acl10"]),
        ("ASP.NET", ["asp", "net", ".net", "aspnet"]),
        ("3.11 v1.6", ["3", "11", "3.11", "v1", "6", "1.6"]),
        ("don't don\u2019t dont", ["don", "t", "dont", "don", "t", "dont", "dont"]),
        ("Ｐｙｔｈｏｎ版本", ["python", "版本", "=版", "=本"]),
        ("ข้อ", ["ข้อ", "=ข", "=อ"]),
        ("café CAFE\u0301 Ærø Łódź", ["cafe", "cafe", "æro", "lodz"]),
        ("йод ёлка", ["йод", "елка"]),
        ("x² ½", ["x2", "1", "2"]),
        ("🚀 ... ++ \u200b", []),
        ("", []),
    ],
)
def test_terms(text: str, terms: list) -> None:
    """Words, names and their parts, scripts without spaces, and nothing."""
    assert [unicodedata.normalize("NFC", term) for term in analyser.terms(text)] == terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("how do we use the pool", ("us", "pool")),  # "use", not "us"
        ("the of", ("the", "of")),
        ("pool pools POOL", ("pool",)),
        ("getUserById", ("get", "user", "id", "getuserbyid")),
        ("数据库 库", ("数据", "据库", "=库")),
        (" ".join(f"w{n}" for n in range(50)), tuple(f"w{n}" for n in range(32))),
        ("++", ()),
    ],
)
def test_query_terms(query: str, terms: tuple) -> None:
    """Without stop words unless there is nothing else, each once, at most 32."""
    assert analyser.query_terms(query) == terms


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("They deployed, deploying on.", "deployment", ["deployed", "deploying"]),
        ("call get_user_by_id once", "getUserById", ["get_user_by_id"]),
        ("in İSTANBUL’da ofis", "istanbul", ["İSTANBUL’da"]),
        ("the Ｒｅｄｉｓ and ﾃﾞｰﾀﾍﾞｰｽ", "redis データベース", ["Ｒｅｄｉｓ", "ﾃﾞｰﾀﾍﾞｰｽ"]),
        ("所有数据库的迁移必须", "数据库迁移", ["数据库", "迁移"]),
        ("数据库", "库", ["库"]),
        ("قال مُحَمَّد ذلك", "محمد", ["مُحَمَّد"]),
        ("a pass\u200bword (ﬁle)", "password file", ["pass\u200bword", "ﬁle"]),
        ("मुझे (हिन्दी) पसंद", "हिन्दी", ["हिन्दी"]),
        ("nothing", "other", []),
    ],
)
def test_spans_are_in_the_original(text: str, query: str, found: list) -> None:
    """In code points of the text as it is, whatever folding does to lengths."""
    assert [text[start:end] for start, end in analyser.spans(text, analyser.query_terms(query))] == found


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=60))
def test_any_text(text: str) -> None:
    """No text raises, forms do not matter, white space separates, and spans lie in order within it."""
    terms = analyser.terms(text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert analyser.terms(unicodedata.normalize(form, text)) == terms
    assert [term for piece in text.split() for term in analyser.terms(piece)] == terms
    assert all(term and len(term) <= 3 * 64 for term in terms)
    ends = [place for span in analyser.spans(text, terms) for place in span]
    assert ends == sorted(ends)
    assert bool(ends) == bool(terms)
    assert not ends or (ends[0] >= 0 and ends[-1] <= len(text))
    analyser.query_terms(text)
    analyser.wholes(text)


@settings(max_examples=300, deadline=None)
@given(text=st.lists(st.text("aeiouybctlsnizedgABT_é. ", max_size=14), max_size=8).map(" ".join))
def test_a_place_is_found_by_every_term_that_it_holds(text: str) -> None:
    """Words that begin otherwise are passed over before their stem is known: none of them holds the term."""
    every = analyser.terms(text)
    for term in set(every):
        found = analyser.places(text, [term])
        held = [word for word in analyser.words(text) if term in analyser.expand(word)]
        assert len(found) == len(held)


@pytest.mark.parametrize("piece", ["a", "a-", "aB", "数", "กั", "c++", "é", "\u0301", "a\u0301\u200b", "-", "1.", "'"])
def test_large_texts_take_no_time_to_speak_of(piece: str) -> None:
    """Whatever repeats: a body of 64 KiB, with every bound met."""
    text = piece * (65_536 // len(piece))
    start = time.perf_counter()
    analyser.terms(text)
    analyser.spans(text, ("a", "=数"))
    assert time.perf_counter() - start < 5


def test_combining_marks_are_parts_of_words() -> None:
    """Each that is left after folding, so that no word of India breaks; and no punctuation is."""
    pattern = analyser._any_word()
    for number in range(sys.maxunicode + 1):
        sign = chr(number)
        category = unicodedata.category(sign)
        if category[0] in "MZ" and (plain := analyser._plain(sign)) == sign:
            assert bool(pattern.fullmatch(plain)) == (category[0] == "M"), hex(number)


# The examples of Porter's paper, but for a final y.
STEMS = (  # noqa: SIM905 - pairs, as they are read
    "caresses caress ponies poni ties ti caress caress cats cat feed feed agreed agre plastered plaster bled bled "
    "motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan falling fall "
    "hissing hiss fizzed fizz failing fail filing file happy happi sky ski relational relat conditional condit "
    "rational ration valenci valenc hesitanci hesit digitizer digit conformabli conform radicalli radic "
    "differentli differ vileli vile analogousli analog vietnamization vietnam predication predic operator oper "
    "feudalism feudal decisiveness decis hopefulness hope callousness callous formaliti formal sensitiviti sensit "
    "sensibiliti sensibl triplicate triplic formative form formalize formal electriciti electr electrical electr "
    "hopeful hope goodness good revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop "
    "adjustable adjust defensible defens irritant irrit replacement replac adjustment adjust dependent depend "
    "adoption adopt communism commun activate activ angulariti angular homologous homolog effective effect "
    "bowdlerize bowdler probate probat rate rate cease ceas controll control roll roll deploying deploy "
    "deployment deploy play play by by a a"
).split()


@pytest.mark.parametrize(("word", "stem"), list(zip(STEMS[::2], STEMS[1::2], strict=True)))
def test_stems(word: str, stem: str) -> None:
    """As published, and as Porter2 has it for y."""
    assert stemmer.stem(word) == stem
