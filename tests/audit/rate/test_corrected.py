"""The rate that labels of a sample give."""

import json

import pytest
from typer.testing import CliRunner

from guardrail.audit.rate import corrected_rate, draw_sample
from guardrail.cli.main import app
from guardrail.errors import UsageError
from guardrail.evaluation.data.label_rows import item_row
from guardrail.evaluation.labels import Item
from guardrail.types import Passage
from tests.support.audited import write_lines
from tests.support.sampled import is_wrong, labelled, queue_of, rows

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_labels_give_the_rate_and_not_the_engine(audited):
    drawn = draw_sample(audited, 200)
    found = corrected_rate(labelled(drawn))
    truth = [is_wrong(row) for row in rows() if row["passages"]]
    assert found.low <= sum(truth) / len(truth) <= found.high
    assert found.low < found.rate < found.high < found.low + 0.12
    assert (found.drawn, found.labelled, found.answers) == (200, 200, 480)
    assert found.engine == pytest.approx(280 / 480)  # it calls what is below 0.5 bad
    assert found.rate == pytest.approx(
        sum(s.part.answers * s.wrong / s.labelled for s in found.strata) / found.answers, abs=1e-9
    )


def test_all_labelled_is_the_truth(audited):
    drawn = draw_sample(audited, 10_000)
    found = corrected_rate(labelled(drawn))
    truth = [is_wrong(row) for row in rows() if row["passages"]]
    assert [found.rate, found.low, found.high] == pytest.approx([sum(truth) / len(truth)] * 3, abs=2e-3)


def test_missing_labels_widen_the_interval_and_are_counted(audited):
    drawn = draw_sample(audited, 200)
    whole = corrected_rate(labelled(drawn))
    part = corrected_rate(labelled(drawn, queue_of(drawn)[::4]))
    assert part.labelled < 80 < whole.labelled
    assert part.high - part.low > whole.high - whole.low


@pytest.mark.parametrize("bare", [0, 1, -1])
def test_a_stratum_without_a_label_counts_as_its_neighbour_and_is_named(audited, bare):
    drawn = draw_sample(audited, 100)
    left_out = set(drawn.design.parts[bare].drawn)
    found = corrected_rate(labelled(drawn, [row for row in queue_of(drawn) if row["id"] not in left_out]))
    assert found.joined == (drawn.design.parts[bare].name,)
    assert 0 < found.low < found.high < 1


def test_labels_of_another_tool(audited):
    drawn = draw_sample(audited, 40)
    said = [row | {"label": "supported"} for row in queue_of(drawn)]
    path = write_lines(audited / "mine.jsonl", said)
    found = corrected_rate(path, audited / "sample.design.json")
    assert (found.rate, found.labels) == (0.0, len(said))


def test_slices_have_rates_by_labels_of_their_own(audited):
    design = draw_sample(audited, 240)
    found = corrected_rate(labelled(design))
    truth = {m: [is_wrong(r) for r in rows() if r["passages"] and r.get("model") == m] for m in ("m0", "m1")}
    assert [(s.label, s.value, s.answers) for s in found.slices] == [("model", m, len(truth[m])) for m in truth]
    for one in found.slices:
        assert one.low <= sum(truth[one.value]) / len(truth[one.value]) <= one.high
        assert one.low < one.rate < one.high
        assert one.labelled < found.labelled
    few = corrected_rate(labelled(design, queue_of(design)[:12]))
    assert len(few.slices) < 2
    page = CliRunner().invoke(app, ["audit", "report", str(audited), "--labels", str(labelled(design))])
    assert page.exit_code == 0, page.output
    text = (audited / "report.html").read_text()
    assert f"{found.slices[0].rate:.1%} ({found.slices[0].low:.1%} to" in text
    assert "model m1: " in CliRunner().invoke(app, ["audit", "rate", str(audited)]).output


def test_labels_that_belong_to_no_sample_are_refused(audited, tmp_path):
    draw_sample(audited, 20)
    item = Item(id="x", answer="a", passages=(Passage(id="p", text="t"),), segments=())
    foreign = write_lines(audited / "sample.labels.jsonl", [json.dumps(item_row(item) | {"label": "supported"})])
    with pytest.raises(UsageError, match="no answer of the sample has a label"):
        corrected_rate(foreign)
    with pytest.raises(UsageError, match="--design"):
        corrected_rate(foreign, tmp_path / "nowhere.json")
    with pytest.raises(UsageError, match="no design"):
        corrected_rate(foreign, write_lines(tmp_path / "x.json", [{}]))
