"""Courtesies state nothing; a sentence in the same dress that does is none."""

from __future__ import annotations

import pytest

from guardrail.check.decompose import decompose
from guardrail.check.decompose.courtesies import is_courtesy


@pytest.mark.parametrize(
    "text",
    [
        "I'm so sorry for your loss.",
        "I'm sorry to hear that you're unwell.",
        "We are sorry to hear about the delay.",
        "I hope it arrives soon!",
        "I hope everything works out.",
        "If anything is unclear, just ask.",
        "If something remains open, please feel free to ask.",
        "If you can send me the missing page, I'll gladly look again.",
        "Please ask your doctor or pharmacist before you take it.",
        "It is best to consult a lawyer.",
    ],
)
def test_courtesies_are_not_checked(text: str) -> None:
    assert is_courtesy(text)
    assert decompose(text).checked == ()


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry for the delay, which the strike caused.",
        "I'm sorry to hear that you're charged twice.",
        "I hope it arrives by 5 May.",
        "I hope you know that the fee is refunded soon, as promised.",
        "If anything is unclear, ask the landlord, who must answer.",
        "If you can send me the form, I'll look again, though the claim has lapsed.",
        "Please ask your doctor for the free vaccination.",
        "Please ask your doctor before you take more than two.",
        "You must ask your doctor first.",
        "The doctor hopes it heals well.",
    ],
)
def test_what_could_state_something_is_checked(text: str) -> None:
    assert not is_courtesy(text)
    assert decompose(text).checked
