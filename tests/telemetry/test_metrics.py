"""Metrics of guarded answers; none of them needs a tracer."""

import asyncio

import pytest

from guardrail import Guard, Policy
from guardrail.engines.cascade import CascadeEngine
from guardrail.telemetry import Telemetry
from guardrail.testing import FakeEngine
from tests.support.counted import ANSWER, FAULTY, PASSAGES, guard


def test_answers_and_claims_are_counted_by_verdict(watched):
    watching = guard(watched, Policy(name="p", actions={"contradicted": "redact"}))
    for answer in (ANSWER, ANSWER, "The dam was closed in May.", "I do not know."):
        watching.run(answer, PASSAGES)
    watching.run("The dam was closed in May.", [])
    answers = {(p.attributes["verdict"], p.attributes["action"]): p.value for p in watched.points("guardrail.answers")}
    assert answers == {
        ("contradicted", "redact"): 2,
        ("supported", "allow"): 1,
        ("abstained", "allow"): 1,
        ("unverified", "block"): 1,
    }
    claims = {
        (p.attributes["verdict"], p.attributes["error_type"]): p.value for p in watched.points("guardrail.claims")
    }
    assert claims == {("supported", "none"): 3, ("contradicted", "contradiction"): 2, ("unverified", "none"): 1}
    assert watched.total("guardrail.claims.unverified", cause="no_passages") == 1
    assert all(
        (p.attributes["policy"], p.attributes["engine"]) == ("p", "fake") for p in watched.points("guardrail.claims")
    )


def test_scores_are_of_judged_answers_only(watched):
    """What nobody could judge has no score, and an abstention's 1.0 would hide a drift."""
    watching = guard(watched)
    for answer, passages in ((ANSWER, PASSAGES), ("I do not know.", PASSAGES), ("The dam was closed.", [])):
        watching.run(answer, passages)
    (point,) = watched.points("guardrail.answer.score")
    assert (point.count, point.sum) == (1, pytest.approx(watching.check(ANSWER, PASSAGES).score))
    assert point.explicit_bounds[:2] == (0.05, 0.1)
    assert watched.count("guardrail.answer.factscore") == watched.count("guardrail.answer.d_factscore") == 2
    assert watched.count("guardrail.check.duration") == 4


def test_stages_and_the_whole_are_timed(watched):
    guard(watched, engine=FakeEngine(default="supported", seconds=0.05)).run(ANSWER, PASSAGES)
    (whole,) = watched.points("guardrail.check.duration")
    (verify,) = watched.points("guardrail.stage.duration", stage="verify")
    assert 0.05 <= verify.sum <= whole.sum < 5
    stages = {p.attributes["stage"] for p in watched.points("guardrail.stage.duration")}
    assert stages == {"decompose", "group", "verify", "link", "logic", "judge", "decide"}
    assert sum(p.sum for p in watched.points("guardrail.stage.duration")) <= whole.sum


def test_a_slow_generator_of_a_stream_is_not_the_guards_time(watched):
    import time

    def slow():
        yield "The dam was closed in May. "
        time.sleep(3.0)
        yield "The crack was mended."

    list(guard(watched).stream(slow(), PASSAGES))
    (whole,) = watched.points("guardrail.check.duration")
    (first,) = watched.points("guardrail.stream.first_verified", mode="buffer")
    assert whole.sum < 3.0 <= first.sum


@pytest.mark.parametrize(
    ("again", "outcome", "attempts"),
    [("The dam was closed in May.", "passed", {"answered": 1}), (ANSWER + " Really.", "exhausted", {"answered": 1}),
     (None, "exhausted", {"failed": 1})],
)  # fmt: skip
def test_repairs_and_their_success(watched, again, outcome, attempts):
    def generator(_):
        if again is None:
            raise ConnectionError
        return again

    policy = Policy(actions={"contradicted": "regenerate"}, max_attempts=2)
    guard(watched, policy).run(ANSWER, PASSAGES, regenerate=generator)
    told = {p.attributes["outcome"]: p.value for p in watched.points("guardrail.repair.attempts", step="regenerate")}
    assert told == attempts
    assert watched.total("guardrail.answers.repaired", outcome=outcome) == 1
    action = "regenerate" if outcome == "passed" else "block"
    assert watched.total("guardrail.answers", verdict="contradicted", action=action) == 1


def test_the_share_that_a_cascade_escalates(watched):
    unsure = FakeEngine({"because": "unverified"}, default="supported")
    guard(watched, engine=CascadeEngine(first=unsure, second=FAULTY)).run(ANSWER, PASSAGES)
    assert watched.total("guardrail.cascade.segments", escalated="true") == 1
    assert watched.total("guardrail.cascade.segments", escalated="false") == 1


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_a_stream_counts_each_segment_once(watched, mode):
    """In sentence mode the answer so far is checked again and again."""
    engine = CascadeEngine(first=FakeEngine(default="unverified"), second=FAULTY)
    text = "The dam was closed in May. The crack was mended. The road was open. The lake was full. "
    list(guard(watched, engine=engine).stream((word + " " for word in text.split()), PASSAGES, mode=mode))
    assert watched.total("guardrail.cascade.segments", escalated="true") == 4


def test_all_checks_of_a_repair_are_counted(watched):
    """The report's own usage holds the delivered check only."""
    first = FakeEngine({"because": "contradicted"}, default="supported")
    engine = CascadeEngine(first=first, second=FAULTY)
    policy = Policy(actions={"contradicted": "regenerate"})
    guard(watched, policy, engine).run(ANSWER, PASSAGES, regenerate=lambda _: "The dam was closed in May.")
    assert watched.total("guardrail.cascade.segments") == 3


def test_where_nobody_can_be_asked_there_is_no_repair(watched):
    """A policy may want a new answer where there is no generator: that is no repair that failed."""
    guarded = guard(watched, Policy(actions={"contradicted": "regenerate"})).run(ANSWER, PASSAGES)
    assert guarded.exhausted
    assert watched.total("guardrail.answers.repaired") == 0
    assert watched.total("guardrail.answers", action="block") == 1


def test_a_check_that_is_repaired_later_is_found_once(watched):
    """Its claims, score, event and record are the check's, also where the repair checks a new answer."""
    heard = []
    recorder = type("R", (), {"record": lambda _, outcome: heard.append(outcome)})()
    watching = guard(watched, Policy(actions={"contradicted": "regenerate"}, max_attempts=2), recorder=recorder)
    watching.repair(watching.check(ANSWER, PASSAGES), regenerate=lambda _: "The dam was closed in May.")
    assert watched.total("guardrail.claims") == 2
    assert watched.count("guardrail.answer.score") == len(watched.events()) == len(heard) == 1
    assert watched.total("guardrail.answers") == watched.total("guardrail.answers", action="none") == 1
    assert watched.total("guardrail.decisions") == watched.total("guardrail.decisions", action="regenerate") == 1
    assert watched.total("guardrail.answers.repaired") == 1


@pytest.mark.parametrize("way", ["apply", "arepair"])
def test_a_check_that_is_decided_on_later_is_one_answer(watched, way):
    watching = guard(watched, Policy(actions={"contradicted": "block"}))
    report = watching.check(ANSWER, PASSAGES)
    watching.apply(report) if way == "apply" else asyncio.run(watching.arepair(report))
    assert watched.total("guardrail.answers", verdict="contradicted", action="none") == 1
    assert watched.total("guardrail.answers") == 1
    assert watched.total("guardrail.decisions", verdict="contradicted", action="block") == 1


@pytest.mark.parametrize("name", [None, ["a"], 5, "long " * 100])
def test_an_engine_of_any_name_is_counted(watched, name):
    engine = FakeEngine(default="supported")
    odd = type("Odd", (), {"name": name, "verify": lambda _, request: engine.verify(request)})()
    assert guard(watched, engine=odd).run(ANSWER, PASSAGES).report.verdict == "supported"
    (point,) = watched.points("guardrail.answers")
    assert point.attributes["engine"] == str(name)[:100]


def test_histograms_point_to_their_trace(watched):
    guard(watched).run(ANSWER, PASSAGES)
    (root,) = watched.spans("guardrail.check")
    (point,) = watched.points("guardrail.check.duration")
    assert [(e.trace_id, e.span_id) for e in point.exemplars] == [(root.context.trace_id, root.context.span_id)]


def test_metrics_need_no_tracer(watched):
    Guard(engine=FAULTY, telemetry=Telemetry(meter_provider=watched.meters)).run(ANSWER, PASSAGES)
    assert watched.total("guardrail.answers") == 1
    assert not watched.spans()


def test_no_text_is_a_label(watched):
    guard(watched, labels={"application": "a"}).run(ANSWER, PASSAGES, question="When was the dam closed?")
    names = "answers claims answer.score check.duration stage.duration".split()
    told = [str(dict(p.attributes)) for name in names for p in watched.points(f"guardrail.{name}")]
    assert told
    assert not any("dam" in one.casefold() for one in told)
