"""Pairs of windows and claims: nothing goes unread, and a segment is as good as its worst piece."""

from __future__ import annotations

import pytest

from tests.support.tiny_texts import NAMES, PASSAGE

pytest.importorskip("torch")


pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


from guardrail.check.contract import VerifyRequest
from guardrail.engines.cross_encoder.windows import pieces

CLAIM = "The dam is 64 metres high."


every_model = pytest.mark.parametrize("name", NAMES)


def tokens_of(judge):
    return judge._tokens if hasattr(judge, "_tokens") else judge._model.tokens


@every_model
def test_batching_changes_no_probability(engine_of, request_of, name):
    segments = [CLAIM, "Rita painted the turbines in 1958 .", "It is high."]
    passages = [PASSAGE, "The reservoir holds water.", "Dam. " * 60]
    together = engine_of(name).verify(request_of(segments, passages)).rows
    alone = engine_of(name, batch_tokens=1).verify(request_of(segments, passages)).rows
    for one, other in zip(together, alone, strict=True):
        assert one.supported == pytest.approx(other.supported, abs=1e-5)
        assert [c.supported for c in one.cells] == pytest.approx([c.supported for c in other.cells], abs=1e-5)


@every_model
@pytest.mark.parametrize("shape", ["sentences", "one long line", "chinese"])
def test_no_word_of_a_long_passage_goes_unread(engine_of, request_of, seen, monkeypatch, name, shape):
    from sentence_transformers import CrossEncoder

    pairs = []
    real = CrossEncoder.predict
    monkeypatch.setattr(CrossEncoder, "predict", lambda self, p, **m: pairs.extend(p) or real(self, p, **m))
    words = [f"w{n}" for n in range(100, 190)] * 4
    text = {
        "sentences": ". ".join(" ".join(words[n : n + 9]).capitalize() for n in range(0, len(words), 9)) + ".",
        "one long line": " ".join(words),
        "chinese": "水坝高" * 300,
    }[shape]
    text = text.replace("W1", "w1")
    engine = engine_of(name, max_tokens=160, multilingual=True)
    found = engine.verify(request_of(["The dam is high ."], [text])).rows[0]
    assert found.unverified is None
    tokens = tokens_of(engine._judge())
    calls = [tuple(ids) for batch in seen.batches for ids in batch] or [tokens.pair(*pair) for pair in pairs]
    assert len(calls) > 1
    assert max(map(len, calls)) <= 160
    of_text = tokens._encode(text, add_special_tokens=False)["input_ids"]
    for start in range(0, len(of_text), 3):
        wanted = tuple(of_text[start : start + 2])
        assert any(wanted[0] in ids for ids in calls), wanted
    total = sum(sum(ids.count(token) for ids in calls) for token in set(of_text))
    assert total >= len(of_text)


@every_model
def test_a_long_segment_is_as_good_as_its_worst_piece(engine_of, request_of, name, seen, monkeypatch):
    from sentence_transformers import CrossEncoder

    pairs = []
    real = CrossEncoder.predict
    monkeypatch.setattr(CrossEncoder, "predict", lambda self, p, **m: pairs.extend(p) or real(self, p, **m))
    claim = " ".join(f"w{n}" for n in range(100, 250)) + " ."
    engine = engine_of(name, max_tokens=160)
    found = engine.verify(request_of([claim, CLAIM], [PASSAGE])).rows[0]
    assert found.unverified is None
    tokens = tokens_of(engine._judge())
    calls = [ids for batch in seen.batches for ids in batch] or [tokens.pair(*pair) for pair in pairs]
    read_ids = {token for ids in calls for token in ids}
    assert set(tokens._encode(claim, add_special_tokens=False)["input_ids"]) <= read_ids


@every_model
def test_what_was_not_read_in_time_is_unverified(engine_of, request_of, monkeypatch, name):
    from sentence_transformers import CrossEncoder

    from guardrail.engines.cross_encoder import torch_model

    passes = []
    for kind, method in ((torch_model.Forward, "__call__"), (CrossEncoder, "predict")):
        real = getattr(kind, method)
        monkeypatch.setattr(kind, method, lambda *given, r=real, **more: passes.append(1) or r(*given, **more))
    monkeypatch.setattr(VerifyRequest, "expired", lambda _: len(passes) >= (2 if name == "lettucedetect" else 70))
    request = request_of([f"{CLAIM} w{n}" for n in range(100)], [PASSAGE, "The reservoir holds water."])
    rows = engine_of(name, batch_tokens=1).verify(request).rows
    undone = [found for found in rows if found.unverified is not None]
    assert all("deadline" in found.unverified and found.cells == (None, None) for found in undone)
    if name == "lettucedetect":
        assert len(passes) == 2
        assert len(undone) == 100  # all segments are read at once, in three passes
    else:
        assert len(passes) == 70
        assert [found.segment_id for found in rows if found not in undone][:32] == [f"s{n}" for n in range(1, 33)]
        assert 64 <= len(undone) <= 68


def test_no_piece_of_a_long_segment_may_go_unsupported(engine_of, request_of):
    claim = " ".join(f"w{n}" for n in range(100, 250)) + " ."
    engine = engine_of("minicheck-t5", max_tokens=96)
    passages = [PASSAGE, "The reservoir holds water."]
    parts = [span.of(claim) for span in pieces(claim, engine._judge()._short)]
    assert len(parts) > 2
    alone = [found.supported for found in engine.verify(request_of(parts, passages)).rows]
    assert len(set(alone)) == len(parts)
    whole = engine.verify(request_of([claim], passages)).rows[0]
    assert whole.supported == pytest.approx(min(alone), abs=1e-6)
    assert whole.supported < max(alone)
