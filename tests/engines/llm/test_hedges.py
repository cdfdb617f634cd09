"""How exact an answer says that a value is."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.hedges import leeway

ABOUT, UNDER, OVER = (0.99, 1.01), (0.99, 1.0), (1.0, 1.01)


@pytest.mark.parametrize(
    ("said", "value", "shares"),
    [
        ("serían unos 330 g de azúcar y algo menos de 340 g de harina", "340 g", UNDER),
        ("serían unos 330 g de azúcar y algo menos de 340 g de harina", "330 g", ABOUT),
        ("It is roughly 340 g.", "340 g", ABOUT),
        ("Das sind knapp 340 g.", "340 g", UNDER),
        ("Das sind gut 340 g.", "340 g", OVER),
        ("Cela fait environ 340 g.", "340 g", ABOUT),
        ("约合340克", "340克", ABOUT),
        ("大概要340克左右", "340克", ABOUT),
        ("540mlくらいに控える", "540ml", ABOUT),
        ("約540ml", "540ml", ABOUT),
        ("just under 340 g, nearly 340 g", "340 g", UNDER),
        ("It is 340 g.", "340 g", None),
        ("about 340 g, exactly 340 g", "340 g", None),  # once exact
        ("about 1340 g", "340 g", None),
        ("about nine, and 340 g", "340 g", None),
        ("just under 340 g, just over 340 g", "340 g", (1.0, 1.0)),
        ("nothing", "340 g", None),
    ],
)
def test_hedges_of_six_languages(said: str, value: str, shares: tuple[float, float] | None) -> None:
    assert leeway(value, said) == shares
