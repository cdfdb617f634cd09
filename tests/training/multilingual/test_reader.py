"""Word embeddings in four bits give what the base's blocks hold."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")


def test_embeddings_in_blocks_are_those_of_the_base():
    from training.multilingual.base import BLOCK, _blocks, _tensor
    from training.multilingual.reader import Words

    rng = np.random.default_rng(1)
    blocks = np.zeros(6, np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)]))
    blocks["scale"] = rng.normal(size=6)
    blocks["halves"] = rng.integers(0, 256, (6, BLOCK // 2))
    raw = blocks.tobytes()
    rows = _blocks(raw).reshape(3, 2)  # three words, two blocks each
    words = Words(*(torch.from_numpy(np.ascontiguousarray(rows[part])) for part in ("halves", "scale")))
    plain = _tensor(raw, 6 * BLOCK).reshape(3, 2 * BLOCK)
    assert np.array_equal(words(torch.tensor([[2, 0]])).numpy(), plain[[2, 0]][None])
    assert list(words.state_dict()) == []
