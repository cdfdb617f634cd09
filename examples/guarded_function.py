"""Guard any function that returns an answer and its passages; it is asked again, told what was wrong.

python examples/guarded_function.py
"""

from __future__ import annotations

from guardrail import Guard, Policy
from guardrail.repair.feedback import Feedback
from guardrail.wrap import guarded

PASSAGES = ["Larkmoor Dam was built between 1958 and 1963. It is 64 metres high."]


@guarded(Guard(policy=Policy.repair()))
def answer(question: str, feedback: Feedback | None = None) -> tuple[str, list[str]]:
    """Stands for your application: retrieve, then generate; ``feedback.text`` goes into the prompt."""
    del question
    return f"Larkmoor Dam is {64 if feedback else 90} metres high.", PASSAGES


def main() -> None:
    """Ask, and show what is delivered."""
    checked = answer("How high is Larkmoor Dam?")
    print(checked)
    print(f"{checked.action}, {checked.attempts} attempts")
    if checked.original is not None:
        print(f"before: {checked.original.findings[0].reason}")


if __name__ == "__main__":
    main()
