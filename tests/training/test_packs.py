"""Packs for training: claims of one premise together, labels that follow the view, nothing lost."""

from __future__ import annotations

import random

from training.packs import CLAIMS, packed, record_packs
from training.pairs import NOT_SUPPORTED, SUPPORTED, Pair

RECORD = {
    "id": "x-001",
    "lang": "en",
    "set": "balanced",
    "title": "The ferry",
    "sentences": ["The ferry leaves at nine.", "It takes forty cars.", "Dogs travel free.", "The bar opens at ten."],
    "splits": [2],
    "supported": [{"c": "Dogs pay nothing.", "e": [2]}, {"c": "The ferry departs at nine.", "e": [0]}],
    "unsupported": [{"c": "The ferry departs at ten.", "t": "contradiction", "p": 1, "v": "contradicted"}],
}


def test_pairs_with_one_premise_become_packs_of_limited_size():
    pairs = [Pair("p", str(n), SUPPORTED, "s", "g") for n in range(CLAIMS + 1)] + [Pair("q", "x", SUPPORTED, "s", "g")]
    assert [(pack.premise, len(pack.claims)) for pack in packed(pairs)] == [("p", CLAIMS), ("p", 1), ("q", 1)]


def test_a_claim_whose_sentence_is_not_shown_is_not_supported():
    seen = set()
    for seed in range(60):
        [pack] = record_packs(RECORD, random.Random(seed))
        label = next(claim.label for claim in pack.claims if claim.text == "Dogs pay nothing.")
        shown = "Dogs travel free." in pack.premise
        assert label == (SUPPORTED if shown else NOT_SUPPORTED)
        seen.add(shown)
    assert seen == {True, False}
