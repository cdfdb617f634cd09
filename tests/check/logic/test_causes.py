"""Causes: reversed, swapped, added; and honest rewordings of them."""

from __future__ import annotations

import pytest

from guardrail.types import ErrorType
from tests.support.relations import assert_entailed, assert_no_alarm, assert_wrong

E = ErrorType

WRONG = [
    (
        "Pump fuel became expensive because 212 farmers adopted the method.",
        ["In the valley, 212 farmers adopted the method because pump fuel became expensive."],
        E.CAUSAL_CONFUSION,
        True,
    ),
    (
        "The bridge was closed because the inspectors praised the railing.",
        ["The bridge was closed because the pier had sunk.", "The inspectors praised the railing."],
        E.CAUSAL_CONFUSION,
        False,
    ),
    (
        "Dust jammed the hinge because the battery froze during the night.",
        ["Dust jammed the hinge and the battery froze during the night."],
        E.CAUSAL_CONFUSION,
        False,
    ),
    (
        "The yearly bonus is reduced because heavy trucks damaged the bridge.",
        ["The yearly bonus is reduced in proportion.", "Heavy trucks damaged the bridge."],
        E.CAUSAL_CONFUSION,
        False,
    ),
    ("洪水泛滥是因为桥梁关闭。", ["因为洪水泛滥，桥梁关闭。"], E.CAUSAL_CONFUSION, True),
]

ENTAILED = [
    ("The race was cancelled because of the storm.", ["Owing to the storm, the race was cancelled."]),
    ("The worn bearing led to the crash.", ["The crash was caused by the worn bearing."]),
    ("If the water runs hot, the motor stops.", ["The motor stops if the water runs hot."]),
    ("由于暴雨，比赛取消。", ["因为暴雨，比赛取消。"]),
]

HONEST = [
    ("The ferry was out of service because a shaft cracked.", ["A cracked shaft took the ferry out of service."]),
    ("The road was shut owing to the landslide.", ["After the landslide, the road was shut."]),
    ("The plant died because it got no water.", ["Getting no water made the plant die."]),
    ("He moved abroad because he needed work.", ["He moved abroad to find work."]),
    ("The talks failed because of the walkout.", ["The walkout prevented the talks from succeeding."]),
    ("The firm cut jobs because sales fell.", ["Sales fell; the firm cut jobs as a consequence."]),
    ("The firm cut jobs because sales fell.", ["Sales fell, forcing the firm to cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Falling sales prompted the firm to cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Sales fell, so the firm cut jobs."]),
    ("The firm cut jobs because sales fell.", ["The firm cut jobs, as sales fell."]),
    ("The firm cut jobs because sales fell.", ["The firm cut jobs: sales fell by a third."]),
    ("The firm cut jobs because sales fell.", ["The firm cut jobs since sales fell."]),
    ("The firm cut jobs because sales fell.", ["Sales fell. As a result, the firm cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Sales fell.", "That is why the firm cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Sales fell, which meant that the firm cut jobs."]),
    ("The village lost power because the dam failed.", ["The dam's failure left the village without power."]),
    ("The crew survived thanks to the raft.", ["The raft saved the crew."]),
    ("The H2 is unsuitable because its chip has no driver.", ["It does not run on the H2, whose chip has no driver."]),
    ("Wages rose, so prices rose.", ["Prices rose because wages rose."]),
    ("The pump stops if it runs dry.", ["When it runs dry, the pump stops."]),
    ("The paper is late because the editor left.", ["The paper is late.", "The reason is that the editor left."]),
    (
        "Most older drivers ask for early shifts because night vision grows weaker.",
        ["Older drivers are given early shifts if they ask.", "Most ask, because night vision grows weaker."],
    ),
    ("Late claims must be reported because the law rejects them.", ["Report late claims; the law rejects them."]),
    (
        "Because patients under 16 were left out, the system must not be used for children.",
        ["Patients under 16 were left out.", "The system must therefore not be used for children."],
    ),
    (
        "Concrete hardens because cement reacts with water, not because it dries.",
        ["It does not dry to harden; concrete hardens because cement reacts with water."],
    ),
    ("The line has one track because of the tunnel.", ["The tunnel is why the line was never given a second track."]),
    (
        "The level is kept low because of the crack.",
        ["A crack was found in the dam, and the level has since been kept low."],
    ),
    (
        "The library is closed because a pipe burst.",
        ["The library is closed until May after a pipe burst."],
    ),
    ("工程停工是因为资金不足。", ["资金不足，导致工程停工。"]),
    ("因为缺水，庄稼枯死了。", ["缺水使庄稼枯死。"]),
    ("由于桥墩下沉，大桥限载。", ["大桥因桥墩下沉而限载。"]),
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
