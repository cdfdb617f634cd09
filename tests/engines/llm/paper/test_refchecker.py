"""RefChecker: claims and the segments that they are of."""

from dataclasses import replace

from guardrail.check.contract import VerifyRequest
from guardrail.engines.llm.paper import refchecker
from guardrail.types import Claim


def test_an_empty_extraction_does_not_talk_an_answer_past_the_check(sentences, drive, draft_request):
    request = draft_request()
    draft, _ = drive(refchecker.decompose(request, "en"), lambda *_: {"triplets": []})
    assert [s.text for s in draft.parts.checked] == list(sentences)
    assert not draft.parts.abstained
    assert not any(s.claims for s in draft.parts.segments)


def test_claims_that_leave_a_segment_out_do_not_hide_it(sentences, passages, drive, segments, checked):
    text = f"{sentences[1][:-1]}, and {sentences[4]}"
    hidden = replace(segments([text])[0], claims=(Claim(id="s1.1", text="The reservoir"),))
    request = VerifyRequest(segments=(hidden,), passages=passages[:1])

    def script(_, data):
        label = {"s1.1": "Entailment", "s1": "Contradiction"}
        return {"labels": [{"id": c["id"], "label": label[c["id"]]} for c in data["claims"]]}

    matrix = checked(request, drive(refchecker.verify(request, "en"), script)[0])
    assert matrix.claims[0].supported == 0.95
    assert matrix.rows[0].contradicted == 0.95


def test_subsentence_claims_go_to_the_sentences_that_the_model_names(drive, draft_request):
    answer = "Larkmoor Dam is 64 metres high. Larkmoor Dam was built by Rita Halloway."
    said = [
        {"text": "Larkmoor Dam was built.", "sentences": [2]},
        {"text": "Rita Halloway built it.", "sentences": [99]},  # no such sentence: by its words
        {"text": "Bees dance.", "sentences": [1]},  # not of this answer
        {"text": 5, "sentences": [1]},
    ]
    request = draft_request(answer)
    steps = refchecker.decompose(request, "en", claim_format="subsentence")
    draft, ((prompt,),) = drive(steps, lambda *_: {"claims": said})
    assert prompt.identity.startswith("refchecker_subsentences.en")
    assert [[c.text for c in s.claims] for s in draft.parts.segments] == [
        [],
        ["Larkmoor Dam was built.", "Rita Halloway built it."],
    ]
    assert draft.parts.segments[1].claims[0].span.of(answer) == "Larkmoor Dam was built"
    assert "2 of 4 claims were left out" in draft.reason
