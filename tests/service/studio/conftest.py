"""A studio on a real port, and a real browser that opens it."""

from __future__ import annotations

import fcntl
import os
import shutil

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from guardrail.service.studio.studio import Studio
from tests.support.label_files import label_bridges, write_bridges
from tests.support.recorded_answers import RECORDED_UNTIL, write_store
from tests.support.studio_api import NOW, client_of
from tests.support.studios import running

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """600 recorded answers."""
    path = tmp_path_factory.mktemp("api") / "guardrail.db"
    write_store(path, 600, now=NOW)
    return path


@pytest.fixture(scope="module")
def client(store):
    """A client of the studio over them."""
    return client_of(store)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Sixty answers with labels, for the view Set."""
    path = write_bridges(tmp_path_factory.mktemp("set") / "answers.jsonl", 60)
    label_bridges(path)
    return path


@pytest.fixture
def out(source):
    """The policy file that may be written; it is not there yet."""
    path = source.with_name("policy.yaml")
    path.unlink(missing_ok=True)
    return path


@pytest.fixture(scope="session")
def site():
    """A studio without recorded answers."""
    with running(Studio()) as found:
        yield found


@pytest.fixture(scope="module")  # no longer: while it is open, Playwright's event loop runs in this thread
def browser():
    """Chromium; tests that need it are skipped where there is none, unless GUARDRAIL_NEED_CHROMIUM=1."""
    path = next((found for name in _CHROMIUM if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        path = None
    if path is None:
        said = "no Chromium, or no Playwright"
        if os.environ.get("GUARDRAIL_NEED_CHROMIUM") == "1":
            pytest.fail(said)
        pytest.skip(said)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def context(browser):
    """A browser profile of its own; an error in the page's console fails the test."""
    made = browser.new_context()
    made.set_default_timeout(300_000)  # machines of CI are slow
    faults = []
    made.on("weberror", lambda error: faults.append(str(error.error)))
    yield made
    made.close()
    assert not faults


@pytest.fixture
def page(context):
    """A tab of it."""
    return context.new_page()


@pytest.fixture
def site_with():
    """Runs a studio of the test's own: ``with site_with(studio) as site``."""
    return running


@pytest.fixture(scope="session")
def many_records(tmp_path_factory):
    """A store of 100,000 records, of the 14 days before RECORDED_UNTIL: made once for all workers, and only read."""
    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    path = folder / "many-records.db"
    with (folder / "many-records.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the others wait until it is whole
        if not path.exists():
            making = folder / "many-records.making.db"
            write_store(making, 100_000, now=RECORDED_UNTIL)
            making.rename(path)
    return path
