"""A model may join, split, reword and group the pieces of an answer; it may not lose or add anything."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.check.contract import DecomposeRequest, Draft, validated_draft
from guardrail.check.decompose import decompose
from guardrail.engines.llm.draft import answer_units, read_draft
from guardrail.engines.llm.judgement import claims_of
from guardrail.text.wording import signs, words

ANSWER = (
    "Amazon leads the cloud market. It got there because it developed its own chips in 2013. "
    "Vitamin C is needed by the body, and oranges are rich in vitamin C. I hope this helps you!"
)


def request(answer: str = ANSWER, question: str | None = None) -> DecomposeRequest:
    return DecomposeRequest(answer=answer, question=question, parts=decompose(answer, question=question))


def part(units: list[int], text: str, **other: Any) -> dict[str, Any]:
    return {"units": units, "part": "", "text": text, "individual": "", "relation": "", "points": [], **other}


def read(*parts: Any, asked: DecomposeRequest | None = None, **other: Any) -> Draft:
    asked = asked or request()
    raw = {"individuals": [], "segments": list(parts), "no_claim": [], "abstains": False, **other}
    return validated_draft(asked, read_draft(raw, asked))


def checked(draft: Draft) -> list[str]:
    return [segment.text for segment in draft.parts.checked]


LEADS = part([1], "Amazon leads the cloud market.", points=[["Amazon", "leads", "the cloud market"]])
CHIPS = part(
    [2],
    "Amazon got there because Amazon developed its own chips in 2013.",
    relation="because",
    points=[["Amazon", "got there because it developed", "its own chips in 2013"]],
)
BODY = part([3], "Vitamin C is needed by the body", part="Vitamin C is needed by the body")
ORANGES = part([3], "oranges are rich in vitamin C.", part="oranges are rich in vitamin C.")


def test_the_pieces_are_numbered_and_what_needs_no_check_is_shown_without_a_number() -> None:
    units = answer_units(request("# Cloud\n\nAmazon leads the market. It has its own chips."))
    assert [unit["unit"] for unit in units] == [None, 1, 2]


def test_a_reply_is_taken_as_it_is_where_it_holds() -> None:
    draft = read(LEADS, CHIPS, BODY, ORANGES)
    assert checked(draft)[:2] == [LEADS["text"], CHIPS["text"]]
    assert [s.span.of(ANSWER) for s in draft.parts.checked][2:4] == [BODY["part"], ORANGES["part"]]
    assert [r.connective for r in draft.parts.checked[1].relations] == ["because"]
    assert draft.parts.checked[0].claims[0].triplet == ("Amazon", "leads", "the cloud market")
    assert draft.parts.checked[0].claims[0].id == "s1.1"


def test_a_piece_that_the_reply_leaves_out_is_checked_all_the_same() -> None:
    draft = read(LEADS)
    assert len(draft.parts.checked) == len(request().parts.checked)
    assert "of" in draft.reason


def test_joined_pieces_span_both() -> None:
    joined = part([1, 2], "Amazon leads the cloud market. Amazon got there because it developed its own chips in 2013.")
    [first, *_] = read(joined, BODY, ORANGES).parts.checked
    assert first.span.of(ANSWER).startswith("Amazon leads")
    assert first.span.of(ANSWER).endswith("2013.")


@pytest.mark.parametrize(
    "text",
    [
        "Amazon leads the cloud market with a share of 34 percent.",  # a number that the answer does not have
        "Jeff Bezos personally conquered the profitable hosting industry.",  # other words
        "Amazon.",  # most of it is gone
        "",
    ],
)
def test_a_stand_alone_text_that_adds_or_loses_is_replaced_by_the_rules(text: str) -> None:
    assert checked(read({**LEADS, "text": text}))[0] == "Amazon leads the cloud market."


def test_a_split_that_leaves_out_a_fact_is_undone() -> None:
    answer = "The dam was built in 1958 and holds 41 million cubic metres of water."
    asked = request(answer)
    first = part([1], "The dam was built in 1958", part="The dam was built in 1958")
    rest = part([1], "holds 41 million cubic metres of water.", part="holds 41 million cubic metres of water.")
    assert len(read(first, rest, asked=asked).parts.checked) == 2
    assert checked(read(first, asked=asked)) == [answer]
    over = part([1], "1958 and holds 41 million", part="1958 and holds 41 million")
    assert checked(read(first, over, rest, asked=asked)) == [answer]


@pytest.mark.parametrize("units", [[], [0], [9], [1, 3], [-1]])
def test_numbers_of_no_piece_are_no_segment(units: list[int]) -> None:
    assert checked(read({**LEADS, "units": units})) == checked(read())


@pytest.mark.parametrize(
    "broken", [None, 7, "x", {}, {"units": "1", "text": "a"}, {"units": [1]}, part([True], "Amazon")]
)
def test_an_item_that_is_wrong_spoils_itself_only(broken: Any) -> None:
    assert CHIPS["text"] in checked(read(broken, CHIPS))


@pytest.mark.parametrize("broken", [None, 7, "x", {}])
def test_lists_that_are_none_leave_the_rules(broken: Any) -> None:
    draft = read(individuals=broken, no_claim=broken, segments=broken)
    assert len(draft.parts.checked) == len(request().parts.checked)


def test_points_that_leave_out_a_fact_get_the_text_itself_beside_them() -> None:
    lacking = {**CHIPS, "points": [["Amazon", "developed", "chips"]]}
    claims = read(LEADS, lacking).parts.checked[1].claims
    assert [claim.triplet is None for claim in claims] == [False, True]
    assert claims[-1].text == CHIPS["text"]


def test_points_that_the_text_does_not_make_are_left_out() -> None:
    invented = {**LEADS, "points": [*LEADS["points"], ["Microsoft", "sued", "several European regulators"]]}
    assert [c.text for c in read(invented).parts.checked[0].claims] == ["Amazon leads the cloud market"]


def test_talk_to_the_reader_may_be_left_unchecked_but_nothing_that_states_a_fact() -> None:
    asked = request("Sure, I can tell you more. The dam is dangerous. It was built in 1958.")
    draft = read(asked=asked, no_claim=[1, 2, 3])
    assert checked(draft)[-2:] == ["The dam is dangerous.", "The dam was built in 1958."]


def test_an_answer_abstains_only_if_nothing_of_it_is_left_to_check() -> None:
    assert not read(abstains=True).parts.abstained


def test_groups_are_the_individuals_that_a_reader_sees() -> None:
    answer = "Dick Hanley was a swimmer. He was born in 1936. Another Dick Hanley coached football."
    asked = request(answer)
    people = [{"key": "A", "name": "Dick Hanley (swimmer)"}, {"key": "B", "name": "Dick Hanley (coach)"}]
    draft = read(
        part([1], "Dick Hanley was a swimmer.", individual="A"),
        part([2], "Dick Hanley was born in 1936.", individual="A"),
        part([3], "Another Dick Hanley coached football.", individual="B"),
        asked=asked,
        individuals=people,
    )
    assert draft.groups is not None
    assert [(group.name, group.segments) for group in draft.groups] == [
        ("Dick Hanley", ("s1", "s2")),
        ("Dick Hanley", ("s3",)),
    ]
    assert read(part([1], "Dick Hanley was a swimmer.", individual="A"), asked=asked).groups is None


def test_a_chinese_answer_keeps_its_words() -> None:
    answer = "大坝建于1958年。因为它很高，所以水库很大。"
    asked = request(answer)
    draft = read(
        part([1], "大坝建于1958年。", points=[["大坝", "建于", "1958年"]]),
        part([2], "因为大坝很高，所以水库很大。", relation="因为…所以"),
        asked=asked,
    )
    assert checked(draft) == ["大坝建于1958年。", "因为大坝很高，所以水库很大。"]
    assert draft.parts.checked[0].claims[0].text == "大坝建于1958年"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("The dam is not safe.", "The dam is safe."),
        ("The dam isn't safe.", "The dam is safe."),
        ("The dam is safe.", "The dam is not safe."),
        ("The dam is only open to members.", "The dam is open to members."),
        ("Sales may have risen in all regions.", "Sales have risen in regions."),
        ("大坝不安全。", "大坝安全。"),
    ],
)
def test_a_text_that_turns_a_statement_round_or_claims_another_amount_is_replaced(answer: str, text: str) -> None:
    assert checked(read(part([1], text), asked=request(answer))) == [answer]


def claims(answer: str, text: str, *points: list[str]) -> list[str]:
    [segment] = read(part([1], text, points=list(points)), asked=request(answer)).parts.checked
    return [claim.text for claim in segment.claims]


def test_what_a_text_or_its_points_leave_out_is_a_claim_too() -> None:
    answer = "Rita Halloway, a convicted murderer, built the large dam."
    built = ["Rita Halloway", "built", "the large dam"]
    assert claims(answer, "Rita Halloway built the large dam.", built) == [" ".join(built), answer]
    assert claims(answer, answer, built) == [" ".join(built), answer]
    murderer = ["Rita Halloway", "a convicted", "murderer"]
    assert claims(answer, answer, built, murderer) == [" ".join(built), " ".join(murderer)]


def test_points_that_lose_a_negation_are_no_points() -> None:
    answer = "The dam is not safe."
    assert claims(answer, answer, ["The dam", "is", "safe"]) == [answer]
    assert claims("US sales rose.", "US sales rose.", ["sales", "rose", "again"])[-1] == "US sales rose."


def test_a_split_that_leaves_out_words_is_undone() -> None:
    answer = "The dam stands in a quiet valley, poisons nearby wells, and attracts visitors."
    first = part([1], "The dam stands in a quiet valley", part="The dam stands in a quiet valley")
    last = part([1], "The dam attracts visitors.", part="attracts visitors.")
    assert checked(read(first, last, asked=request(answer))) == [answer]


@pytest.mark.parametrize(
    "claim",
    [
        "You can safely mix bleach and ammonia.",
        "Your deposit is fully refundable.",
        "We refund all orders.",
        "I can confirm that the drug is safe.",
        "您可以随时取消订单并获得退款。",
        "我们为您提供全额退款。",
    ],
)
def test_what_is_said_to_the_reader_may_be_a_claim(claim: str) -> None:
    draft = read(asked=request(claim), no_claim=[1], abstains=True)
    assert checked(draft) == [claim]
    assert not draft.parts.abstained


@pytest.mark.parametrize("talk", ["Sure, I can tell you more.", "I wish you a good ride!", "我可以继续帮您比较。"])
def test_talk_may_be_left_unchecked(talk: str) -> None:
    assert checked(read(asked=request(talk), no_claim=[1])) == []


def test_a_relation_stands_where_its_words_are_whatever_their_case() -> None:
    answer = "In İİİİ the dam broke whence it rained."
    [segment] = read(part([1], answer, relation="WHENCE"), asked=request(answer)).parts.checked
    assert [relation.span.of(segment.text) for relation in segment.relations] == ["whence"]


WORDS = sorted(set(ANSWER.split()) | {"not", "only", "gold", "1999"})
wordings = st.one_of(
    st.sampled_from([s.text for s in request().parts.checked]),
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
    st.tuples(st.integers(0, len(ANSWER)), st.integers(0, len(ANSWER))).map(lambda ends: ANSWER[min(ends) : max(ends)]),
)
anything = st.fixed_dictionaries(
    {
        "units": st.lists(st.integers(0, 4), max_size=3),
        "part": st.one_of(st.just(""), wordings),
        "text": wordings,
        "individual": st.sampled_from(["", "A", "B"]),
        "relation": st.one_of(st.just(""), wordings),
        "points": st.lists(st.lists(wordings, min_size=2, max_size=3), max_size=4),
    }
)


@given(st.lists(anything, max_size=5), st.lists(st.integers(0, 4), max_size=3), st.booleans())
def test_whatever_a_model_replies_no_word_and_no_negation_of_the_answer_is_lost(
    parts: list[Any], silent: list[int], abstains: bool
) -> None:
    asked = request()
    draft = read(*parts, asked=asked, no_claim=silent, abstains=abstains, individuals=[{"key": "A", "name": "Amazon"}])
    for piece in asked.parts.checked:
        said = " ".join(
            f"{claim.text} {' '.join(relation.connective for relation in segment.relations)}"
            for segment in draft.parts.checked
            for claim in claims_of(segment)
            if segment.span.start < piece.span.end and piece.span.start < segment.span.end
        )
        gone = words(piece.span.of(ANSWER)) - words(said) - words("I hope this helps you!")
        assert not gone, (piece.text, gone)
        assert not signs(piece.span.of(ANSWER)) - signs(said)


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        ("The old stone dam near Fennick holds clean water.", [["The old stone dam", "near Fennick holds", "clean tap water"]]),
        ("The dam is not safe and the road is open.", [["The dam", "is", "safe"], ["the road", "is not", "open"]]),
        ("The IT sales rose.", [["The sales", "rose", "rose"]]),
    ],
)  # fmt: skip
def test_points_that_add_or_turn_round_anything_have_the_text_beside_them(answer: str, points: list[Any]) -> None:
    assert claims(answer, answer, *points)[-1] == answer


def test_a_yes_or_no_before_a_statement_may_go() -> None:
    answer = "No, pets are not allowed in the dining room."
    text = "Pets are not allowed in the dining room."
    assert claims(answer, text, ["Pets", "are not allowed in", "the dining room"]) == [text.rstrip(".")]
