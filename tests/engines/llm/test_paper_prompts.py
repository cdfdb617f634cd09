"""The papers' prompt files: both languages, examples that are real requests with replies that the plans accept."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.check.contract import DecomposeRequest, VerifyRequest, validated_draft
from guardrail.check.decompose import decompose as by_rules
from guardrail.check.matrix import validated
from guardrail.engines.llm.paper import d_factscore, face4rag, refchecker, replies
from guardrail.engines.llm.prompts import LANGUAGES, instructions
from guardrail.engines.llm.protocol import Completion
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.llm.replies import LogicOnlyReply
from guardrail.types import Claim, Passage, Segment, Span
from tests.support.fences import unfence

PLANS = (face4rag, d_factscore, refchecker)
FORMS = {
    "face4rag_decompose": replies.PiecesReply,
    "face4rag_facts": replies.FactCheckReply,
    "face4rag_logic": LogicOnlyReply,
    "d_factscore_facts": replies.FactsReply,
    "d_factscore_groups": replies.GroupsReply,
    "d_factscore_verify": replies.TruthReply,
    "refchecker_triplets": replies.TripletsReply,
    "refchecker_subsentences": replies.ClaimsReply,
    "refchecker_check": replies.LabelsReply,
}
FILES = [(name, language) for name in FORMS for language in LANGUAGES]
EXAMPLE = re.compile(r"((?:<data .*\n.*\n</data>\n)*)(?:Reply:|回复：|.*reply:|.*的形式：)\n(\{.*\})$", re.MULTILINE)
ANSWER = "Larkmoor Dam is 64 metres high. It was built by Rita Halloway. The repair took eleven weeks."
DAM = Passage(id="a", text=ANSWER, title="Larkmoor Dam")


def examples(name, language):
    """Data and reply of each example."""
    found = EXAMPLE.findall(instructions(name, language).text)
    return [(unfence(data), FORMS[name].model_validate(json.loads(reply))) for data, reply in found]


def decompose_steps(plan):
    request = DecomposeRequest(answer=ANSWER, question=None, parts=by_rules(ANSWER))
    return request, plan.decompose(request, "en")


def verify_steps(plan):
    claim = Claim(id="s1.1", text=ANSWER)
    segment = Segment(id="s1", span=Span(0, len(ANSWER)), text=ANSWER, claims=(claim,))
    request = VerifyRequest(segments=(segment,), passages=(DAM,))
    return request, plan.verify(request, "en")


def run(steps, text):
    """What a plan makes of the same text in place of every reply."""
    try:
        prompts = next(steps)
        while True:
            prompts = steps.send(tuple(Completion(text=text) for _ in prompts))
    except StopIteration as stop:
        return stop.value


def test_the_plans_use_all_these_prompts():
    assert sorted(name for plan in PLANS for name in plan.PROMPTS) == sorted(FORMS)


@pytest.mark.parametrize(("name", "language"), FILES)
def test_examples_are_replies_of_the_right_form(name, language):
    text = instructions(name, language).text
    found = examples(name, language)
    assert len(found) == len(re.findall(r"^(?:Reply:|回复：|Form of the reply:|回复的形式：)", text, re.MULTILINE)) > 0
    assert ("只回复一个 JSON 对象" in text) == (language == "zh")
    assert ("Reply with one JSON object only" in text) == (language == "en")
    assert re.search("strangers|陌生人", text)


@pytest.mark.parametrize(("name", "language"), FILES)
def test_examples_have_the_same_shape_in_both_languages(name, language):
    shapes = [[sorted(data) for data, _ in examples(name, each)] for each in LANGUAGES]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_few_shot_instances_are_those_of_the_papers(language):
    kinds = {
        "en": ["logical connection", "pronoun substitution", "unique format"],
        "zh": ["逻辑联系", "代词替换", "特殊格式"],
    }
    text = instructions("face4rag_decompose", language).text
    assert re.findall(r"^(?:Example|示例)[:：] ?(.*)$", text, re.MULTILINE) == kinds[language]
    groups = [{g.name for g in reply.groups if g.name} for _, reply in examples("d_factscore_groups", language)]
    assert sorted(len(names) for names in groups) == [1, 1, 2, 2]  # appendix C: four, two with several individuals
    assert len(examples("refchecker_triplets", language)) == len(examples("refchecker_subsentences", language)) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_quotes_of_the_examples_are_in_their_documents(language):
    for name in ("face4rag_facts", "face4rag_logic"):
        for data, reply in examples(name, language):
            documents = Documents([Passage(text=d["text"], id=d["id"]) for d in data["documents"]])
            quotes = reply.logic.quotes if name == "face4rag_logic" else [q for p in reply.points for q in p.context]
            assert reply.id == data["segment"]["id"]
            for quote in quotes:
                assert documents.locate(documents.number(quote.document), quote.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_groups_of_the_examples_hold_each_fact_once(language):
    for data, reply in examples("d_factscore_groups", language):
        assert sorted(i for g in reply.groups for i in g.facts) == sorted(f["id"] for f in data["facts"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("plan", PLANS)
def test_requests_are_in_the_language_asked_for(plan, language):
    request, _ = decompose_steps(plan)
    (first, *_) = next(plan.decompose(request, language))
    assert re.fullmatch(rf"{plan.PROMPTS[0]}\.{language}\.v1\.[0-9a-f]{{12}}", first.identity)


KEYS = [
    "id",
    "segments",
    "points",
    "point",
    "context",
    "labels",
    "label",
    "facts",
    "groups",
    "triplets",
    "claims",
    "logic",
]
WORDS = ["s1", "s1.1", "s2", "d1", "Entailment", "true", "consistent", "no_relation", "none", ANSWER, ""]
LEAVES = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(WORDS)
KEYS += ["verdict", "error", "units", "part", "text", "sentences", "document", "analysis", "quotes", "name"]
REPLIES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), REPLIES, max_size=6))
def test_no_reply_breaks_a_plan(said):
    text = json.dumps(said)
    for plan in PLANS:
        request, steps = decompose_steps(plan)
        validated_draft(request, run(steps, text))
        request, steps = verify_steps(plan)
        (row,) = validated(request, run(steps, text)).rows
        assert row.supported < 0.5 or (row.unverified is None and row.evidence)  # a verdict in favour rests on words
