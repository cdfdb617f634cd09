"""The value of something else near by fires; values that may hold for both, or changed, stay silent."""

import pytest

from guardrail.text.facts import FactKind, compare, extract

PLANS = "The Basic plan costs 10 EUR and the Pro plan 20 EUR."

OTHERS = [
    ([PLANS], "The Pro plan costs 10 EUR.", "20 EUR (Pro) and 10 EUR (Basic)"),
    (["Model A weighs 3 kg.", "Model B weighs 5 kg."], "Model B weighs 3 kg.", "5 kg (Model B) and 3 kg (Model A)"),
    (
        ["Tickets cost 12 EUR for adults, 8 EUR for students and 5 EUR for children."],
        "Tickets cost 8 EUR for children.",
        "5 EUR (children) and 8 EUR (students)",
    ),
    (
        ["The north wing opened in 1950, the south wing in 1960."],
        "The south wing opened in 1950.",
        "1960 (south) and 1950 (north)",
    ),
    (["Basic: 10 EUR", "Pro: 20 EUR"], "Pro: 10 EUR", "20 EUR (Pro) and 10 EUR (Basic)"),
]

SILENT = [
    ([PLANS], "The Pro plan costs 20 EUR."),
    ([PLANS], "The Pro plan does not cost 10 EUR."),
    ([PLANS], "The Pro plan costs 10 EUR more than the Basic plan."),
    (
        ["The Basic plan costs 10 EUR, as did the Pro plan until May, when it rose to 20 EUR."],
        "The Pro plan cost 10 EUR.",
    ),
    (["Ann was born in 1950 and Ben in 1960."], "Ben was born after 1950."),
    (["The Pro plan costs 10 EUR.", PLANS], "The Pro plan costs 10 EUR."),
    (["Arn sold 10 boats and Bel sold 20 boats."], "Bel sold 10 more boats."),
]


def _found(evidence: list[str], claim: str) -> list[str | None]:
    found = compare(extract(claim), [extract(sentence) for sentence in evidence])
    return [m.evidence_value for m in found if m.kind is FactKind.NEIGHBOUR]


@pytest.mark.parametrize(("evidence", "claim", "said"), OTHERS)
def test_the_value_of_another_is_named(evidence: list[str], claim: str, said: str) -> None:
    assert _found(evidence, claim) == [said]


@pytest.mark.parametrize(("evidence", "claim"), SILENT)
def test_other_statements_are_silent(evidence: list[str], claim: str) -> None:
    assert _found(evidence, claim) == []
