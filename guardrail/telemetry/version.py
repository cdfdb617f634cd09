"""The version of this package, for telemetry and for ``guardrail.__version__``."""

from __future__ import annotations


def version() -> str:
    """Of the installed package; "0" for a source tree that was never installed."""
    from importlib import metadata

    try:
        return metadata.version("rag-guardrail")
    except metadata.PackageNotFoundError:
        return "0"
