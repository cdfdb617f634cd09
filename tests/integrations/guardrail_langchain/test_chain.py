"""The LangChain wrapper around a real langchain-core chain."""

from __future__ import annotations

import asyncio
import functools
import operator
from concurrent.futures import ThreadPoolExecutor

import pytest
from guardrail_langchain import GuardedChain, guard_chain, to_passages
from guardrail_langchain.demo import recorded_rag_chain
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda

from guardrail import Action, Guard, GuardedAnswer, Passage, Policy, UsageError, Verdict
from guardrail.evaluation.data.demo_case import load_case
from guardrail.testing import FakeEngine

CASE = load_case()
HANLEY, DAM, WALKWAY, DESIGNER = CASE.answers
INVENTED = "The mayor of Fennick later apologised to local hotel owners."
SCRIPT = {"mayor": "unsupported", "because engineers": "contradicted"}


def rag_chain():
    return recorded_rag_chain(CASE.documents, CASE.answers, top=3)


def guarded_chain(policy=None, script=SCRIPT):
    return guard_chain(rag_chain(), Guard(policy=policy or Policy.strict(), engine=FakeEngine(script)))


async def _stream(chain, given):
    return [part async for part in chain.astream(given)]


CALLS = {
    "invoke": lambda chain, given: chain.invoke(given),
    "ainvoke": lambda chain, given: asyncio.run(chain.ainvoke(given)),
    "batch": lambda chain, given: chain.batch([given])[0],
    "abatch": lambda chain, given: asyncio.run(chain.abatch([given]))[0],
    "stream": lambda chain, given: _sum(chain.stream(given)),
    "astream": lambda chain, given: _sum(asyncio.run(_stream(chain, given))),
}


def _sum(parts):
    """As whoever reads a stream adds it up."""
    return dict(functools.reduce(operator.add, parts))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_output_keeps_its_shape_and_gains_the_guarded_answer(call):
    """Each way to call a Runnable; keys and values of the inner chain stay as they are."""
    output = call(guarded_chain(Policy.repair()), {"input": DAM})
    plain = rag_chain().invoke({"input": DAM})
    guarded = output.pop("guardrail")
    assert isinstance(guarded, GuardedAnswer)
    assert {**output, "answer": plain["answer"]} == plain
    assert output["answer"] == guarded.text
    assert INVENTED not in output["answer"]
    assert guarded.report.answer == plain["answer"]
    assert guarded.report.question == DAM
    assert [p.id for p in guarded.report.passages] == [d.id for d in plain["context"]]
    assert [p.title for p in guarded.report.passages] == [d.metadata["title"] for d in plain["context"]]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_blocked_answer_is_nowhere_in_the_output(call):
    """Only in the report, for those who look into it."""
    output = call(guarded_chain(), {"input": DAM})
    assert output.pop("guardrail").action is Action.BLOCK
    assert "closed to visitors on" in str(output["context"])
    assert INVENTED not in str(output)
    assert "reliable answer" in output["answer"]


def test_an_answer_that_is_borne_out_passes_unchanged():
    """Also an abstention."""
    output = guarded_chain().invoke({"input": WALKWAY})
    assert (output["answer"], output["guardrail"].action) == (CASE.answers[WALKWAY], Action.ALLOW)
    assert guarded_chain().invoke({"input": DESIGNER})["guardrail"].report.verdict is Verdict.ABSTAINED


def test_the_demo_chain_with_the_local_engine_finds_the_invention():
    """A very clear case for any model: a sentence on a topic that no document holds."""
    output = guard_chain(rag_chain(), Guard()).invoke({"input": DAM})
    [invented] = [f for f in output["guardrail"].report.findings if f.text == INVENTED]
    assert invented.verdict is not Verdict.SUPPORTED


class Recorder(BaseCallbackHandler):
    """Runs as (name or type, run id, parent id)."""

    def __init__(self):
        self.runs = []
        self.outputs = {}

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, **kwargs):
        self.runs.append((kwargs.get("name"), run_id, parent_run_id))

    def on_chain_end(self, outputs, *, run_id, **kwargs):
        self.outputs[run_id] = outputs


@pytest.mark.parametrize("call", ["invoke", "ainvoke"])
def test_callbacks_see_the_inner_chain_as_a_child_run(call):
    """The outer run ends with the checked output, the inner one with its own."""
    recorder, config = Recorder(), {"tags": ["t"]}
    config["callbacks"] = [recorder]
    chain = guarded_chain()
    if call == "invoke":
        chain.invoke({"input": DAM}, config)
    else:
        asyncio.run(chain.ainvoke({"input": DAM}, config))
    (name, outer, parent), (_, inner, inner_parent) = recorder.runs[:2]
    assert (name, parent, inner_parent) == ("GuardedChain", None, outer)
    assert recorder.outputs[outer]["guardrail"].action is Action.BLOCK
    assert recorder.outputs[inner]["answer"] == CASE.answers[DAM]
    assert all(ident in recorder.outputs for _, ident, _ in recorder.runs)


def test_an_error_of_the_inner_chain_is_raised_as_it_is():
    """We guard answers; failures of the chain belong to the chain."""

    def broken(_):
        raise LookupError("index is gone")

    with pytest.raises(LookupError, match="index is gone"):
        guard_chain(RunnableLambda(broken), Guard(engine=FakeEngine())).invoke("q")


def test_a_guarded_chain_is_a_runnable_that_composes():
    """Before and after it other runnables may stand."""
    chain = RunnableLambda(lambda q: {"input": q}) | guarded_chain() | (lambda out: out["guardrail"].action.value)
    assert isinstance(guarded_chain(), Runnable)
    assert chain.invoke(DAM) == "block"


def fixed(output):
    return RunnableLambda(lambda _: output)


def test_a_message_keeps_its_identity_and_gets_the_delivered_text():
    """The id ties it to the conversation."""
    message = AIMessage(content=INVENTED, id="run-7", response_metadata={"model": "m"})
    chain = guard_chain(
        fixed({"answer": message, "context": ["The dam."]}), Guard(policy=Policy.strict(), engine=FakeEngine(SCRIPT))
    )
    answer = chain.invoke("q")["answer"]
    assert isinstance(answer, AIMessage)
    assert (answer.id, answer.response_metadata) == ("run-7", {"model": "m"})
    assert INVENTED not in str(answer)
    assert message.content == INVENTED


def test_a_message_of_content_blocks_is_read_as_its_text():
    """As multimodal models return it."""
    message = AIMessage(content=[{"type": "text", "text": "The dam is old. "}, {"type": "text", "text": INVENTED}])
    chain = guard_chain(fixed({"answer": message, "context": ["The dam."]}), Guard(engine=FakeEngine(SCRIPT)))
    assert chain.invoke("q")["guardrail"].report.answer == f"The dam is old. {INVENTED}"


MISSING = {
    "answer": ({"reply": "x", "context": []}, {}, r"no answer .*keys \['context', 'reply'\].*answer, result, output"),
    "passages": (
        {"answer": "x", "docs": []},
        {},
        r"no passages .*keys \['answer', 'docs'\].*passages=<key or function>",
    ),
    "named": ({"answer": "x", "context": []}, {"answer": "text"}, r"no answer .*'answer', 'context'.*'text'"),
    "string": ("just text", {}, r"no passages .*type str.* and no retriever ran"),
    "neither": (["text"], {}, r"no answer .*type list"),
    "type": ({"answer": 7, "context": []}, {}, r"answer must be a str or a message, got int"),
    "document": ({"answer": "x", "context": [7]}, {}, r"must be a Document, str or Passage, got int"),
    "none": ({"answer": "x", "context": None}, {}, r"must be a Document, str or Passage, got NoneType"),
    "mapping": ({"answer": "x", "context": {"d": "text"}}, {}, r"got a mapping \(keys \['d'\]\)"),
    "place": ({"a": {"b": "x"}, "context": []}, {"answer": lambda o: o["a"]["b"]}, r"no place .*answer's key"),
    "question": ({"answer": "x", "context": []}, {"question": "q"}, r"no question .*'q'"),
}


@pytest.mark.parametrize(("output", "extract", "message"), MISSING.values(), ids=MISSING)
def test_what_cannot_be_found_is_a_usage_error_that_names_the_keys(output, extract, message):
    """And says which argument helps."""
    chain = guard_chain(fixed(output), Guard(engine=FakeEngine()), **extract)
    with pytest.raises(UsageError, match=message):
        chain.invoke({"x": 1})
    with pytest.raises(UsageError, match=message):
        asyncio.run(chain.ainvoke({"x": 1}))


def test_keys_may_be_named():
    """For chains with names of their own."""
    chain = guard_chain(
        fixed({"text": INVENTED, "docs": ["The dam."], "asked": "谁道歉了？"}),
        Guard(policy=Policy.strict(), engine=FakeEngine(SCRIPT)),
        answer="text",
        passages="docs",
        question="asked",
    )
    output = chain.invoke({})
    assert output["text"].startswith("抱歉")
    assert (output["docs"], output["guardrail"].report.question) == (["The dam."], "谁道歉了？")


def test_functions_find_parts_in_any_output():
    """A chain that returns a bare answer, with documents kept elsewhere, gives back a bare answer."""
    documents = [Document(page_content="The dam.", id="d")]
    chain = guard_chain(
        fixed(INVENTED),
        Guard(policy=Policy.strict(), engine=FakeEngine(SCRIPT)),
        answer=lambda output: output,
        passages=lambda _: documents,
    )
    assert chain.invoke("Who apologised?").startswith("I can't give a reliable answer")


def test_documents_with_twin_or_no_ids_become_passages_with_unique_ids():
    """The same document may come from two retrievers; that is no mistake of the caller."""
    found = to_passages(
        [
            Document(page_content="a", id="x", metadata={"title": "A"}),
            Document(page_content="b"),
            Document(page_content="c", id="x", metadata={"title": 3}),
            "d",
            Passage(id="4", text="e", title="E"),
        ]
    )
    assert [p.text for p in found] == list("abcde")
    assert [p.title for p in found] == ["A", None, None, None, "E"]
    assert [p.id for p in found][:4] == ["x", "2", "x#3", "4"]
    assert len({p.id for p in found}) == 5


def test_one_string_of_context_is_one_passage():
    """Chains that stuff documents return their text."""
    assert to_passages("The dam.") == [Passage(id="1", text="The dam.")]


def test_eight_concurrent_calls_do_not_cross():
    """One guarded chain, threads and tasks; each output belongs to its input."""
    chain, questions = guarded_chain(), [HANLEY, DAM, WALKWAY, DESIGNER] * 4
    with ThreadPoolExecutor(8) as pool:
        outputs = list(pool.map(lambda q: chain.invoke({"input": q}), questions))
    outputs += chain.batch([{"input": q} for q in questions], {"max_concurrency": 8})
    outputs += asyncio.run(chain.abatch([{"input": q} for q in questions], {"max_concurrency": 8}))
    for question, output in zip(questions * 3, outputs, strict=True):
        guarded = output["guardrail"]
        assert (output["input"], guarded.report.question) == (question, question)
        assert guarded.report.answer == CASE.answers[question]
        assert guarded.action is (Action.BLOCK if question == DAM else Action.ALLOW)


def test_a_guard_is_needed():
    """The likeliest slip: a policy in place of the guard."""
    with pytest.raises(UsageError, match=r"guard must be a Guard, got Policy"):
        guard_chain(rag_chain(), Policy.strict())
    assert isinstance(guarded_chain(), GuardedChain)
