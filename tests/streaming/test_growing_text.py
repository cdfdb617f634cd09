"""A stream that reads on from what it has read tells the same, at the same points, as one that reads all anew."""

from dataclasses import replace
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from guardrail import Guard, Policy
from guardrail.check.decompose import Reader, Readers
from guardrail.streaming import Finished, guarded_stream
from guardrail.testing import FakeEngine
from tests.support.growing import cut_answers

PASSAGES = [{"id": "a", "title": "On dams", "text": "Larkmoor Dam was closed in 2021."}, "It is 64 m high."]
JUDGED = {"mayor": "unsupported", "village": "contradicted", "不得不": "contradicted"}
POLICIES = {
    "annotate": Policy.annotate(),
    "redact": Policy(name="r", actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact")),
    "block": Policy(name="b", actions={"contradicted": "block", "unsupported": "redact"}),
}


def told(pieces, policy):
    """All events, each with the number of pieces that had been taken by then."""
    taken = []
    guard = Guard(policy=POLICIES[policy].with_(deadline=None), engine=FakeEngine(JUDGED))
    source = (taken.append(piece) or piece for piece in pieces)
    events = guarded_stream(guard, source, PASSAGES, question="How high is it?", mode="sentence")
    return [(len(taken), timeless(event)) for event in events]


def timeless(event):
    """The event without the time that it took."""
    if not isinstance(event, Finished):
        return event
    return Finished(replace(event.guarded, report=replace(event.guarded.report, seconds=0.0)))


def anew(readers, question, passage_ids=(), titles=()):
    """A reader that knows nothing of what was read before."""
    return Reader(question, passage_ids, titles)


@given(pieces=cut_answers(), policy=st.sampled_from(sorted(POLICIES)))
def test_a_stream_tells_the_same_as_if_it_read_all_anew(pieces, policy):
    grown = told(pieces, policy)
    with mock.patch.object(Readers, "of", anew):
        assert told(pieces, policy) == grown
