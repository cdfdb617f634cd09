"""The page inside `guardrail serve`, in a real browser: it asks for a key, keeps it in its tab, and says what is wrong."""

import pytest

from guardrail.service.keys import hashed, new_key
from tests.support.recorded_answers import write_store
from tests.support.services import served

pytestmark = pytest.mark.clock

DESK, OWNER = new_key(), new_key()
KEYS = [{"name": "desk", "hash": hashed(DESK)}, {"name": "owner", "hash": hashed(OWNER)}]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    write_store(folder / "records.db", 60, now=1_800_000_000.0)
    settings = {"folder": folder, "records": {"path": "records.db", "days": None}, "studio": {"keys": ["owner"]}}
    with served(keys=KEYS, **settings) as found:
        yield found


def enter(page, key):
    page.get_by_label("Key of the service").fill(key)
    page.get_by_role("button", name="Unlock").click()


def test_a_key_opens_it_and_others_are_said_in_words(context, page, service):
    sent = []
    page.on("request", lambda request: sent.append((request.url, request.headers)))
    page.goto(f"{service.url}/studio#/browse")  # without the slash, as people write it
    page.get_by_text("enter a key that may use it").wait_for()
    assert not [url for url, _ in sent if "/api/" in url]
    for wrong, said in (
        (new_key(), "The service does not know this key"),
        ("clé ✗", "The service does not know this key"),
        (DESK, "This key is not for the studio"),
    ):
        enter(page, wrong)
        page.get_by_role("alert").get_by_text(said).wait_for()
    enter(page, f" {OWNER} ")
    page.get_by_text("50 of 60 answers").wait_for()
    assert OWNER not in page.url
    assert not [url for url, _ in sent if OWNER in url]
    assert page.evaluate("[localStorage.length, Object.values(sessionStorage)]") == [0, [OWNER]]
    page.reload()  # this tab keeps it
    page.get_by_text("50 of 60 answers").wait_for()
    other = context.new_page()  # another one does not
    other.goto(f"{service.url}/studio/#/browse")
    other.get_by_label("Key of the service").wait_for()
    assert other.locator("#token").get_attribute("type") == "password"


def test_no_address_brings_a_key(page, service):
    page.goto(f"{service.url}/studio/#token={OWNER}&/browse")
    page.get_by_label("Key of the service").wait_for()
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_an_answer_is_checked(page, service):
    page.goto(f"{service.url}/studio/")
    enter(page, OWNER)
    page.get_by_label("Answer", exact=True).fill("The dam is high.")
    page.get_by_label("Passage 1", exact=True).fill("The dam is high.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".result").wait_for()
    assert page.locator(".segment").get_attribute("data-verdict") == "supported"
