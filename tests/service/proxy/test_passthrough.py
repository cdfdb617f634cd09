"""What is not ours passes byte for byte; what is asked in odd ways does not pass unchecked."""

from __future__ import annotations

import gzip
import json
import socket

import httpx
import openai
import pytest

from tests.support.proxied import ASKED, QUESTION, RAW, client, model, proxy

ODD = '{ "model" : "m",\n "temperature":1.0e0, "seed":123456789012345678901234567890, "x\\u00e9":[ {"y":null} ], "messages":%s, "user":"\\ud83d\\ude00é" }'


def test_a_request_is_sent_as_it_is():
    """Blanks, spellings of numbers, escapes, unknown fields; only our field is cut out."""
    body = ODD % json.dumps([QUESTION])
    ours = body[:-2] + ', "guardrail" : {"passages": ["The dam is 64 metres high."]} }'
    with proxy(model) as (url, upstream):
        for each in (body, ours):
            httpx.post(f"{url}/v1/chat/completions?api-version=1&x=%2F", content=each.encode()).raise_for_status()
    assert [seen[3].decode() for seen in upstream.seen] == [body, body[:-2] + " }"]
    assert upstream.seen[0][1] == "/v1/chat/completions?api-version=1&x=%2F"


def test_a_reply_is_delivered_as_it_is_but_for_the_text():
    """Also where a key comes twice."""
    reply = (
        '{ "id" : "c",\n"choices":[ {"index":0, "message":{"content":"first","role":"assistant","content":"%s", "v":{"k":1.0e0}},'
        ' "finish_reason" : "stop", "w":[1 ,2]} ], "usage":{"total_tokens":12345678901234567890123}, "é":"\\u00e9\\ud800" }'
    ).encode()
    with proxy(lambda _: reply % b"The dam is 64 metres high.") as (url, _):
        said = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED})
    assert said.content.startswith((reply % b"The dam is 64 metres high.")[:-2])
    with proxy(lambda _: reply % b"Rita Halloway built it. The dam is 64 metres high.", "redact") as (url, _):
        said = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED})
    text = said.content.decode()
    assert text.count('"content":"The dam is 64 metres high."') == 2
    assert text.startswith('{ "id" : "c",\n"choices":[ {"index":0, "message":{"content":')
    assert (
        '"finish_reason" : "stop", "w":[1 ,2]} ], "usage":{"total_tokens":12345678901234567890123}, "é":"\\u00e9\\ud800"'
        in text
    )
    assert said.headers["x-vendor"] == "v"


RAW_BYTES = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "embeddings", b'{"model":"m" ,"input":"x"}'),
        ("POST", "files", RAW_BYTES),
        ("GET", "models/m%2Fn?x=1&y=%20", b""),
        ("DELETE", "responses/r_1", b""),
        ("PATCH", "some/thing/new", b"{}"),
        ("POST", "completions", b'{"prompt":"?"}'),
        ("GET", "chat/completions/c_1", b""),
        ("HEAD", "models", b""),
    ],
)
def test_other_routes_pass_byte_for_byte(method, path, body):
    """Both ways, with headers; the reply says that nobody checked it."""
    headers = [
        (b"content-type", b"application/x-odd"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
        (b"x-v", b"w"),
    ]
    with proxy(lambda _: (207, headers, [RAW_BYTES[:999], RAW_BYTES[999:]])) as (url, upstream):
        given = {"content-type": "application/json", "openai-organization": "o", "cookie": "c=3"}
        said = httpx.request(method, f"{url}/v1/{path}", content=body, headers=given)
    seen = upstream.seen[0]
    assert (seen[0], seen[1], seen[3]) == (method, f"/v1/{path}", body)
    assert (seen[2][b"openai-organization"], seen[2][b"cookie"]) == (b"o", b"c=3")
    assert said.status_code == 207
    assert said.content == (b"" if method == "HEAD" else RAW_BYTES)
    assert said.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert said.headers["x-guardrail-verdict"] == "not_checked"


def test_compressed_replies_pass_as_they_are_encoded():
    packed = gzip.compress(b"[1, 2, 3]")
    headers = [(b"content-type", b"application/json"), (b"content-encoding", b"gzip")]
    with proxy(lambda _: (200, headers, [packed])) as (url, upstream):
        said = httpx.get(f"{url}/v1/models", headers={"accept-encoding": "gzip"})
        assert said.json() == [1, 2, 3]
        assert said.headers["content-encoding"] == "gzip"
    assert upstream.seen[0][2][b"accept-encoding"] == b"gzip"


def test_compressed_answers_are_read():
    """Also from an upstream that was asked not to."""
    body = gzip.compress(json.dumps(model({"messages": ASKED})).encode())
    headers = [(b"content-type", b"application/json"), (b"content-encoding", b"gzip")]
    with proxy(lambda _: (200, headers, [body]), "redact") as (url, upstream):
        said = client(url).chat.completions.create(model="m", messages=ASKED)
    assert said.choices[0].message.content == "The dam is 64 metres high."
    assert upstream.seen[0][2][b"accept-encoding"] == b"identity"


def exchange(url, path, method="POST", body=b"{}", headers=""):
    """A request written by hand: clients tidy paths up."""
    host, port = url.removeprefix("http://").split(":")
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{headers}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    said = b""
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode("latin-1") + body)
        while piece := connection.recv(65_536):
            said += piece
    return int(said.split(b" ")[1]), said


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions/",
        "/v1/chat/Completions",
        "/v1/CHAT/completions",
        "/v1/chat%252fcompletions",
        "/v1/chat/completions;x=1",
        "/v1/chat/completions%20",
        "/v1//chat/completions",
        "/v1/x/../chat/completions",
        "/v1/x/%2e%2e/chat/completions",
        "/v1/./chat/completions",
        "/v1/x%5c..%5cchat/completions",
        "/v1/../admin",
        "/v1/..%2f..%2fadmin",
        "/v1/models%00",
        "/v1/models%0d%0aX-Evil:%201",
        "/v1/responses/",
        "/v1/http://127.0.0.1:1/x",
        "/v1/",
    ],
)
def test_no_spelling_of_a_path_comes_past_the_check_or_out_of_the_base(path):
    body = json.dumps({"model": "m", "messages": ASKED}).encode()
    with proxy(model) as (url, upstream):
        status, said = exchange(url, path, body=body)
    assert RAW.encode() not in said
    assert status in (404, 422)
    assert upstream.seen == []


def test_an_encoded_slash_is_the_guarded_route():
    body = json.dumps({"model": "m", "messages": ASKED}).encode()
    with proxy(model) as (url, upstream):
        status, said = exchange(url, "/v1/chat%2Fcompletions", body=body)
    assert (status, RAW.encode() in said) == (200, False)
    assert upstream.seen[0][1] == "/v1/chat/completions"


def test_guarded_routes_want_their_method():
    with proxy(model) as (url, upstream):
        assert httpx.get(f"{url}/v1/chat/completions").status_code == 405
    assert upstream.seen == []


@pytest.mark.parametrize("where", ["base_url", "upstream", "api_base", "url", "host"])
def test_no_field_and_no_header_names_an_address(where):
    """Server-side request forgery: the upstream of the settings is asked, whatever a request says."""
    evil = "http://127.0.0.1:1/v1"
    with proxy(model) as (url, upstream):
        body = {"model": "m", "messages": ASKED, where: evil}
        headers = {"x-forwarded-host": "evil", "x-base-url": evil, "x-upstream-url": evil}
        httpx.post(f"{url}/v1/chat/completions", json=body, headers=headers).raise_for_status()
        assert len(upstream.seen) == 1
        with pytest.raises(openai.NotFoundError, match="no upstream"):
            client(url, default_headers={"x-guardrail-upstream": evil}).chat.completions.create(
                model="m", messages=ASKED
            )
        assert exchange(url, evil + "/models", method="GET")[0] in (400, 404, 422)
    assert len(upstream.seen) == 1


def test_redirects_of_the_upstream_are_not_followed():
    headers = [(b"location", b"http://127.0.0.1:1/"), (b"content-type", b"text/plain")]
    with proxy(lambda _: (307, headers, [b""])) as (url, _):
        said = httpx.post(f"{url}/v1/chat/completions", json={"model": "m", "messages": ASKED})
    assert said.status_code == 307


def test_routes_can_be_shut():
    with proxy(lambda _: {}, passes=("models", "files/*")) as (url, upstream):
        assert httpx.get(f"{url}/v1/models").status_code == 200
        assert httpx.get(f"{url}/v1/files/f1").status_code == 200
        for path in ("completions", "files", "models/m", "responses/r"):
            assert httpx.get(f"{url}/v1/{path}").json()["error"]["code"] == "not_found"
    assert len(upstream.seen) == 2
