"""Which sentences are quoted as evidence: few, each of them needed."""

from __future__ import annotations

from guardrail import Passage
from guardrail.engines.local.evidence import choose_evidence
from guardrail.engines.local.passage_index import Library
from guardrail.text.words import content_words

DAM = (
    "Larkmoor Dam was closed to visitors on 4 May 2021. Divers found a crack in the spillway gate. "
    "The repair took eleven weeks and cost 2.3 million euros. The dam supplies the town of Fennick with water."
)


def quoted(claim, *texts):
    passages = [Passage(text=text, id=str(n)) for n, text in enumerate(texts or [DAM])]
    library = Library(passages)
    chosen = choose_evidence(library, content_words(claim), range(len(library.sentences)))
    return [library.sentences[n].text for n in chosen]


def test_one_sentence_is_quoted_where_one_says_it_all():
    """Further ones share a word only."""
    assert quoted("Larkmoor Dam was closed to visitors in May 2021.") == [DAM[:50]]
    assert quoted("The repair of the dam cost 2.3 million euros.") == [
        "The repair took eleven weeks and cost 2.3 million euros."
    ]


def test_each_sentence_that_is_needed_is_quoted_in_reading_order():
    """Evidence spread over sentences, or over passages."""
    claim = "The repair took eleven weeks after divers found a crack in the spillway gate."
    both = ["Divers found a crack in the spillway gate.", "The repair took eleven weeks and cost 2.3 million euros."]
    assert quoted(claim) == both
    assert quoted(claim, both[1], both[0]) == both[::-1]


def test_nothing_is_quoted_for_words_that_no_passage_has():
    """An empty tuple, and never more than the limit."""
    assert quoted("Quokkas juggle.") == []
    library = Library([Passage(text=DAM)])
    words = content_words(DAM)
    assert len(choose_evidence(library, words, range(4), limit=2)) <= 2
    assert choose_evidence(library, words, []) == ()
