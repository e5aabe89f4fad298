"""What a search finds: which rule, and where; the text itself is not kept, so it cannot leak."""


class Match:
    """A credential in a text.

    ``start`` and ``end`` are character offsets into the scanned text; ``via`` says how it was seen: ``plain``,
    ``folded`` (look-alikes), ``base64``, ``hex``, ``escaped`` or ``joined`` (over a line end).

    A class by hand, because ``dataclasses`` takes longer to import than a search takes.
    """

    __slots__ = ("end", "label", "rule", "start", "tier", "via")

    def __init__(  # noqa: PLR0913, PLR0917 - a value
        self, rule: str, label: str, tier: str, start: int, end: int, via: str = "plain"
    ) -> None:
        self.rule = rule
        self.label = label
        self.tier = tier
        self.start = start
        self.end = end
        self.via = via

    def _key(self) -> tuple[str, str, str, int, int, str]:
        return (self.rule, self.label, self.tier, self.start, self.end, self.via)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Match) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Match({', '.join(map(repr, self._key()))})"
