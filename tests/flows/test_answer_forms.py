"""Right answers in the forms in which chains give them pass the shipped guard; a wrong value in that form does not.

Labels of LlamaIndex's accumulate modes, lists of sources below the answer, bullets of a key and a value.
"""

from __future__ import annotations

import pytest

from guardrail import Action, Guard, Passage, Policy, Verdict

PASSAGES = [
    Passage(
        id="7c9e6679-7425-40de-944b-e07fc1f90ae7",
        title="Library handbook",
        text="The library lends laptops for two weeks. Late returns cost 2 euros per day.\n\n"
        "Opening hours: Mon–Fri 6:00–23:00\nSaturday: 9:00–18:00",
    ),
    Passage(id="fees.md", text="A guest card costs 15 euros. The reading room has 120 seats."),
]
RULE = "\n---------------------\n"
FORMS = {
    "accumulate": (
        f"Response 1: A guest card costs 15 euros.{RULE}Response 2: The reading room has 120 seats.",
        "15 euros",
        "25 euros",
    ),
    "accumulate, bold": ("**Response 1:** A guest card costs 15 euros.", "15", "16"),
    "numbered answer": ("Answer 2: Late returns cost 2 euros per day.", "2 euros", "5 euros"),
    "answer below its label": ("Response 1:\nThe reading room has 120 seats.", "120", "150"),
    "answer below a heading": ("### Response 1\n\nThe reading room has 120 seats.", "120", "150"),
    "numbered source": ("Source 1: A guest card costs 15 euros.", "15", "16"),
    "list item": ("- Answer 3: The reading room has 120 seats.", "120", "150"),
    "plain label": ("**Answer:** A guest card costs 15 euros.", "15", "16"),
    "file and page": ("A guest card costs 15 euros.\n\nSources:\n- handbook.pdf, p. 3\n- fees.md", "15", "16"),
    "titles": ("A guest card costs 15 euros.\n\n**Sources**\n- Library handbook\n- fees", "15", "16"),
    "titles and pages": (
        "A guest card costs 15 euros.\n\n**Sources:**\n1. Library handbook, page 3\n2. Fees",
        "15",
        "16",
    ),
    "marks": ("A guest card costs 15 euros [1].\n\nReferences\n[1] fees.md\n[2] handbook.pdf, page 3", "15", "16"),
    "unknown works": (
        "A guest card costs 15 euros.\n\n## References\n- Guide to the reading room\n- Fees and charges, 2024, p. 7",
        "15",
        "16",
    ),
    "one line": ("A guest card costs 15 euros.\n\nSources: handbook.pdf (p. 3), fees.md", "15", "16"),
    "one title": ("A guest card costs 15 euros.\n\nSource: Library handbook, p. 3", "15", "16"),
    "footnotes": ("A guest card costs 15 euros.[^1]\n\n[^1]: handbook.pdf, p. 3", "15", "16"),
    "key and value": ("- **Guest card:** 15 euros\n- **Seats:** 120", "15", "16"),
    "same line": ("- Mon–Fri 6:00–23:00", "23:00", "22:00"),
    "line as in the passage": ("- Opening hours: Mon–Fri 6:00–23:00", "23:00", "22:00"),
    "other word for the days": ("- Weekdays: 6:00–23:00", "6:00", "7:00"),
    "days in full": ("- Monday to Friday: 6:00–23:00", "6:00", "7:00"),
    "led in": ("Opening hours:\n- Weekdays: 6:00–23:00\n- Saturday: 9:00–18:00", "6:00", "7:00"),
    "led in, second item": ("Opening hours:\n- Weekdays: 6:00–23:00\n- Saturday: 9:00–18:00", "18:00", "19:00"),
}


@pytest.fixture(scope="module")
def guard():
    return Guard(policy=Policy.annotate().with_(deadline=None))


@pytest.mark.parametrize(("answer", "value", "other"), FORMS.values(), ids=FORMS)
def test_a_right_answer_passes_whatever_its_form(guard, answer, value, other):
    guarded = guard.run(answer, PASSAGES)
    assert (guarded.action, guarded.text) == (Action.ALLOW, answer), guarded.text


@pytest.mark.parametrize(("answer", "value", "other"), FORMS.values(), ids=FORMS)
def test_a_wrong_value_is_noted_whatever_the_form(guard, answer, value, other):
    wrong = answer.replace(value, other, 1)
    assert guard.run(wrong, PASSAGES).action is Action.ANNOTATE


@pytest.mark.parametrize(
    "answer",
    [
        "- Weekdays: 9:00–18:00",
        "- **Monday to Friday:** 9:00–18:00",
        "Opening hours:\n- Mon–Fri: 6:00–23:00\n- Saturday: 6:00–23:00",
    ],
)
def test_a_value_of_another_key_is_noted(guard, answer):
    guarded = guard.run(answer, PASSAGES)
    assert guarded.action is Action.ANNOTATE
    assert guarded.report.findings[-1].verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize("title", ["Sources:", "**Sources**", "## References", "Works cited"])
def test_redaction_leaves_a_list_of_sources_whole(guard, title):
    sources = f"{title}\n- handbook.pdf, p. 3\n- Guide to the reading room\n- https://library.example/fees"
    redacting = Policy(actions={"contradicted": "redact", "unsupported": "redact"})
    guarded = Guard(policy=redacting.with_(deadline=None)).run(
        f"A guest card costs 15 euros. It is free for mayors.\n\n{sources}", PASSAGES
    )
    assert guarded.text == f"A guest card costs 15 euros.\n\n{sources}"


def test_redaction_takes_the_label_with_the_text_behind_it(guard):
    redacting = Policy(actions={"contradicted": "redact", "unsupported": "redact"}).with_(deadline=None)
    answer = "Response 1: A guest card costs 25 euros.\nResponse 2: A guest card costs 25 euros. The reading room has 120 seats."
    assert Guard(policy=redacting).run(answer, PASSAGES).text == "Response 2: The reading room has 120 seats."
