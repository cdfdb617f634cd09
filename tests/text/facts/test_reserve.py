"""Evidence must assert the claim: each reserve withholds, and what looks like one does not."""

import pytest

from guardrail.text.facts import EXACT, FactKind, Mismatch, compare, extract


def found(claim: str, *evidence: str) -> Mismatch | None:
    mismatches = compare(extract(claim), [extract(sentence) for sentence in evidence])
    return next((m for m in mismatches if m.kind is FactKind.RESERVE), None)


@pytest.mark.parametrize(
    ("claim", "evidence", "contradicts"),
    [
        (
            "Kestrel Labs was sold to Microsoft.",
            "Kestrel Labs denied reports that it had been sold to Microsoft.",
            False,
        ),
        ("The mayor took bribes.", "The mayor allegedly took bribes.", False),
        ("The chairman resigned in March.", "The chairman was said to have resigned in March.", False),
        ("Ines Roth stole the violin.", "Ines Roth is accused by her cousin of stealing the violin.", False),
        ("The firm was sold for 3 million.", "According to rumours, the firm was sold for 3 million.", False),
        ("The chairman resigned in March.", "Reports that the chairman had resigned in March are false.", True),
        ("Sugar makes children hyperactive.", "It is a myth that sugar makes children hyperactive.", True),
        ("The firm has closed the plant in Ulm.", "The firm plans to close the plant in Ulm next year.", False),
        ("The library opened on 3 May.", "The library is due to open on 3 May.", False),
        ("The bridge was closed by the council.", "The council has promised to close the bridge.", False),
        ("The council banned cars.", "Under a draft rule, the council would ban cars.", False),
        ("The meeting was held in Rome.", "The meeting would have been held in Rome.", False),
        ("She reached the summit.", "She failed to reach the summit.", True),
        ("The wall collapsed.", "The wall almost collapsed.", True),
        ("Mara Voss won the race.", "Mara Voss came close to winning the race.", True),
        ("Ann Lee is the director of the museum.", "Ann Lee is the former director of the museum.", True),
        ("Ann Lee is the director of the museum.", "Ann Lee used to be the director of the museum.", True),
        ("Tom Ode wrote the letter.", "The police asked whether Tom Ode wrote the letter.", False),
        ("The old pier was sold.", "~~The old pier was sold.~~ The sale fell through.", True),
        ("公司已在五月关闭了工厂。", "公司计划在五月关闭工厂。", False),
        ("该市长收受了贿赂。", "据称该市长收受了贿赂。", False),
        ("Der Bürgermeister hat Geld genommen.", "Der Bürgermeister hat angeblich Geld genommen.", False),
        ("Le maire a pris l'argent.", "Le maire a prétendument pris l'argent.", False),
    ],
)
def test_what_the_evidence_does_not_assert_supports_nothing(claim: str, evidence: str, contradicts: bool):
    mismatch = found(claim, evidence)
    assert mismatch is not None
    assert mismatch.weight == EXACT
    assert mismatch.contradicts is contradicts
    assert mismatch.evidence_value is not None
    assert mismatch.evidence_value.strip("“”") in evidence


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        # the same reserve, in other words
        ("The firm will close the plant in Ulm.", "The firm plans to close the plant in Ulm next year."),
        ("The mayor is said to have taken bribes.", "The mayor allegedly took bribes."),
        ("According to rumours, the firm was sold.", "There are rumours that the firm was sold."),
        ("Ann Lee was the director of the museum.", "Ann Lee used to be the director of the museum."),
        ("Ann Lee was the director of the museum.", "Ann Lee is the former director of the museum."),
        ("The wall did not collapse.", "The wall almost collapsed."),
        ("该市长据说收受了贿赂。", "据称该市长收受了贿赂。"),
        ("公司计划五月关闭工厂。", "公司打算在五月关闭工厂。"),
        # no reserve
        ("The tenant must pay the rent on the first.", "The tenant will pay the rent on the first."),
        ("The train leaves at eight.", "The train is due to leave at eight."),
        ("The chief retired after 31 years.", "The chief left in May after 31 years and retired."),
        ("Mara Voss won the race.", "Mara Voss only just won the race."),
        ("The bridge was closed on 4 May.", "On 4 May the bridge was closed by the council."),
        ("Symptoms include fever and headache.", "Symptoms may include fever and headache."),
        # undone
        ("She locked the door in Ulm.", "She did not forget to lock the door in Ulm."),
        (
            "The night guard opened the sluice.",
            "Had the night guard not opened the sluice, the mill would have flooded.",
        ),
        (
            "The shop has fifteen rooms.",
            "An earlier version said that the shop has twelve rooms; the right number is 15.",
        ),
        # another predicate, or another part of the sentence
        ("Ann bought the shop.", "Ann bought the shop and plans to buy the mill."),
        (
            "The council closed the pool in June.",
            "The council closed the pool in June, but the plan to close the rink failed.",
        ),
        ("The former director of the museum is a teacher.", "The former director of the museum is a teacher."),
    ],
)
def test_the_same_reserve_and_what_is_none_stay_silent(claim: str, evidence: str):
    assert found(claim, evidence) is None


@pytest.mark.parametrize(
    "second",
    [
        "The rink closed on 3 October.",
        "The council confirmed the date last week, and the rink has been shut since.",
        "The rink was in the end shut for good.",
    ],
)
def test_another_sentence_may_say_it_outright(second: str):
    claim, first = "The council closed the rink.", "The council plans to close the rink."
    assert found(claim, first) is not None
    assert found(claim, first, "Tickets for the pool cost three euros.") is not None
    assert found(claim, first, second) is None


def test_a_hedge_that_is_often_dropped_is_only_a_signal():
    mismatch = found("The drug cures migraine.", "The drug may cure migraine.")
    assert mismatch is not None
    assert mismatch.weight < EXACT


def test_the_words_of_the_reason_name_what_was_read():
    mismatch = found("She reached the summit of the Orzel.", "She failed to reach the summit of the Orzel.")
    assert mismatch is not None
    assert (mismatch.claim_value, mismatch.evidence_value) == ("“reached”", "“failed to reach the summit of the Orzel”")
