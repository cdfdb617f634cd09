"""How often the alert against the baseline pages for nothing, and how soon it sees a rise.

    python benchmarks/alerts.py [--days 3000] [--rises 300]

The condition of GuardrailHallucinationsAboveBaseline (files/guardrail.alerts.yml of telemetry.monitor) on simulated
traffic: answers arrive at random (Poisson), each unfaithful with a steady probability, and the rules look every five
minutes. Real traffic is less steady; the table tells what chance alone does.
"""

from __future__ import annotations

import argparse

import numpy as np

HOUR, DAY = 12, 288  # steps of five minutes
POINTS, ERRORS, HERE, BEFORE, FOR = 0.05, 5.0, 20, 100, 3  # as in the alert; FOR: 10 minutes are three steps in a row


def traffic(random, rate, probability):
    """Answers and unfaithful ones per step; ``rate``: answers an hour, ``probability``: one value per step."""
    answers = random.poisson(rate / HOUR, len(probability))
    return answers, random.binomial(answers, probability)


def window(counts, steps):
    """Sum over the last so many steps."""
    sums = np.concatenate([[0], np.cumsum(counts)])
    return np.concatenate([np.zeros(steps - 1), sums[steps:] - sums[:-steps]])


def firing(answers, unfaithful):
    """Per step, whether the alert fires."""
    here, bad = window(answers, HOUR), window(unfaithful, HOUR)
    before, bad_before = (
        np.concatenate([np.zeros(HOUR), window(counts, DAY)[:-HOUR]]) for counts in (answers, unfaithful)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = bad / here - bad_before / before
        pooled = (bad + bad_before) / (here + before)
        error = np.sqrt(pooled * (1 - pooled) * (1 / here + 1 / before))
        held = (excess > POINTS) & (excess > ERRORS * error) & (here >= HERE) & (before >= BEFORE)
    return window(held, FOR) == FOR


def false_pages(random, rate, share, days):
    """Episodes in 30 days of steady traffic."""
    fires = firing(*traffic(random, rate, np.full(days * DAY, share)))
    return float((fires[1:] & ~fires[:-1]).sum()) * 30 / days


def minutes(random, rate, share, risen, rises):
    """Minutes from a rise to the page, per rise; infinity where the day after it brings none."""
    found = []
    for _ in range(rises):
        fires = firing(*traffic(random, rate, np.r_[np.full(500, share), np.full(DAY, risen)]))[500:]
        found.append((np.argmax(fires) + 1) * 5 if fires.any() else np.inf)
    return np.array(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=3000)
    parser.add_argument("--rises", type=int, default=300)
    given = parser.parse_args()
    random = np.random.default_rng(0)
    print("answers an hour | false pages in 30 days at 2 / 5 / 10 % | 5 to 20 %: median, in 2 h | 5 to 40 %")
    for rate in (25, 60, 300):
        pages = " / ".join(f"{false_pages(random, rate, share, given.days):.2f}" for share in (0.02, 0.05, 0.1))
        seen = []
        for risen in (0.2, 0.4):
            found = minutes(random, rate, 0.05, risen, given.rises)
            seen.append(f"{np.median(found):.0f} min, {np.mean(found <= 120):.0%}")
        print(f"{rate:15d} | {pages} | {' | '.join(seen)}")


if __name__ == "__main__":
    main()
