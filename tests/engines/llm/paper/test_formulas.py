"""Calls and rounds of the papers' plans against the formulas: n = 8, m = 20, k = 5, T = 3, s = 5."""

import pytest

from guardrail.check.contract import VerifyRequest, validated_draft
from guardrail.engines.llm.paper import d_factscore, face4rag, refchecker
from guardrail.types import Passage
from tests.support.fences import unfence


def entail(_, data):
    return {"labels": [{"id": claim["id"], "label": "Entailment"} for claim in data["claims"]]}


def test_face4rag_asks_1_plus_2s(sentences, passages, drive, draft_request, checked, face4rag_script):
    def script(name, data):
        units = [{"units": [n], "part": "", "text": text} for n, text in enumerate(sentences[:5], 1)]
        return {"segments": units} if name == "face4rag_decompose" else face4rag_script(name, data)

    draft, first = drive(face4rag.decompose(draft_request(" ".join(sentences[:5])), "en"), script)
    request = VerifyRequest(segments=draft.parts.checked, passages=passages)
    matrix, second = drive(face4rag.verify(request, "en"), script)
    assert [len(r) for r in (*first, *second)] == [1, 2 * 5]
    assert [row.unverified for row in checked(request, matrix).rows] == [None] * 5
    assert {p.user.split("\n\n")[0] for p in second[0]} == {second[0][0].user.split("\n\n")[0]}  # one prefix to cache


def test_d_factscore_asks_n_plus_1_plus_m_times_t(sentences, answer, drive, draft_request, checked):
    facts = {text: [f"{text[:-1]}, it says."] for text in sentences}
    for text in sentences[:4]:
        facts[text] += [f"{text[:-1]} again.", f"{text[:-1]} too.", f"{text[:-1]} also."]

    def script(name, data):
        if name == "d_factscore_facts":
            return {"facts": facts[data["sentence"]["text"]]}
        if name == "d_factscore_groups":
            return {"groups": [{"name": "", "facts": [fact["id"] for fact in data["facts"]]}]}
        return {"id": data["fact"]["id"], "verdict": "true"}

    draft, first = drive(d_factscore.decompose(draft_request(), "en"), script)
    validated_draft(draft_request(), draft)
    names = ("dam", "mill", "lake")
    passages = [Passage(id=f"p{n}", text=answer, title=f"Larkmoor ({names[n % 3]})") for n in range(5)]
    request = VerifyRequest(segments=draft.parts.checked, passages=tuple(passages))
    matrix, second = drive(d_factscore.verify(request, "en"), script)
    assert [len(r) for r in (*first, *second)] == [8, 1, 20 * 3]
    assert sum(len(r) for r in (*first, *second)) == 69
    assert len(checked(request, matrix).claims) == 20
    read = [len(unfence(prompt.user)["documents"]) for prompt in second[0]]
    assert sorted(set(read)) == [1, 2]  # never the passages of two individuals in one prompt


@pytest.mark.parametrize(("joint", "calls"), [(True, 5 * 4), (False, 20 * 5)])
def test_refchecker_asks_1_plus_k_times_a_fifth_of_m(joint, calls, sentences, passages, drive, draft_request, checked):
    triplets = [[" ".join(text[:-1].split()[:2]), " ".join(text[:-1].split()[2:]), f"x{n}"]
                for text in sentences for n in range(1, 4)][:20]  # fmt: skip
    draft, first = drive(refchecker.decompose(draft_request(), "en"), lambda *_: {"triplets": triplets})
    validated_draft(draft_request(), draft)
    with_claims = tuple(s for s in draft.parts.checked if s.claims)
    assert sum(len(s.claims) for s in with_claims) == 20
    request = VerifyRequest(segments=with_claims, passages=passages)
    matrix, second = drive(refchecker.verify(request, "en", joint=joint), entail)
    assert [len(r) for r in (*first, *second)] == [1, calls]
    assert max(len(unfence(prompt.user)["claims"]) for prompt in second[0]) == 20 * 5 / calls
    assert [row.supported for row in checked(request, matrix).claims] == [0.95] * 20


def test_a_segment_without_claims_is_one_claim(sentences, drive, verify_request, checked):
    request = verify_request(sentences[:3])
    matrix, rounds = drive(refchecker.verify(request, "en"), entail)
    assert [len(r) for r in rounds] == [5 * 1]
    assert matrix.claims == ()
    assert [row.supported for row in checked(request, matrix).rows] == [0.95] * 3


def test_no_segments_ask_nothing(passages, drive):
    for plan in (face4rag, d_factscore, refchecker):
        matrix, rounds = drive(plan.verify(VerifyRequest(segments=(), passages=passages), "en"), entail)
        assert (matrix.rows, rounds) == ((), [])
