"""The API of Watch, over a real application."""

from __future__ import annotations

import pytest

from tests.support.studio_api import asked


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [({"by": "labels"}, 422, "by"), ({"by": "x') --"}, 422, "by")],
)
def test_what_is_not_understood_is_refused_by_name(client, query, status, field):
    reply = client.get("/api/watch", params=query)
    assert (reply.status_code, reply.json()["error"]["field"]) == (status, field)
    assert reply.json()["error"]["message"].endswith(".")


def test_charts_are_of_the_chosen_records_whole_and_by_label(client):
    whole = asked(client, "watch")["series"]
    assert (whole["whole"]["whole"]["records"], whole["lines"]) == (600, [])
    assert sum(point["records"] for point in whole["whole"]["points"] if point) == 600
    by = asked(client, "watch", by="release", topic="billing")
    lines = {line["value"]: line["whole"]["records"] for line in by["series"]["lines"]}
    assert set(lines) == {"v40", "v41"}
    assert sum(lines.values()) == by["series"]["whole"]["whole"]["records"] < 600
    assert by["source"]["name"] == "guardrail.db"
    assert asked(client, "watch", release="none")["series"] is None
