"""An answer that is taken apart again and again as it grows comes out as one that is read for the first time."""

from itertools import accumulate

from hypothesis import example, given
from hypothesis import strategies as st

from guardrail.check.decompose import Reader, Readers, decompose
from tests.support.growing import answers, cut_answers

IDS, TITLES = ("a", "b"), ("On dams", "Larkmoor")


@given(pieces=cut_answers(), question=st.sampled_from((None, "How high is Larkmoor Dam?", "大坝有多高？")))
@example(pieces=["A dam broke", " here. Th", "en it rained"], question=None)
def test_each_state_of_a_growing_answer_is_taken_apart_as_if_it_were_the_first(pieces, question):
    reader = Reader(question, IDS, TITLES)
    for text in accumulate(pieces):
        anew = decompose(text, question=question, passage_ids=IDS, titles=TITLES)
        assert reader.read(text).parts == anew


@given(first=answers, second=answers, more=answers)
def test_a_look_ahead_and_another_answer_leave_nothing_behind(first, second, more):
    reader = Reader(None, IDS)
    now = reader.read(first)
    assert reader.look(first + more, now).parts == decompose(first + more, passage_ids=IDS)
    assert reader.read(first).parts == decompose(first, passage_ids=IDS)
    assert reader.read(second).parts == decompose(second, passage_ids=IDS)


def test_what_came_before_the_new_words_is_not_looked_at_again():
    reader = Reader(None)
    begun = "".join(f"Dam {n} was closed in 2021 by its owner.\n\n" for n in range(20))
    before, after = reader.read(begun), reader.read(begun + "The last one holds.")
    assert len(after.parts.segments) == 21
    kept = [one is two for one, two in zip(before.parts.segments, after.parts.segments, strict=False)]
    assert kept == [True] * 19 + [False]  # the last of them might have been joined by the new one


def test_readers_are_told_apart_by_what_they_know():
    readers = Readers()
    assert readers.of("Why?", ["a"]) is readers.of("Why?", ("a",))
    assert len({id(readers.of(*key)) for key in ((None,), ("Why?",), (None, ("a",)), (None, ("a",), ("T",)))}) == 4
