"""An answer and its passages, requests about them, and a model that says what a script says."""

from __future__ import annotations

import json

import pytest

from guardrail.check.contract import DecomposeRequest, VerifyRequest
from guardrail.check.decompose import decompose as by_rules
from guardrail.check.matrix import validated
from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.types import Claim, Passage, Segment, Span
from tests.support.fences import unfence

SENTENCES = (
    "Larkmoor Dam is 64 metres high.",
    "The reservoir holds 41 million cubic metres of water.",
    "Rita Halloway designed the spillway.",
    "Five turbines were replaced in 1999.",
    "Boats are forbidden on the lake.",
    "A road crosses the valley below.",
    "Visitors may enter on Sundays.",
    "Concrete came from Fennick by rail.",
)
ANSWER = " ".join(SENTENCES)
PASSAGES = tuple(Passage(id=f"p{n}", text=ANSWER) for n in range(1, 6))


def _drive(steps, script):
    """The result of a plan and its rounds; ``script(name, data)`` returns JSON, a text or an LLMError."""
    rounds, replies = [], None
    while True:
        try:
            prompts = next(steps) if replies is None else steps.send(replies)
        except StopIteration as stop:
            return stop.value, rounds
        assert prompts, "an empty round was yielded"
        rounds.append(prompts)
        replies = tuple(_reply(script(p.identity.split(".")[0], unfence(p.user))) for p in prompts)


def _reply(said):
    if isinstance(said, (LLMError, Completion)):
        return said
    return Completion(text=said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))


def _draft_request(answer=ANSWER, question=None):
    return DecomposeRequest(answer=answer, question=question, parts=by_rules(answer))


def _segments(texts, claims=0):
    """Segments in a row; with ``claims`` of them each, which all repeat its text."""
    made, start = [], 0
    for n, text in enumerate(texts, 1):
        own = tuple(Claim(id=f"s{n}.{c}", text=f"{text} ({chr(96 + c)})") for c in range(1, claims + 1))
        made.append(Segment(id=f"s{n}", span=Span(start, start + len(text)), text=text, claims=own))
        start += len(text) + 1
    return tuple(made)


def _verify_request(texts, passages=PASSAGES, claims=0, **other):
    return VerifyRequest(segments=_segments(texts, claims), passages=tuple(passages), **other)


def _checked(request, matrix):
    """The matrix as the boundary lets it pass."""
    return validated(request, matrix)


def _sound_facts(_, data):
    text = data["segment"]["text"]
    quote = {"document": "d1", "text": text}
    point = {"point": text, "context": [quote], "analysis": "", "verdict": "consistent", "error": "none"}
    return {"id": data["segment"]["id"], "points": [point]}


def _no_relation(_, data):
    empty = {"quotes": [], "answer_structure": "", "passage_structure": "", "comparison": ""}
    return {"id": data["segment"]["id"], "logic": {**empty, "verdict": "no_relation", "error": "none"}}


def _face4rag_script(name, data):
    return {"face4rag_facts": _sound_facts, "face4rag_logic": _no_relation}[name](name, data)


@pytest.fixture
def sentences():
    return SENTENCES


@pytest.fixture
def answer():
    return ANSWER


@pytest.fixture
def passages():
    return PASSAGES


@pytest.fixture
def drive():
    return _drive


@pytest.fixture
def draft_request():
    return _draft_request


@pytest.fixture
def segments():
    return _segments


@pytest.fixture
def verify_request():
    return _verify_request


@pytest.fixture
def checked():
    return _checked


@pytest.fixture
def no_relation():
    return _no_relation


@pytest.fixture
def face4rag_script():
    return _face4rag_script
