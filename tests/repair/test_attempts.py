"""The repair loop: bounded, checked, the best delivered, marked when exhausted; generators of every kind."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from guardrail import Action, Guard, Passage, Policy, UsageError, Verdict
from guardrail.repair.edits import BLOCKED
from guardrail.testing import FakeEngine
from tests.support.repairs import (
    PASSAGES,
    REGENERATE,
    REWRITE,
    RIGHT,
    VERDICTS,
    WRONG,
    Awaited,
    Says,
    guard,
    in_time,
    run_async_with_sync,
    run_sync,
)

BLOCK = REGENERATE.with_(on_exhausted="block")


def coroutine_function(says):
    async def generate(feedback):
        await asyncio.sleep(0)
        return says(feedback)

    return generate


def run_async(says, **more):
    return in_time(guard(**more).arun(WRONG, PASSAGES, regenerate=coroutine_function(says)))


def run_async_object(says, **more):
    return in_time(guard(**more).arun(WRONG, PASSAGES, regenerate=Awaited(*says.replies)))


WAYS = pytest.mark.parametrize("run", [run_sync, run_async_with_sync, run_async, run_async_object])


@WAYS
def test_a_new_answer_that_passes_is_delivered(run):
    guarded = run(Says(RIGHT))
    assert (guarded.text, guarded.action, guarded.attempts, guarded.exhausted) == (RIGHT, Action.ALLOW, 2, False)
    assert guarded.report.answer == RIGHT
    assert guarded.original is not None
    assert guarded.original.answer == WRONG


@WAYS
def test_attempts_are_bounded_and_the_end_is_marked(run):
    """max_attempts counts the first answer; the best is edited as on_exhausted says."""
    guarded = run(Says("A Halloway.", "B Halloway.", "C Halloway.", RIGHT))
    assert (guarded.attempts, guarded.exhausted, guarded.action) == (3, True, Action.REDACT)
    assert guarded.text == RIGHT  # what is left of the first answer


@pytest.mark.parametrize("most", [1, 2, 5])
def test_the_generator_is_asked_as_often_as_the_policy_says(most):
    says = Says(*(f"Halloway {n}." for n in range(9)))
    guarded = guard(BLOCK.with_(max_attempts=most)).run(WRONG, PASSAGES, regenerate=says)
    assert len(says.told) == most - 1
    assert [told.attempt for told in says.told] == list(range(2, most + 1))
    assert (guarded.attempts, guarded.exhausted) == (most, True)
    assert guarded.text == BLOCKED["en"]


FAILURES = {
    "an exception": RuntimeError("boom"),
    "the end of its recorded replies": StopIteration(),
    "nothing": None,
    "empty": "",
    "blank": " \n",
    "the same again": WRONG,
    "the same again, with space around": f"  {WRONG}\n",
    "a number": 3,
    "a message object": {"content": RIGHT},
    "a tuple of another kind": (RIGHT, PASSAGES, 1),
    "passages that are none": (RIGHT, [3]),
    "one passage instead of a list": (RIGHT, "text"),
    "a text that is none": (None, PASSAGES),
}


@WAYS
@pytest.mark.parametrize("reply", FAILURES.values(), ids=FAILURES)
def test_a_generator_that_fails_delivers_the_best_so_far(run, reply):
    """Never an exception, never the unedited answer, and it is not asked for ever. A text is an attempt."""
    says = Says(reply, RIGHT)
    guarded = run(says)
    assert (guarded.text, guarded.action, guarded.exhausted) == (RIGHT, Action.REDACT, True)
    assert guarded.attempts == (2 if isinstance(reply, str) else 1)
    assert guarded.original is None


@WAYS
def test_a_failure_after_a_better_answer_keeps_that(run):
    better = "The dam is 64 metres high. The mayor paid for it."
    guarded = run(Says(better, RuntimeError("boom")), policy=REGENERATE.with_(on_exhausted="flag"))
    assert (guarded.text, guarded.exhausted, guarded.attempts) == (better, True, 2)
    assert guarded.report.verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_process_is_not_swallowed(error):
    with pytest.raises(error):
        run_sync(Says(error()))


def test_the_best_of_all_attempts_wins_not_the_last():
    better, worse = "The mayor paid for it.", "Rita Halloway built it. The mayor paid for it."
    guarded = guard(REGENERATE.with_(on_exhausted="flag")).run(WRONG, PASSAGES, regenerate=Says(better, worse))
    assert (guarded.text, guarded.attempts) == (better, 3)


def test_an_answer_that_passes_wins_over_a_higher_score():
    """Of two better than the first, the one that the policy is content with, not the one with the higher score."""

    policy = Policy(
        actions={"contradicted": "regenerate", "unsupported": "regenerate", "unverified": "flag"}, max_attempts=4
    )
    guarded = guard(policy).run(WRONG, PASSAGES, regenerate=Says("The mayor paid for it.", RIGHT))
    assert (guarded.text, guarded.action) == (RIGHT, Action.ALLOW)


def test_a_lower_score_is_never_delivered():
    """Unverified (score 0.0) would be milder here, and still does not replace a contradicted answer that scores."""
    policy = REGENERATE.with_(
        actions={"contradicted": "regenerate", "unverified": "flag"}, fail="open", max_attempts=2, on_exhausted="flag"
    )
    first = Guard(policy=policy, engine=FakeEngine(VERDICTS)).check(WRONG, PASSAGES)
    assert first.score > 0.0
    guarded = guard(policy).run(WRONG, PASSAGES, regenerate=Says("The queen saw it."))
    assert guarded.report.score >= first.score
    assert guarded.text == WRONG


def test_a_sentence_that_passed_before_is_not_lost_to_an_equal_attempt():
    """Scores depend on the answer's length a little: a later check may object to what an earlier one let pass."""

    @dataclass(frozen=True)
    class Fickle:
        name: str = "fickle"

        def verify(self, request):
            alone = not any("Halloway" in s.text for s in request.segments)
            return FakeEngine({**VERDICTS, "gate": "unsupported" if alone else "supported"}).verify(request)

    answer = "The gate is open. Rita Halloway built it."
    guarded = Guard(policy=REGENERATE, engine=Fickle()).run(
        answer, PASSAGES, regenerate=Says("The gate is open. The dam is 64 metres high.")
    )
    assert (guarded.text, guarded.action) == ("The gate is open.", Action.REDACT)


def test_an_answer_to_block_is_followed_by_another_attempt():
    """A new answer that is worse does not end the attempts that are left."""
    policy = REGENERATE.with_(actions={"contradicted": "regenerate", "unsupported": "block"})
    guarded = guard(policy).run(WRONG, PASSAGES, regenerate=Says("The mayor paid for it.", RIGHT))
    assert (guarded.text, guarded.attempts, guarded.action) == (RIGHT, 3, Action.ALLOW)


@WAYS
def test_a_generator_may_retrieve_again(run):
    """Then the answer is checked against what it was generated from, and the report holds it."""
    seen = []

    class Recording:
        name = "recording"

        def verify(self, request):
            seen.append([p.text for p in request.passages])
            return FakeEngine(VERDICTS).verify(request)

    says = Says((RIGHT, [Passage(id="new", text="The dam is 64 metres high.")]))
    replies = [says] if run is not run_async_object else [Says(*says.replies)]
    call = Guard(policy=REGENERATE, engine=Recording())
    if run is run_sync:
        guarded = call.run(WRONG, PASSAGES, regenerate=replies[0])
    elif run is run_async_with_sync:
        guarded = asyncio.run(call.arun(WRONG, PASSAGES, regenerate=replies[0]))
    else:
        guarded = asyncio.run(call.arun(WRONG, PASSAGES, regenerate=coroutine_function(replies[0])))
    assert seen == [PASSAGES, ["The dam is 64 metres high."]]
    assert [p.id for p in guarded.report.passages] == ["new"]
    assert (guarded.text, guarded.action) == (RIGHT, Action.ALLOW)
    assert guarded.original is not None
    assert [p.text for p in guarded.original.passages] == PASSAGES


def test_without_new_passages_the_last_ones_stay():
    says = Says(("Halloway one.", ["new passage"]), "Halloway two.", RIGHT)
    guard(REGENERATE.with_(max_attempts=4)).run(WRONG, PASSAGES, regenerate=says)
    assert [[p.text for p in told.report.passages] for told in says.told] == [PASSAGES, *[["new passage"]] * 2]


def test_the_same_answer_from_other_passages_is_another_answer():
    says = Says((WRONG, ["new passage"]), (WRONG, ["new passage"]), RIGHT)
    guarded = guard(REGENERATE.with_(max_attempts=9)).run(WRONG, PASSAGES, regenerate=says)
    assert (len(says.told), guarded.attempts) == (2, 3)


def test_a_regeneration_without_a_generator_is_not_rewritten_unasked():
    """on_exhausted applies, as documented; a rewriter that was given stands in."""
    assert guard(BLOCK).run(WRONG, PASSAGES).text == BLOCKED["en"]
    assert guard(BLOCK, rewriter=Says(RIGHT)).run(WRONG, PASSAGES).text == RIGHT


@pytest.mark.parametrize("reply", [None, "", WRONG, RuntimeError("boom"), StopIteration(), 3])
def test_a_rewrite_that_comes_to_nothing_falls_to_the_generator(reply):
    for call in (
        lambda g, says: g.run(WRONG, PASSAGES, regenerate=says),
        lambda g, says: in_time(g.arun(WRONG, PASSAGES, regenerate=says)),
    ):
        says = Says(RIGHT)
        guarded = call(guard(REWRITE, rewriter=Says(reply)), says)
        assert (guarded.text, guarded.attempts, len(says.told)) == (RIGHT, 2, 1)
        alone = guard(REWRITE, rewriter=Says(reply)).run(WRONG, PASSAGES)
        assert (alone.exhausted, alone.text) == (True, RIGHT)  # redacted


def test_what_must_be_awaited_is_refused_by_run():
    with pytest.raises(UsageError, match="generator is async"):
        guard().run(WRONG, PASSAGES, regenerate=coroutine_function(Says(RIGHT)))
    with pytest.raises(UsageError, match="generator is async"):
        guard().run(WRONG, PASSAGES, regenerate=Awaited(RIGHT))


def test_cancelling_stops_the_attempts():
    """And the generator is not asked again."""
    calls, ends = [], []

    async def work():
        started = asyncio.Event()

        async def endless(feedback):
            calls.append(feedback)
            started.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ends.append("cancelled")
                raise

        task = asyncio.create_task(guard().arun(WRONG, PASSAGES, regenerate=endless))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    in_time(work())
    assert (len(calls), ends) == (1, ["cancelled"])


def test_many_answers_at_once_are_not_mixed_up():
    """One guard, threads and tasks; each gets its own new answer."""
    shared = guard()

    def answer(number):
        return f"Number {number} is high. Rita Halloway built it."

    def generate(feedback):
        return feedback.answer.split(". ")[0] + " indeed."

    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda n: shared.run(answer(n), PASSAGES, regenerate=generate).text, range(24)))
    assert texts == [f"Number {n} is high indeed." for n in range(24)]

    async def all_at_once():
        return await asyncio.gather(*(shared.arun(answer(n), PASSAGES, regenerate=generate) for n in range(24)))

    assert [g.text for g in asyncio.run(all_at_once())] == texts


def test_a_bug_of_ours_while_repairing_delivers_the_edited_answer(monkeypatch):
    def broken(*args, **kwargs):
        raise ZeroDivisionError
        yield

    monkeypatch.setattr("guardrail.repair.attempts._attempts", broken)
    guarded = guard().run(WRONG, PASSAGES, regenerate=Says(RIGHT))
    assert (guarded.text, guarded.action, guarded.exhausted) == (RIGHT, Action.REDACT, True)


def test_milder_policies_never_ask():
    says = Says(RIGHT)
    for policy in (Policy.monitor(), Policy.annotate(), Policy.strict()):
        assert guard(policy).run(WRONG, PASSAGES, regenerate=says).attempts == 1
    assert says.told == []


@pytest.mark.parametrize("blank", ["", "\n", "\u200b", "\0", "...", "**"])
def test_a_new_answer_without_a_word_is_none(blank):
    """It claims nothing, so that no check would object to it."""
    guard = Guard(policy=Policy.repair(), engine=FakeEngine({"mayor": "unsupported"}))
    guarded = guard.run("The dam stands. The mayor left it.", ["The dam stands."], regenerate=lambda _: blank)
    assert guarded.text == "The dam stands."
    assert guarded.exhausted
