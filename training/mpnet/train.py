"""Train the larger reader on packs, for so many minutes; see training.pack_stage.

python -m training.mpnet.train --data DATA --base runs/mpnet/base --out runs/mpnet/trained --minutes 100
"""

from __future__ import annotations

from training.mpnet.reader import FROZEN, Reader
from training.pack_stage import run_stage

RATE = 8e-5

if __name__ == "__main__":
    run_stage(__doc__, Reader, runs="runs/mpnet", frozen=FROZEN, rate=RATE, langs=("en",))
