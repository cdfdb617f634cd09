"""Things that have changed places fire; other voices, orders of words and clauses stay silent."""

import pytest

from guardrail.text.facts import FactKind, compare, extract

EXCHANGED = [
    ("Ben reports to Ann.", "Ann reports to Ben."),
    ("Kestrel acquired Lark in 2019.", "Lark acquired Kestrel in 2019."),
    ("Lark was acquired by Kestrel.", "Kestrel was acquired by Lark."),
    ("Arn lies north of Bel.", "Bel lies north of Arn."),
    ("Anna is taller than Ben.", "Ben is taller than Anna."),
    ("Anna is the mother of Ben.", "Ben is the mother of Anna."),
    ("The debate was held before the vote.", "The vote was held before the debate."),
    ("The oak lasts 15 years and the larch 8 years.", "The larch lasts 15 years and the oak 8 years."),
    ("Sales were 22 tonnes in 2018 and 45 tonnes in 2023.", "Sales were 45 tonnes in 2018 and 22 tonnes in 2023."),
    ("贝尔公司收购了云岭工厂。", "云岭工厂收购了贝尔公司。"),
]

SAME = [
    ("Kestrel acquired Lark in 2019.", "Lark was acquired by Kestrel in 2019."),
    ("Ann met Ben in Paris.", "Ben met Ann in Paris."),
    ("They sell tea, coffee and milk.", "They sell milk, coffee and tea."),
    ("Two bells hang in the tower.", "In the tower hang two bells."),
    ("The town lies 5 km north of Arn.", "5 km north of Arn lies the town."),
    ("The winner in 2019 was Ann.", "Ann was the winner in 2019."),
    ("On Monday the shop opens at 9:00.", "At 9:00 the shop opens on Monday."),
    ("The oak lasts 15 years and the larch 8 years.", "The larch lasts 8 years and the oak 15 years."),
    ("Im Tal steigt die Gefahr unter der Brücke.", "Die Gefahr steigt im Tal unter der Brücke."),
    ("Ben reports to Ann.", "Ann does not report to Ben."),
]


def _exchanged(evidence: list[str], claim: str) -> list[str | None]:
    found = compare(extract(claim), [extract(sentence) for sentence in evidence])
    return [m.evidence_value for m in found if m.kind is FactKind.ROLE]


@pytest.mark.parametrize(("evidence", "claim"), EXCHANGED)
def test_exchanged_parts_are_found(evidence: str, claim: str) -> None:
    assert len(_exchanged([evidence], claim)) == 1


@pytest.mark.parametrize(("evidence", "claim"), SAME)
def test_the_same_in_another_form_is_silent(evidence: str, claim: str) -> None:
    assert _exchanged([evidence], claim) == []


def test_parts_exchanged_across_two_sentences() -> None:
    evidence = ["The parquet is covered in full.", "The carpet is paid at half its price."]
    assert _exchanged(evidence, "The carpet is covered in full, the parquet is paid at half its price.")


def test_silent_where_another_sentence_has_the_claims_order() -> None:
    evidence = ["Ben reports to Ann.", "On Fridays, Ann reports to Ben."]
    assert _exchanged(evidence, "Ann reports to Ben.") == []


def test_the_reason_quotes_what_the_sentence_says() -> None:
    assert _exchanged(["Ben reports to Ann."], "Ann reports to Ben.") == ["“Ben reports to Ann”"]
