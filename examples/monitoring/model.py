"""The questions of the example, and a model that answers them: a real HTTP endpoint, scripted so that no key is needed.

Like a real one it says what its prompt holds, and makes up the rest.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from guardrail.testing import OpenAIServer


@dataclass(frozen=True, slots=True)
class Fact:
    """``says`` if ``needs`` stands in the prompt's passages, else ``invents``."""

    needs: str
    says: str
    invents: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its topic, and the facts of a full answer."""

    topic: str
    text: str
    facts: tuple[Fact, ...]


QUESTIONS = (
    Question(
        "visits",
        "When can I visit the walkway on Larkmoor Dam, and may I bring my dog?",
        (
            Fact(
                "between April and October",
                "The walkway on top of Larkmoor Dam is open from 9:00 to 17:00 between April and October.",
                "The walkway on top of Larkmoor Dam is open from 8:00 to 20:00 all year.",
            ),
            Fact("only on a lead", "Dogs are allowed only on a lead.", "Dogs must stay in the car park."),
        ),
    ),
    Question(
        "visits",
        "When do the guided tours of the turbine hall start, and what does a ticket cost?",
        (
            Fact(
                "start at 11:00 on Saturdays",
                "Guided tours of the turbine hall start at 11:00 on Saturdays.",
                "Guided tours of the turbine hall start every hour from Monday to Friday.",
            ),
            Fact("costs 8 euros", "A ticket costs 8 euros.", "A ticket costs 12 euros, and 6 euros for students."),
        ),
    ),
    Question(
        "visits",
        "May my children join a guided tour of Larkmoor Dam?",
        (
            Fact(
                "only if an adult comes with them",
                "Children under 12 may join a tour only if an adult comes with them.",
                "Children of any age may join every tour free of charge.",
            ),
        ),
    ),
    Question(
        "closure",
        "Why was Larkmoor Dam closed in 2021?",
        (
            Fact(
                "closed to visitors on 4 May 2021",
                "Larkmoor Dam was closed to visitors on 4 May 2021.",
                "Larkmoor Dam was closed to visitors in the summer of 2021.",
            ),
            Fact(
                "crack in the spillway gate",
                "Engineers lowered the reservoir by six metres because divers had found a crack in the spillway gate.",
                "An earthquake had damaged both of its turbines.",
            ),
        ),
    ),
    Question(
        "closure",
        "How long did the repair of Larkmoor Dam take, and what did it cost?",
        (
            Fact(
                "cost 2.3 million euros",
                "The repair took eleven weeks and cost 2.3 million euros.",
                "The repair took two years and cost 14 million euros, which the region paid.",
            ),
        ),
    ),
    Question(
        "history",
        "When was Larkmoor Dam built, and what for?",
        (
            Fact(
                "between 1958 and 1963",
                "Larkmoor Dam was built between 1958 and 1963.",
                "Larkmoor Dam was built in 1971.",
            ),
            Fact(
                "supply the town of Fennick with drinking water",
                "It was built to supply the town of Fennick with drinking water.",
                "It was built to protect the valley from floods.",
            ),
        ),
    ),
    Question(
        "history",
        "How high is Larkmoor Dam, and how much water does it hold?",
        (
            Fact(
                "holds 41 million cubic metres",
                "Larkmoor Dam is 64 metres high and holds 41 million cubic metres.",
                "Larkmoor Dam is 92 metres high and holds 120 million cubic metres.",
            ),
        ),
    ),
)
_SLIPS = 0.03
"""Share of answers in which the model adds what no passage says: there is no model without."""

_SLIP = "More than two million people visit it every year."


def answer(body: dict[str, Any]) -> str:
    """The reply to a chat request whose last message holds the passages and, at its end, the question."""
    prompt = str(body["messages"][-1]["content"])
    passages, _, asked = prompt.rpartition("Question: ")
    question = next(question for question in QUESTIONS if question.text == asked)
    said = [fact.says if fact.needs in passages else fact.invents for fact in question.facts]
    return " ".join([*said, _SLIP] if random.random() < _SLIPS else said)  # noqa: S311  no secret


def model_server() -> OpenAIServer:
    """The endpoint, on a free port of the loopback interface."""
    return OpenAIServer(answer, seconds=0.02, keep=1)
