"""Packs for training: claims of one premise together, labels that follow the view, nothing lost."""

from __future__ import annotations

import random

from training.cases import cases
from training.packs import (
    ABROAD,
    CLAIMS,
    LATER,
    Claim,
    Pack,
    packed,
    record_packs,
    rounds,
    swapped_packs,
    with_swaps,
)
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


FERRIES = "The Elm line leaves at 7:40 from pier 2. The Oak line leaves at 9:15 from pier 5. Dogs travel free."


def test_a_swapped_twin_stands_before_its_true_claim_and_is_not_supported():
    true, false = Claim("The Elm line leaves at 7:40.", SUPPORTED), Claim("Cats pay half.", NOT_SUPPORTED)
    found = {with_swaps(Pack(FERRIES, (false, true), "s"), random.Random(seed)).claims for seed in range(40)}
    twins = {claims[1] for claims in found if len(claims) == 3}
    assert all(claims[0] == false and claims[-1] == true for claims in found)
    assert (false, true) in found
    assert twins == {Claim("The Elm line leaves at 9:15.", NOT_SUPPORTED)}


def test_stretches_of_a_passage_bring_sentences_that_they_hold_and_twins_that_they_do_not():
    for seed in range(30):
        for pack in swapped_packs(FERRIES, random.Random(seed)):
            assert FERRIES.startswith(pack.premise) or pack.premise in FERRIES
            rights, wrongs = pack.claims[::2], pack.claims[1::2]
            assert {claim.label for claim in rights} == {SUPPORTED}
            assert {claim.label for claim in wrongs} == {NOT_SUPPORTED}
            assert not any(claim.text in pack.premise for claim in wrongs)


def test_other_languages_take_the_place_of_half_of_the_english_cases(tmp_path, monkeypatch):
    monkeypatch.setitem(LATER, "short", 0)
    monkeypatch.setitem(LATER, "long", 0)
    shown = {}
    monkeypatch.setattr("training.packs.case_pairs", lambda row, rng: shown.setdefault(row["id"], []))
    (tmp_path / "train" / "written").mkdir(parents=True)

    def met(langs):
        shown.clear()
        next(rounds(tmp_path, random.Random(1), warmed=True, langs=langs))
        return len(shown.keys() & {row["id"] for row in cases(held=False)}), len(shown)

    assert met(("en",)) == (LATER["cases"], LATER["cases"])
    assert met(("en", "de", "ja")) == (LATER["cases"] // 2, LATER["cases"] // 2 + ABROAD["cases"])


def test_a_character_of_chinese_costs_as_much_as_three_of_english():
    assert len(Pack("大坝", (Claim("ab", SUPPORTED),), "s")) == len(Pack("abcdef", (Claim("ab", SUPPORTED),), "s"))
