"""The parts of the demo's chain: they retrieve by words, and answer as a model once did."""

from __future__ import annotations

import math

import pytest
from guardrail_langchain.demo import RecordedChatModel, WordEmbeddings, recorded_rag_chain
from langchain_core.messages import HumanMessage

from guardrail import Passage

DOCUMENTS = [
    Passage(id="dam", title="Dam", text="The dam on the Fennick river is 64 metres high."),
    Passage(id="garage", title="Garage", text="The garage on Mill Street opens at six."),
    Passage(id="bread", title="Bread", text="Bread rises for two hours before it is baked."),
]
DAM, GARAGE = "How high is the Fennick dam?", "When does the garage on Mill Street open?"
ANSWERS = {DAM: "It is 64 metres high.", GARAGE: "At six."}


def likeness(first: str, second: str) -> float:
    one, other = WordEmbeddings().embed_documents([first, second])
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_texts_are_alike_by_their_words_and_not_by_order_or_filling() -> None:
    assert likeness("The dam is high.", "high: a dam") == pytest.approx(1.0)
    assert likeness(DAM, DOCUMENTS[0].text) > likeness(DAM, DOCUMENTS[2].text)
    assert math.hypot(*WordEmbeddings().embed_query(DOCUMENTS[0].text)) == pytest.approx(1.0)


def test_a_text_without_words_is_like_no_other() -> None:
    assert likeness("", "The dam is high.") == 0.0


def test_the_chain_finds_the_document_and_answers_as_recorded() -> None:
    chain = recorded_rag_chain(DOCUMENTS, ANSWERS, top=1)
    for question, document in ((DAM, "dam"), (GARAGE, "garage")):
        output = chain.invoke({"input": question})
        assert output["answer"] == ANSWERS[question]
        (found,) = output["context"]
        assert (found.id, found.metadata) == (document, {"title": document.capitalize()})
    assert len(recorded_rag_chain(DOCUMENTS, ANSWERS, top=2).invoke({"input": DAM})["context"]) == 2


def test_the_model_looks_at_the_end_of_the_last_message() -> None:
    model = RecordedChatModel(answers={GARAGE: "Once.", DAM: "Twice."})
    assert model.invoke([HumanMessage(GARAGE), HumanMessage(f"Answer. Question: {DAM}")]).content == "Twice."
