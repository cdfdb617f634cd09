"""Lists of sources are no claims; claims below their title, and titles that no passage bears, are checked."""

import pytest

from guardrail.check.decompose import decompose
from guardrail.check.decompose.references import is_reference, is_source_line, is_source_note, known_names
from tests.support.decomposed import skipped, texts

NAMES = known_names(["docs/Library handbook.pdf", "Fees and charges", "d41d8cd9", ""])
CLAIM = "A card costs 15 euros."


@pytest.mark.parametrize(
    "line",
    [
        "handbook.pdf",
        "docs/2024/handbook.pdf, pp. 3-4",
        "[1] handbook.pdf (page 3)",
        "2. Guide to the reading room, section 4",
        "Annual report 2023, p. 7",
        "Library handbook",
        "library handbook, p. 3",
        "[2]: Fees and charges",
        "`d41d8cd9`",
        "《图书馆手册》",
        "图书馆手册，第3页",
        "https://library.example/fees",
        "Smith, J. (2020).",
    ],
)
def test_lines_that_name_a_work(line):
    assert is_reference(line, NAMES)


@pytest.mark.parametrize(
    "line",
    [
        "Coal",
        "handbook.pdf: the card costs 15 euros",
        "handbook.pdf: fee of 15 euros",
        "A card costs 15 euros, p. 3",
        "p. 3: 120 seats",
        "The dam on page 3 collapsed",
        "Fees and charges: 15 euros",
    ],
)
def test_lines_that_may_be_claims_name_no_work(line):
    assert not is_reference(line, NAMES)


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("Source: handbook.pdf, p. 3", True),
        ("Sources: handbook.pdf (p. 3), fees.md and Fees and charges", True),
        ("Source 2: Library handbook", True),
        ("Source: Wikipedia, https://x.org", True),
        ("Source: NASA", False),
        ("Sources: coal, wind", False),
        ("Source 1: A card costs 15 euros.", False),
        ("Source: handbook.pdf, which bans dogs", False),
    ],
)
def test_lines_that_say_where_it_was_read(line, source):
    assert is_source_line(line, NAMES) is source


def test_footnotes_that_name_a_file_are_sources_and_others_are_read():
    assert is_source_note("[^1]: handbook.pdf, p. 3")
    assert is_source_note("[2] https://library.example/fees")
    assert is_source_note('[^1]: County museum, "Thirkby hoard"')
    assert not is_source_note('[^1]: The museum sold the "Thirkby hoard".')
    assert not is_source_note('[^1]: Deadline 5 May, "final call"')
    assert not is_source_note("[1] The tower is tall.")
    assert not is_source_note("handbook.pdf")  # may be the answer to "which file?"


@pytest.mark.parametrize(
    ("footer", "checked"),
    [
        ("Sources:\n- handbook.pdf, p. 3\n- Guide to the reading room", []),
        ("Works cited\n\n- Guide to the reading room\n- Annual overview", []),
        ("Sources used:\n- Fees and charges\n- Overview 2024", []),
        ("Sources:\n- Coal\n- Wind", ["Sources: Coal", "Sources: Wind"]),
        ("References\n- The guide bans dogs", ["The guide bans dogs"]),
        ("Sources:\n- handbook.pdf\n- Dam failure kills 41", ["Sources: Dam failure kills 41"]),
        ("Sources:\n- handbook.pdf\n\nParis", ["Paris"]),
        ("Sources:\n- Coal\n- Wind (2020)", ["Sources: Coal", "Sources: Wind (2020)"]),
    ],
)
def test_a_list_of_sources_is_skipped_but_for_claims(footer, checked):
    assert texts(f"{CLAIM}\n\n{footer}", titles=["Fees and charges"]) == [CLAIM, *checked]


def test_a_title_counts_only_where_a_passage_bears_it():
    answer = "Sources:\n- Fees and charges"
    assert skipped(answer, titles=["Fees and charges"]) == {"Sources:": "heading", "Fees and charges": "citation"}
    assert texts(answer) == ["Sources: Fees and charges"]


def test_a_file_alone_is_an_answer():
    assert decompose("handbook.pdf").checked
