"""RefChecker's annotations, and its command line's items."""

from __future__ import annotations

import json

import pytest

from guardrail import Guard
from guardrail.cli.check import check_item
from guardrail.errors import UsageError
from guardrail.evaluation.data.reading import find_sources
from guardrail.evaluation.data.refchecker import Aggregator, read_item, read_items
from guardrail.testing import FakeEngine
from guardrail.types import Verdict
from tests.support.labelled_files import read
from tests.support.refchecker_items import item

ANNOTATED = [
    {
        "id": "10",
        "response": "Oslo is the capital of Norway and of Sweden.",
        "claude2_response_kg": [
            {"triplet": ["Oslo", "is capital of", "Norway"], "human_label": "Entailment"},
            {"triplet": ["Oslo", "is capital of", "Sweden"], "human_label": "Contradiction"},
        ],
    },
    {"id": "11", "response": "I do not know.", "claude2_response_kg": []},
    {"id": "12", "response": "x", "claude2_response_kg": [{"triplet": ["a", "b", "c"], "human_label": "Perhaps"}]},
    {"id": "13", "response": "No such id.", "claude2_response_kg": []},
]


CONTEXTS = [
    {"id": ident, "question": "Capital?", "context": ["Oslo is in Norway.", "Stockholm."]}
    for ident in ("10", "11", "12")
]


def refchecker_folder(root):
    """The layout of RefChecker's repository."""
    labels = root / "benchmark" / "human_annotations_v1" / "noisy_context"
    contexts = root / "benchmark" / "data" / "noisy_context"
    labels.mkdir(parents=True)
    contexts.mkdir(parents=True)
    (labels / "msmarco_gpt4_answers.json").write_text(json.dumps(ANNOTATED))
    (contexts / "msmarco.json").write_text(json.dumps(CONTEXTS))
    return labels / "msmarco_gpt4_answers.json"


def test_refchecker_annotations(tmp_path):
    rows, bad = read(refchecker_folder(tmp_path))
    whole, norway, sweden, declining = rows
    assert whole.label is Verdict.CONTRADICTED
    assert (whole.claim, whole.question, len(whole.passages)) == (False, "Capital?", 2)
    assert (norway.answer, norway.label, norway.claim, norway.part_of) == (
        "Oslo is capital of Norway.",
        Verdict.SUPPORTED,
        True,
        "10",
    )
    assert sweden.label is Verdict.CONTRADICTED
    assert declining.label is Verdict.ABSTAINED
    assert [b.line for b in bad] == [3, 4]
    assert "'Perhaps'" in bad[0].problem
    assert "'13'" in bad[1].problem


def test_refchecker_neutral_alone_is_unsupported(tmp_path):
    path = tmp_path / "set_model_answers.json"
    claims = [{"triplet": ["a", "b", "c"], "human_label": label} for label in ("Entailment", "Neutral")]
    path.write_text(
        json.dumps([{"id": "1", "response": "A b c.", "question": "Q", "context": "A b c.", "m_response_kg": claims}])
    )
    rows, _ = read(path)
    assert rows[0].label is Verdict.UNSUPPORTED


def test_the_whole_refchecker_repository_is_one_folder_of_one_set(tmp_path):
    path = refchecker_folder(tmp_path)
    assert [source.path for source in find_sources(tmp_path)] == [path]


def test_refchecker_without_references_names_the_file_to_make(tmp_path):
    path = refchecker_folder(tmp_path)
    (tmp_path / "benchmark/data/noisy_context/msmarco.json").unlink()
    with pytest.raises(UsageError, match=r"gather_benchmark_data\.py"):
        read(path)


def test_an_empty_list_of_claims_beside_triplets_is_no_abstention():
    """What has any counts."""
    assert read_item(item(claims=[], triplets=[["a", "b", "c"]])).claims == (["a", "b", "c"],)
    assert read_item(item(claims=[], triplets=[])).claims == ()
    assert read_item(item(claims=[])).claims == ()


@pytest.mark.parametrize("raw", ["", "{", "3", '"x"', "[" * 100_000, "[1,]"])
def test_files_that_are_no_list_of_items(raw):
    """One message, no traceback."""
    with pytest.raises(UsageError, match=r"'f\.json' (is not valid JSON|must hold a JSON list)"):
        read_items(raw, "'f.json'")


def test_read_item_leaves_the_raw_item_alone():
    """No key is added or changed in it."""
    raw = item(claims=[[["a", "b", "c"]]])
    before = json.dumps(raw)
    assert read_item(raw).claims == (["a", "b", "c"],)
    check_item(Guard(engine=FakeEngine()), raw, Aggregator.SOFT, needs_claims=False)
    assert json.dumps(raw) == before
