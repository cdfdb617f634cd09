"""The local engine: contract, languages, time, and cases that are clear for any model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail import Guard, Passage, Policy, Verdict
from guardrail.check.contract import VerifyRequest
from guardrail.check.threads import AT_ONCE
from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.model import CrossEncoder
from guardrail.engines.local.passage_index import Library
from guardrail.testing import check_engine
from guardrail.types import Segment, Span

DAM = (
    "Larkmoor Dam was built between 1958 and 1963 to supply the town of Fennick with drinking water. "
    "It is 64 metres high and holds 41 million cubic metres. The repair took eleven weeks and cost 2.3 million euros."
)
GUARD = Guard()


def only(answer, *passages, guard=GUARD, **kwargs):
    """The one finding of an answer of one segment."""
    [finding] = guard.check(answer, passages, **kwargs).findings
    return finding


def test_the_local_engine_keeps_the_contract():
    """The suite that users run on their own engines."""
    check_engine(LocalEngine())


def test_few_checks_are_read_at_once(monkeypatch):
    """However many threads ask: more would only wait for each other, and keep an event loop beside them waiting."""
    real, working, most = CrossEncoder.probabilities, [], []

    def noting(self, *args):
        working.append(None)
        most.append(len(working))
        try:
            return real(self, *args)
        finally:
            working.pop()

    monkeypatch.setattr(CrossEncoder, "probabilities", noting)
    guard = Guard(policy=Policy.monitor().with_(deadline=None))
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: guard.check(f"It is {n} metres high.", [DAM]), range(32)))
    assert len(most) == 32
    assert max(most) <= AT_ONCE


@pytest.mark.parametrize(
    "copied",
    [
        "Larkmoor Dam was built between 1958 and 1963 to supply the town of Fennick with drinking water.",
        "The repair took eleven weeks and cost 2.3 million euros.",
    ],
)
def test_a_verbatim_copy_is_supported_with_its_source_quoted(copied):
    """Whatever else is in the passages."""
    finding = only(copied, "Honey bees dance in their hives.", DAM)
    assert finding.verdict is Verdict.SUPPORTED
    assert any(copied in e.quote or e.quote in copied for e in finding.evidence if e.passage_id == "2")


@pytest.mark.parametrize(
    ("wrong", "number"),
    [
        ("The repair took eleven weeks and cost 9.7 million euros.", "9.7 million euros"),
        ("Larkmoor Dam was built between 1938 and 1963 to supply the town of Fennick with drinking water.", "1938"),
        ("Larkmoor Dam holds 97 million cubic metres.", "97 million cubic metres"),
    ],
)
def test_a_wrong_number_is_flagged_with_the_number_in_focus(wrong, number):
    """Focus indexes the answer, and the reason says what the passage has."""
    answer = f"Sure! {wrong}"
    finding = only(answer, DAM)
    assert finding.verdict in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
    assert number.split()[0] in finding.focus.of(answer)
    assert len(finding.focus.of(answer)) <= len(number) + 10  # with a word around it, but not the sentence
    assert "passage" in finding.reason.lower()


def test_an_invention_on_another_topic_is_not_supported():
    """And not contradicted: the passages are silent."""
    finding = only("Napoleon Bonaparte invented the telephone in Paris while he studied botany.", DAM)
    assert finding.verdict is Verdict.UNSUPPORTED
    assert finding.error_type is not None
    assert finding.reason


def test_mixed_answers_are_judged_part_by_part():
    """A sentence that cannot be read does not spoil its neighbours."""
    copied = "The repair took eleven weeks and cost 2.3 million euros."
    found = GUARD.check(f"{copied}\n\n댐은 매우 아름답고 주민들의 사랑을 받는다.", [DAM]).findings
    assert [f.verdict for f in found] == [Verdict.SUPPORTED, Verdict.UNVERIFIED]


def request(count, **kwargs):
    texts = [f"Tower {n} of the castle is {n + 10} metres high and very old." for n in range(count)]
    segments = tuple(Segment(id=f"s{n}", span=Span(0, len(t)), text=t) for n, t in enumerate(texts))
    passages = tuple(Passage(id=str(n), text=f"The castle has a tower. {DAM}") for n in range(6))
    return VerifyRequest(segments=segments, passages=passages, **kwargs)


def test_what_is_not_read_by_the_deadline_is_unverified(monkeypatch):
    """Rows are judged or say that time ran out, and no pair is read after the deadline."""
    real, read = CrossEncoder._run, []

    def noted(self, premise, claim):
        read.append(claim)
        return real(self, premise, claim)

    monkeypatch.setattr(CrossEncoder, "_run", noted)
    monkeypatch.setattr(VerifyRequest, "expired", lambda _: len(read) >= 5)
    rows = LocalEngine().verify(request(20)).rows
    assert len(read) == 5
    late = [row for row in rows if row.unverified is not None]
    assert late
    assert {row.unverified for row in late} == {"the deadline passed before this segment was read"}
    assert all(row.supported == 0.0 and not any(row.cells) for row in late)


def test_must_read_passages_have_a_cell():
    """However little they share with the segment; others may stay unread."""
    rows = LocalEngine().verify(request(2, must_read=(("s1", (4, 5)),))).rows
    assert all(rows[1].cells[n] is not None for n in (4, 5))
    assert sum(cell is not None for cell in rows[0].cells) <= 3


def test_the_same_request_gives_the_same_rows():
    """Caches change the time, not the result."""
    assert LocalEngine().verify(request(3)) == LocalEngine().verify(request(3))


def test_fail_closed_blocks_what_the_engine_cannot_read():
    """End to end: Portuguese under a policy without an action for unverified."""
    answer = "A barragem está fechada para os visitantes desde o mês de maio."
    assert Guard(policy=Policy()).run(answer, [DAM]).action.value == "block"
    assert Guard(policy=Policy(fail="open")).run(answer, [DAM]).text == answer


@pytest.mark.clock
def test_results_are_the_same_in_every_process():
    """Sets have another order in each process; nothing may depend on it."""
    import json
    import os
    import subprocess
    import sys

    def run(seed):
        command = [sys.executable, "-m", "guardrail.cli.main", "demo", "--json"]
        done = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True)
        return [{**json.loads(line), "seconds": 0} for line in done.stdout.splitlines()]

    first = run("1")
    assert first
    assert run("2") == first


def test_copied_sentences_around_it_do_not_help_a_doubtful_one():
    """Else an answer could be padded with what the passages say until its errors pass."""
    doubtful = "Larkmoor Dam holds 97 million cubic metres and was built by prisoners."
    first, _, last = DAM.split(". ", 2)  # the second begins with a pronoun, which the check resolves: no copy then
    last = "The repair" + last.split("The repair")[1]
    padded = f"{first}. {last} {doubtful}"
    alone = only(doubtful, DAM)
    report = Guard(policy=Policy.monitor()).check(padded, [DAM])
    among = next(finding for finding in report.findings if finding.text == doubtful)
    assert len(report.findings) == 3
    # Int8 activations are scaled per batch, so that scores move a little with what is read beside; the prior moves more.
    assert among.score == pytest.approx(alone.score, abs=0.01)


def test_values_in_another_form_count_as_words_of_the_passage():
    """Else "1 pm" would be two words that the passages lack."""
    hours = "The clinic is open on Saturday from 9:00 to 13:00 and closed on Sunday."
    library = Library([Passage(id="1", text=hours)])
    texts = ("It is open on Saturday from 9 am to 1 pm.", "It is open on Saturday from 9 am to 2 pm.")
    same, other = (
        library.views(Segment(id="s1", span=Span(0, len(text)), text=text), ()).windows[0].coverage for text in texts
    )
    assert same == 1.0
    assert other < 1.0
