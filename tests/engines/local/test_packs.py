"""Packs: what a model reads in one pass, and that rows come back in the order of the pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.local.model import OUTPUTS, PACKS
from guardrail.engines.local.packs import CLAIMS, PackReader, layout, reader_languages


class Passes(PackReader):
    """Keeps the passes instead of running a model; a claim's first figure is its own."""

    def __init__(self) -> None:
        self.passes: list[tuple[str, tuple[str, ...]]] = []

    def _run(self, premise: str, claims: Sequence[str]) -> NDArray[np.float32]:
        self.passes.append((premise, tuple(claims)))
        return np.array([[float(claim), *[0.0] * (OUTPUTS - 1)] for claim in claims], dtype=np.float32)


def test_each_claim_goes_on_from_the_premise_and_knows_what_it_shares_with_it():
    pack = layout([7, 8, 9], [[8, 9], [5]])
    assert pack.ids == [0, 7, 8, 9, 2, 0, 8, 9, 2, 0, 5, 2]
    assert pack.positions == [2, 3, 4, 5, 6, 7, 8, 9, 10, 7, 8, 9]
    assert pack.segments == [0] * 5 + [1] * 4 + [2] * 3
    assert pack.kinds == [0] * 5 + [0, 1, 5, 1] + [0, 3, 1]


def test_a_claim_is_laid_out_alike_whatever_stands_beside_it():
    alone, beside = layout([7, 8], [[5, 8]]), layout([7, 8], [[9], [5, 8]])
    tail = slice(-4, None)
    assert (alone.ids[tail], alone.positions[tail], alone.kinds[tail]) == (
        beside.ids[tail],
        beside.positions[tail],
        beside.kinds[tail],
    )


def test_claims_of_one_premise_are_read_in_one_pass_and_rows_keep_the_order_of_the_pairs():
    reader = Passes()
    found = reader.probabilities([("a", "1"), ("b", "2"), ("a", "3")])
    assert reader.passes == [("a", ("1", "3")), ("b", ("2",))]
    assert found[:, 0].tolist() == [1.0, 2.0, 3.0]


def test_long_lists_take_several_passes_and_stop_between_them():
    reader = Passes()
    pairs = [("a", str(number)) for number in range(CLAIMS + 2)]
    found = reader.probabilities(pairs, stop=lambda: bool(reader.passes))
    assert [len(claims) for _, claims in reader.passes] == [CLAIMS]
    assert np.isnan(found[CLAIMS:]).all()
    assert not np.isnan(found[:CLAIMS]).any()


def test_a_model_reads_english_unless_its_folder_says_more(tmp_path):
    (tmp_path / PACKS).write_text("{}")
    assert reader_languages(tmp_path) == {"en"}
    (tmp_path / PACKS).write_text('{"languages": ["de", "en"]}')
    assert reader_languages(tmp_path) == {"de", "en"}
