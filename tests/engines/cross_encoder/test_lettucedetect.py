"""LettuceDetect reads question, passages and the whole answer."""

from __future__ import annotations

import pytest

from tests.support.tiny_texts import PASSAGE

torch = pytest.importorskip("torch")


transformers = pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


CLAIM = "The dam is 64 metres high."


def tokenizer_of(folder):
    return transformers.AutoTokenizer.from_pretrained(str(folder))


def test_lettucedetect_reads_question_passages_and_answer(tiny, engine_of, request_of, seen):
    question = "How high is the dam?"
    segments = ["The dam is 64 metres high.", "Rita painted the turbines."]
    passages = [PASSAGE, "The reservoir holds water."]
    rows = engine_of("lettucedetect").verify(request_of(segments, passages, question=question)).rows

    def asked(*texts):
        block = "".join(f"passage {n}: {text}\n" for n, text in enumerate(texts, 1))
        return (
            f"Briefly answer the following question:\n{question}\nBear in mind that your response should be strictly "
            f"based on the following {len(texts)} passages:\n{block}In case the passages do not contain the necessary "
            'information to answer the question, please reply with: "Unable to answer based on given passages."\noutput:'
        )

    folder = tiny.lettuce()
    tokenizer = tokenizer_of(folder)
    answer = " ".join(segments)
    wanted = [tuple(tokenizer(asked(*p), answer)["input_ids"]) for p in ([passages[0]], [passages[1]], passages)]
    assert [ids for batch in seen.batches for ids in batch] == wanted

    model = transformers.AutoModelForTokenClassification.from_pretrained(str(folder)).eval()
    encoded = tokenizer(asked(*passages), answer, return_offsets_mapping=True)
    with torch.no_grad():
        faults = torch.softmax(model(torch.tensor([encoded["input_ids"]])).logits[0], dim=-1)[:, 1].tolist()
    own = [
        (span, fault)
        for span, fault, which in zip(encoded["offset_mapping"], faults, encoded.sequence_ids(0), strict=True)
        if which == 1
    ]
    border = len(segments[0])
    first = [fault for (start, _), fault in own if start < border]
    second = [fault for (start, _), fault in own if start > border]
    assert rows[0].supported == pytest.approx(1 - max(first), abs=1e-6)
    assert rows[1].supported == pytest.approx(1 - max(second), abs=1e-6)
    for row, text, shift, scores in ((rows[0], segments[0], 0, first), (rows[1], segments[1], border + 1, second)):
        marked = {index for focus in row.focus for index in range(focus.start, focus.end) if not text[index].isspace()}
        at_fault = {
            index - shift
            for (start, end), fault in own
            if fault > 0.5 and shift <= start < shift + len(text)
            for index in range(start, end)
        }
        assert marked == at_fault
        assert bool(row.focus) == (max(scores) > 0.5)


def test_lettucedetect_without_a_question_asks_for_a_summary(tiny, engine_of, request_of, seen):
    engine_of("lettucedetect").verify(request_of([CLAIM], [PASSAGE]))
    tokenizer = tokenizer_of(tiny.lettuce())
    prompt = f"Summarize the following text:\npassage 1: {PASSAGE}\noutput:"
    assert seen.batches == [[tuple(tokenizer(prompt, CLAIM)["input_ids"])]]


pytest.importorskip("torch")


pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


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
