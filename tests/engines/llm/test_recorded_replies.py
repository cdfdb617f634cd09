"""Plans on the words of a careful reader, not on scripted ones: what it wrote is parsed, checked and believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guardrail import Guard, Policy
from guardrail.engines.llm import LLMEngine
from tests.support.recorded_replies import ANSWERS, FOLDER, RecordedLLM

PLANS = {
    "fast": "fast",
    "paper:face4rag": "face4rag",
    "paper:d-factscore": "d-factscore",
    "paper:refchecker": "refchecker",
}
ONE_DOCUMENT_AT_A_TIME = {"names-both"}  # "there are two people of this name" stands in both passages together
ADVICE_IS_A_CLAIM = {"med-refusal"}  # "ask a doctor or pharmacist" is in no leaflet
OF_THE_PAPER = {
    "paper:d-factscore": ONE_DOCUMENT_AT_A_TIME | ADVICE_IS_A_CLAIM,
    "paper:refchecker": ONE_DOCUMENT_AT_A_TIME | ADVICE_IS_A_CLAIM,
}
"""Right answers that the paper's own method flags, as the reader of its prompts found too."""


def judged(plan, answer):
    policy = Policy.monitor().with_(deadline=600)
    guard = Guard(policy=policy, engine=LLMEngine(llm=RecordedLLM(PLANS[plan]), plan=plan, cache=None))
    return guard.check(answer["answer"], answer["passages"], question=answer["question"])


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer["id"])
def test_right_answers_pass_and_wrong_ones_are_found(plan, answer):
    report = judged(plan, answer)

    flagged = report.verdict in {"contradicted", "unsupported"}
    expected = not answer["right"] or answer["id"] in OF_THE_PAPER.get(plan, ())
    assert flagged == expected, [f.reason for f in report.findings]
    assert report.verdict != "unverified"


@pytest.mark.parametrize(
    ("ident", "error"),
    [
        ("names-mixed", "mixed_entities"),
        ("tariff-neighbour", "conflation"),
        ("bridge-cause", "causal_confusion"),
        ("deal-roles", "entity_inversion"),
        ("med-modal", "overgeneralization"),
        ("zh-invented", "hallucination"),
    ],
)
def test_errors_have_their_names(ident, error):
    (answer,) = (each for each in ANSWERS if each["id"] == ident)

    assert error in {finding.error_type for finding in judged("fast", answer).findings}


class OfOtherPassages(RecordedLLM):
    """Gives the replies to passages that spoke of a freight arm where these speak of an airline."""

    def complete(self, prompt, *, timeout):
        return super().complete(replace(prompt, user=prompt.user.replace("airline", "freight arm")), timeout=timeout)


@pytest.mark.parametrize("plan", ["fast", "paper:face4rag"])
def test_quotes_that_are_in_no_passage_bear_nothing_out(plan):
    answer = next(each for each in ANSWERS if each["id"] == "deal-right")
    passages = [each | {"text": each["text"].replace("freight arm", "airline")} for each in answer["passages"]]
    engine = LLMEngine(llm=OfOtherPassages(PLANS[plan]), plan=plan, cache=None)
    guard = Guard(policy=Policy.monitor().with_(deadline=600), engine=engine)
    report = guard.check(answer["answer"], passages, question=answer["question"])

    assert report.verdict == "unverified"
    assert "quoted words that are in no passage" in report.findings[0].reason


def test_no_reply_is_recorded_in_vain():
    for plan, name in PLANS.items():
        llm = RecordedLLM(name)
        guard = Guard(policy=Policy.monitor().with_(deadline=600), engine=LLMEngine(llm=llm, plan=plan, cache=None))
        for answer in ANSWERS:
            guard.check(answer["answer"], answer["passages"], question=answer["question"])
        assert set(llm.replies) - llm.used == set(), name
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == {"answers", *PLANS.values()}
