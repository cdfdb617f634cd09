"""The figures of a report: rates, what is too many, and what cannot be counted."""

import random

import pytest

from guardrail.audit.report import write_report
from guardrail.audit.report.figures import excess
from guardrail.testing import FakeEngine
from tests.support.audited import audit_rows, logged

pytest.importorskip("duckdb")
pyarrow = pytest.importorskip("pyarrow")


def test_the_rate_counts_every_answer_and_not_those_without_a_verdict(tmp_path):
    rows = [logged(n, bad=n < 10) for n in range(40)]
    rows += [logged(0, bad=True, id=f"again{n}") for n in range(5)]
    rows += [logged(n, passages=[], question="Why?") for n in range(50, 55)]
    audit_rows(tmp_path, rows)
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
    audit_rows(tmp_path, rows)
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


def test_answers_without_a_verdict_of_the_engine_are_counted(tmp_path):
    audit_rows(tmp_path, [logged(n) for n in range(30)])

    def stop(done):
        if done.judged >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit_rows(tmp_path, [logged(n) for n in range(30)], engine=FakeEngine(name="other"), batch=5, progress=stop)
    figures = write_report(tmp_path / "out")
    assert (figures.answers, figures.unjudged) == (10, 20)
    assert "20 more logged answers have no verdict" in (tmp_path / "out" / "report.html").read_text()
