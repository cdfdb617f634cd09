"""What the events of a stream tell, and what they never hold."""

from __future__ import annotations

import pytest

from guardrail import Action, Guard, Policy
from guardrail.streaming import Checked, Delta, Withheld
from guardrail.testing import FakeEngine

REDACT = Policy(
    name="redact", actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact"), deadline=None
)
BLOCK = Policy.strict().with_(deadline=None)
WRONG = {"mayor": "unsupported"}


def test_observe_shows_everything_at_once_and_says_so(dam, source_of, words, each_way):
    guard = Guard(policy=BLOCK, engine=FakeEngine(WRONG))
    for events, source in each_way(guard, lambda: source_of(words(dam)), mode="observe"):
        deltas = [e for e in events if isinstance(e, Delta)]
        assert [d.text for d in deltas] == source.deltas
        assert not any(d.verified for d in deltas)
        assert events.index(next(e for e in events if isinstance(e, Checked))) == len(deltas)
        assert events[-1].guarded.action is Action.BLOCK


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_redacted_text_is_in_no_delta(mode, passages, dam, source_of, words, joined, each_way):
    guard = Guard(policy=REDACT, engine=FakeEngine(WRONG))
    for events, _ in each_way(guard, lambda: source_of(words(dam)), mode=mode):
        assert "mayor" not in joined(events)
        assert joined(events) == events[-1].guarded.text == guard.run(dam, passages).text
        withheld = [e for e in events if isinstance(e, Withheld)]
        assert [(w.finding.text, w.action) for w in withheld] == [
            ("The mayor of Fennick secretly ordered the closure himself.", Action.REDACT)
        ]
