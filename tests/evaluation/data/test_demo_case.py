"""The shipped case: what the demo and the studio show."""

from __future__ import annotations

from guardrail.evaluation.data.demo_case import load_case


def test_documents_have_ids_and_titles_and_each_question_an_answer() -> None:
    case = load_case()
    assert [document.id for document in case.documents] == [f"d{n}" for n in range(1, len(case.documents) + 1)]
    assert all(document.title and document.text for document in case.documents)
    assert case.answers
    assert all(question.endswith("?") and answer for question, answer in case.answers.items())
