import random
import re

import pytest

from guardrail.audit import audit
from guardrail.audit.report import write_report
from guardrail.audit.report.figures import excess
from guardrail.errors import UsageError
from guardrail.testing import FakeEngine
from tests.support.audited import FAKE, logged, write_lines

pytest.importorskip("duckdb")
pyarrow = pytest.importorskip("pyarrow")


def run(tmp_path, rows, **options):
    log = write_lines(tmp_path / "log.jsonl", rows)
    return audit(log, tmp_path / "out", **{"engine": FAKE, "workers": 0} | options)


def test_the_rate_counts_every_answer_and_not_those_without_a_verdict(tmp_path):
    rows = [logged(n, bad=n < 10) for n in range(40)]
    rows += [logged(0, bad=True, id=f"again{n}") for n in range(5)]
    rows += [logged(n, passages=[], question="Why?") for n in range(50, 55)]
    run(tmp_path, rows)
    figures = write_report(tmp_path / "out")
    assert (figures.answers, figures.distinct, figures.whole.bad, figures.whole.total) == (50, 45, 15, 45)
    assert figures.verdicts == {"supported": 30, "contradicted": 15, "unverified": 5}
    assert figures.causes == {"no_passages": 5}
    assert figures.without_passages == {"Why?": 5}
    assert figures.whole.interval == pytest.approx((0.2141, 0.4792), abs=1e-3)
    assert figures.worst[0]["times"] == 6


def test_planted_causes_lead_their_lists(tmp_path):
    rows, draw = [], random.Random(5).randrange
    for n in range(600):
        release, index, topic = f"v{draw(4)}", f"i{draw(5)}", f"t{draw(3)}"
        bad = draw(20) == 0 or (release == "v3" and draw(3) == 0) or (index == "i2" and draw(3) == 0)
        row = logged(
            n, bad=bad or n % 11 == 7, labels={"release": release, "index": index, "topic": topic, "user": f"u{n}"}
        )
        row["passages"] = [
            {"title": f"Manual {n % 11}", "text": row["passages"][0]["text"]}, {"title": "Terms", "text": "Our terms."},
        ]  # fmt: skip
        rows.append(row)
    run(tmp_path, rows)
    figures = write_report(tmp_path / "out")
    assert figures.slices["release"][0].name == "v3"
    assert figures.slices["index"][0].name == "i2"
    assert figures.documents[0].name == "Manual 7"
    assert figures.documents[0].excess > 20
    assert max(rate.excess for rate in figures.slices["topic"]) < figures.slices["release"][0].excess
    assert next(iter(figures.contradicted)) == "Manual 7"


@pytest.mark.parametrize(
    ("bad", "total", "share", "least"), [(0, 0, 0.1, 0), (1, 2, 0.1, 0), (30, 60, 0.1, 15), (5, 60, 0.1, 0)]
)
def test_chance_is_no_excess(bad, total, share, least):
    assert excess(bad, total, share) >= least
    assert (excess(bad, total, share) == 0) is (least == 0)


def test_texts_of_answers_are_text_only(tmp_path):
    evil = "<script>alert(1)</script> | [x](y) is wrong."
    run(tmp_path, [logged(1, answer=evil, question="<b>?", labels={"model": "<i>|m", "<b>|~~k~~": "v"})])
    write_report(tmp_path / "out")
    page, text = ((tmp_path / "out" / f"report.{end}").read_text() for end in ("html", "md"))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.findall(r"<(?:b|i)>", page)
    assert "\\[x\\](y)" in text
    assert "<i>" not in text
    assert "<b>" not in text
    assert "| \\<b\\>\\|\\~\\~k\\~\\~ |" in text


def test_tables_hold_the_figures(tmp_path):
    from pyarrow import parquet

    run(tmp_path, [logged(n, bad=n % 4 == 0, model="m1") for n in range(200)])
    figures = write_report(tmp_path / "out")
    days = parquet.read_table(tmp_path / "out" / "tables" / "days.parquet").to_pylist()
    assert [(row["day"], row["bad"], row["total"]) for row in days] == [(r.name, r.bad, r.total) for r in figures.days]
    assert sum(row["total"] for row in days) == 200
    slices = parquet.read_table(tmp_path / "out" / "tables" / "slices.parquet").to_pylist()
    assert [(row["label"], row["value"], row["bad"]) for row in slices] == [("model", "m1", 50)]


def test_a_fingerprint_can_be_chosen(tmp_path):
    rows = [logged(n, bad=True) for n in range(10)]
    first = run(tmp_path, rows)
    run(tmp_path, rows, engine=FakeEngine(name="kind"))
    assert write_report(tmp_path / "out").whole.bad == 0
    assert write_report(tmp_path / "out", first.fingerprint[:8]).whole.bad == 10
    with pytest.raises(UsageError, match="0 fingerprints begin with 'zz'"):
        write_report(tmp_path / "out", "zz")


def test_rejected_rows_are_those_of_the_last_run(tmp_path):
    run(tmp_path, [logged(1), "{", "[]"])
    run(tmp_path, [logged(1), "{", {"id": "x"}])
    figures = write_report(tmp_path / "out")
    assert figures.lost == 2
    assert "Rows that could not be audited" in (tmp_path / "out" / "report.md").read_text()


def test_an_audit_of_nothing_has_a_report(tmp_path):
    run(tmp_path, ["{"])
    assert write_report(tmp_path / "out").answers == 0


@pytest.mark.parametrize("name", ["content=3", "verdict=x", "bad=1"])
def test_names_of_folders_are_no_columns(tmp_path, name):
    (tmp_path / name).mkdir()
    run(tmp_path / name, [logged(n, bad=n % 5 == 0) for n in range(20)])
    figures = write_report(tmp_path / name / "out")
    assert (figures.whole.bad, figures.whole.total) == (4, 20)
    assert [rate.name for rate in figures.days] == ["2023-11-15"]


def test_answers_without_a_verdict_of_the_engine_are_counted(tmp_path):
    run(tmp_path, [logged(n) for n in range(30)])

    def stop(done):
        if done.judged >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, [logged(n) for n in range(30)], engine=FakeEngine(name="other"), batch=5, progress=stop)
    figures = write_report(tmp_path / "out")
    assert (figures.answers, figures.unjudged) == (10, 20)
    assert "20 more logged answers have no verdict" in (tmp_path / "out" / "report.html").read_text()
