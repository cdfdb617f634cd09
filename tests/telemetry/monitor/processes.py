"""Code in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = os.pathsep.join(filter(None, [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH")]))


def run_python(code: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What became of the code; it must end without an error."""
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        env=os.environ | {"PYTHONPATH": ROOT, **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done
