"""RefChecker: claims and the segments that they are of."""

from dataclasses import replace

import pytest

from guardrail.check.contract import VerifyRequest
from guardrail.engines.llm.paper import refchecker
from guardrail.types import Claim, Passage
from tests.support.fences import unfence


def entail(_, data):
    return {"labels": [{"id": claim["id"], "label": "Entailment"} for claim in data["claims"]]}


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


def test_a_missing_doubled_or_strange_label_spoils_its_claim_only(sentences, passages, drive, verify_request, checked):
    request = verify_request(sentences[:4], passages[:1], claims=1)

    def script(_, data):
        first, second, third, _fourth = [claim["id"] for claim in data["claims"]]
        return {
            "labels": [
                {"id": first, "label": "Entailment"},
                {"id": second, "label": "Neutral"},
                {"id": second, "label": "Entailment"},
                {"id": third, "label": "Supported"},
                {"id": "s9.9", "label": "Entailment"},
            ]
        }

    matrix, _ = drive(refchecker.verify(request, "en"), script)
    assert [row.unverified is None for row in checked(request, matrix).claims] == [True, False, False, False]
    assert [row.unverified is None for row in matrix.rows] == [True, False, False, False]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("ENC", (0.95, None)),
        ("NC?", (0.03, None)),
        ("NNN", (0.05, None)),
        ("NN?", (0.0, "holds no JSON")),
        ("E??", (0.95, None)),
    ],
)
def test_labels_of_passages_merge_as_refchecker_does(
    labels, expected, sentences, passages, drive, verify_request, checked
):
    words = {"E": "Entailment", "N": "Neutral", "C": "Contradiction"}
    request = verify_request(sentences[:1], passages[: len(labels)], claims=1)

    def script(_, data):
        label = labels[int(data["documents"][0]["id"][1:]) - 1]
        return "?" if label == "?" else {"labels": [{"id": "s1.1", "label": words[label]}]}

    matrix, _ = drive(refchecker.verify(request, "en"), script)
    row = checked(request, matrix).claims[0]
    assert row.supported == expected[0]
    assert (row.unverified is None) == (expected[1] is None)
    assert expected[1] is None or expected[1] in row.unverified
    assert [cell is None for cell in matrix.claims[0].cells] == [label == "?" for label in labels]


def test_located_evidence_stands_in_the_passage_that_entails(sentences, drive, verify_request, checked):
    passages = (Passage(id="a", text="Bees dance."), Passage(id="b", text=f"Bees dance. {sentences[0]} It rains."))
    request = verify_request(sentences[:1], passages)

    def script(_, data):
        told = data["documents"][0]["id"] == "d2"
        return {"labels": [{"id": "s1", "label": "Entailment" if told else "Neutral"}]}

    (row,) = checked(request, drive(refchecker.verify(request, "en"), script)[0]).rows
    ((number, span),) = row.evidence
    assert (number, span.of(passages[1].text)) == (1, sentences[0])


def test_claims_that_lose_a_negation_or_a_number_do_not_stand_for_their_segment(drive, segments):
    for text in ("Larkmoor Dam is not high.", "Larkmoor Dam is 99 m high."):
        (segment,) = segments([text])
        claim = Claim(id="s1.1", text="Larkmoor Dam is high", triplet=("Larkmoor Dam", "is", "high"))
        passages = (Passage(id="a", text="Larkmoor Dam is high."),)
        request = VerifyRequest(segments=(replace(segment, claims=(claim,)),), passages=passages)
        asked = drive(refchecker.verify(request, "en"), entail)[1][0]
        assert [item["claim"] for item in unfence(asked[0].user)["claims"]] == [["Larkmoor Dam", "is", "high"], text]


def test_a_label_beside_an_unreadable_one_for_the_same_claim_is_none(
    sentences, passages, drive, verify_request, checked
):
    request = verify_request(sentences[:1], passages[:1])
    labels = [{"id": "s1", "label": "Entailment"}, {"id": "s1", "label": "Unsure"}]
    (row,) = checked(request, drive(refchecker.verify(request, "en"), lambda *_: {"labels": labels})[0]).rows
    assert row.unverified
