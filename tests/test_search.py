"""Search: the right memories, filtered, folded, and shown with the right words."""

import pytest

from builders import memory
from eccmem import limits, ranking, rerank, roots, search
from eccmem.errors import EccmemError, Refused, UsageProblem
from eccmem.model import Kind, Memory, Status
from eccmem.output import as_json, as_text
from eccmem.search import Filters, Found
from eccmem.vault import Place, Snapshot, Stored

LONG = (
    "Rotate the signing key of the staging issuer before the first of each month, and restart both gateways after it."
)


def snapshot(*memories: Memory) -> Snapshot:
    root = roots.Root(memories[0].scope, None, (), "project:")
    return Snapshot((), tuple(Stored(Place(root, f"notes/{item.id}.md"), item, {}) for item in memories))


def answer(query: str, *memories: Memory, limit: int = 100, **filters: object) -> Found:
    return search.search(snapshot(*memories), query, Filters(**filters), limit)


def found(query: str, *memories: Memory, **filters: object) -> list[str]:
    return [hit.memory.id for hit in answer(query, *memories, **filters).hits]


def test_ties_are_broken_by_time_then_id() -> None:
    """The newest of equals comes first; of equals in time too, the smaller id."""
    new, old = "2026-08-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"
    items = [
        memory("mem_b_old", title="One thing", body="the body", updated_at=old),
        memory("mem_z_new", title="Two thing", body="the body", updated_at=new),
        memory("mem_a_new", title="Six thing", body="the body", updated_at=new),
    ]
    for query in ("body", ""):
        assert found(query, *items) == ["mem_a_new", "mem_z_new", "mem_b_old"]


def test_only_active_memories_are_found() -> None:
    """Superseded and rejected ones are out of search, whatever the query, unless they are asked for."""
    items = [memory(f"mem_{status}", title=status, status=status) for status in Status]
    for query in ("", "body"):
        assert found(query, *items) == ["mem_active"]
        assert found(query, *items, statuses={Status.REJECTED}) == ["mem_rejected"]
        assert len(found(query, *items, statuses=set(Status))) == 3


def test_filters() -> None:
    """Kind, harness, tags, source, time."""
    items = [
        memory("mem_note", tags=("a", "b")),
        memory("mem_fact", kind=Kind.FACT, target_harnesses=("claude",), source_harness="claude"),
        memory("mem_codex", target_harnesses=("codex", "gemini"), tags=("a",), updated_at="2026-07-27T09:00:00.000Z"),
    ]
    assert found("", *items, kinds={Kind.FACT}) == ["mem_fact"]
    assert found("", *items, harness="claude") == ["mem_fact", "mem_note"]
    assert found("", *items, harness="other") == ["mem_note"]
    assert found("", *items, tags=("a",)) == ["mem_codex", "mem_note"]
    assert found("", *items, tags=("a", "b")) == ["mem_note"]
    assert found("", *items, sources=("claude", "x")) == ["mem_fact"]
    assert found("", *items, since="2026-07-27") == ["mem_codex"]
    assert found("", *items, since="2026-07-27T09:00:00.000Z") == ["mem_codex"]
    assert len(found("", *items, since="2026")) == 3


def test_filters_never_reorder() -> None:
    """How rare a term is, is counted before they apply."""
    items = [
        memory(f"mem_{number}", title=f"Title {number}", kind=Kind.FACT if number % 2 else Kind.NOTE, body=body)
        for number, body in enumerate(("alpha", "alpha beta", "beta", "beta gamma", "alpha beta gamma", "gamma"))
    ]
    every = found("alpha beta gamma", *items)
    facts = found("alpha beta gamma", *items, kinds={Kind.FACT})
    assert facts == [name for name in every if name in facts]
    assert len(facts) == 3


def test_at_most_a_hundred() -> None:
    """Whatever limit is asked for."""
    assert len(answer("", *(memory(f"mem_{n:04}") for n in range(150)), limit=1000).hits) == limits.RESULTS


def test_near_duplicates_are_folded_under_the_best() -> None:
    """One title and nearly the same words; they do not count against the limit."""
    items = [
        memory("mem_new", title="Key rotation", body=LONG, updated_at="2026-08-01T00:00:00.000Z"),
        memory("mem_old", title="key Rotation", body=f"{LONG} Again."),
        memory("mem_other_title", title="Rotation of keys", body=LONG),
        memory("mem_other_body", title="Key rotation", body="Ask the issuer's owner."),
    ]
    hits = answer("issuer rotation", *items, limit=3).hits
    assert {hit.memory.id: hit.duplicates for hit in hits} == {
        "mem_new": ("mem_old",),
        "mem_other_title": (),
        "mem_other_body": (),
    }
    (hit,) = answer("issuer rotation", *items[:3], limit=1).hits
    assert (hit.memory.id, hit.duplicates) == ("mem_new", ("mem_old",))
    assert len(found("", *items)) == 4


def test_copies_without_end_are_not_read_without_end() -> None:
    """A program that saves one memory again and again: the first are folded, what is beyond that is listed."""
    items = {number: memory(f"mem_{number:04}", title="Key", body=LONG) for number in range(1000)}
    ranked = ranking.Ranking(tuple(ranking.Ranked(number, 1.0, ("key",)) for number in items))
    read: list[int] = []

    def memory_of(key: ranking.Key) -> Memory:
        read.append(key)
        return items[key]

    shown = search.present(memory_of, ranked, Filters(), 3, "key")
    assert [hit.memory.id for hit in shown.hits] == ["mem_0000", "mem_0201", "mem_0202"]
    assert len(shown.hits[0].duplicates) == limits.COPIES
    assert len(read) < limits.COPIES + 30


def test_what_cannot_be_a_copy_is_not_read() -> None:
    """Behind the last hit only copies are of interest, and an index knows the titles."""
    items = [
        memory("mem_new", title="Key", body=LONG),
        memory("mem_other", title="Other", body=LONG),
        memory("mem_old", title="keys", body=LONG),
    ]
    ranked = ranking.Ranking(tuple(ranking.Ranked(number, 1.0, ("key",)) for number in range(3)))
    read: list[int] = []

    def memory_of(key: ranking.Key) -> Memory:
        read.append(key)
        return items[key]

    def title_of(key: ranking.Key) -> str:
        return search.title_key(items[key].title)

    (hit,) = search.present(memory_of, ranked, Filters(), 1, "key", title_of=title_of).hits
    assert (hit.memory.id, hit.duplicates) == ("mem_new", ("mem_old",))
    assert read == [0, 2]


def test_a_copy_that_filters_leave_out_folds_nothing() -> None:
    """Nor is it named."""
    items = [memory("mem_a", title="Key", body=LONG), memory("mem_b", title="Key", body=LONG, kind=Kind.FACT)]
    (hit,) = answer("key", *items, kinds={Kind.FACT}).hits
    assert (hit.memory.id, hit.duplicates) == ("mem_b", ())


def test_a_memory_that_is_gone_is_passed_over() -> None:
    """An index may name a file that was deleted since."""
    items = {1: memory("mem_one", title="One"), 2: memory("mem_two", title="Two")}
    ranked = tuple(ranking.Ranked(key, 1.0, ("body",)) for key in (0, 1, 2))
    shown = search.present(items.get, ranking.Ranking(ranked), Filters(), 1, "body")
    assert [hit.memory.id for hit in shown.hits] == ["mem_one"]
    assert shown == search.present(items, ranking.Ranking(ranked), Filters(), 1, "body")


def test_an_answer_explains_itself() -> None:
    """Which terms matched, where in the excerpt, what was replaced, what is nowhere."""
    result = answer("deploying kuberntes qqqqq", memory(body="Deployments to Kubernetes"))
    (hit,) = result.hits
    assert hit.matched == ("deploy", "kubernet")
    assert [hit.excerpt[start:end] for start, end in hit.marks] == ["Deployments", "Kubernetes"]
    assert (result.unmatched, result.replaced) == (("qqqqq",), {"kubernt": ("kubernet",)})

    text = as_text.search(result, color=True, explain=True)
    assert "\x1b[1mDeployments\x1b[22m to \x1b[1mKubernetes\x1b[22m" in text
    assert "no memory has kubernt; looked for: kubernet" in text
    assert "no memory has: qqqqq" in text
    assert "\x1b" not in as_text.search(result)
    payload = as_json.search("q", result, snapshot(memory()), explain=True)
    assert (payload["unmatched"], payload["replaced"]) == (["qqqqq"], {"kubernt": ["kubernet"]})
    assert payload["results"][0]["matched"] == ["deploy", "kubernet"]
    assert "matched" not in as_json.search("q", result, snapshot(memory()))["results"][0]


def test_marks_cannot_smuggle_an_escape() -> None:
    """Each piece of an excerpt is made safe before it is put together with ours."""
    hit = search.Hit(memory(), 1.0, "a\x1b]0;title\x07b\u202ec", ((1, 4), (5, 9)))
    shown = as_text.search(Found((hit,)), color=True)
    assert shown.replace("\x1b[1m", "").replace("\x1b[22m", "").isprintable() is False  # the line ends
    assert not {"\x1b]", "\x07", "\u202e"} & {shown[i : i + 2] for i in range(len(shown))} | set(shown) & {
        "\x07",
        "\u202e",
    }


@pytest.mark.parametrize("query", ["x" * 501, "a\nb", "a\x1b[0m", "\u202e"])
def test_a_bad_query_is_refused(query: str) -> None:
    """Too long, or with control characters."""
    with pytest.raises(Refused) as caught:
        search.check_query(query)
    assert caught.value.slug == "bad-query"


# --- Rerankers: an interface, and nothing behind it ----------------------------------------------------------------


def entry_point(monkeypatch: pytest.MonkeyPatch, function: object) -> None:
    """Offer a reranker, as a package would."""

    class Point:
        name = "mine"

        def load(self) -> object:
            if isinstance(function, Exception):
                raise function
            return function

    monkeypatch.setattr("importlib.metadata.entry_points", lambda name="mine", **_group: (Point(),) * (name == "mine"))


def test_a_reranker_reorders_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its scores; it sees ids, texts and our scores."""
    seen = []

    def backwards(query: str, candidates: list) -> list[float]:
        seen.append((query, candidates))
        return [-score for _, _, score in candidates]

    entry_point(monkeypatch, backwards)
    before = answer("alpha", memory("mem_a", title="Alpha"), memory("mem_b", body="alpha"))
    after = search.reordered(before, "alpha", rerank.load("mine"), 1)
    assert [hit.memory.id for hit in after.hits] == ["mem_b"]
    assert seen[0][1][0] == ("mem_a", "Alpha\nA body.", before.hits[0].score)


@pytest.mark.parametrize(
    "function",
    [
        lambda _query, _candidates: [],
        lambda _query, _candidates: ["x"],
        lambda _query, _candidates: [float("nan")],
        lambda: None,
        ImportError("no model"),
    ],
)
def test_a_reranker_that_fails_is_an_error(function: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not ours, and one line."""
    entry_point(monkeypatch, function)
    with pytest.raises(EccmemError) as caught:
        rerank.load("mine")("q", [("mem_a", "t", 1.0)])
    assert caught.value.slug == "reranker-failed"


def test_no_reranker_is_installed() -> None:
    """None ships."""
    with pytest.raises(UsageProblem) as caught:
        rerank.load("mine")
    assert (caught.value.slug, caught.value.hint) == ("no-reranker", "there are: none is installed")
