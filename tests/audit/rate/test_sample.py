"""Samples of an audit, as queues for people to label."""

import pytest
from typer.testing import CliRunner

from guardrail.audit.rate import corrected_rate, draw_sample
from guardrail.audit.rate.design import Design, design_path
from guardrail.cli.main import app
from guardrail.errors import UsageError
from guardrail.service.studio.studio import Studio
from tests.support.audited import audit_rows, logged, write_lines
from tests.support.sampled import queue_of, rows

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_a_sample_stands_for_all_answers_with_passages(audited):
    drawn = draw_sample(audited, 120)
    assert (drawn.answers, drawn.design.answers, drawn.design.left_out, drawn.gone) == (120, 480, 7, 0)
    queue = queue_of(drawn)
    assert len(queue) == drawn.items == len({row["id"] for row in queue})
    assert {ident for part in drawn.design.parts for ident in part.drawn} == {row["id"] for row in queue}
    assert all(row["passages"] and "verdict" not in row and "score" not in row for row in queue)
    assert 1 < len(drawn.design.parts) <= 5
    assert Design.read(design_path(drawn.queue)) == drawn.design


def test_the_same_seed_draws_the_same(audited, tmp_path):
    first, again, other = (
        draw_sample(audited, 60, seed=s, to=tmp_path / f"{n}.jsonl") for n, s in enumerate((1, 1, 2))
    )
    assert queue_of(first) == queue_of(again)
    assert first.design == again.design
    assert {row["id"] for row in queue_of(first)} != {row["id"] for row in queue_of(other)}


def test_the_studio_opens_the_queue_and_keeps_the_ids(audited):
    pytest.importorskip("starlette")
    from guardrail.service.studio.label import Desk

    drawn = draw_sample(audited, 40)
    desk = Desk(Studio(drawn.queue))
    items = desk.queue({"order": "random", "limit": "500", "by": "Ana"})["items"]
    assert {item["id"] for item in items} == {row["id"] for row in queue_of(drawn)}
    for item in items:
        desk.say({"item": item["id"], "segment": "", "label": "contradicted", "by": "Ana", "order": "random"})
    found = corrected_rate(audited / "sample.labels.jsonl")
    assert (found.rate, found.labelled) == (1.0, 40)


def test_a_source_that_has_moved(audited, tmp_path):
    log = audited.parent / "log.jsonl"
    log.rename(tmp_path / "moved.jsonl")
    with pytest.raises(UsageError, match=r"source of the audit is gone.*--source"):
        draw_sample(audited, 40)
    words = ["audit", "sample", str(audited), "--size", "40", "--source", str(tmp_path / "moved.jsonl")]
    assert CliRunner().invoke(app, words).exit_code == 0
    kept = [row for row in rows() if row["id"].startswith("again")]
    write_lines(tmp_path / "part.jsonl", [logged(1, answer="Other."), *kept])
    words += ["--to", str(tmp_path / "q.jsonl")]
    words[words.index("--source") + 1] = str(tmp_path / "part.jsonl")
    assert "are not in the source any more" in CliRunner().invoke(app, words).output


def test_answers_that_have_changed_are_not_labelled(audited):
    write_lines(audited.parent / "log.jsonl", [row | {"answer": "Other."} for row in rows()])
    with pytest.raises(UsageError, match="none of the 40 drawn answers is in the source any more"):
        draw_sample(audited, 40)
    assert not (audited / "sample.jsonl").exists()


def test_what_cannot_be_drawn_is_said(audited, tmp_path):
    audit_rows(tmp_path, ["{"], "empty")
    with pytest.raises(UsageError, match="no answer with passages"):
        draw_sample(tmp_path / "empty", 10)
    with pytest.raises(UsageError, match="size must be at least 1, got 0"):
        draw_sample(audited, 0)
    draw_sample(audited, 20)
    with pytest.raises(UsageError, match="exists, and labels may belong to it"):
        draw_sample(audited, 20)
