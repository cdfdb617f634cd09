"""What of a growing answer no continuation changes."""

from __future__ import annotations

import pytest

from guardrail import Guard, Policy
from guardrail.check.decompose import Reader
from guardrail.streaming.stable_prefix import stable_until
from guardrail.testing import FakeEngine
from tests.support.growth import grows_linearly


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("The dam is 3.", ""),
        ("The dam is 3.5 metres high and it was built by Rita", ""),
        ("It was built by Dr. Smith of the old town near St. Louis who", ""),
        ("The dam broke. Cons", ""),
        ("The dam broke. Consequently, the village below it had to be moved", ""),
        ("The dam broke. The village below it had to be moved to", "The dam broke."),
        ("The dam broke. [1] The village below it had to be moved to", "The dam broke. [1]"),
        ('He said "The dam broke. The village below it had to be moved to', ""),
        ("The fence:\n\n```\nThe dam broke. The village below it had to be moved to", "The fence:"),
        ("The dam broke at night\n\n| Name and first name | Role in the long works |\n|", "The dam broke at night"),
        ("大坝坏了。因此，下游的村庄不得不搬到山谷上方的", ""),
        ("大坝坏了。下游的村庄在很久以后不得不搬到山谷上方的", "大坝坏了。"),
        ("- The dam broke at night\n- The village below it had to be moved to", "The dam broke at night"),
        ("The passages describe the dam. They say much about its history and its long", ""),
    ],
)
def test_nothing_is_settled_that_may_still_change(text, settled):
    until = stable_until(text, 0, Reader(None))
    assert text[:until].removeprefix("- ") == settled


def test_a_long_answer_is_not_taken_apart_anew_for_each_sentence(joined, collect):
    sentences = [f"The water of lake {n} is deep. " for n in range(150)]
    engine = FakeEngine()
    events = collect(Guard(policy=Policy.monitor(), engine=engine), sentences, mode="sentence")
    assert joined(events) == "".join(sentences)
    assert 40 < len(engine.calls) < 100


def test_empty_lines_without_end_cost_next_to_nothing(collect):
    guard = Guard(policy=Policy.monitor(), engine=FakeEngine())
    assert grows_linearly(lambda lines: collect(guard, list(lines), mode="sentence"), "\n" * 2000)
