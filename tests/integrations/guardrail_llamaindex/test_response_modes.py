"""Every response mode of LlamaIndex: right answers pass as they are, labels included; each of several is judged."""

import pytest

pytest.importorskip("llama_index.core")
from guardrail_llamaindex import GuardedQueryEngine
from llama_index.core import Settings, SummaryIndex
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.schema import TextNode

from guardrail import Action, Guard, Policy
from tests.support.recorded_llama import RecordedLLM

DAM = "The dam is 64 metres high and was built in 1931."
FISH = "Trout and perch live in the reservoir."
INVENTED = "The reservoir holds nine sharks."
STRICT = Policy.strict().with_(deadline=None)


def index():
    return SummaryIndex([TextNode(id_="n1", text=DAM), TextNode(id_="n2", text=FISH)])


def ask(mode, *, dam="The dam is 64 metres high.", fish="Trout live in the reservoir.", policy=STRICT):
    """What the inner engine says, and what is delivered; the model answers from the context that it is given."""
    answers = {f"{DAM}\n\n{FISH}": f"{dam} {fish}", FISH: fish, DAM: dam, "": dam}
    inner = index().as_query_engine(llm=RecordedLLM(answers=answers), response_mode=mode)
    question = "How high is the dam, and what lives in it?"
    return str(inner.query(question)), GuardedQueryEngine(inner, Guard(policy=policy)).query(question)


MODES = [mode for mode in ResponseMode if mode is not ResponseMode.NO_TEXT]  # which answers nothing


@pytest.mark.parametrize("mode", MODES)
def test_right_answers_pass_unchanged(mode, monkeypatch):
    """Under the strict policy: what is not supported, or not verified, blocks."""
    monkeypatch.setattr(Settings, "_llm", RecordedLLM(answers={}))  # one mode asks for it, and never uses it
    said, response = ask(mode)
    assert response.metadata["guardrail"].action is Action.ALLOW, response.metadata["guardrail"]["findings"]
    assert str(response) == said


@pytest.mark.parametrize("mode", [ResponseMode.ACCUMULATE, ResponseMode.COMPACT_ACCUMULATE])
def test_each_of_several_responses_is_judged(mode):
    """The invented one goes, the other stays; no label is a claim."""
    policy = Policy(name="test", actions={"unsupported": "redact", "contradicted": "redact"}, deadline=None)
    said, response = ask(mode, fish=INVENTED, policy=policy)
    assert said.startswith("Response 1:")
    findings = response.metadata["guardrail"].report.findings
    assert not any("Response" in finding.claim for finding in findings)
    assert "sharks" not in str(response)
    assert "The dam is 64 metres high." in str(response)


def test_the_labels_of_numbered_sources_are_no_text_of_theirs():
    """CitationQueryEngine writes "Source 1:" into its nodes, and the model cites by number."""
    model = RecordedLLM(answers={"": "The dam is 64 metres high [1]. Trout live in the reservoir [2]."})
    inner = CitationQueryEngine.from_args(index(), llm=model)
    response = GuardedQueryEngine(inner, Guard(policy=STRICT)).query("How high is the dam?")
    assert str(response) == "The dam is 64 metres high [1]. Trout live in the reservoir [2]."
