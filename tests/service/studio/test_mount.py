"""The studio at /studio of the service: who comes to what, by real requests; the page in a real browser is tested in
tests/service/studio/pages/test_service.py."""

from __future__ import annotations

import re

import pytest
import yaml
from typer.testing import CliRunner

from guardrail.cli.main import app as cli
from guardrail.errors import ConfigurationError
from guardrail.service.keys import hashed, new_key
from guardrail.service.settings import Settings
from guardrail.service.studio.mount import build_studio
from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import outcome, write_store
from tests.support.services import ENGINES, RIVER, served, wait_until

pytestmark = pytest.mark.clock

DESK, OWNER = new_key(), new_key()
KEYS = [{"name": "desk", "hash": hashed(DESK)}, {"name": "owner", "hash": hashed(OWNER)}]
GUARDS = {"default": {"engine": ENGINES + "fake"}}
DATA = ("/studio/api/choices", "/studio/api/records", "/studio/api/changes", "/studio/api/nothing")


def key(value):
    return {"X-Guardrail-Key": value}


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A service with twenty records, and a studio for the key of the owner."""
    folder = tmp_path_factory.mktemp("service")
    write_store(folder / "records.db", 20, now=1_800_000_000.0)
    settings = {"folder": folder, "records": {"path": "records.db", "days": None}, "studio": {"keys": ["owner"]}}
    with served(keys=KEYS, **settings) as found:
        yield found


def test_there_is_none_unless_the_settings_say_so():
    with served(keys=KEYS) as plain:
        for path in ("/studio", "/studio/", "/studio/api/choices"):
            assert plain.get(path, headers=key(OWNER)).status_code == 404
            assert plain.get(path).status_code == 401


def test_the_page_needs_no_key_and_asks_for_one(one):
    assert one.get("/studio", headers={"Host": "evil.example"}).headers["location"] == "studio/"
    page = one.get("/studio/")
    assert page.status_code == 200
    assert '<meta name="guardrail-key" content="service">' in page.text
    for name in ("index.html", "main.js", "parts/api.js", "views/check.js", "style.css", "icon.svg"):
        assert one.get(f"/studio/{name}").status_code == 200
    named = re.findall(r'(?:src|href)="(\w+/[^"]+)"', page.text)
    assert len(named) >= 6
    for name in named:
        assert one.get(f"/studio/{name}").status_code == 200
    assert one.get(f"/studio/{named[0]}/api/choices").status_code == 401
    assert one.get(f"/studio/{named[0].partition('/')[0]}/api/choices").status_code == 401


@pytest.mark.parametrize("path", DATA)
@pytest.mark.parametrize("headers", [{}, key(""), key(new_key()), key("é".encode()), {"x-studio-token": OWNER}])
def test_without_a_valid_key_nothing_is_told(one, path, headers):
    reply = one.get(path, headers=headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized")
    assert one.client.post(path, headers=headers, json={}).status_code == 401


@pytest.mark.parametrize("path", DATA)
def test_a_key_that_the_settings_do_not_name_is_not_enough(one, path):
    for reply in (one.get(path, headers=key(DESK)), one.post(path, headers=key(DESK))):
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")
    assert one.post("/v1/check", headers=key(DESK)).status_code == 200


def test_the_right_key_comes_to_the_records_of_the_service(one):
    listed = one.get("/studio/api/records", headers=key(OWNER)).json()
    before = listed["total"]  # what the service keeps of its own checks is drawn by chance
    assert before >= 20
    assert one.get("/studio/api/choices", headers={"Authorization": f"Bearer {OWNER}"}).json()["source"] == "records.db"
    one.service.records.record(outcome("contradicted", id="f" * 32))
    assert one.service.records.flush(60)
    assert one.get("/studio/api/records", headers=key(OWNER)).json()["total"] == before + 1
    checked = one.post("/studio/api/check", headers=key(OWNER)).json()
    assert checked["verdict"] == "supported"


@pytest.mark.parametrize(
    "path",
    [
        "/studio//api/choices", "/studio/./api/choices", "/studio/x/../api/choices", "/studio/%61pi/choices",
        "/studio/api%2fchoices", "/studio/index.html/../api/choices", "//studio/api/choices", "/studio/API/choices",
        "/studio/main.js/api/choices", "/studio/api/choices/", "/studio/..%2f..%2fservice.yaml", "/studio/parts/",
        "/studio/../v1/guards", "/studio/%2e%2e/v1/guards", "/Studio/api/choices", "/studio;/api/choices",
    ],
)  # fmt: skip
def test_no_other_spelling_needs_no_key(one, path):
    reply = one.raw(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    assert reply.startswith(b"HTTP/1.1 401"), reply[:300]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_reading_the_page_needs_no_key(one, method):
    assert one.client.request(method, "/studio/main.js").status_code == 401


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [("/studio/", {}, 200), ("/studio/nothing", key(OWNER), 404), ("/studio/api/choices", key(OWNER), 200),
     ("/studio/api/choices", {}, 401), ("/studio/api/choices", key(DESK), 403)],
)  # fmt: skip
def test_every_reply_shuts_the_page_off(one, path, sent, status):
    reply = one.get(path, headers=sent)
    assert reply.status_code == status
    policy = dict(part.strip().partition(" ")[::2] for part in reply.headers["content-security-policy"].split(";"))
    assert (policy["default-src"], policy["script-src"], policy["frame-ancestors"]) == ("'none'", "'self'", "'none'")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["x-frame-options"] == "DENY"
    assert ("no-store" in reply.headers["cache-control"]) == (path != "/studio/" and status != 404)
    assert not any(name.startswith("access-control") for name in reply.headers)


def test_another_page_is_refused_even_with_the_key(one):
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert one.get("/studio/api/choices", headers={**key(OWNER), **headers}).status_code == 403


def test_a_large_body_is_refused_by_the_limits_of_the_service():
    with served(keys=KEYS, studio={"keys": ["owner"]}, limits={"body": 1_000}) as small:
        reply = small.post("/studio/api/check", {**RIVER, "answer": "a" * 2_000}, headers=key(OWNER))
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")


def test_files_are_relative_to_the_settings_and_policies_of_guards_can_be_chosen(tmp_path):
    (tmp_path / "mine.yaml").write_text("preset: strict\n")
    settings = Settings(
        folder=tmp_path, keys=KEYS, guards={"default": {**GUARDS["default"], "policy": "mine.yaml"}},
        studio={"keys": ["owner"], "labels": "of.jsonl", "policy_out": "out.yaml", "engines": ["llm:m"]},
    )  # fmt: skip
    store = RecordStore(tmp_path / "records.db")
    studio = build_studio(settings, store)
    assert studio.records is store
    assert studio.labels.path == tmp_path / "of.jsonl"
    assert studio.policy_out == tmp_path / "out.yaml"
    assert (studio.policies[0], studio.engines) == (str(tmp_path / "mine.yaml"), ("llm:m", "local"))
    beside = settings.model_copy(update={"studio": settings.studio.model_copy(update={"labels": None})})
    assert build_studio(beside, store).labels.path == tmp_path / "records.labels.jsonl"
    assert build_studio(settings.model_copy(update={"studio": None}), store) is None


def test_its_keys_are_read_again_and_it_can_be_turned_off(tmp_path):
    file = tmp_path / "service.yaml"

    def write(**changes):
        file.write_text(yaml.safe_dump({"guards": GUARDS, "keys": KEYS, **changes}))

    write(studio={"keys": ["owner"]})
    with served(file) as found:
        status = lambda value: found.get("/studio/api/choices", headers=key(value)).status_code  # noqa: E731
        assert (status(OWNER), status(DESK)) == (200, 403)
        write(studio={"keys": ["owner", "nobody"]})
        wait_until(lambda: found.service.reload.failure)
        assert (status(OWNER), status(DESK)) == (200, 403)
        write(studio={"keys": ["desk"]})
        wait_until(lambda: (status(OWNER), status(DESK)) == (403, 200))
        write()
        wait_until(lambda: (status(OWNER), status(DESK), found.get("/studio/").status_code) == (404, 404, 404))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"studio": {"keys": ["owner"]}}, "no key 'owner'. Known: none"),
        ({"keys": KEYS, "studio": {"keys": ["other"]}}, "Known: desk, owner"),
        ({"keys": KEYS, "studio": {"keys": []}}, "studio.keys"),
        ({"keys": KEYS, "studio": {}}, "studio.keys"),
        ({"keys": KEYS, "studio": {"keys": ["owner"]}, "workers": 2}, "set workers to 1"),
        ({"keys": KEYS, "studio": {"keys": ["owner"], "pages": "x"}}, "pages"),
    ],
)
def test_settings_that_cannot_be(settings, said, tmp_path):
    (tmp_path / "service.yaml").write_text(yaml.safe_dump(settings))
    with pytest.raises(ConfigurationError, match=said):
        Settings.load(tmp_path / "service.yaml")


def test_check_says_that_there_is_one(tmp_path):
    file = tmp_path / "service.yaml"
    check = lambda: CliRunner().invoke(cli, ["serve", "--config", str(file), "--check"])  # noqa: E731
    file.write_text(yaml.safe_dump({"guards": GUARDS, "keys": KEYS, "studio": {"keys": ["owner"]}}))
    assert "studio      /studio/, for the keys owner" in check().output
    file.write_text(
        yaml.safe_dump({"guards": GUARDS, "keys": KEYS, "studio": {"keys": ["owner"], "policies": ["none"]}})
    )
    assert isinstance(check().exception, ConfigurationError)
