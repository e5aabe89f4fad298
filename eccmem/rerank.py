"""Another order for the best results, by a package that a person installed and names; nothing is on by default.

A package offers one as an entry point of the group ``eccmem.rerankers``: a function of the query and of candidates
(id, text, score of ours), best first, that returns one number for each candidate, higher for better.
"""

from collections.abc import Callable, Sequence

from eccmem.errors import EccmemError, UsageProblem

GROUP = "eccmem.rerankers"
CANDIDATES = 50
Candidate = tuple[str, str, float]
Order = Callable[[str, Sequence[Candidate]], list[int]]


def load(name: str) -> Order:
    """Return a function that gives the positions of candidates in a reranker's order.

    Raises:
        UsageProblem: when no installed package offers one of this name.
        EccmemError: when it cannot be loaded.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - 40 ms that only this option needs

    found = tuple(entry_points(group=GROUP, name=name))
    if not found:
        offered = ", ".join(sorted({point.name for point in entry_points(group=GROUP)})) or "none is installed"
        raise UsageProblem("no-reranker", "--rerank names no installed reranker", f"there are: {offered}")
    try:
        function = found[0].load()
    except Exception as error:  # noqa: BLE001 - the code of others may raise whatever it likes
        raise _failed(error) from None

    def order(query: str, candidates: Sequence[Candidate]) -> list[int]:
        try:
            scores = [float(score) for score in function(query, list(candidates))]
        except Exception as error:  # noqa: BLE001 - as above
            raise _failed(error) from None
        if len(scores) != len(candidates) or any(score != score for score in scores):  # noqa: PLR0124 - not a number
            raise EccmemError("reranker-failed", "the reranker must return one number for each candidate", _HINT)
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    return order


_HINT = "search without --rerank"


def _failed(error: Exception) -> EccmemError:
    return EccmemError("reranker-failed", f"the reranker failed ({type(error).__name__})", _HINT)
