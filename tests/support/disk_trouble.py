"""A disk in trouble."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager

import pytest

pytestmark = pytest.mark.usefixtures("impatient")


@contextmanager
def locked(path):
    """Another process writes and does not come to an end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
