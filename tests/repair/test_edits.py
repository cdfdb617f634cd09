"""Repair: notes, redaction, replacement, on texts as models write them."""

from __future__ import annotations

import pytest

from guardrail import Action, Guard, Passage, Policy, Verdict
from guardrail.errors import EngineTimeout
from guardrail.repair.edits import BLOCKED, NOT_VERIFIED, TIMED_OUT, language_of
from guardrail.testing import FakeEngine

SOURCES = ["The dam is 64 metres high. It was opened in 1963."]
WRONG = {"Halloway": "contradicted", "mayor": "unsupported", "哈洛维": "contradicted", "queen": "unverified"}

REDACT = Policy(
    actions={"contradicted": "redact", "unsupported": "redact", "unverified": "annotate"}, on_exhausted="redact"
)
PLAIN = Policy.annotate().with_(style="plain")


def run(answer, policy, verdicts=WRONG, **kwargs):
    return Guard(policy=policy, engine=FakeEngine(verdicts)).run(answer, SOURCES, **kwargs)


REDACTIONS = {
    "first sentence": ("Rita Halloway built it. The dam is 64 metres high.", "The dam is 64 metres high."),
    "last sentence": ("The dam is 64 metres high. Rita Halloway built it.", "The dam is 64 metres high."),
    "middle": (
        "The dam is 64 metres high. Rita Halloway built it. It was opened in 1963.",
        "The dam is 64 metres high. It was opened in 1963.",
    ),
    "two in a row": (
        "The dam is 64 metres high. Rita Halloway built it. The mayor of Fennick paid for it. It was opened in 1963.",
        "The dam is 64 metres high. It was opened in 1963.",
    ),
    "first list item": (
        "- Rita Halloway built the dam.\n- The dam is 64 metres high.\n",
        "- The dam is 64 metres high.\n",
    ),
    "middle list item": (
        "- The dam is 64 metres high.\n- Rita Halloway built the dam.\n- The dam was opened in 1963.",
        "- The dam is 64 metres high.\n- The dam was opened in 1963.",
    ),
    "last list item": (
        "1. The dam is 64 metres high.\n2. Rita Halloway built the dam.",
        "1. The dam is 64 metres high.\n",
    ),
    "sentence of an item": (
        "* The dam is 64 metres high. Rita Halloway built the dam.\n* The dam was opened in 1963.",
        "* The dam is 64 metres high.\n* The dam was opened in 1963.",
    ),
    "nested item": (
        "- The dam is 64 metres high.\n  - Rita Halloway built the dam.\n- The dam was opened in 1963.",
        "- The dam is 64 metres high.\n- The dam was opened in 1963.",
    ),
    "paragraph": (
        "The dam is 64 metres high.\n\nRita Halloway built the dam.\n\nThe dam was opened in 1963.",
        "The dam is 64 metres high.\n\n\nThe dam was opened in 1963.",
    ),
    "table row": (
        "| Name | Role |\n|---|---|\n| Rita Halloway | builder |\n| Ann Weir | owner |\n",
        "| Name | Role |\n|---|---|\n| Ann Weir | owner |\n",
    ),
    "chinese": ("大坝高64米。丽塔·哈洛维建造了大坝。大坝于1963年启用。", "大坝高64米。大坝于1963年启用。"),
}


@pytest.mark.parametrize(("answer", "left"), REDACTIONS.values(), ids=REDACTIONS)
def test_redaction_takes_out_the_segment_and_its_marker(answer, left):
    """What stays is untouched, and no empty list item or double space is left behind."""
    guarded = run(answer, REDACT)
    assert (guarded.action, guarded.text) == (Action.REDACT, left)


@pytest.mark.parametrize(
    "answer", ["Rita Halloway built it.", "Sure! Rita Halloway built it.\n\n- The mayor paid for it."]
)
def test_redacting_everything_is_a_block(answer):
    """A greeting alone is no answer."""
    guarded = run(answer, REDACT)
    assert (guarded.action, guarded.text) == (Action.BLOCK, BLOCKED["en"])


def test_redaction_and_notes_go_together():
    """Each finding keeps its own action; the answer's action is the severer."""
    guarded = run("Rita Halloway built the dam. The queen visited the dam. The dam is 64 metres high.", REDACT)
    assert guarded.action is Action.REDACT
    assert guarded.text == (
        "The queen visited the dam.[^g1] The dam is 64 metres high.\n\n[^g1]: Not verified: scripted"
    )


def test_markdown_notes_are_footnotes_in_order():
    """Marks stand behind their segments, the legend at the end, with the reason and the source."""
    guarded = run(
        "Rita Halloway built it. The dam is 64 metres high. The mayor of Fennick paid for it.", Policy.annotate()
    )
    assert guarded.action is Action.ANNOTATE
    assert guarded.text == (
        "Rita Halloway built it.[^g1] The dam is 64 metres high. The mayor of Fennick paid for it.[^g2]\n\n"
        "[^g1]: Contradicted by the sources: scripted: contradicted (passage 1)\n"
        "[^g2]: Not supported by the sources: scripted: unsupported"
    )


def test_plain_notes_need_no_markup():
    """For channels that show text as it is."""
    guarded = run("Rita Halloway built the dam. The dam is 64 metres high.", PLAIN)
    assert guarded.text == (
        "Rita Halloway built the dam. [!1] The dam is 64 metres high.\n\n"
        "[!1] Contradicted by the sources: scripted: contradicted (passage 1)"
    )


def test_a_note_in_a_table_stays_inside_its_row():
    """A mark behind the closing bar would be a new column."""
    guarded = run("| Name | Role |\n|---|---|\n| Rita Halloway | builder |\n| Ann Weir | owner |", Policy.annotate())
    assert "| Rita Halloway | builder [^g1]|\n| Ann Weir | owner |\n\n[^g1]: " in guarded.text


def test_footnotes_of_the_answer_itself_are_not_taken_over():
    """Our marks get names that the answer does not use."""
    answer = "The dam is 64 metres high.[^g1] Rita Halloway built the dam.\n\n[^g1]: Visitor information"
    text = run(answer, Policy.annotate()).text
    assert text.startswith("The dam is 64 metres high.[^g1] Rita Halloway built the dam.[^gg1]\n\n[^g1]: Visitor")
    assert text.count("[^gg1]") == 2


def test_an_answer_that_is_borne_out_is_delivered_as_it_is():
    """Under every preset, to the character."""
    answer = "  The dam is 64 metres high.\n\n* It was opened in 1963.  \n"
    for policy in (Policy.monitor(), Policy.annotate(), Policy.repair(), Policy.strict()):
        assert run(answer, policy).text == answer
        assert run(answer, policy).action is Action.ALLOW


def test_monitor_never_changes_the_text():
    """It only flags."""
    guarded = run("Rita Halloway built it.", Policy.monitor())
    assert (guarded.text, guarded.action) == ("Rita Halloway built it.", Action.FLAG)


@pytest.mark.parametrize(
    ("answer", "question", "language"),
    [
        ("Rita Halloway built it.", None, "en"),
        ("丽塔·哈洛维建造了大坝。", None, "zh"),
        ("丽塔·哈洛维建造了大坝。", "Who built it?", "en"),
        ("Rita Halloway built it.", "谁建的？", "zh"),
    ],
)
def test_the_block_message_speaks_the_askers_language(answer, question, language):
    """The question decides; without one, the answer."""
    guarded = run(answer, Policy.strict(), question=question)
    assert (guarded.action, guarded.text) == (Action.BLOCK, BLOCKED[language])
    assert language_of(question or answer) == language


def test_a_message_of_ones_own_replaces_ours():
    """The English one stands in where the language has none."""
    policy = Policy.strict().with_(messages={"en": "Ask a librarian."})
    assert run("Rita Halloway built it.", policy).text == "Ask a librarian."
    assert run("丽塔·哈洛维建造了大坝。", policy).text == "Ask a librarian."
    both = policy.with_(messages={"en": "Ask a librarian.", "zh": "请问馆员。"})
    assert run("丽塔·哈洛维建造了大坝。", both).text == "请问馆员。"


@pytest.mark.parametrize("wish", ["rewrite", "regenerate"])
@pytest.mark.parametrize(
    ("instead", "text"),
    [
        ("block", BLOCKED["en"]),
        ("redact", "The dam is 64 metres high."),
        ("flag", "The dam is 64 metres high. Rita Halloway built it."),
    ],
)
def test_what_nobody_can_regenerate_becomes_on_exhausted(wish, instead, text):
    """The decision keeps what was asked for, the answer says what was done."""
    policy = Policy(actions={"contradicted": wish}, on_exhausted=instead, max_attempts=1)
    guarded = run("The dam is 64 metres high. Rita Halloway built it.", policy)
    assert (guarded.action, guarded.text, guarded.attempts) == (Action(instead), text, 1)
    assert guarded.decision.action is Action(wish)


def test_an_abstained_answer_is_delivered():
    """Declining is what a careful model should do."""
    guarded = run("The documents do not say who designed the gate.", Policy.strict())
    assert guarded.report.verdict is Verdict.ABSTAINED
    assert (guarded.action, guarded.text) == (Action.ALLOW, "The documents do not say who designed the gate.")


@pytest.mark.parametrize(
    ("failure", "question", "text"),
    [
        (EngineTimeout("late"), None, TIMED_OUT["en"]),
        (EngineTimeout("late"), "谁建的？", TIMED_OUT["zh"]),
        (RuntimeError("down"), None, NOT_VERIFIED["en"]),
        ("contradicted", None, BLOCKED["en"]),
    ],
)
def test_the_block_message_says_why(failure, question, text):
    guarded = Guard(policy=Policy.strict(), engine=FakeEngine(default=failure)).run(
        "Rita Halloway built it.", SOURCES, question=question
    )
    assert (guarded.action, guarded.text) == (Action.BLOCK, text)


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        ("Rita Halloway built it.", "Could not be checked (time limit)"),
        ("丽塔·哈洛维建造了大坝。", "未能核实（超过时限）"),
    ],
)
def test_a_note_after_a_time_out_says_so_and_blames_no_source(answer, note):
    text = Guard(policy=PLAIN, engine=FakeEngine(default=EngineTimeout("late"))).run(answer, SOURCES).text
    assert text == f"{answer} [!1]\n\n[!1] {note}"


def test_what_is_blocked_decides_on_the_message_and_not_what_is_only_flagged():
    policy = Policy(actions={"contradicted": "flag", "unverified": "block"})
    assert run("Rita Halloway built it. The queen visited the dam.", policy).text == NOT_VERIFIED["en"]


@pytest.mark.parametrize(
    ("passage", "name"),
    [
        ({"id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "title": "Guide to\nthe dam"}, "Guide to the dam"),
        ({"id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"}, "passage 1"),
        ({"id": "d41d8cd98f00b204e9800998ecf8427e"}, "passage 1"),
        ({"id": "x", "title": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"}, "x"),
        ({"id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "title": "/data/guides/dam.pdf"}, "dam.pdf"),
        ({"id": "https://dam.example/guides/dam.html?p=2"}, "dam.html"),
        ({"id": "https://dam.example/guides/"}, "passage 1"),
        ({}, "passage 1"),
        ({"id": "leaflet.md#3"}, "leaflet.md#3"),
        ({"id": "leaflet", "title": "see http://evil.example"}, "leaflet"),
    ],
)
def test_a_note_names_its_source_as_readers_know_it(passage, name):
    """By title or file name, else by an id that people can read, else by number; never by a UUID."""
    guard = Guard(policy=PLAIN, engine=FakeEngine(WRONG))
    text = guard.run("Rita Halloway built it.", [Passage(text=SOURCES[0], **passage)]).text
    assert text.endswith(f"[!1] Contradicted by the sources: scripted: contradicted ({name})")
