"""AmbigBio's results."""

from __future__ import annotations

import json

import pytest

from guardrail.errors import UsageError
from guardrail.types import Verdict
from tests.support.labelled_files import read


def ambigbio(root):
    """The layout of the repository's result folder."""
    paragraphs = [
        {
            "question": "Tell me a bio of Ana Bell",
            "output": text,
            "docs": [{"id": "1", "title": "Ana Bell (singer)", "text": "Ana Bell sings."}],
        }
        for text in ("Ana Bell sings. She dives.", "I cannot tell.", "Ana Bell sings.")
    ]

    def facts(*pairs):
        return [{"atom": atom, "is_supported": good, "supporting_topic": None} for atom, good in pairs]

    sings, dives = ("Ana Bell sings.", True), "Ana Bell dives."
    result = {
        "decisions": [facts(sings, (dives, True)), None, facts(sings)],
        "global_decisions": [facts(sings, (dives, False)), None, facts(sings)],
    }
    for folder, name, value in (
        ("alce_output", "run.json", {"data": paragraphs}),
        ("factscore", "run_factscore_output.json", result),
    ):
        (root / folder).mkdir()
        (root / folder / name).write_text(json.dumps(value))
    return root


def test_ambigbio_results(tmp_path):
    rows, bad = read(ambigbio(tmp_path))
    assert bad == []
    mixed, sings, dives, declining, fine, _ = rows
    assert (mixed.label, mixed.mixed, mixed.dataset) == (Verdict.UNSUPPORTED, True, "run")
    assert (sings.label, sings.claim, sings.part_of) == (Verdict.SUPPORTED, True, mixed.id)
    assert dives.label is Verdict.UNSUPPORTED
    assert declining.label is Verdict.ABSTAINED
    assert (fine.label, fine.mixed) == (Verdict.SUPPORTED, False)


def test_ambigbio_files_that_do_not_belong_together(tmp_path):
    ambigbio(tmp_path)
    (tmp_path / "alce_output/run.json").write_text(json.dumps({"data": []}))
    with pytest.raises(UsageError, match="do not belong together"):
        read(tmp_path)
