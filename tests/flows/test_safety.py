"""Ways in which an unchecked or wrong text, or a secret, could reach somebody: each closed, each with its test."""

import asyncio
import threading

import pytest

from guardrail import Action, ErrorType, Guard, Passage, Policy, Verdict
from guardrail.check.contract import VerifyRequest
from guardrail.check.entities import Mix
from guardrail.check.judge import locate
from guardrail.check.matrix import validated
from guardrail.telemetry import Telemetry
from guardrail.testing import FakeEngine
from guardrail.types import Entity, LogicVerdict, Row, Segment, Span, SupportMatrix
from tests.support.verified import judge

DAM = "The dam is 64 metres high. Rita Halloway built it."
PASSAGES = [Passage(id="p1", text="The dam is 64 metres high.")]


def test_a_secret_in_an_engine_error_reaches_nobody():
    """Foreign error messages stay in the log; the answer and the report name the type only."""
    guard = Guard(policy=Policy.annotate(), engine=FakeEngine(default=RuntimeError("401 bad key sk-SECRET")))
    guarded = guard.run(DAM, PASSAGES)
    assert "sk-SECRET" not in guarded.text
    assert "sk-SECRET" not in str(guarded.report)


def test_repair_delivers_nothing_unchecked_when_the_engine_is_down():
    """The preset is fail=closed: what nobody could judge is taken out, and here that is all."""
    guarded = Guard(policy=Policy.repair(), engine=FakeEngine(default=RuntimeError())).run(DAM, PASSAGES)
    assert guarded.action is Action.BLOCK
    assert "dam" not in guarded.text


@pytest.mark.parametrize("answer", ["```python\nprint(1)\n```", ""])
def test_an_answer_without_findings_is_not_delivered_as_checked(answer):
    """Nothing to mark is no reason to say nothing."""
    assert Guard(policy=Policy.repair()).run(answer, PASSAGES).action is Action.BLOCK
    assert "Not verified" in Guard(policy=Policy.annotate()).run(answer, PASSAGES).text


def test_notes_cannot_be_turned_into_links_by_a_passage_id():
    """Ids and reasons come from outside; in Markdown they must be inert."""
    engine = FakeEngine(default="contradicted")
    passages = [Passage(id="1](http://evil.example) [click", text="The dam is 64 metres high.")]
    text = Guard(policy=Policy.annotate(), engine=engine).run("The dam is 64 metres high.", passages).text
    assert "evil.example" not in text


def test_a_pronoun_whose_noun_was_taken_out_is_named():
    """Else "He" would be read as somebody else."""
    answer = "Marie Curie won two Nobel Prizes. Pierre Curie was a banker. He died in 1906."
    engine = FakeEngine({"banker": "unsupported"}, default="supported")
    guarded = Guard(policy=Policy(actions={"unsupported": "redact"}), engine=engine).run(answer, PASSAGES)
    assert guarded.text == "Marie Curie won two Nobel Prizes. He [Pierre Curie] died in 1906."


@pytest.mark.parametrize("marker", ["a) ", "## ", "> ", "- [ ] ", "① ", "3. "])
def test_redaction_leaves_no_marker_behind(marker):
    """A list with an empty item looks broken."""
    answer = f"The dam is 64 metres high.\n{marker}Rita Halloway built it in 1901.\nThe end is open."
    engine = FakeEngine({"Halloway": "unsupported"}, default="supported")
    guarded = Guard(policy=Policy(actions={"unsupported": "redact"}), engine=engine).run(answer, PASSAGES)
    assert guarded.text == "The dam is 64 metres high.\nThe end is open."


def test_a_namesake_never_makes_a_verdict_milder():
    """A contradicted segment stays contradicted when it also belongs to somebody else."""
    one, two = (Entity(id=i, name="Jo", title=f"Jo ({i})", passages=(0,), shares_name=True) for i in "ab")
    segment = Segment(id="s1", span=Span(0, 4), text="Jo x")
    row = Row(segment_id="s1", cells=(None,), supported=0.1, contradicted=0.95)
    mix = Mix(segment_id="s1", linked=one, other=two, margin=0.5)
    (finding,) = judge((segment,), {"s1": row}, {}, (), {"s1": mix}, "Jo x", (Passage(text="t", id="1"),), 0.5)
    assert (finding.verdict, finding.error_type) == (Verdict.CONTRADICTED, ErrorType.MIXED_ENTITIES)


def test_the_error_type_does_not_speak_against_the_verdict():
    """A contradicted segment is no mere invention, and an unsupported one no contradiction."""
    segment = Segment(id="s1", span=Span(0, 4), text="Jo x")
    for probability, given, expected in (
        (0.9, ErrorType.HALLUCINATION, ErrorType.CONTRADICTION),
        (0.1, ErrorType.CONTRADICTION, ErrorType.HALLUCINATION),
    ):
        row = Row(segment_id="s1", cells=(None,), supported=0.1, contradicted=probability, error_type=given)
        (finding,) = judge((segment,), {"s1": row}, {}, (), {}, "Jo x", (Passage(text="t", id="1"),), 0.5)
        assert finding.error_type is expected


def test_an_unverified_row_keeps_no_numbers():
    """Whatever an engine writes beside "could not judge", no score may count it."""
    segment = Segment(id="s1", span=Span(0, 1), text="x")
    request = VerifyRequest(segments=(segment,), passages=(Passage(text="x", id="1"),))
    row = Row(segment_id="s1", cells=(None,), supported=0.95, unverified="no idea")
    (kept,) = validated(request, SupportMatrix(rows=(row,))).rows
    assert (kept.supported, kept.unverified) == (0.0, "no idea")


def test_a_row_with_a_wrong_error_type_is_unverified():
    """A str where an ErrorType belongs must not break the policy later."""
    segment = Segment(id="s1", span=Span(0, 1), text="x")
    request = VerifyRequest(segments=(segment,), passages=(Passage(text="x", id="1"),))
    row = Row(segment_id="s1", cells=(None,), error_type="hallucination")
    assert validated(request, SupportMatrix(rows=(row,))).rows[0].unverified


def test_focus_points_at_the_number_that_is_meant():
    """Not at the same digits inside another number."""
    answer = "The 2012 tour costs 12 euros."
    segment = Segment(id="s1", span=Span(0, len(answer)), text=answer)
    assert locate(segment, Span(20, 22), answer) == Span(20, 22)
    reworded = Segment(id="s1", span=Span(0, len(answer)), text=f"In short, {answer}")
    assert locate(reworded, Span(30, 32), answer) == Span(20, 22)


@pytest.mark.parametrize(("fail", "action"), [("closed", Action.BLOCK), ("open", Action.FLAG)])
def test_a_bug_while_deciding_follows_fail(monkeypatch, fail, action):
    """The service gets an answer object, not an exception."""

    def broken(*_):
        raise KeyError("bug")

    monkeypatch.setattr("guardrail.repair.attempts.repair", broken)
    guarded = Guard(policy=Policy(fail=fail), engine=FakeEngine(default="supported")).run(DAM, PASSAGES)
    assert guarded.action is action
    assert (guarded.text == DAM) == (fail == "open")


class Broken:
    """Providers, tracers, spans, meters, instruments and loggers of which nothing works."""

    def __call__(self, *_, **__):
        raise RuntimeError("exporter")

    def get_tracer(self, *_, **__):
        return self

    get_meter = get_logger = create_counter = create_histogram = create_up_down_counter = get_tracer
    start_span = add = record = emit = __call__


@pytest.mark.parametrize("fails", ["tracer_provider", "meter_provider", "logger_provider", "recorder", "redact"])
def test_broken_telemetry_changes_nothing(fails):
    """Its errors end in telemetry."""
    settings = Telemetry(capture_content=True, **{fails: Broken()})
    guarded = Guard(engine=FakeEngine(default="supported"), telemetry=settings).run(DAM, PASSAGES)
    assert (guarded.text, guarded.report.verdict) == (DAM, Verdict.SUPPORTED)


def test_hanging_engines_do_not_starve_the_event_loop():
    """Many checks against a hung engine all end while it hangs."""
    release = threading.Event()

    class Hung:
        name = "hung"

        def verify(self, _):
            release.wait(600)
            raise RuntimeError

    guard = Guard(policy=Policy(deadline=0.2), engine=Hung())

    async def many():
        return await asyncio.gather(*(guard.acheck(DAM, PASSAGES) for _ in range(8)))

    try:
        reports = asyncio.run(asyncio.wait_for(many(), 120))
    finally:
        release.set()
    assert {r.verdict for r in reports} == {Verdict.UNVERIFIED}


def test_the_output_cannot_be_the_input(tmp_path, capsys):
    """--out on the input itself would empty it."""
    from typer.testing import CliRunner

    from guardrail.cli.main import app

    path = tmp_path / "a.jsonl"
    path.write_text('{"answer": "x", "passages": []}\n')
    result = CliRunner().invoke(app, ["check", str(path), "--out", str(path)])
    assert "is the input itself" in str(result.exception)
    assert path.read_text()


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 0.9])
def test_a_reversed_relation_is_flagged_however_sure_the_model_is(threshold):
    """A relation that is merely not licensed lowers the score; one that the passages reverse is wrong."""
    segment = Segment(id="s1", span=Span(0, len(DAM)), text=DAM)
    row = Row(segment_id="s1", cells=(None,), supported=0.97)

    def verdict(contradicts):
        logic = LogicVerdict(
            segment_id="s1", consistent=False, contradicts=contradicts,
            error_type=ErrorType.CAUSAL_CONFUSION, reason="turned round",
        )  # fmt: skip
        return judge([segment], {"s1": row}, {"s1": logic}, [], {}, DAM, PASSAGES, threshold)[0]

    assert verdict(True).verdict is Verdict.CONTRADICTED
    assert verdict(True).score < 0.5
    assert verdict(False).score < 0.97
    assert verdict(False).reason == "turned round"
