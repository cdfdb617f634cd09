"""The embedded model: what it reads of a pair, and what it gives."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from guardrail import ConfigurationError, Guard, Verdict
from guardrail.engines.local.loading import load
from guardrail.engines.local.model import (
    FILES,
    MODEL_FOLDER,
    OUTPUTS,
    VERDICTS,
    CrossEncoder,
    as_probabilities,
    encoder,
    token_types,
)

PAIR = ("The dam is 64 metres high.", "The dam is 64 metres high.")


def test_a_long_segment_is_judged_to_its_end():
    """The model reads a limited number of tokens; what is said after them still counts."""
    start = "The dam was built between 1958 and 1963 " + "and it supplies the town of Fennick with drinking water " * 12
    passage = "The dam was built between 1958 and 1963 and it supplies the town of Fennick with drinking water."
    [finding] = (
        Guard().check(start + "and its chief engineer was convicted of murdering the mayor.", [passage]).findings
    )
    assert finding.verdict is not Verdict.SUPPORTED


def test_token_types_tell_copied_from_changed_and_swapped() -> None:
    #            the 1 board 2 paid 3 the 1 staff 4
    premise, same = [1, 2, 3, 1, 4], [1, 2, 3, 1, 4]
    assert token_types(premise, same) == [0, 2, 4, 4, 4, 4, 0, 1, 5, 5, 5, 5, 1]
    swapped = [1, 4, 3, 1, 2]  # "the staff paid the board": all words are there; "paid" follows another one
    assert token_types(premise, swapped)[7:-1] == [1, 5, 1, 5, 5]
    assert token_types(premise, [1, 9, 3])[7:-1] == [1, 3, 1]  # 9 is nowhere in the premise


def test_a_row_holds_two_groups_of_probabilities() -> None:
    rows = load().probabilities([PAIR, ("Bees dance.", "The dam is 64 metres high.")])
    assert rows.shape == (2, OUTPUTS)
    assert rows[:, :VERDICTS].sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert rows[:, VERDICTS:].sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert rows[0, 0] > 0.5 > rows[1, 0]


def test_a_pair_is_read_as_it_would_be_alone() -> None:
    among = load().probabilities([("Bees dance.", "It rains."), PAIR])[1]
    assert among.tolist() == load().probabilities([PAIR])[0].tolist()


def test_what_is_not_read_when_it_is_stopped_stays_unknown() -> None:
    asked: list[None] = []

    def stop() -> bool:
        asked.append(None)
        return len(asked) > 1

    rows = load().probabilities([PAIR] * 3, stop)
    assert [bool(np.isnan(row).all()) for row in rows] == [False, True, True]
    assert load().probabilities([]).shape == (0, OUTPUTS)


def test_odd_and_endless_texts_are_read() -> None:
    rows = load().probabilities([("", ""), ("\ud800", "a \udfff"), ("word " * 5000, "dam " * 5000)])
    assert not np.isnan(rows).any()
    assert encoder(MODEL_FOLDER)("\ud800") == encoder(MODEL_FOLDER)("?")


def test_large_logits_are_probabilities_all_the_same() -> None:
    found = as_probabilities(np.array([1000.0, 0.0, -1000.0, *[500.0] * (OUTPUTS - VERDICTS)], dtype=np.float32))
    assert found[:VERDICTS].tolist() == [1.0, 0.0, 0.0]
    assert found[VERDICTS:] == pytest.approx(1 / (OUTPUTS - VERDICTS))


def field(number: int, value: int | bytes) -> bytes:
    """A field of a protocol buffer: a small number, or a short message or text."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def graph_of(width: int) -> bytes:
    """An ONNX model that gives back its input of shape (1, width)."""
    shape = field(2, field(1, field(1, 1)) + field(1, field(1, width)))
    ends = [field(1, name) + field(2, field(1, field(1, 1) + shape)) for name in (b"input_ids", b"logits")]
    node = field(1, b"input_ids") + field(2, b"logits") + field(4, b"Identity")
    graph = field(1, node) + field(2, b"graph") + field(11, ends[0]) + field(12, ends[1])
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def test_a_model_of_another_version_is_refused(tmp_path: Path) -> None:
    for name in FILES:
        shutil.copy(MODEL_FOLDER / name, tmp_path / name)
    (tmp_path / "model.onnx").write_bytes(graph_of(4))
    with pytest.raises(ConfigurationError, match=rf"gives 4 outputs, this version reads {OUTPUTS}.*Export it again"):
        CrossEncoder(tmp_path)
