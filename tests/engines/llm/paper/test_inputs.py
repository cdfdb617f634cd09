"""What the papers' prompts are given, and whether texts keep what a sentence says."""

from __future__ import annotations

import pytest

from guardrail.engines.llm.paper.inputs import by_sentence, context_blocks, keeps, replies_to


def test_segments_are_cut_into_sentences_that_cover_them(draft_request):
    request = draft_request("The dam is 64 metres high. It holds water; boats are forbidden.")
    single = by_sentence(request)
    texts = [segment.span.of(request.answer) for segment in single.parts.segments]
    assert texts[0] == "The dam is 64 metres high."
    assert "".join(" ".join(texts).split()) == "".join(request.answer.split())
    assert [segment.id for segment in single.parts.segments] == [f"s{n}" for n in range(1, len(texts) + 1)]


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("Larkmoor Dam is high.", "It is 64 metres high."), True),
        (("Larkmoor Dam is high.",), False),
        (("Boats are allowed.",), False),
    ],
)
def test_a_number_or_most_words_lost_are_a_loss(texts, kept):
    assert keeps(texts, "Larkmoor Dam is 64 metres high.") is kept


def test_a_negation_lost_is_a_loss():
    assert not keeps(("Boats are allowed on the lake.",), "Boats are not allowed on the lake.")


def test_documents_keep_their_numbers_and_the_question_comes_last(verify_request):
    request = verify_request(["A claim."], question="How high?")
    (name, listed), question = context_blocks(request, [2, 4])
    assert name == "documents"
    assert [each["id"] for each in listed] == ["d3", "d5"]
    assert question == ("question", "How high?")
    assert len(context_blocks(verify_request(["A claim."]), [0])) == 1


def test_no_prompts_are_no_round(drive):
    assert drive(replies_to(()), None) == ((), [])
