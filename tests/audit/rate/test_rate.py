"""From the audit to labels and back, with a studio's label file."""

import json

import pytest
from typer.testing import CliRunner

from guardrail.audit import audit
from guardrail.audit.rate import corrected_rate, draw_sample
from guardrail.audit.rate.design import Design, design_path
from guardrail.audit.rate.strata import Cell, strata_of
from guardrail.audit.report import write_report
from guardrail.cli.main import app
from guardrail.errors import UsageError
from guardrail.evaluation.data.label_rows import item_row
from guardrail.evaluation.labels import Item, Label
from guardrail.service.studio.studio import Studio
from guardrail.types import Passage
from tests.support.audited import ScoringEngine, logged, write_lines
from tests.support.label_files import write_labels

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def rows(count=400):
    """Scores s05 to s95; every tenth answer is logged three times, and some have no passages."""
    found = [logged(n, answer=f"Valve {n} of kind s{5 + 10 * (n % 10):02} closes.", model=f"m{n % 4 // 2}")
             for n in range(count)]  # fmt: skip
    found += [logged(n, id=f"again{n}-{k}", answer=found[n]["answer"]) for n in range(0, count, 10) for k in range(2)]
    return found + [logged(n, passages=[]) for n in range(count, count + 7)]


@pytest.fixture
def audited(tmp_path):
    audit(write_lines(tmp_path / "log.jsonl", rows()), tmp_path / "out", engine=ScoringEngine(), workers=0)
    return tmp_path / "out"


def queue_of(drawn):
    return [json.loads(line) for line in drawn.queue.read_text().splitlines()]


def is_wrong(row):
    """The truth: scores below 0.3 are wrong, and one in eight of the others."""
    return int(row["answer"].split(" s")[1][:2]) < 30 or int(row["answer"].split()[1]) % 8 == 0


def labelled(drawn, rows_of=None):
    lines = []
    for number, row in enumerate(queue_of(drawn) if rows_of is None else rows_of):
        passages = tuple(Passage(id=p["id"], title=p["title"], text=p["text"]) for p in row["passages"])
        lines.append(Item(id=row["id"], answer=row["answer"], passages=passages, segments=(), drawn="random"))
        word = "unsupported" if is_wrong(row) else "supported"
        lines.append(Label(key=f"k{number}", item=row["id"], segment="", label=word, by="Ana", at=1.0))
    return write_labels(drawn.queue.with_name("sample.labels.jsonl"), lines)


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


def test_labels_of_another_tool(audited):
    drawn = draw_sample(audited, 40)
    said = [row | {"label": "supported"} for row in queue_of(drawn)]
    path = write_lines(audited / "mine.jsonl", said)
    found = corrected_rate(path, audited / "sample.design.json")
    assert (found.rate, found.labels) == (0.0, len(said))


def test_a_source_that_has_moved(audited, tmp_path):
    log = tmp_path / "log.jsonl"
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


def test_answers_that_have_changed_are_not_labelled(audited, tmp_path):
    write_lines(tmp_path / "log.jsonl", [row | {"answer": "Other."} for row in rows()])
    with pytest.raises(UsageError, match="none of the 40 drawn answers is in the source any more"):
        draw_sample(audited, 40)
    assert not (audited / "sample.jsonl").exists()


def test_what_cannot_be_done_is_said(audited, tmp_path):
    audit(write_lines(tmp_path / "none.jsonl", ["{"]), tmp_path / "empty", engine=ScoringEngine(), workers=0)
    with pytest.raises(UsageError, match="no answer with passages"):
        draw_sample(tmp_path / "empty", 10)
    draw_sample(audited, 20)
    with pytest.raises(UsageError, match="exists, and labels may belong to it"):
        draw_sample(audited, 20)
    item = Item(id="x", answer="a", passages=(Passage(id="p", text="t"),), segments=())
    foreign = write_lines(audited / "sample.labels.jsonl", [json.dumps(item_row(item) | {"label": "supported"})])
    with pytest.raises(UsageError, match="no answer of the sample has a label"):
        corrected_rate(foreign)
    with pytest.raises(UsageError, match="--design"):
        corrected_rate(foreign, tmp_path / "nowhere.json")
    with pytest.raises(UsageError, match="no design"):
        corrected_rate(foreign, write_lines(tmp_path / "x.json", [{}]))


def test_the_command_line_and_the_report(audited):
    def run(*words):
        return CliRunner().invoke(app, ["audit", *map(str, words)])

    found = run("sample", audited, "--size", 100)
    assert found.exit_code == 0, found.output
    assert "100 answers drawn" in found.output
    labels = labelled(draw_sample(audited, 100, to=audited / "again" / "sample.jsonl"))
    (audited / "sample.labels.jsonl").write_bytes(labels.read_bytes())
    said = run("rate", audited)
    assert "95 % interval" in said.output
    assert "the engine alone" in said.output
    as_json = json.loads(run("rate", audited, "--json").output)
    assert as_json["labelled"] == 100
    assert run("report", audited, "--labels", audited / "sample.labels.jsonl").exit_code == 0
    page = (audited / "report.html").read_text()
    assert "what people say of a stratified sample, 100 of 100 drawn answers" in page
    assert f"{as_json['rate']:.1%} of the answers say something" in page
    write_report(audited)
    assert "what people say" not in (audited / "report.html").read_text()


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


def test_without_labels_the_next_step_is_said(audited):
    def rate():
        return str(CliRunner().invoke(app, ["audit", "rate", str(audited)]).exception)

    assert "Draw one: guardrail audit sample" in rate()
    draw_sample(audited, 20)
    assert "Label it: guardrail studio" in rate()


def test_small_strata_are_joined_with_their_neighbours():
    cells = [Cell("supported", 4, 900, 0, 0.02), Cell("unsupported", 0, 5, 5, 0.9), Cell("unsupported", 1, 60, 60, 0.7),
             Cell("supported", 2, 35, 0, 0.4), Cell("abstained", 4, 10, 0, 0.0)]  # fmt: skip
    assert len(strata_of(cells, 1000)) == 5
    names = [stratum.name for stratum in strata_of(cells, 75)]
    assert names == ["unsupported 0–0.5", "supported 0.5–0.8", "supported 0.95–1, abstained 0.95–1"]
    assert [s.answers for s in strata_of(cells, 10)] == [1010]
    assert strata_of([], 10) == []
    middle = [Cell("unsupported", 1, 60, 60, 0.7), Cell("supported", 2, 5, 0, 0.1), Cell("supported", 4, 900, 0, 0.02)]
    assert [s.name for s in strata_of(middle, 50)] == ["unsupported 0.2–0.5", "supported 0.5–1"]  # the likelier one
