"""Every key with every action, carried out: with a generator, with a rewriter, and with neither."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from guardrail import Action, ErrorType, Finding, Guard, Passage, Policy, Report, Span, Verdict
from guardrail.policy.keys import CONFLICT, KEYS, LOGIC
from guardrail.repair.edits import BLOCKED, NOT_VERIFIED
from guardrail.testing import FakeEngine
from guardrail.types import Evidence

V, A = Verdict, Action
WRONG, FINE = "Rita Halloway built it.", "The dam is 64 metres high."
ANSWER = f"{WRONG} {FINE}"
GOOD = "The dam was opened in 1963."
PASSAGES = (Passage(id="1", text=f"{FINE} It was opened in 1963."),)
LABELS = {
    "contradicted": "Contradicted by the sources: why (passage 1)",
    "unverified": "Not verified: why (passage 1)",
    "supported": "Only weakly supported by the sources (score 0.20): why (passage 1)",
    "conflict": "why",
}
UNSUPPORTED = "Not supported by the sources: why (passage 1)"


@dataclass(frozen=True)
class Rewriter:
    text: str | None

    def rewrite(self, feedback):
        assert feedback.report.passages == PASSAGES
        return self.text


def finding(key):
    """What the key is for. Error types and ``logic`` come with an unsupported finding, ``conflict`` a supported one."""
    verdict = V(key) if key in set(V) else V.SUPPORTED if key == CONFLICT else V.UNSUPPORTED
    error = ErrorType(key) if key in set(ErrorType) else ErrorType.CAUSAL_CONFUSION if key == LOGIC else None
    return Finding(
        id="s1", text=WRONG, span=Span(0, len(WRONG)), claim=WRONG, verdict=verdict, error_type=error, reason="why",
        score=0.0 if verdict is V.UNVERIFIED else 0.2, conflict=key == CONFLICT,
        evidence=(Evidence(passage_id="1", span=Span(0, len(FINE)), quote=FINE),),
    )  # fmt: skip


def report(key):
    if key == "abstained":
        answer = "I do not know."
        return Report(verdict=V.ABSTAINED, score=1.0, answer=answer, passages=PASSAGES, reason="It declines.")
    start = len(WRONG) + 1
    first = finding(key)
    fine = Finding(id="s2", text=FINE, span=Span(start, len(ANSWER)), claim=FINE, verdict=V.SUPPORTED, score=0.95)
    return Report(
        verdict=first.verdict, score=first.score, answer=ANSWER, passages=PASSAGES, findings=(first, fine), reason=""
    )


def carried_out(key, action):
    """Action and text without a new answer, for an answer whose first sentence is what the key is for."""
    whole = key in ("abstained", "supported")  # nothing is left of it
    answer = report(key).answer
    if action in (A.ALLOW, A.FLAG):
        return action, answer
    if action is A.BLOCK or (action is A.REDACT and whole):
        return A.BLOCK, (NOT_VERIFIED if key == "unverified" else BLOCKED)["en"]
    if action is A.REDACT:
        return action, FINE
    if key == "abstained":
        return action, f"{answer}\n\n[!] No claim to check: It declines."
    note = f"{WRONG}[^g1] {FINE}\n\n[^g1]: {LABELS.get(key, UNSUPPORTED)}"
    if key == "supported":
        note = f"{WRONG}[^g1] {FINE}[^g2]\n\n[^g1]: {LABELS[key]}\n[^g2]: Supported by the sources"
    return action, note


def run(way, guard, checked, regenerate):
    if way == "sync":
        return guard.repair(checked, regenerate=regenerate)
    return asyncio.run(guard.arepair(checked, regenerate=regenerate))


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("action", [a for a in A if a not in (A.REWRITE, A.REGENERATE)])
@pytest.mark.parametrize("key", KEYS)
def test_an_action_is_carried_out_for_its_key(key, action, way):
    """A generator and a rewriter that nobody asked for are not called."""
    guard = Guard(policy=Policy(actions={key: action}), engine=FakeEngine(), rewriter=Rewriter("not asked for"))
    guarded = run(way, guard, report(key), lambda _: "not asked for")
    if key not in set(V) and key != CONFLICT:
        action = max(action, A.FLAG, key=lambda one: one.severity)  # its verdict is flagged in any case
    assert (guarded.action, guarded.text) == carried_out(key, action)
    assert (guarded.attempts, guarded.exhausted, guarded.original) == (1, False, None)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("source", ["generator", "rewriter"])
@pytest.mark.parametrize("wish", [A.REWRITE, A.REGENERATE])
@pytest.mark.parametrize("key", [key for key in KEYS if key != "supported"])
def test_a_new_answer_is_had_for_every_key(key, wish, source, way):
    """From whoever can give one; it was checked, and the first report is kept."""
    rewriter = Rewriter(GOOD if source == "rewriter" else None)
    guard = Guard(policy=Policy(actions={key: wish}), engine=FakeEngine(), rewriter=rewriter)
    guarded = run(way, guard, report(key), (lambda _: GOOD) if source == "generator" else None)
    assert (guarded.action, guarded.text, guarded.attempts, guarded.exhausted) == (A.ALLOW, GOOD, 2, False)
    assert guarded.original == report(key)
    assert guarded.report.verdict is V.SUPPORTED


@pytest.mark.parametrize("instead", [a for a in A if a not in (A.REWRITE, A.REGENERATE)])
@pytest.mark.parametrize("wish", [A.REWRITE, A.REGENERATE])
@pytest.mark.parametrize("key", KEYS)
def test_without_anybody_on_exhausted_applies_to_every_key(key, wish, instead):
    """And says so."""
    policy = Policy(actions={key: wish}, on_exhausted=instead)
    guarded = Guard(policy=policy, engine=FakeEngine(), rewriter=Rewriter(None)).repair(report(key))
    assert (guarded.action, guarded.text) == carried_out(key, instead)
    assert (guarded.attempts, guarded.exhausted) == (1, True)
    assert guarded.decision.action is wish


def test_a_generator_that_is_no_better_leaves_it_to_on_exhausted():
    """Each attempt is checked; the answer that came in is delivered as on_exhausted says."""
    policy = Policy(actions={"mixed_entities": "regenerate", "contradicted": "regenerate"}, on_exhausted="redact")
    guard = Guard(policy=policy.with_(max_attempts=3), engine=FakeEngine({"mayor": "contradicted"}))
    texts = iter(["The mayor built it.", "The mayor of Fennick built it."])
    guarded = guard.repair(report("mixed_entities"), regenerate=lambda _: next(texts))
    assert (guarded.action, guarded.text, guarded.attempts, guarded.exhausted) == (A.REDACT, FINE, 3, True)


LANGUAGES = {
    "own": ("Wer hat den Damm gebaut?", "Nein."),
    "english": ("Who built the dam?", "No."),
    "script": ("谁建造了大坝？", "不。"),
    "cyrillic": ("Кто построил плотину?", "Нет."),
    "none of these": ("Qui a construit le barrage ?", "No."),
    "none of these scripts": ("من بنى السد؟", "No."),
    "japanese": ("誰がダムを建設しましたか？", "No."),
}


@pytest.mark.parametrize(("question", "text"), LANGUAGES.values(), ids=LANGUAGES)
def test_the_message_is_in_the_askers_language_where_there_is_one(question, text):
    """Else in English."""
    messages = {"de": "Nein.", "en": "No.", "zh": "不。", "ru": "Нет."}
    policy = Policy(actions={"contradicted": "block"}, messages=messages)
    guard = Guard(policy=policy, engine=FakeEngine({"Halloway": "contradicted"}))
    assert guard.run(WRONG, PASSAGES, question=question).text == text


def test_our_own_words_stand_in_where_there_is_no_english_message():
    policy = Policy(actions={"contradicted": "block"}, messages={"de": "Nein."})
    guard = Guard(policy=policy, engine=FakeEngine({"Halloway": "contradicted"}))
    for question, text in (("Wer war das?", "Nein."), ("Who was it?", BLOCKED["en"]), ("谁？", BLOCKED["zh"])):
        assert guard.run(WRONG, PASSAGES, question=question).text == text


def test_a_band_is_noted():
    """The passages bear it out, but not by much; nothing disagrees."""
    guard = Guard(policy=Policy(score_below={0.96: "annotate"}), engine=FakeEngine())
    assert guard.run(FINE, PASSAGES).text == f"{FINE}[^g1]\n\n[^g1]: Supported by the sources (passage 1)"
