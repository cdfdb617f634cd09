"""An audit to draw samples from."""

from __future__ import annotations

import pytest

from tests.support.sampled import audit_scores


@pytest.fixture
def audited(tmp_path):
    return audit_scores(tmp_path)
