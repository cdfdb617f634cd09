"""Groups of namesakes, and where a text names one of them in full."""

from __future__ import annotations

import pytest

from guardrail.check.entities import cluster
from guardrail.check.entities.namesakes import first_mention, namesake_groups
from tests.support.namesakes import HANLEYS, NAMESAKES, ORDINARY


def test_namesakes_stand_in_one_group() -> None:
    """In the order of their passages, under the shortest form of the name."""
    (one,) = namesake_groups(cluster(NAMESAKES["short form"]))
    assert one.name == "Jeff Cook"
    assert [member.passages for member in one.members] == [(0,), (1,)]
    assert one.bears("Jeffrey Cook")
    assert not one.bears("Ann Reed")


def test_ordinary_subjects_stand_in_none() -> None:
    """Only entities that share a name are grouped."""
    assert namesake_groups(cluster(ORDINARY["relatives"])) == ()
    assert len(namesake_groups(cluster([*HANLEYS, *NAMESAKES["spelling"]]))) == 2


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("He met Thomas J. Scott there.", ["Tom Scott"], "Thomas J. Scott"),
        ("Sheila Jackson Lee won.", ["Sheila Jackson"], "Sheila Jackson Lee"),
        ("Scott won.", ["Tom Scott"], None),
        ("画家陆文启住在临溪镇。", ["陆文启"], "陆文启"),
    ],
)
def test_first_mention(text: str, names: list[str], found: str | None) -> None:
    """The whole name counts, also in another form; a surname alone does not."""
    span = first_mention(text, names)
    assert (span.of(text) if span else None) == found
