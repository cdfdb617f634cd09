"""The fault plan: what each fault does to a reply, that it can be repeated, and that it reaches a real client."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from benchmarks.llm_faults import run
from guardrail import UsageError
from guardrail.engines.llm import judgement
from guardrail.engines.llm.prompts import fence, instructions
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.llm.short_forms import long_judgement
from guardrail.testing import FaultKind, OpenAIServer, Reply
from tests.support.judge_script import ReadingJudge
from tests.support.model_faults import ALL_KINDS, ModelFaults

DOCUMENTS = [
    {"id": "d1", "title": None, "text": "The dam is 64 metres high."},
    {"id": "d2", "title": None, "text": "x"},
]
UNTRUE = [
    {
        "id": f"s{n}",
        "who": None,
        "text": text,
        "points": [{"id": f"s{n}.1", "text": text}],
        "relation": {"id": f"s{n}.r", "words": "because"},
    }
    for n, text in enumerate(["Bees dance because it rains.", "The moon is cheese because it is round."], 1)
]
KEPT = {FaultKind.SLOW, FaultKind.CUT_HEADERS, FaultKind.CUT_BODY, FaultKind.PROSE, FaultKind.CODE_FENCE}
NO_REPLY = {FaultKind.RATE_LIMIT, FaultKind.SERVER_ERROR, FaultKind.UNAVAILABLE}


def body(salt="", **data):
    """A request of the prompt ``judge``, whose replies have every place for a fault."""
    blocks = data or {"documents": DOCUMENTS, "segments": UNTRUE}
    text = "\n\n".join(fence(name, value) for name, value in blocks.items())
    return {
        "messages": [
            {
                "role": "system",
                "content": (instructions("judge", "en").text if "documents" in blocks else "") + str(salt),
            },
            {"role": "user", "content": text},
        ]
    }


def spoiled(kind, request=None, **options):
    request = request or body()
    return ModelFaults(1.0, kinds=[kind], **options).spoil(request, ReadingJudge()(request))


def points(reply):
    """What the reader makes of the points."""
    long = long_judgement(json.loads(reply.text), ["s1", "s2"], ["d1", "d2"])
    return [point for segment in long["segments"] for point in segment["points"]]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_fault_changes_the_reply_and_is_recorded(kind):
    """Each kind applies to a judge's reply, and what has no content is told apart from what has another."""
    honest = ReadingJudge()(body())
    reply, fault = spoiled(kind)
    assert fault == kind
    assert reply != honest
    if kind in KEPT:
        assert honest.text in reply.text
    else:
        assert honest.text not in reply.text
    assert (reply.status >= 400) == (kind in NO_REPLY)


def test_faults_of_the_wire():
    """Retry-After, latency, cuts, empty choices, refusals, truncation."""
    assert spoiled("rate_limit", retry_after=0.25)[0].retry_after == 0.25
    assert spoiled("slow", slow=7.0)[0].seconds == 7.0
    assert (spoiled("cut_headers")[0].cut, spoiled("cut_body")[0].cut) == ("headers", "body")
    assert spoiled("empty_choices")[0].choices == 0
    assert spoiled("refusal")[0].refusal
    assert spoiled("empty_content")[0].text == ""
    cut = spoiled("truncated")[0]
    assert cut.finish_reason == "length"
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut.text)


def test_faults_of_the_content_say_that_all_is_supported():
    """So a reader that believes any of them is found out: nothing of this is in the documents."""
    assert {p["verdict"] for p in points(ReadingJudge()(body()))} == {"unsupported"}
    for kind in ("invented_quotes", "unknown_documents", "unfit_verdict"):
        assert {p["verdict"] for p in points(spoiled(kind)[0])} == {"supported"}, kind
    quotes = [q["text"] for p in points(spoiled("invented_quotes")[0]) for q in p["quotes"] if q["text"]]
    assert len(quotes) == 2
    assert not any(q in d["text"] for q in quotes for d in DOCUMENTS)
    assert {p["labels"] for p in points(spoiled("unknown_documents")[0])} == {"d1:N d2:N d99:S"}
    unfit = {p["labels"] for seed in range(9) for p in points(spoiled("unfit_verdict", seed=seed)[0])}
    assert unfit == {"d1:N d2:N", "d1:P d2:N"}  # no document that says it, or one that says a part
    value = json.loads(spoiled("no_object")[0].text)
    assert not isinstance(value, dict)


def test_faults_of_ids():
    """An item less, one more that nobody asked for, one twice; over many draws all of a segment, or one point."""
    asked = {"s1.1", "s1.r", "s2.1", "s2.r"}

    def ids(reply):
        return [item[0] for item in json.loads(reply.text)["points"]]

    for seed in range(20):
        missing = ids(spoiled("missing_ids", seed=seed)[0])
        assert set(missing) < asked
        surplus = ids(spoiled("surplus_ids", seed=seed)[0])
        assert set(surplus) - asked
        doubled = ids(spoiled("duplicated_ids", seed=seed)[0])
        assert len(set(doubled)) < len(doubled)
        assert set(doubled) == asked


def test_faults_of_drafts_and_texts():
    """Ids and types of every form; faults that a form has no place for leave it alone."""
    draft = body(answer=[{"unit": 1, "text": "Ada Holm was a judge."}, {"unit": 2, "text": "It rains."}])
    honest = json.loads(ReadingJudge()(draft).text)
    for kind in ("missing_ids", "surplus_ids", "duplicated_ids", "wrong_types", "truncated", "prose"):
        reply, fault = spoiled(kind, draft)
        assert (fault, reply.text == json.dumps(honest)) == (kind, False)
    assert spoiled("unfit_verdict", draft) == (ReadingJudge()(draft), None)
    plain = Reply("free text")
    assert ModelFaults(1.0, kinds=["missing_ids", "no_object"]).spoil(body(), plain) == (plain, None)


def test_the_plan_can_be_repeated_whatever_the_order():
    """The same requests meet the same faults from many threads, a retry is a new draw, the rate is kept."""

    def run(order, seed=3):
        faults = ModelFaults(0.2, seed=seed)
        with ThreadPoolExecutor(8) as pool:
            said = pool.map(lambda n: (n, faults.spoil(body(f"{n}"), ReadingJudge()(body()))[1]), order)
            return dict(said), faults.counts

    first, counts = run(range(1_000))
    again, same = run(reversed(range(1_000)))
    assert (first, counts) == (again, same)
    assert run(range(1_000), seed=4)[0] != first
    assert 150 < sum(counts.values()) == sum(f is not None for f in first.values()) < 250
    assert set(counts) == set(ALL_KINDS)
    faults = ModelFaults(0.5, seed=1)
    draws = {faults.spoil(body(), ReadingJudge()(body()))[1] for _ in range(50)}
    assert len(draws) > 5
    assert None in draws


def test_nonsense_is_refused():
    """Rates and kinds that do not exist."""
    with pytest.raises(UsageError, match="rate"):
        ModelFaults(1.5)
    with pytest.raises(UsageError, match="gremlins"):
        ModelFaults(0.1, kinds=["gremlins"])
    assert ModelFaults(0.0).spoil(body(), Reply("x")) == (Reply("x"), None)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_fault_reaches_a_client(kind):
    """Over HTTP, and the server's books name it."""
    patience = 0.4 if kind == "slow" else 60.0
    with OpenAIServer(ReadingJudge(), faults=ModelFaults(1.0, kinds=[kind], slow=600.0)) as server:
        try:
            reply = httpx.post(f"{server.base_url}/chat/completions", json=body(), timeout=patience)
            seen = reply.status_code
        except httpx.TransportError as error:
            seen = type(error).__name__
    assert [call.fault for call in server.calls] == [kind]
    expected = {"rate_limit": 429, "server_error": 500, "unavailable": 503, "slow": "ReadTimeout"}
    expected |= dict.fromkeys(("cut_headers", "cut_body"), "RemoteProtocolError")
    assert seen == expected.get(kind, 200)


@pytest.mark.parametrize(("answers", "rate", "plan"), [(100, 0.2, "fast"), (40, 0.9, "fast"), (20, 0.3, "thorough")])
def test_answers_come_back_and_nothing_is_made_up(answers, rate, plan):
    """Threads and tasks together (benchmarks/llm_faults.py runs 10,000 answers)."""
    done = run(answers, rate=rate, plan=plan, timeout=1.0)
    assert done.broken == []
    assert done.answers == answers
    assert len(done.faults_done) > 15
    assert done.segments["supported"] > 0.08 * sum(done.segments.values())
    if rate < 0.5:
        assert done.segments.get("unverified", 0) < 0.2 * sum(done.segments.values())  # about 0.09, of 70 segments


def test_a_reader_that_believes_anything_is_found_out(monkeypatch):
    """The assertions above can fail: without the checks of verdicts against labels, quotes and passages they do."""
    monkeypatch.setattr(judgement, "_unfit", lambda *_: None)
    monkeypatch.setattr(Documents, "lacks", lambda *_: None)
    broken = run(20, rate=1.0, timeout=5.0, kinds=["unfit_verdict", "invented_quotes"]).broken
    assert sum("the script did not say so" in why for why in broken) > 5
