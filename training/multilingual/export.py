"""Export the reader of six languages; see training.pack_export.

python -m training.multilingual.export --run runs/e5/trained --to guardrail/engines/local/languages --bits 8
"""

from __future__ import annotations

from training.multilingual.base import LANGUAGES
from training.multilingual.reader import Reader
from training.pack_export import run_export

if __name__ == "__main__":
    run_export(__doc__, Reader, runs="runs/e5", langs=LANGUAGES)
