"""The policy file that the Set view writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from guardrail import Policy
from guardrail.errors import ConfigurationError, UsageError
from guardrail.service.studio.setting.policy_file import NOTHING, draft, write
from guardrail.service.studio.studio import Studio
from tests.support.studio_api import opened


@pytest.fixture(scope="module")  # the answers are judged once
def client(source):
    yield from opened(Studio(source, policy_out=source.with_name("policy.yaml")))


def test_a_file_is_shown_before_it_is_written_and_never_over_something_else(client, out):
    asked = {"threshold": 0.37, "policy": "strict"}
    made = client.post("/api/set/draft", json=asked).json()
    assert (made["name"], made["over"], out.exists()) == ("policy.yaml", "", False)
    assert "+threshold: 0.37" in made["diff"]
    assert client.post("/api/set/write", json=asked).status_code == 422  # nobody looked
    assert client.post("/api/set/write", json={**asked, "over": ""}).json()["threshold"] == 0.37
    assert Policy.load(out) == Policy.strict().with_(name="policy", threshold=0.37)
    reply = client.post("/api/set/write", json={"threshold": 0.5, "policy": "strict", "over": ""})
    assert (reply.status_code, "was changed since" in reply.json()["error"]["message"]) == (422, True)
    out.write_text("# ours\npreset: monitor\n")
    made = client.post("/api/set/draft", json=asked).json()
    assert made["comments"] == 1
    assert {"-# ours", "-preset: monitor", "+preset: strict"} <= set(made["diff"])
    assert client.post("/api/set/write", json={**asked, "over": made["over"]}).status_code == 200


def test_a_file_of_several_policies_is_left_alone(client, out):
    out.write_text("policies:\n  a: {preset: monitor}\n  b: {preset: strict}\n")
    reply = client.post("/api/set/draft", json={"threshold": 0.3})
    assert "holds several policies" in reply.json()["error"]["message"]


def test_a_draft_shows_what_would_change_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    new = draft(path, "preset: strict\n")
    assert (new.over, new.comments, new.diff[-1], path.exists()) == (NOTHING, 0, "+preset: strict", False)
    path.write_text("# by hand\n  # twice\npreset: monitor\n")
    over = draft(path, "preset: strict\n")
    assert over.comments == 2
    assert over.over not in (NOTHING, new.over)
    assert path.read_text().startswith("# by hand")
    path.write_text("preset: strict\n")
    assert draft(path, "preset: strict\n").diff == ()


def test_only_what_was_shown_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("preset: monitor\n")
    shown = draft(path, "preset: strict\n")
    path.write_text("preset: repair\n")
    for over in (shown.over, NOTHING, "other"):
        with pytest.raises(UsageError, match=r"'policy\.yaml' was changed since its diff was shown"):
            write(path, "preset: strict\n", over)
    assert path.read_text() == "preset: repair\n"
    written = write(path, "preset: strict\n", draft(path, "preset: strict\n").over)
    assert written.actions == Policy.load(path).actions == Policy.strict().actions


def test_a_text_that_is_no_policy_is_never_written(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    for text in ("preset: no-such\n", "threshold: 7\n", "- a\n", "preset: ["):
        with pytest.raises(ConfigurationError):
            write(path, text, NOTHING)
    assert not path.exists()


def test_a_file_that_is_no_policy_or_no_text_can_be_replaced_once_it_was_shown(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(b"\xff\xfe: [")
    shown = draft(path, "preset: strict\n")
    assert "+preset: strict" in shown.diff
    assert write(path, "preset: strict\n", shown.over).actions == Policy.strict().actions


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"cannot read {tmp_path.name!r}: Is a directory"):
        draft(tmp_path, "preset: strict\n")
