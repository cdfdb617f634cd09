"""Keys: made, hashed, found, compared."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from guardrail.service.keys import Client, hashed, new_key, owner, presented
from guardrail.service.settings import KeySettings


@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ({"Authorization": "Bearer k1"}, "k1"),
        ({"Authorization": "bearer  k1 "}, "k1"),
        ({"X-Guardrail-Key": "k2", "Authorization": "Bearer upstreams"}, "k2"),
        ({"X-Api-Key": "k3"}, "k3"),
        ({"Api-Key": "k4"}, "k4"),
        ({"Ocp-Apim-Subscription-Key": "k5"}, "k5"),
        (
            {"Authorization": "AWS4-HMAC-SHA256 Credential=k6/20261123/eu-west-1/bedrock/aws4_request, Signature=0"},
            "k6",
        ),
        ({"Authorization": "Basic azE="}, None),
        ({"Authorization": "Bearer "}, None),
        ({}, None),
    ],
)
def test_where_a_key_stands(headers, key):
    assert presented(Headers(headers)) == key


def test_only_its_own_key_opens():
    keys = [new_key() for _ in range(3)]
    known = [KeySettings(name=f"c{n}", hash=hashed(key), guards=("g",) * n) for n, key in enumerate(keys)]
    assert [owner(key, known) for key in keys] == [Client("c0"), Client("c1", ("g",)), Client("c2", ("g", "g"))]
    for wrong in (new_key(), keys[0][:-1], keys[0] + "x", "", hashed(keys[0]), known[0].hash, "\udc80"):
        assert owner(wrong, known) is None


def test_keys_are_long_and_never_the_same():
    assert len({new_key() for _ in range(100)}) == 100
    assert len(new_key()) >= 40
