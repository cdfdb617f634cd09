"""Answers that could not be judged for a reason that passes: they are judged again, and count once."""

from dataclasses import dataclass, field, replace

import pytest

from guardrail.audit import audit
from guardrail.audit.folder import AuditFolder
from guardrail.audit.report import write_report
from guardrail.audit.report.views import views
from guardrail.types import Cause, Usage
from tests.support.audited import FAKE, logged, write_lines

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@dataclass(frozen=True)
class Ailing:
    """Judges as FAKE does, but for segments with a word of ``causes``; all of it has one fingerprint."""

    causes: dict[str, Cause] = field(default_factory=dict, compare=False)
    asked: list[str] = field(default_factory=list, compare=False)
    name: str = "fake"

    def verify(self, request):
        found = FAKE.verify(request)
        self.asked.extend(segment.text for segment in request.segments)
        return replace(found, rows=tuple(map(self._row, request.segments, found.rows)))

    def _row(self, segment, row):
        cause = next((c for word, c in self.causes.items() if word in segment.text), None)
        return row if cause is None else replace(row, unverified="not now", cause=cause)


def run(tmp_path, rows, engine, **options):
    log = write_lines(tmp_path / "log.jsonl", rows)
    return audit(log, tmp_path / "out", engine=engine, workers=0, batch=4, **options)


def rows():
    return [logged(n, bad=n % 5 == 0) for n in range(20)]


@pytest.mark.parametrize("cause", [Cause.TIMEOUT, Cause.BUDGET, Cause.ENGINE])
def test_what_a_passing_reason_left_is_judged_again_and_counts_once(tmp_path, cause):
    first = run(tmp_path, rows(), Ailing({"Valve 1": cause}))  # 1 and 10 to 19
    assert (first.judged, first.passing) == (20, 11)
    assert write_report(tmp_path / "out").verdicts == {"unverified": 11, "supported": 7, "contradicted": 2}
    second = Ailing({"Valve 17": cause})
    again = run(tmp_path, rows(), second)
    assert (again.fingerprint, again.judged, again.passing, again.again) == (first.fingerprint, 11, 1, 20)
    assert len(second.asked) == 11
    figures = write_report(tmp_path / "out")
    assert figures.verdicts == {"supported": 15, "contradicted": 4, "unverified": 1}
    assert (figures.whole.bad, figures.whole.total) == (4, 19)
    assert run(tmp_path, rows(), Ailing()).judged == 1
    assert run(tmp_path, rows(), Ailing()).judged == 0
    figures = write_report(tmp_path / "out")
    assert (figures.answers, figures.whole.bad, figures.whole.total, dict(figures.causes)) == (20, 4, 20, {})
    with AuditFolder(tmp_path / "out") as folder, views(folder, first.fingerprint) as db:
        counts = [
            db.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name in ("judgements", "documents", "findings")
        ]
    assert counts == [20, 20, 4]


@pytest.mark.parametrize("cause", [c for c in Cause if c not in (Cause.TIMEOUT, Cause.BUDGET, Cause.ENGINE)])
def test_other_reasons_are_final(tmp_path, cause):
    assert run(tmp_path, rows(), Ailing({"Valve 1": cause})).passing == 0
    assert run(tmp_path, rows(), Ailing()).judged == 0


def test_a_reason_that_passes_counts_beside_one_that_does_not(tmp_path):
    answer = "Valve 3 is red. Valve 4 is blue."
    causes = {"Valve 3": Cause.LANGUAGE, "Valve 4": Cause.TIMEOUT}
    assert run(tmp_path, [logged(1, answer=answer)], Ailing(causes)).passing == 1
    assert run(tmp_path, [logged(1, answer=answer)], Ailing()).judged == 1


def test_what_is_bad_whatever_else_could_be_said_is_final(tmp_path):
    answer = "Valve 3 is wrong. Valve 4 is blue."
    assert run(tmp_path, [logged(1, answer=answer)], Ailing({"Valve 4": Cause.TIMEOUT})).passing == 0
    assert run(tmp_path, [logged(1, answer=answer)], Ailing()).judged == 0


def test_an_answer_that_is_gone_from_the_source_stays_unverified(tmp_path):
    first = run(tmp_path, rows(), Ailing({"Valve 1": Cause.TIMEOUT}))
    run(tmp_path, rows()[:11], Ailing())
    assert write_report(tmp_path / "out", first.fingerprint).verdicts["unverified"] == 9


def test_what_has_spent_its_requests_is_paid_again_only_where_that_is_asked_for(tmp_path):
    log = [logged(n, answer=f"Valve {n} of kind s4{n} closes.") for n in range(6)]

    @dataclass(frozen=True)
    class Spent(Ailing):
        calls: int = 1

        def verify(self, request):
            return replace(super().verify(request), usage=Usage(calls=self.calls))

    broken = Spent({"Valve 2": Cause.BUDGET}, calls=0)  # the endpoint was taken for down: nothing was asked
    assert (run(tmp_path, log, broken).passing, run(tmp_path, log, broken).judged) == (1, 1)
    spent = Spent({"Valve 2": Cause.BUDGET})
    first = run(tmp_path, log, spent)
    assert (first.judged, first.passing, first.spent) == (1, 0, 1)
    assert run(tmp_path, log, spent).judged == 0
    assert run(tmp_path, log, Spent(), pay_again=True).judged == 1
    assert write_report(tmp_path / "out").verdicts == {"supported": 6}
    assert run(tmp_path, log, Spent(), pay_again=True).judged == 0
