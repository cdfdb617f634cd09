"""One service for the tests of a module."""

import pytest

from tests.support import dialect_server


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a service, and its application."""
    with dialect_server.serving(dialect_server.settings(tmp_path_factory.mktemp("service"))) as found:
        yield found


@pytest.fixture(scope="module")
def url(served):
    return served[0]
