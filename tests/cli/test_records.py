"""Records and rates as ``guardrail monitor`` prints them for people."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from guardrail import Passage
from guardrail.cli.main import app
from guardrail.telemetry.records import RecordStore
from tests.support.command_line import monitor

EVIL = "\x1b[2J\x1b]0;owned\x07\r\x9b31m\u202e\ud800[red]x[/red]"


def test_worst_shows_sentence_evidence_reason_and_where_it_comes_from(filled):
    shown = monitor("worst", filled)
    for words in (
        "1.  ✗ contradicted  score 0.10  action redact",
        "a" * 32 + "  2023-11-14 22:13:20 UTC  policy monitor",
        "trace " + "ab" * 16,
        "retriever bm25  release v7",
        "Q When did the bridge open?",
        "The bridge opened in 1971.",
        "contradicted, contradiction: The passage says 1931.",
        "passage [p1 The bridge] 0–26: “The bridge opened in 1931.”",
        "2.  ✗ unsupported",
        "nearest: passage [p0]: “It is painted green.”",
    ):
        assert words in shown
    assert "c" * 32 not in shown


def test_show_prints_all_of_one_record(filled):
    shown = monitor("show", filled, "aaaaaa")
    for words in ("[s1]", "delivered (redact):", "Redacted.", "passage [p1 The bridge]", "It is 300 metres long."):
        assert words in shown
    assert json.loads(monitor("show", filled, "a" * 32, "--json"))["delivered"] == "Redacted."


def test_stats_fit_a_narrow_terminal(filled):
    done = CliRunner().invoke(app, ["monitor", "stats", str(filled)], env={"COLUMNS": "80"})
    assert "contradicted   unsupported   unverified" in done.output


def test_texts_of_strangers_do_not_command_the_terminal(path, outcome):
    with RecordStore(path) as store:
        passage = Passage(id=f"p{EVIL}", title=EVIL, text=EVIL)
        store.record(
            outcome(
                answer=EVIL, question=EVIL, passages=[passage], reason=EVIL, text=EVIL + "!", policy=EVIL, ident="d" * 32,
                trace_id=EVIL.replace("\ud800", ""), labels={"topic": EVIL},
            )
        )  # fmt: skip
        store.flush()
        store.label("d" * 32, "contradicted", note=EVIL, by=EVIL)
    for arguments in (["worst"], ["show", "dddddd"], ["stats"], ["label", "dddddd", "supported"]):
        shown = monitor(arguments[0], path, *arguments[1:])
        assert not set(shown) & set("\x1b\x07\r\x9b\u202e\ud800")
        assert "[red]x[/red]" in shown


def test_the_same_answer_is_shown_once_unless_asked_for(path, outcome):
    with RecordStore(path) as store:
        store.record(outcome())
        store.record(outcome())
    assert "seen 2 times" in monitor("worst", path)
    assert len(monitor("worst", path, "--json").splitlines()) == 1
    assert len(monitor("worst", path, "--json", "--repeated").splitlines()) == 2
