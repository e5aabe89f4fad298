"""What a document is by what it holds, where its path alone does not tell."""

import json
from pathlib import Path

from eccmem.artifacts.markup import folded
from eccmem.artifacts.page import Page

# The headings of decision records, in groups: a record has one of a group at most, and most of the groups.
_GROUPS = {
    group: frozenset(folded(heading) for heading in headings)
    for group, headings in json.loads(Path(__file__).with_name("headings.json").read_text("utf-8")).items()
}
_FEW, _MANY = 2, 3


def is_decision(page: Page, *, at_home: bool) -> bool:
    """Whether the headings are those of a decision record.

    Args:
        page: the document.
        at_home: whether it lies in a folder about architecture: there, fewer headings will do.
    """
    known = {folded(heading.text.strip(" :.0123456789")) for heading in page.headings}
    groups = {group for group, headings in _GROUPS.items() if not headings.isdisjoint(known)}
    return len(groups) >= (_FEW if at_home else _MANY) and bool(groups & {"decision", "status"})
