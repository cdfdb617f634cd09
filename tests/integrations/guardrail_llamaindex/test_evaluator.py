"""GuardrailEvaluator by itself, in BatchEvalRunner and in LlamaIndex's retry engines."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from guardrail_llamaindex import GuardrailEvaluator
from llama_index.core import Settings, SummaryIndex
from llama_index.core.base.response.schema import Response, StreamingResponse
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.query_engine import RetryQueryEngine, RetrySourceQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode

from guardrail import Guard, Policy, UsageError
from guardrail.testing import FakeEngine
from tests.support.recorded_llama import RecordedLLM

GOOD = "The dam is 64 metres high."
BAD = "The reservoir holds nine sharks."


def evaluator(**verdicts):
    return GuardrailEvaluator(Guard(engine=FakeEngine({"sharks": "unsupported", "Nobody": "unverified"})))


def nodes():
    return [
        NodeWithScore(node=TextNode(id_="n1", text=GOOD, metadata={"title": "Survey"})),
        NodeWithScore(node=TextNode(id_="n2", text="Fish live in it.")),
    ]


def evaluate(run, given, **arguments):
    if run == "evaluate":
        return given.evaluate(**arguments)
    return asyncio.run(given.aevaluate(**arguments))


@pytest.mark.parametrize("run", ["evaluate", "aevaluate"])
def test_results(run):
    """What passes, what fails with feedback, what abstains, and what nobody could judge."""
    good = evaluate(run, evaluator(), query="How high?", response=GOOD, contexts=[GOOD])
    assert (good.passing, good.score, good.invalid_result) == (True, 0.95, False)
    assert (good.query, good.response, list(good.contexts)) == ("How high?", GOOD, [GOOD])
    bad = evaluate(run, evaluator(), query="How high?", response=f"{GOOD} {BAD}", contexts=[GOOD])
    assert bad.passing is False
    assert bad.score == pytest.approx(0.1)
    assert BAD in bad.feedback
    assert f"“{GOOD}”" not in bad.feedback.split("\n")[1]
    none = evaluate(run, evaluator(), query="Who?", response="Nobody ever asked the engineers.", contexts=[GOOD])
    assert (none.passing, none.score, none.invalid_result) == (None, None, True)
    assert none.invalid_reason == "scripted"
    silent = evaluate(run, evaluator(), query="Who?", response="I don't know.", contexts=[GOOD])
    assert silent.passing is True


def test_feedback_names_faults_whatever_the_policy_allows():
    """A policy that lets everything pass still gets feedback on what failed."""
    allowing = Policy(actions={"unsupported": "allow"})
    given = GuardrailEvaluator(Guard(policy=allowing, engine=FakeEngine({"sharks": "unsupported"})))
    assert BAD in given.evaluate(query="?", response=BAD, contexts=[GOOD]).feedback


@pytest.mark.parametrize("run", ["evaluate_response", "aevaluate_response"])
def test_responses_keep_titles_and_may_be_streams(run):
    """Titles and ids of nodes reach the check; a stream is read and stays readable."""
    seen = []

    def passages(given):
        seen.append([(n.node.node_id, n.node.metadata.get("title")) for n in given])
        return [GOOD]

    given = GuardrailEvaluator(Guard(engine=FakeEngine()), passages=passages)
    stream = StreamingResponse(iter([GOOD[:5], GOOD[5:]]), nodes())
    for response in (Response(GOOD, nodes()), stream):
        result = getattr(given, run)(query="?", response=response)
        result = result if run == "evaluate_response" else asyncio.run(result)
        assert result.passing
        assert result.response == GOOD
    assert str(stream) == GOOD
    assert seen == [[("n1", "Survey"), ("n2", None)]] * 2


@pytest.mark.filterwarnings("ignore:asyncio_module:DeprecationWarning")  # LlamaIndex's own
def test_batch_eval_runner():
    """Strings, responses and queries, several workers; results stay in order."""
    runner = BatchEvalRunner({"guardrail": evaluator()}, workers=4)
    answers = [GOOD, BAD, GOOD, BAD]
    found = asyncio.run(runner.aevaluate_response_strs(["q"] * 4, response_strs=answers, contexts_list=[[GOOD]] * 4))[
        "guardrail"
    ]
    assert [r.passing for r in found] == [True, False, True, False]
    responses = [Response(answer, nodes()) for answer in answers]
    found = asyncio.run(runner.aevaluate_responses(["q"] * 4, responses=responses))["guardrail"]
    assert [r.passing for r in found] == [True, False, True, False]
    model = RecordedLLM(answers={"sharks?": BAD, "": GOOD})
    engine = SummaryIndex([n.node for n in nodes()]).as_query_engine(llm=model)
    found = asyncio.run(runner.aevaluate_queries(engine, ["Any sharks?", "How high?"]))["guardrail"]
    assert [r.passing for r in found] == [False, True]


@pytest.mark.parametrize("kind", [RetryQueryEngine, RetrySourceQueryEngine])
def test_retry_engines(kind, monkeypatch):
    """Both ask again where the evaluation fails, and stop where it passes."""
    asked = []

    class Changing(RecordedLLM):
        def _answer(self, prompt):
            asked.append(prompt)
            return BAD if len(asked) == 1 else GOOD

    model = Changing(answers={})
    monkeypatch.setattr(Settings, "_llm", model)
    engine = SummaryIndex([n.node for n in nodes()]).as_query_engine(llm=model)
    response = kind(engine, evaluator(), max_retries=2).query("How high?")
    assert str(response) == GOOD
    assert len(asked) == 2
    if kind is RetryQueryEngine:
        assert BAD in asked[1]  # LlamaIndex rewrites the query with our feedback


def test_wrong_arguments():
    """Nothing is guessed: a missing response or missing contexts are the caller's mistake."""
    with pytest.raises(UsageError, match="must be given"):
        evaluator().evaluate(query="?", response=GOOD)
    with pytest.raises(UsageError, match="must not be None"):
        evaluator().evaluate_response(query="?")
    with pytest.raises(UsageError, match="must be a Guard"):
        GuardrailEvaluator(Policy.strict())
    assert isinstance(GuardrailEvaluator().guard, Guard)
