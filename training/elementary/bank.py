"""What stands beside the sentence that matters: the same said of others, sentences of the topic, a title, a table."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

from training.elementary.frames import FOLDER, Filling, Frame, names_in
from training.elementary.tables import table_slots

_PLAIN = Frame("bank", "bank", "any", {}, (), ())


@cache
def bank() -> dict[str, tuple[str, ...]]:
    """Sentences by topic; titles are those of ``title:topic``."""
    found: dict[str, list[str]] = {}
    for line in (FOLDER / "bank.txt").read_text(encoding="utf-8").splitlines():
        topic, _, text = line.partition(" ")
        if text:
            found.setdefault(topic, []).append(text)
    return {topic: tuple(texts) for topic, texts in found.items()}


def beside(frame: Frame, rng: random.Random, taken: set[str], peers: list[Frame]) -> tuple[list[str], list[str]]:
    """Up to three texts to stand before and after the premise."""
    before: list[str] = []
    after: list[str] = []
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))):
        text = _other(frame, rng, taken, peers)
        if text:
            rng.choice((before, after)).append(text)
    return before, after


def _other(frame: Frame, rng: random.Random, taken: set[str], peers: list[Frame]) -> str:
    kind = rng.random()
    if frame.keyed and kind < 0.6 and "cols" not in frame.options:
        source = frame if kind < 0.4 else rng.choice(peers)
        texts = rng.choice(source.states)
        if "cols" not in source.options and all(names_in(t) for t in texts):
            return Filling(source, rng, taken).text(rng.choice(texts))
    if kind > 0.95:
        filling = Filling(_PLAIN, rng, taken)
        return table_slots(rng.choice(bank()["table"]), rng, filling.new)["table"]
    texts = bank().get(frame.topic, ()) if rng.random() < 0.7 else ()
    return Filling(_PLAIN, rng, taken).text(rng.choice(texts or bank()["any"]))


def surroundings(frame: Frame, rng: random.Random, taken: set[str], peers: list[Frame]) -> Callable[[str], str]:
    """What sets a premise among other texts, sometimes under a title; the same for both sides of a pair."""
    before, after = beside(frame, rng, taken, peers)
    spaced = rng.random() < 0.12
    title = ""
    if rng.random() < 0.15:
        wording = rng.choice(bank().get(f"title:{frame.topic}") or bank()["title:any"])
        title = rng.choice(("{}\n", "# {}\n\n", "{}: ")).format(Filling(_PLAIN, rng, taken).text(wording))

    def placed(premise: str) -> str:
        texts = [*before, premise, *after]
        if spaced or any("\n" in text for text in texts):
            return title + "\n".join(texts)
        return title + " ".join([*(t if re.search(r"\W$", t) else f"{t}." for t in texts[:-1]), texts[-1]])

    return placed
