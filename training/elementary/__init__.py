"""Elementary pairs: one reading each (a value in another form, who did what, alleged or asserted, a bound ...).

Both sides of every pair are made together: one premise with a true and a false claim, or one claim with a premise
that makes it true and one that does not. Of the wordings those are taken that keep word overlap from giving the label
away.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

from guardrail.text.words import content_words
from training.elementary.bank import surroundings
from training.elementary.frames import Filling, Frame, frames
from training.pairs import CONTRADICTED, NEUTRAL, NOT_SUPPORTED, SUPPORTED, Pair, held_out

LABELS = {"T": SUPPORTED, "F": CONTRADICTED, "N": NEUTRAL, "U": NOT_SUPPORTED}
TRIES = 8
"""Wordings of a matched pair from which the one that evens out the overlap best is taken."""

Side = tuple[str, str, int]
"""Premise, claim, label."""


def elementary_pairs(rng: random.Random, count: int, *, held: bool = False) -> Iterator[Pair]:
    """``count`` pairs, true and false in turn, from the frames of one fold."""
    kinds: dict[str, list[Frame]] = defaultdict(list)
    for frame in frames():
        if held_out(frame.name) == held:
            kinds[frame.kind].append(frame)
    names = sorted(kinds)
    weights = [len(kinds[name]) ** 0.6 for name in names]
    excess: dict[str, float] = defaultdict(float)  # by how much true claims overlapped more so far, by kind
    left = count
    while left > 0:
        kind = rng.choices(names, weights)[0]
        frame = rng.choice(kinds[kind])
        sides, difference = _matched(frame, rng, kinds[kind], excess[kind])
        excess[kind] += difference
        for premise, claim, label in sides[:left]:
            yield Pair(premise, claim, label, "elementary", frame.name)
        left -= 2


def _matched(frame: Frame, rng: random.Random, peers: list[Frame], excess: float) -> tuple[list[Side], float]:
    """A true and a false side; of several drawn, mostly the two that bring the excess of overlap closest to none."""
    taken: set[str] = set()
    filling = Filling(frame, rng, taken)
    made = (_sides(frame, filling, rng) for _ in range(6 * TRIES))
    drawn = [next(made)]
    drawn += [d for d in made if d[1][2] == drawn[0][1][2]][: TRIES - 1]  # the first decides which label stands beside
    gaps = [_overlap(*true[:2]) - _overlap(*false[:2]) for true, false in drawn]
    best = min(range(len(drawn)), key=lambda i: abs(excess + gaps[i]) + rng.random() * 0.15)
    placed = surroundings(frame, rng, taken, peers)
    sides = [(placed(p), c, label) for p, c, label in drawn[best]]
    rng.shuffle(sides)
    return sides, gaps[best]


def _sides(frame: Frame, filling: Filling, rng: random.Random) -> tuple[Side, Side]:
    states = range(len(frame.states))
    shared = [c for c in frame.claims if "T" in c[0] and set(c[0]) & set("FNU")]
    if shared and rng.random() < 0.5:  # the same claim about two states
        codes, wording = rng.choice(shared)
        claim = filling.text(wording)
        right = rng.choice([s for s in states if codes[s] == "T"])
        wrong = rng.choice([s for s in states if codes[s] in "FNU"])
        premises = [filling.text(rng.choice(frame.states[s])) for s in (right, wrong)]
        return (premises[0], claim, SUPPORTED), (premises[1], claim, LABELS[codes[wrong]])
    state = rng.choice([s for s in states if {"T"} < {c[0][s] for c in frame.claims} - {"-"}])
    premise = filling.text(rng.choice(frame.states[state]))
    true = filling.text(rng.choice([t for codes, t in frame.claims if codes[state] == "T"]))
    code, wording = rng.choice([(codes[state], t) for codes, t in frame.claims if codes[state] in "FNU"])
    return (premise, true, SUPPORTED), (premise, filling.text(wording), LABELS[code])


def _overlap(premise: str, claim: str) -> float:
    wanted = set(content_words(claim))
    return len(wanted & set(content_words(premise))) / len(wanted) if wanted else 0.0
