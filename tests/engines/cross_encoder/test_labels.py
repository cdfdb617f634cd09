"""What the outputs of a head mean: from the config, from the authors, from the caller; never guessed."""

from __future__ import annotations

import numpy as np
import pytest

from guardrail.engines.cross_encoder.labels import Head, read_head
from guardrail.errors import ConfigurationError

MNLI = {"0": "contradiction", "1": "entailment", "2": "neutral"}


def head(config, labels=None, documented=()):
    return read_head(config, labels, documented, "a model")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("contradiction", "entailment", "neutral"), Head(3, 1, 0)),
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), Head(3, 0, 2)),
        (("entailment", "not_entailment"), Head(2, 0)),
        (("not-entailment", "entailment"), Head(2, 1)),
        (("hallucinated", "consistent"), Head(2, 1)),
        (("Not Supported", "Supported"), Head(2, 1)),
        (("contradiction", "entailment"), Head(2, 1)),  # no third label: what is not supported may be either
    ],
)
def test_labels_of_the_config_decide(names, expected):
    by_number = {"id2label": {str(n): name for n, name in enumerate(names)}}
    by_name = {"label2id": {name: n for n, name in enumerate(names)}}
    assert head(by_number) == expected
    assert head(by_name) == expected
    assert head(by_number | by_name, documented=("supported", "unsupported")) == expected


def test_numbered_labels_mean_what_the_authors_say():
    numbered = {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}
    assert head(numbered, documented=("unsupported", "supported")) == Head(2, 1)
    assert head({}, documented=("supported", "neutral", "contradicted")) == Head(3, 0, 2)


def test_the_caller_has_the_last_word():
    assert head({"id2label": MNLI}, labels=("supported", "neutral", "contradicted")) == Head(3, 0, 2)
    assert head({"id2label": {"0": "LABEL_0"}}, labels=("supported",)) == Head(1, 0)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}},
        {"id2label": {"0": "positive", "1": "negative"}},
        {"id2label": {"0": "entailment", "1": "supported"}},
        {"id2label": {"0": "neutral", "1": "contradiction"}},
        {"id2label": {"0": "entailment", "1": "neutral", "2": "neutral"}},
        {"id2label": {"0": "entailment", "1": "neutral", "2": "contradiction", "3": "other"}},
        {"id2label": {"0": "entailment", "2": "neutral"}},
        {"id2label": {"0": "LABEL_0"}},
    ],
)
def test_labels_that_say_nothing_are_refused_with_the_option_that_helps(config):
    with pytest.raises(ConfigurationError, match="labels="):
        head(config)


def test_numbered_labels_of_another_width_are_not_those_of_the_authors():
    three = {"id2label": {str(n): f"LABEL_{n}" for n in range(3)}}
    with pytest.raises(ConfigurationError, match="labels="):
        head(three, documented=("unsupported", "supported"))


def test_a_config_that_contradicts_itself_is_refused():
    turned = {"id2label": MNLI, "label2id": {"entailment": 0, "neutral": 1, "contradiction": 2}}
    with pytest.raises(ConfigurationError, match="contradict each other"):
        head(turned)


def test_probabilities():
    logits = np.log(np.array([[0.2, 0.7, 0.1], [0.5, 0.25, 0.25]]))
    assert Head(3, 1, 0).probabilities(logits) == pytest.approx(np.array([[0.7, 0.2], [0.25, 0.5]]))
    assert Head(2, 0).probabilities(np.log([[0.9, 0.1]])) == pytest.approx(np.array([[0.9, 0.0]]))
    assert Head(1, 0).probabilities(np.array([0.0, 1000.0])) == pytest.approx(np.array([[0.5, 0.0], [1.0, 0.0]]))
    assert Head(2, 1).probabilities(np.array([[-2000.0, 2000.0]])) == pytest.approx(np.array([[1.0, 0.0]]))


def test_another_number_of_outputs_is_refused():
    with pytest.raises(ConfigurationError, match="3 outputs"):
        Head(2, 1).probabilities(np.zeros((1, 3)))
