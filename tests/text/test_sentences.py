"""Sentence boundaries inside a run of text."""

import pytest

from guardrail.text.sentences import split_sentences


def pieces(run):
    return [span.of(run).strip() for span in split_sentences(run)]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("Dr. Smith left. He came back!", ["Dr. Smith left.", "He came back!"]),
        ("磨坊很古老。大坝是新的。", ["磨坊很古老。", "大坝是新的。"]),
        ("1. The mill. 2. The dam.", ["1. The mill.", "2. The dam."]),
        ("It is old. 🎉", ["It is old. 🎉"]),
        ("1.", ["1."]),
        (
            "Frist ist am 3. Mai und zum 1. Oktober. Dann nicht.",
            ["Frist ist am 3. Mai und zum 1. Oktober.", "Dann nicht."],
        ),
        ("It was ranked 5. August 2024 was hot.", ["It was ranked 5.", "August 2024 was hot."]),
        ("Siehe Absatz 1. Mai bleibt frei.", ["Siehe Absatz 1.", "Mai bleibt frei."]),
        (
            "Sie läuft bis einschließlich 31. Oktober 2025. Gut.",
            ["Sie läuft bis einschließlich 31. Oktober 2025.", "Gut."],
        ),
        ("Anreise am 28.7. um 15 Uhr, Abreise am 2.8. Gut.", ["Anreise am 28.7. um 15 Uhr, Abreise am 2.8.", "Gut."]),
    ],
)
def test_markers_and_wordless_pieces_join_a_sentence(run, expected):
    assert pieces(run) == expected


@pytest.mark.parametrize("run", ["", "a", "He said \ud800. Next.", "Long words. " * 400, "x" * 5000])
def test_spans_cover_the_run_without_gaps(run):
    spans = split_sentences(run)
    assert "".join(span.of(run) for span in spans) == run
