"""What version 0.1.0 had can be imported for one version more, with a warning."""

from __future__ import annotations

import importlib
import sys

import pytest

import guardrail
from guardrail.check.contract import AsyncEngine, Engine, VerifyRequest, unverified
from guardrail.check.matrix import validated
from guardrail.engines import moved
from guardrail.engines.local.engine import LocalEngine


@pytest.mark.parametrize(
    ("module", "name", "now"),
    [
        ("guardrail.engine", "Engine", Engine),
        ("guardrail.engine", "AsyncEngine", AsyncEngine),
        ("guardrail.engine", "VerifyRequest", VerifyRequest),
        ("guardrail.engine", "unverified", unverified),
        ("guardrail.engine", "account", validated),
        ("guardrail.local.engine", "LocalEngine", LocalEngine),
    ],
)
def test_an_old_path_leads_to_the_new_one_and_warns(module, name, now):
    old = importlib.import_module(module)
    with pytest.warns(DeprecationWarning, match=f"{module}.{name} is now {now.__module__}"):
        assert getattr(old, name) is now


def test_the_import_statement_works_and_blames_the_importer():
    with pytest.warns(DeprecationWarning, match=r"guardrail\.engine\.Engine is now") as seen:
        from guardrail.engine import Engine as Old
    assert Old is Engine
    assert {warning.filename for warning in seen} == {__file__}


def test_what_was_never_there_is_missed_as_ever():
    with pytest.raises(ImportError):
        importlib.import_module("guardrail.engin")
    with pytest.raises(AttributeError, match=r"guardrail\.engine.*nothing"):
        _ = importlib.import_module("guardrail.engine").nothing


def test_the_finder_is_installed_once():
    before = list(sys.meta_path)
    moved.install()
    assert sys.meta_path == before
    assert guardrail.__version__
