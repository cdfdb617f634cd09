"""The design of a sample, as it is written beside the queue."""

import json
from pathlib import Path

import pytest

from guardrail.audit.rate import corrected_rate, draw_sample
from guardrail.audit.rate.design import Design, Part, design_path
from guardrail.errors import UsageError
from tests.support.sampled import labelled

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_a_design_of_before_there_were_slices_is_read(audited):
    design = draw_sample(audited, 60)
    found = corrected_rate(labelled(design))
    path = design_path(design.queue)
    old = json.loads(path.read_text()) | {"version": 1}
    del old["slices"]
    for part in old["parts"]:
        del part["labels"]
    path.write_text(json.dumps(old))
    then = corrected_rate(design.queue.with_name("sample.labels.jsonl"))
    assert (then.rate, then.slices) == (found.rate, ())


PART = Part(name="supported 0.8–0.95", answers=90, bad=0, drawn=("0a", "0b"), labels=({"model": "m1"}, {}))
DESIGN = Design(
    fingerprint="abcdef", seed=3, left_out=2, slices={"model": {"m1": (40, 6)}},
    parts=(PART, Part(name="unsupported 0–0.2", answers=10, bad=10, drawn=("0a",), labels=({"model": "m1"},))),
)  # fmt: skip


def test_a_design_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "sample.design.json"
    DESIGN.write(path)
    assert Design.read(path) == DESIGN
    assert Design.read(path).answers == 100


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "It is written by guardrail audit sample; name it with --design"),
        ("{", "is no JSON"),
        ("[]", "is no design of guardrail audit sample"),
        ('{"format": "guardrail-audit-sample", "version": 3}', "or one of a newer guardrail"),
    ],
)
def test_what_is_no_design_is_refused_by_name(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "x.design.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=reason) as refused:
        Design.read(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("name", ["q.jsonl", "q.labels.jsonl", "q"])
def test_the_design_is_beside_its_queue_and_its_labels(name: str) -> None:
    assert design_path(Path("logs") / name) == Path("logs/q.design.json")
