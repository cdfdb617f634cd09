"""Class and member, whole and part."""

from __future__ import annotations

import pytest

from guardrail.types import ErrorType
from tests.support.relations import assert_entailed, assert_no_alarm, assert_wrong

E = ErrorType

WRONG = [
    (
        "Cold standby is a kind of hot standby.",
        ["Backup nodes are either hot standby or cold standby."],
        E.INCLUSION_RELATION,
        False,
    ),
    (
        "The rent includes parking.",
        ["Parking is not included in the rent."],
        E.INCLUSION_RELATION,
        True,
    ),
    (
        "The blue orchid is one of the flowers in the mix.",
        ["The mix holds ten flowers, but not the blue orchid."],
        E.INCLUSION_RELATION,
        True,
    ),
    ("冷备是热备的一种。", ["备份节点分为热备和冷备。"], E.INCLUSION_RELATION, False),
]

ENTAILED = [
    ("Berries such as tomatoes ripen late.", ["Berries, such as tomatoes, ripen late in autumn."]),
    ("Parking is included in the rent.", ["The rent includes parking."]),
    ("Insurance is part of the Plus plan.", ["The Plus plan includes insurance and a lock."]),
    ("The Plus plan includes insurance.", ["Insurance is included in the Plus plan and costs extra with Basic."]),
]

HONEST = [
    ("Animals such as bats sleep in winter.", ["Bats sleep in winter."]),
    ("The band includes two drummers.", ["The band has two drummers."]),
    ("The kit consists of the hose and two clips.", ["The kit contains the hose and two clips; oil is not included."]),
    ("主题不属于插件。", ["主题不算插件，只是文件。"]),
]


@pytest.mark.parametrize(("text", "evidence", "error_type", "contradicts"), WRONG)
def test_wrong_relation(text: str, evidence: list[str], error_type: E, contradicts: bool) -> None:
    assert_wrong(text, evidence, error_type, contradicts=contradicts)


@pytest.mark.parametrize(("text", "evidence"), ENTAILED)
def test_entailed_relation(text: str, evidence: list[str]) -> None:
    assert_entailed(text, evidence)


@pytest.mark.parametrize(("text", "evidence"), HONEST)
def test_no_false_alarm(text: str, evidence: list[str]) -> None:
    assert_no_alarm(text, evidence)
