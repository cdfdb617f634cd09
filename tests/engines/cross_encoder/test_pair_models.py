"""Each model gets exactly the input that its authors document, and its output is read as they read it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.tiny_texts import PASSAGE

torch = pytest.importorskip("torch")


transformers = pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


from guardrail.engines.cross_encoder import make  # noqa: E402
from guardrail.types import Passage  # noqa: E402

CLAIM = "The dam is 64 metres high."


def tokenizer_of(folder):
    return transformers.AutoTokenizer.from_pretrained(str(folder))


def supported(engine, request, row=0):
    return engine.verify(request).rows[row].supported


def test_minicheck_encoder_joins_document_and_claim_with_the_end_token(tiny, engine_of, request_of, seen):
    row = engine_of("minicheck").verify(request_of([CLAIM], [PASSAGE])).rows[0]
    folder = tiny.encoder("roberta")
    tokenizer = tokenizer_of(folder)
    ids = tokenizer(f"{PASSAGE}</s>{CLAIM}")["input_ids"]
    assert seen.batches == [[tuple(ids)]]
    assert ids.count(tokenizer.eos_token_id) == 2  # the one between, the one at the end
    model = transformers.AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
    with torch.no_grad():
        expected = torch.softmax(model(torch.tensor([ids])).logits, dim=-1)[0, 1].item()
    assert row.supported == pytest.approx(expected, abs=1e-6)
    assert row.contradicted == 0.0
    assert row.cells[0].supported == row.supported


def test_minicheck_deberta_joins_with_sep(tiny, engine_of, request_of, seen):
    engine_of("minicheck-deberta").verify(request_of([CLAIM], [PASSAGE]))
    tokenizer = tokenizer_of(tiny.encoder("deberta", "deberta"))
    assert seen.batches == [[tuple(tokenizer(f"{PASSAGE}[SEP]{CLAIM}")["input_ids"])]]


def test_minicheck_flan_t5_reads_the_first_token_of_the_answer(tiny, engine_of, request_of, seen):
    row = engine_of("minicheck-t5").verify(request_of([CLAIM], [PASSAGE])).rows[0]
    folder = tiny.t5("flan-t5")
    ids = tokenizer_of(folder)(f"predict: {PASSAGE}</s>{CLAIM}")["input_ids"]
    assert seen.batches == [[tuple(ids)]]
    assert seen.extra[0]["decoder_input_ids"].tolist() == [[0]]
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(str(folder)).eval()
    assert not torch.equal(model.lm_head.weight, model.shared.weight)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)).logits
    assert row.supported == pytest.approx(torch.softmax(logits[0, 0, [3, 209]], dim=-1)[1].item(), abs=1e-6)
    assert 0.01 < row.supported < 0.99


def test_flan_t5_keeps_its_embeddings_whatever_name_they_are_stored_under(tiny, engine_of, request_of):
    request = request_of([CLAIM], [PASSAGE])
    expected = supported(engine_of("minicheck-t5"), request)
    other = tiny.t5("flan-t5-decoder-first", embeddings="decoder.embed_tokens.weight")
    assert supported(make(f"minicheck:{other}", device="cpu"), request) == pytest.approx(expected, abs=1e-6)


def test_factcg_asks_its_question(tiny, engine_of, request_of, seen):
    row = engine_of("factcg").verify(request_of([CLAIM], [PASSAGE])).rows[0]
    folder = tiny.encoder("deberta", "deberta")
    lines = PASSAGE.replace(". It", ".\nIt")
    text = (
        f'{lines}\n\nChoose your answer: based on the paragraph above can we conclude that "{CLAIM}"?'
        "\n\nOPTIONS:\n- Yes\n- No\nI think the answer is "
    )
    ids = tokenizer_of(folder)(text)["input_ids"]
    assert seen.batches == [[tuple(ids)]]
    model = transformers.AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
    with torch.no_grad():
        expected = torch.softmax(model(torch.tensor([ids])).logits, dim=-1)[0, 1].item()
    assert row.supported == pytest.approx(expected, abs=1e-6)


def test_factcg_text_before_the_tokenizer(engine_of, request_of, monkeypatch):
    from guardrail.engines.cross_encoder.torch_model import Tokens

    texts = []
    real = Tokens.ids
    monkeypatch.setattr(Tokens, "ids", lambda self, text: texts.append(text) or real(self, text))
    engine_of("factcg").verify(request_of([CLAIM], ["A dam. A bridge."]))
    assert texts[-1] == (
        'A dam.\nA bridge.\n\nChoose your answer: based on the paragraph above can we conclude that "The dam is 64 '
        'metres high."?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '
    )


def test_hhem_reads_the_pad_token_before_its_prompt(tiny, engine_of, request_of, seen):
    row = engine_of("hhem").verify(request_of([CLAIM], [PASSAGE])).rows[0]
    folder, base = tiny.hhem()
    tokenizer = tokenizer_of(base)
    prompt = (
        f"<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {PASSAGE}\n\nHypothesis: {CLAIM}"
    )
    ids = tokenizer(prompt)["input_ids"]
    assert ids[0] == tokenizer.pad_token_id
    assert seen.batches == [[tuple(ids)]]
    from safetensors.torch import load_file

    weights = load_file(str(folder / "model.safetensors"))
    config = transformers.AutoConfig.from_pretrained(str(base), num_labels=2)
    model = transformers.T5ForTokenClassification(config).eval()
    model.load_state_dict({name.removeprefix("t5."): tensor for name, tensor in weights.items()}, strict=False)
    assert model.transformer.encoder.embed_tokens.weight is model.transformer.shared.weight
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0, 0]
    assert row.supported == pytest.approx(torch.softmax(logits, dim=-1)[1].item(), abs=1e-6)


def test_alignscore_takes_the_aligned_class_of_its_three_way_head(tiny, engine_of, request_of, seen):
    row = engine_of("alignscore").verify(request_of([CLAIM], [PASSAGE])).rows[0]
    folder, base = tiny.alignscore()
    ids = tokenizer_of(base)(PASSAGE, CLAIM)["input_ids"]
    assert seen.batches == [[tuple(ids)]]
    state = torch.load(folder / "AlignScore-large.ckpt", weights_only=True)["state_dict"]
    encoder = transformers.RobertaModel(transformers.AutoConfig.from_pretrained(str(base))).eval()
    encoder.load_state_dict({k.removeprefix("base_model."): v for k, v in state.items() if k.startswith("base_model.")})
    with torch.no_grad():
        pooled = encoder(torch.tensor([ids])).pooler_output
        shares = torch.softmax(pooled @ state["tri_layer.weight"].T + state["tri_layer.bias"], dim=-1)[0]
    assert row.supported == pytest.approx(shares[0].item(), abs=1e-6)
    assert row.contradicted == pytest.approx(shares[2].item(), abs=1e-6)


def test_nli_gives_premise_then_claim_to_the_cross_encoder(tiny, engine_of, request_of, monkeypatch):
    from sentence_transformers import CrossEncoder

    given = []
    real = CrossEncoder.predict
    monkeypatch.setattr(
        CrossEncoder, "predict", lambda self, pairs, **more: given.extend(pairs) or real(self, pairs, **more)
    )
    row = engine_of("nli").verify(request_of([CLAIM], [PASSAGE])).rows[0]
    assert given == [(PASSAGE, CLAIM)]
    own = CrossEncoder(str(tiny.encoder("nli3", "bert")), device="cpu")
    logits = real(own, [(PASSAGE, CLAIM)], activation_fn=torch.nn.Identity())[0]
    shares = np.exp(logits) / np.exp(logits).sum()  # contradiction, entailment, neutral
    assert row.supported == pytest.approx(shares[1], abs=1e-6)
    assert row.contradicted == pytest.approx(shares[0], abs=1e-6)


def test_label_order_of_the_config_swaps_the_probabilities(tiny, request_of, tmp_path):
    import shutil

    for source, names in (
        (
            tiny.encoder("nli3", "bert", ("contradiction", "entailment", "neutral")),
            ("entailment", "contradiction", "neutral"),
        ),
        (tiny.encoder("nli2", "bert", ("entailment", "not_entailment")), ("not_entailment", "entailment")),
    ):
        turned = shutil.copytree(source, tmp_path / source.name)
        tiny.edit_config(turned, **tiny.numbered(names))
        request = request_of([CLAIM], [PASSAGE])
        before = make(f"nli:{source}", device="cpu").verify(request).rows[0]
        after = make(f"nli:{turned}", device="cpu").verify(request).rows[0]
        if len(names) == 3:
            assert (after.supported, after.contradicted) == pytest.approx((before.contradicted, before.supported))
        else:
            assert after.supported == pytest.approx(1 - before.supported)
            assert after.contradicted == before.contradicted == 0.0
        assert abs(after.supported - before.supported) > 1e-4


def test_labels_of_the_caller_go_before_those_of_the_config(tiny, engine_of, request_of):
    request = request_of([CLAIM], [PASSAGE])
    turned = engine_of("minicheck", labels=("supported", "unsupported"))
    assert supported(turned, request) == pytest.approx(1 - supported(engine_of("minicheck"), request))


def test_the_title_of_a_passage_is_read(tiny, engine_of, request_of, seen):
    engine_of("minicheck").verify(
        request_of([CLAIM], [Passage(id="p", title="Larkmoor", text="It is 64 metres high.")])
    )
    tokenizer = tokenizer_of(tiny.encoder("roberta"))
    assert seen.batches == [[tuple(tokenizer(f"Larkmoor: It is 64 metres high.</s>{CLAIM}")["input_ids"])]]
