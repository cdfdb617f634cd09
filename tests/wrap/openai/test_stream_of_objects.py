"""Streams of JSON: the field that holds the answer is checked, and the object is held back until then."""

from __future__ import annotations

import asyncio
import json

import pytest

from guardrail import UsageError
from guardrail.testing import Reply
from tests.support.openai_clients import ACTIONS, ASKED, EXPECTED, PASSAGES, RAW, RIGHT, WRONG, ask, clients, joined

SCHEMA = {"type": "json_schema", "json_schema": {"name": "said", "schema": {"type": "object"}}}
OPTIONS = ({"response_format": SCHEMA}, {"response_format": {"type": "json_object"}}, {"answer_field": "answer"})
BESIDE = {"sources": [2, 7], "confidence": 0.9, "note": "Halloway is not asked about, 1971 neither."}


def spelled(answer):
    return json.dumps({"note": BESIDE["note"], "answer": answer, "sources": [2, 7], "confidence": 0.9})


def model(body):
    """An object: wrong at first, right when told."""
    told = any("was checked against the passages" in str(m["content"]) for m in body["messages"])
    return Reply(spelled(RIGHT if told else WRONG))


@pytest.mark.parametrize("options", OPTIONS, ids=["schema", "object", "field"])
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("way", ["stream", "astream"])
def test_the_field_of_the_answer_is_checked_and_the_object_stays_one(way, action, options):
    """As without a stream: the other fields are no prose, and the answer's text stands in its field."""
    with clients(model, action=action, mode="sentence" if options is OPTIONS[0] else "buffer") as pair:
        chunks, guarded = ask(pair, way, **options)
        whole = ask(pair, "sync", **options)
    found = json.loads(joined(chunks))
    assert {name: found[name] for name in BESIDE} == BESIDE
    assert found["answer"] == guarded.text
    assert joined(chunks) == whole.choices[0].message.content
    assert guarded.text == EXPECTED.get(action, guarded.text)
    assert guarded.report.answer == (RIGHT if action == "regenerate" else WRONG)
    if action in ("redact", "block", "regenerate"):
        assert RAW not in found["answer"]


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_nothing_of_an_object_leaves_before_it_is_judged(way):
    """In sentence mode neither: half an object is of no use to anybody, and may hold what is withheld."""
    with clients(model, mode="sentence") as pair:
        chunks, _ = ask(pair, way, response_format=SCHEMA)
    texts = [c.delta.content for chunk in chunks for c in chunk.choices if c.delta.content]
    assert len(texts) == 1


def test_observe_lets_it_out_as_it_comes_and_checks_the_field():
    """That is what the mode is for."""
    with clients(model, mode="observe") as pair:
        chunks, guarded = ask(pair, "stream", response_format=SCHEMA)
    assert joined(chunks) == spelled(WRONG)
    assert len([c for chunk in chunks for c in chunk.choices if c.delta.content]) > 3
    assert guarded.report.answer == WRONG


@pytest.mark.parametrize(
    "text", [WRONG, '{"answer": "The dam is', "[1, 2]", '{"metres": 64, "built": {"by": "Halloway"}}']
)
def test_what_is_no_object_with_a_text_is_checked_as_it_is(text):
    """A model that breaks off or ignores the format, or an object without free text, passes no check by that."""
    with clients(lambda _: Reply(text)) as pair:
        chunks, guarded = ask(pair, "stream", response_format=SCHEMA)
        whole = ask(pair, "sync", response_format=SCHEMA)
    assert guarded.report.answer == text
    assert joined(chunks) == guarded.text == whole.choices[0].message.content
    assert (RAW in joined(chunks)) == (RAW in text and guarded.action.value != "block")


def test_a_field_that_is_not_there_is_named():
    """With the nearest one, when the object is read."""
    with clients(model) as pair, pair[0] as client:
        given = {"model": "m", "messages": ASKED, "passages": PASSAGES, "answer_field": "anser", "stream": True}
        with client.chat.completions.create(**given) as stream, pytest.raises(UsageError, match=r"'anser'.*'answer'"):
            list(stream)


def test_the_passages_are_asked_for_as_ever():
    """A stream of objects is no way around them."""
    with clients(model) as (_, aclient, _server):

        async def ask_without():
            given = {"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": True}
            async with aclient() as client:
                await client.chat.completions.create(**given, response_format=SCHEMA)

        with pytest.raises(UsageError, match="passages"):
            asyncio.run(ask_without())
