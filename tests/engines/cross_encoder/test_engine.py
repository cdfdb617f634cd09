"""What holds for every model: the contract of an engine, nothing left unread, nothing judged that was not read."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.tiny_texts import NAMES, PASSAGE

pytest.importorskip("torch")


pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


from guardrail import Guard, Verdict
from guardrail.engines.cross_encoder import make
from guardrail.errors import EngineError
from guardrail.testing import check_engine

CLAIM = "The dam is 64 metres high."


every_model = pytest.mark.parametrize("name", NAMES)


@every_model
def test_conformance(engine_of, name):
    check_engine(engine_of(name))


@every_model
def test_the_same_request_gives_the_same_matrix(engine_of, request_of, name):
    request = request_of([CLAIM, "Rita painted the turbines."], [PASSAGE, "The reservoir holds water."])
    assert engine_of(name).verify(request) == engine_of(name).verify(request)


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
    shutil.copy(tiny.encoder("roberta") / "model.safetensors", folder)
    with pytest.raises(EngineError, match="cannot load"):  # though it could be by now
        engine.verify(request_of([CLAIM], [PASSAGE]))
    engine.warm_up()
    assert Guard(engine=engine).check(CLAIM, [PASSAGE]).verdict is not Verdict.UNVERIFIED


def test_a_model_with_few_positions_is_not_read_beyond_them(tiny, request_of):
    folder = tiny.encoder(
        "nli-short", "bert", ("entailment", "neutral", "contradiction"), longest=10**30, positions=128
    )
    found = make(f"nli:{folder}", device="cpu").verify(request_of([CLAIM], ["dam water " * 200])).rows[0]
    assert found.unverified is None
