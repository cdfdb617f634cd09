"""The elementary pairs: their form, and that what the shipped guard gets right stays right."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.elementary import SIDES, check, overlap, ratchet, read_pairs
from guardrail import Guard, Policy

PASSES = Path(__file__).with_name("elementary_passes.json")
KEYS = {"id", "kind", "true", "false"}
OPTIONAL = {"lang", "question", "title"}


@pytest.fixture(scope="module")
def pairs():
    return read_pairs()


def test_every_pair_is_complete(pairs):
    for pair in pairs:
        given = {"passage", "passages"} & set(pair)
        assert len(given) == 1, pair["id"]
        assert set(pair) - given - OPTIONAL == KEYS, pair["id"]
        assert all(pair[key].strip() == pair[key] != "" for key in (*KEYS, *(OPTIONAL & set(pair)))), pair["id"]
        assert pair["true"] != pair["false"], pair["id"]
        assert pair["id"].startswith(pair["kind"]), pair["id"]
        for passage in pair.get("passages", [{"title": "-", "text": pair.get("passage")}]):
            assert set(passage) == {"title", "text"}, pair["id"]
            assert passage["text"].strip(), pair["id"]


def test_ids_are_unique_and_no_pair_comes_twice(pairs):
    assert len({pair["id"] for pair in pairs}) == len(pairs)
    assert len({(pair["true"], pair["false"], str(pair.get("passage"))) for pair in pairs}) == len(pairs)


def test_there_are_enough_pairs_of_every_kind(pairs):
    assert len(pairs) >= 300
    assert min(Counter(pair["kind"] for pair in pairs).values()) >= 8


def test_words_alone_do_not_tell_the_claims_apart(pairs):
    """Neither claim of a pair shares more words with the passage, on the whole."""
    higher = [(overlap(p, "true") > overlap(p, "false")) - (overlap(p, "true") < overlap(p, "false")) for p in pairs]
    assert abs(sum(higher)) < 0.05 * len(pairs)


def test_what_passes_keeps_passing(pairs, tmp_path, capsys):
    """After a change that is worth it: ``python benchmarks/elementary.py --ratchet FILE --update``."""
    listed = json.loads(PASSES.read_text("utf-8"))
    assert listed
    assert set(listed) <= {f"{pair['id']} {side}" for pair in pairs for side in SIDES}
    guard = Guard(policy=Policy.monitor().with_(deadline=None))
    outcomes = [one for both in check(guard, pairs) for one in both]
    code = ratchet(PASSES, outcomes, update=False)
    assert code == 0, capsys.readouterr().out
    written = tmp_path / "passes.json"
    assert ratchet(written, outcomes, update=False) == 0
    assert set(json.loads(written.read_text("utf-8"))) <= {one.id for one in outcomes if one.passed}
    failing = next(one for one in outcomes if not one.passed)
    written.write_text(json.dumps([failing.id]), "utf-8")
    assert ratchet(written, outcomes, update=False) == 1
    assert failing.id in capsys.readouterr().out
