"""Export the larger reader; see training.pack_export.

python -m training.mpnet.export --base runs/mpnet/base --run runs/mpnet/trained --to models/base/...
"""

from __future__ import annotations

from training.mpnet.reader import Reader
from training.pack_export import run_export

if __name__ == "__main__":
    run_export(__doc__, Reader, runs="runs/mpnet")
