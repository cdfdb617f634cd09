"""Train the reader of six languages on packs, for so many minutes; see training.pack_stage.

python -m training.multilingual.train --data DATA --base runs/e5/base --out runs/e5/trained --minutes 100
"""

from __future__ import annotations

from training.multilingual.base import LANGUAGES
from training.multilingual.reader import FROZEN, Reader
from training.pack_stage import run_stage

RATE = 2e-4

if __name__ == "__main__":
    run_stage(__doc__, Reader, runs="runs/e5", frozen=FROZEN, rate=RATE, langs=LANGUAGES)
