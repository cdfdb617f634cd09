"""An audit to draw samples from."""

from __future__ import annotations

import shutil

import pytest

from tests.support.sampled import audit_scores


@pytest.fixture(scope="module")
def audited_once(tmp_path_factory):
    """The folder of an audit, and a copy of the folder around it."""
    folder = tmp_path_factory.mktemp("audited")
    out = audit_scores(folder)
    return out, shutil.copytree(folder, tmp_path_factory.mktemp("kept") / "audited")


@pytest.fixture
def audited(audited_once):
    """As the audit left it, at the same place, for it names its source; the log is beside it."""
    out, kept = audited_once
    shutil.rmtree(out.parent)
    shutil.copytree(kept, out.parent)
    return out
