"""Labels of answers and sources, and what only looks like one."""

import pytest

from guardrail.text.labels import is_label, label_end, without_label


@pytest.mark.parametrize(
    "label",
    [
        "Response 1: ",
        "Answer 2:",
        "**Answer:** ",
        "**Response 3**: ",
        "Final answer: ",
        "Source 12: ",
        "答案：",
        "来源1：",
    ],
)
def test_labels(label):
    assert label_end(f"{label}Paris") == len(label)
    assert is_label(label.strip().replace("*", ""))


@pytest.mark.parametrize(
    "text",
    [
        "Source: handbook.pdf",
        "**Answer: Paris**",
        "Option 2: Paris",
        "Answer the question: now",
        "Responses: 40",
        "A: 5",
    ],
)
def test_keys_are_no_labels(text):
    assert label_end(text) == 0


def test_a_label_alone_stays():
    assert without_label("Answer 2:") == "Answer 2:"
    assert without_label("Answer 2: Paris") == "Paris"
