"""One service for the tests of a module, and one that wants a key."""

import pytest

from guardrail.service.keys import hashed
from guardrail.service.settings import KeySettings, Limits
from tests.support import dialect_server


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a service, and its application."""
    with dialect_server.serving(dialect_server.settings(tmp_path_factory.mktemp("service"))) as found:
        yield found


@pytest.fixture(scope="module")
def url(served):
    return served[0]


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """The address of a service that wants the key ``grk_right``, and takes bodies of 1,000 bytes."""
    keys = (KeySettings(name="team", hash=hashed("grk_right")),)
    given = dialect_server.settings(tmp_path_factory.mktemp("locked"), keys=keys, limits=Limits(body=1_000))
    with dialect_server.serving(given) as (address, _):
        yield address
