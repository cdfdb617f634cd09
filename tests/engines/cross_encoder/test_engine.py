"""What holds for every model: the contract of an engine, nothing left unread, nothing judged that was not read."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sentence_transformers")

from guardrail import Guard, Verdict
from guardrail.check.contract import VerifyRequest
from guardrail.engines.cross_encoder import make
from guardrail.engines.cross_encoder.reading import PassageScores, Reading, row
from guardrail.engines.cross_encoder.windows import pieces
from guardrail.engines.local.passage_index import Library
from guardrail.errors import EngineError
from guardrail.testing import check_engine
from guardrail.types import Passage, Segment, Span

NAMES = (
    "minicheck",
    "minicheck-deberta",
    "minicheck-t5",
    "factcg",
    "hhem",
    "alignscore",
    "lettucedetect",
    "nli",
    "nli2",
)
PASSAGE = "Larkmoor Dam was built between 1958 and 1963. It is 64 metres high."
CLAIM = "The dam is 64 metres high."

every_model = pytest.mark.parametrize("name", NAMES)


def tokens_of(judge):
    return judge._tokens if hasattr(judge, "_tokens") else judge._model.tokens


@every_model
def test_conformance(engine_of, name):
    check_engine(engine_of(name))


@every_model
def test_the_same_request_gives_the_same_matrix(engine_of, request_of, name):
    request = request_of([CLAIM, "Rita painted the turbines."], [PASSAGE, "The reservoir holds water."])
    assert engine_of(name).verify(request) == engine_of(name).verify(request)


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
def test_many_threads_load_one_model_and_agree(engine_of, request_of, name):
    engine = engine_of(name)
    request = request_of([CLAIM, "Rita painted the turbines."], [PASSAGE, "", "The reservoir holds water."])
    with ThreadPoolExecutor(8) as pool:
        first, *others = pool.map(lambda _: engine.verify(request), range(16))
    for other in others:
        for one, two in zip(first.rows, other.rows, strict=True):
            assert one.supported == pytest.approx(two.supported, abs=1e-5)


@every_model
def test_a_row_is_its_best_passage(engine_of, request_of, name):
    passages = [PASSAGE, "The reservoir holds water.", "Rita opened the tower."]
    found = engine_of(name).verify(request_of([CLAIM], passages)).rows[0]
    assert None not in found.cells
    if name != "lettucedetect":  # which reads all passages together, as its authors do
        assert found.supported == max(cell.supported for cell in found.cells)
        assert found.contradicted == max(cell.contradicted for cell in found.cells)
    else:
        assert found.supported not in [cell.supported for cell in found.cells]
    if name not in {"nli", "alignscore"}:
        assert found.contradicted == 0.0


@every_model
def test_a_passage_without_text_supports_nothing(engine_of, request_of, name):
    found = engine_of(name).verify(request_of([CLAIM], [PASSAGE, " \n"])).rows[0]
    assert found.unverified is None
    assert (found.cells[1].supported, found.cells[1].contradicted, found.cells[1].evidence) == (0.0, 0.0, ())


@every_model
def test_evidence_is_the_sentence_that_speaks_of_the_segment(engine_of, request_of, name):
    found = engine_of(name).verify(request_of(["64 metres high, they say."], [PASSAGE])).rows[0]
    quotes = [span.of(PASSAGE) for _, span in found.evidence]
    assert quotes == ["It is 64 metres high."]
    assert [span.of(PASSAGE) for span in found.cells[0].evidence] == quotes


def read(seen_batches, predicted, tokenizer_ids):
    """All ids that a model was given, however it was called."""
    return [tuple(ids) for batch in seen_batches for ids in batch] or [tokenizer_ids(*pair) for pair in predicted]


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
def test_other_languages_are_left_unverified_unless_the_model_reads_them(engine_of, request_of, name):
    request = request_of(["水坝高64米。", CLAIM], [PASSAGE])
    rows = engine_of(name).verify(request).rows
    assert rows[0].unverified == "the model reads English only"
    assert rows[0].cells == (None,)
    assert rows[1].unverified is None
    assert all(found.unverified is None for found in engine_of(name, multilingual=True).verify(request).rows)


def test_passages_in_other_languages_are_not_guessed_at(engine_of, request_of):
    engine = engine_of("minicheck")
    chinese = "水坝建于一九五八年，高六十四米。"
    assert "passages" in engine.verify(request_of([CLAIM], [chinese])).rows[0].unverified
    found = engine.verify(request_of([CLAIM], [chinese, PASSAGE])).rows[0]
    assert found.unverified is None
    assert found.cells[0] is None
    cited = request_of([CLAIM], [chinese, PASSAGE], must_read=(("s1", (0,)),))
    assert "passages" in engine.verify(cited).rows[0].unverified


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


def test_lettucedetect_counts_a_passage_that_fits_with_no_other(engine_of, request_of, monkeypatch):
    """Two passages fit together, the third alone; it says it all."""
    from guardrail.engines.cross_encoder.lettucedetect import LettuceDetect

    groups = []

    def verdicts(_, found, answer, *__):
        groups.extend([window.passage for window in group] for group in found)
        return [[(0.9 if group[0].passage == 2 else 0.1, ())] for group in found]

    monkeypatch.setattr(LettuceDetect, "_verdicts", verdicts)
    passages = [" ".join(["dam"] * 25), " ".join(["river"] * 25), " ".join(["water"] * 50)]
    found = engine_of("lettucedetect", max_tokens=96).verify(request_of([CLAIM], passages)).rows[0]
    assert groups == [[0], [1], [2], [0, 1]]
    assert found.supported == 0.9


def test_an_expired_request_loads_no_model(tiny, request_of):
    engine = make(f"minicheck:{tiny.encoder('roberta')}", download=False)
    rows = engine.verify(request_of([CLAIM], [PASSAGE], deadline=time.monotonic() - 1)).rows
    assert "deadline" in rows[0].unverified
    assert engine._judge._judge is None


def test_a_guard_runs_on_it(engine_of):
    guard = Guard(engine=engine_of("nli"))
    report = guard.check("Larkmoor Dam was built in 1958. It is 64 metres high.", [PASSAGE])
    assert report.engine == "nli"
    assert len(report.findings) == 2
    assert all(f.verdict is not Verdict.UNVERIFIED for f in report.findings)


def test_a_model_that_cannot_be_loaded_leaves_answers_unverified_and_is_not_tried_again(tiny, request_of, tmp_path):
    import shutil

    folder = shutil.copytree(tiny.encoder("roberta"), tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"no weights")
    engine = make(f"minicheck:{folder}", device="cpu")
    report = Guard(engine=engine).check(CLAIM, [PASSAGE])
    assert report.verdict is Verdict.UNVERIFIED
    assert "cannot load the model" in report.findings[0].reason
    started = time.perf_counter()
    with pytest.raises(EngineError, match="cannot load"):
        engine.verify(request_of([CLAIM], [PASSAGE]))
    assert time.perf_counter() - started < 0.1
    shutil.copy(tiny.encoder("roberta") / "model.safetensors", folder)
    engine.warm_up()
    assert Guard(engine=engine).check(CLAIM, [PASSAGE]).verdict is not Verdict.UNVERIFIED


def test_a_model_with_few_positions_is_not_read_beyond_them(tiny, request_of):
    folder = tiny.encoder(
        "nli-short", "bert", ("entailment", "neutral", "contradiction"), longest=10**30, positions=128
    )
    found = make(f"nli:{folder}", device="cpu").verify(request_of([CLAIM], ["dam water " * 200])).rows[0]
    assert found.unverified is None


def test_focus_holds_words_only():
    passage = Passage(id="p", text=PASSAGE)
    segment = Segment(id="s", span=Span(0, 5), text="It is  64 metres.")
    reading = Reading({0: PassageScores(0.1, 0.0)}, 0.1, 0.0, (Span(5, 9), Span(5, 7), Span(9, 17)))
    assert row(segment, Library((passage,)), reading).focus == (Span(7, 9), Span(10, 17))


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
