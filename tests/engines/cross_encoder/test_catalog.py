"""Options and names of models."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")


pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


from guardrail.engines.cross_encoder import SPECS, is_cross_encoder, make  # noqa: E402
from guardrail.errors import ConfigurationError  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_hub")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"windows": 3}, "Did you mean 'window'"),
        ({"window": 0}, "window"),
        ({"batch_tokens": True}, "batch_tokens"),
        ({"max_tokens": 12}, "at least 96"),
        ({"labels": "supported"}, "labels"),
        ({"labels": ("yes", "no")}, "cannot tell"),
    ],
)
def test_wrong_options(tiny, options, message):
    with pytest.raises(ConfigurationError, match=message):
        make(f"minicheck:{tiny.encoder('roberta')}", **options)


def test_names_that_are_known():
    assert all(is_cross_encoder(name) for name in SPECS)
    assert is_cross_encoder("nli:cross-encoder/nli-deberta-v3-base")
    assert not is_cross_encoder("local")
    assert not is_cross_encoder("llm:minicheck")
