"""The files that ship."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

SHIPPED = Path(str(files("guardrail.telemetry.monitor") / "files"))
