"""L-Face4RAG: what is made of its replies, good and broken."""

import pytest

from guardrail.check.contract import VerifyRequest, validated_draft
from guardrail.check.decompose import decompose as by_rules
from guardrail.engines.llm.paper import d_factscore, face4rag
from guardrail.engines.llm.protocol import LLMError
from guardrail.types import Cause, Passage
from tests.support.fences import unfence

DAM = "Larkmoor Dam is 64 metres high."
ROAD = "A road crosses the valley below."


@pytest.fixture
def face4rag_matrix(answer, drive, verify_request, checked, no_relation):
    def matrix_of(text, facts, logic=None):
        request = verify_request([text], [Passage(id="a", text=answer)])

        def script(name, data):
            if name == "face4rag_facts":
                return facts if isinstance(facts, str) else {"id": "s1", "points": facts}
            return no_relation(name, data) if logic is None else logic

        matrix, _ = drive(face4rag.verify(request, "en"), script)
        return checked(request, matrix)

    return matrix_of


def point(text, quote, verdict="consistent", error="none", document="d1"):
    context = [{"document": document, "text": quote}] if quote else []
    return {"point": text, "context": context, "analysis": "", "verdict": verdict, "error": error}


def test_face4rag_passes_a_segment_only_if_all_its_points_pass(sentences, face4rag_matrix):
    good = point(sentences[0], sentences[0])
    bad = point("The dam is blue", "", "not_found", "hallucination")
    assert face4rag_matrix(sentences[0], [good]).rows[0].supported > 0.9
    row = face4rag_matrix(sentences[0], [good, bad]).rows[0]
    assert (row.supported < 0.1, row.contradicted < 0.1, row.error_type) == (True, True, "hallucination")


@pytest.mark.parametrize(
    "points",
    [
        [],
        [point(DAM, "The dam is sixty-four metres tall.")],  # invented
        [point(DAM, DAM, document="d9")],
        [point(DAM, "")],
        [point(DAM, ROAD)],  # a quote that speaks of something else
        [point("Bees dance.", DAM)],  # points that leave the segment out
        [point(DAM, DAM), {"point": "x"}],
    ],
)
def test_face4rag_voids_what_no_quote_bears(points, sentences, face4rag_matrix):
    assert face4rag_matrix(sentences[0], points).rows[0].unverified


def test_face4rag_gives_cells_to_quoted_passages_only_and_parts_to_several(
    sentences, drive, verify_request, checked, no_relation
):
    passages = [Passage(id=str(n), text=text) for n, text in enumerate((sentences[0], sentences[1], sentences[2]))]
    text = f"{sentences[0]} {sentences[1]}"
    both = point(text, sentences[0])
    both["context"].append({"document": "d2", "text": sentences[1]})

    def matrix(said):
        request = verify_request([text], passages)
        facts = {"id": "s1", "points": said}
        steps = face4rag.verify(request, "en")
        return checked(request, drive(steps, lambda n, d: facts if n == "face4rag_facts" else no_relation(n, d))[0])

    (row,) = matrix([both]).rows
    assert row.supported > 0.9
    assert [cell and cell.supported for cell in row.cells] == [0.3, 0.3, None]  # neither says all of it
    (row,) = matrix([point(text, "", "not_found", "hallucination")]).rows
    assert [cell is not None and cell.supported < 0.1 for cell in row.cells] == [True, True, True]


def test_a_reply_about_something_else_is_none(sentences, passages, drive, verify_request, checked, face4rag_script):
    request = verify_request(sentences[:1], passages[:1], claims=1)

    def script(name, data):
        if name == "d_factscore_verify":
            return {"id": "s9.1", "verdict": "true"}
        return face4rag_script(name, {"segment": {**data["segment"], "id": "s9"}})

    for plan in (face4rag, d_factscore):
        assert checked(request, drive(plan.verify(request, "en"), script)[0]).rows[0].unverified


def test_face4rag_facts_about_another_segment_are_none(
    sentences, passages, drive, verify_request, checked, face4rag_script
):
    request = verify_request(sentences[:1], passages[:1])

    def script(name, data):
        said = face4rag_script(name, data)
        return {**said, "id": "s9"} if name == "face4rag_facts" else said

    assert checked(request, drive(face4rag.verify(request, "en"), script)[0]).rows[0].unverified


def test_face4rag_judges_logic_of_every_segment_and_needs_it(sentences, face4rag_matrix):
    facts = [point(sentences[0], sentences[0])]
    assert face4rag_matrix(sentences[0], facts).logic[0].consistent is True
    lost = face4rag_matrix(sentences[0], facts, logic="sorry")
    assert lost.rows[0].unverified
    assert lost.logic == ()
    failed = face4rag_matrix(sentences[0], [point(sentences[0], "", "not_found")], logic="sorry")
    assert failed.rows[0].unverified is None  # it fails whatever its logic is


@pytest.mark.parametrize("cause", [Cause.ENGINE, Cause.BUDGET])
def test_face4rag_says_why_the_logic_could_not_be_asked_for(cause, sentences, face4rag_matrix):
    lost = face4rag_matrix(sentences[0], [point(sentences[0], sentences[0])], logic=LLMError("no", cause=cause))
    assert "relation" in lost.rows[0].unverified
    assert lost.rows[0].cause is cause  # what the failed request says, not "no reply"


def test_face4rag_gives_the_rules_connective_or_none(sentences, passages, drive, face4rag_script):
    because = "The reservoir is large because the dam is high."
    made = by_rules(f"{because} {sentences[0]}").checked
    request = VerifyRequest(segments=made, passages=passages[:1])
    _, (prompts,) = drive(face4rag.verify(request, "en"), face4rag_script)
    given = [unfence(p.user)["segment"].get("relation", "?") for p in prompts]
    assert given == ["?", "because", "?", None]


def test_face4rag_keeps_what_the_reply_leaves_out_or_makes_up(sentences, drive, draft_request):
    request = draft_request(" ".join(sentences[:3]))
    said = [{"units": [1], "part": "", "text": sentences[0]}, {"units": [2], "part": "", "text": "All is well."}]
    draft, _ = drive(face4rag.decompose(request, "en"), lambda *_: {"segments": said})
    validated_draft(request, draft)
    assert [s.text for s in draft.parts.checked] == list(sentences[:3])
    assert draft.groups is None
