"""How often the interval of ``guardrail audit rate`` holds the truth: simulated audits of which every answer is known.

    python benchmarks/audit_rate.py [--audits 2000] [--answers 100000]

A line per true rate, quality of the engine and number of labels: strata and allocation are those of ``guardrail audit
sample``, a sample is drawn anew for each audit, and the share of intervals that hold the true rate is printed with
their mean width. The engines: ``good``, ``fair`` and ``poor`` by how far the scores of bad and of right answers lie
apart, ``blind`` scores by chance; ``sure`` and ``unsure`` ones exaggerate and belittle, and ``lenient`` ones let pass
most of what is wrong, so that their own count is far off.
"""

from __future__ import annotations

import argparse

import numpy as np

from guardrail.audit.rate.strata import EDGES, Cell, strata_of
from guardrail.evaluation.stratified import allocate, share

RATES = (0.005, 0.01, 0.03, 0.1, 0.3)
LABELS = (100, 200, 400)
ENGINES = {  # distance of the means, factor and shift of the score's logit
    "good": (5.0, 1.0, 1.0),
    "fair": (3.0, 1.0, 1.0),
    "poor": (1.5, 1.0, 1.0),
    "blind": (0.0, 1.0, 1.0),
    "fair, sure": (3.0, 2.0, 1.0),
    "fair, unsure": (3.0, 0.5, 0.0),
    "fair, lenient": (3.0, 1.0, 3.0),
}


def population(random, answers, rate, engine):
    """Which answers are bad, and their scores."""
    apart, factor, shift = ENGINES[engine]
    bad = np.zeros(answers, bool)
    bad[: round(rate * answers)] = True
    logit = random.normal(0, 1.2, answers) + np.where(bad, -apart / 2, apart / 2)
    return bad, 1 / (1 + np.exp(-(logit * factor + shift)))


def coverage(random, audits, bad, scores, labels):
    """Share of the intervals that hold the true rate, share of those that lie above it, and mean width."""
    bands, verdicts = np.searchsorted(EDGES, scores, side="right"), np.where(scores < 0.5, "unsupported", "supported")
    cells, members = [], {}
    for verdict in np.unique(verdicts):
        for band in np.unique(bands[verdicts == verdict]):
            of = (verdicts == verdict) & (bands == band)
            cells.append(Cell(str(verdict), int(band), int(of.sum()), 0, float(1 - scores[of].mean())))
            members[str(verdict), int(band)] = int(bad[of].sum())
    strata = strata_of(cells, labels)
    sizes = [stratum.answers for stratum in strata]
    wrong = [sum(members[cell.verdict, cell.band] for cell in stratum.cells) for stratum in strata]
    drawn = allocate(sizes, [stratum.expected for stratum in strata], labels)
    hits = [random.hypergeometric(w, n - w, d, audits) for w, n, d in zip(wrong, sizes, drawn, strict=True)]
    _, low, high = share(np.stack(hits, axis=1), drawn, sizes)
    truth = bad.mean()
    return float(((low <= truth) & (truth <= high)).mean()), float((low > truth).mean()), float((high - low).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--audits", type=int, default=2000)
    parser.add_argument("--answers", type=int, default=100_000)
    given = parser.parse_args()
    random, every = np.random.default_rng(1), []
    print(f"{'true rate':>9}  {'engine':14}{'its count':>9}  " + "".join(f"{n:>6} labels (width)" for n in LABELS))
    for rate in RATES:
        for engine in ENGINES:
            bad, scores = population(random, given.answers, rate, engine)
            found = [coverage(random, given.audits, bad, scores, labels) for labels in LABELS]
            every += [one[0] for one in found]
            shown = "".join(f"{held:>12.1%} ({width:.3f})" for held, _, width in found)
            print(f"{rate:>9.1%}  {engine:14}{np.mean(scores < 0.5):>9.1%}  {shown}")
    inside = np.mean([0.93 <= one <= 0.97 for one in every])
    print(f"mean {np.mean(every):.1%}, {min(every):.1%} to {max(every):.1%}; within 93 to 97 %: {inside:.0%} of all")


if __name__ == "__main__":
    main()
