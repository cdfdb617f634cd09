"""Check the answer of any function that returns a text and its passages, and deliver what a policy allows.

python examples/check_answer.py
"""

from __future__ import annotations

from pathlib import Path

from guardrail import Guard, Passage, Policy

PASSAGES = [
    Passage(
        id="returns",
        title="Returns",
        text="Goods can be returned within 30 days of delivery. The buyer pays the postage unless they are faulty.",
    ),
    Passage(
        id="refunds",
        title="Refunds",
        text="A refund is paid within five working days after the parcel has reached the warehouse in Leeds.",
    ),
]


def rag(question: str) -> tuple[str, list[Passage]]:
    """Stands for your application: retrieve, then generate."""
    del question
    answer = (
        "You can return goods within 60 days of delivery. "
        "The buyer pays the postage unless they are faulty. "
        "A refund is paid within five working days after the parcel has reached the warehouse."
    )
    return answer, PASSAGES


def main() -> None:
    """Ask, check, show what was found and what is delivered."""
    guard = Guard(policy=Policy.load(Path(__file__).with_name("policy.yaml")))
    question = "How long can I return something, and who pays?"
    answer, passages = rag(question)

    guarded = guard.run(answer, passages, question=question)
    for finding in guarded.report.findings:
        print(f"{finding.verdict:<12} {finding.score:.2f}  {finding.text}")
        if finding.verdict != "supported":
            print(f"{'':18}{finding.reason}")
            print(
                *(f"{'':18}{e.passage_id}[{e.span.start}:{e.span.end}] {e.quote}" for e in finding.evidence), sep="\n"
            )
    print(f"\naction: {guarded.action}\n{guarded.text}")


if __name__ == "__main__":
    main()
