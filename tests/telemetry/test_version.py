"""The version that telemetry tells."""

from __future__ import annotations

from importlib import metadata

import pytest

import guardrail
from guardrail.telemetry.version import version


def test_it_is_that_of_the_installed_package() -> None:
    assert version() == guardrail.__version__ == metadata.version("rag-guardrail")


def test_a_source_tree_that_was_never_installed_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert version() == "0"
