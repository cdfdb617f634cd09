import pytest

from guardrail.audit.compare import compare
from guardrail.audit.compare.written import lines_of
from tests.support.audited import KIND, audit_rows, logged, month

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


def test_two_months_are_two_groups(tmp_path):
    audit_rows(tmp_path, month(lambda n: n % 10 == 0), "june")
    audit_rows(tmp_path, month(lambda n: n % 10 == 0 or (n % 7 == 3 and n % 2), first=1000), "july")
    found = compare(tmp_path / "june", tmp_path / "july")
    assert found.paired is None
    assert (found.whole.first, found.whole.then) == ((20, 200), (34, 200))
    assert found.whole.difference.value == pytest.approx(0.07)
    assert [c.name for c in found.slices["model"]] == ["m1", "m0"]
    assert found.slices["model"][0].difference.low > 0 > found.slices["model"][1].difference.low
    assert "user" in found.slices
    (kind,) = found.errors
    assert (kind.first, kind.then) == ((20, 200), (34, 200))
    assert [c.name for c in found.documents] == ["Manual 3"]
    assert found.new_worst == ()
    assert any("model m1: 0.0% → 14.0%" in line for line in lines_of(found))


def test_the_same_answers_under_two_engines_are_paired(tmp_path):
    rows = month(lambda n: n % 10 == 0)
    first = audit_rows(tmp_path, [*rows, logged(999, passages=[])], "out")
    then = audit_rows(tmp_path, [*rows, logged(999, passages=[])], engine=KIND)
    found = compare(tmp_path / "out", tmp_path / "out", first_fingerprint=first.fingerprint[:6])
    assert (found.first.fingerprint, found.then.fingerprint) == (first.fingerprint, then.fingerprint)
    new = sum("Valve 3" in row["answer"] and "wrong" not in row["answer"] for row in rows)
    assert (found.paired.answers, found.paired.only_first, found.paired.only_then) == (200, 0, new)
    assert (found.paired.bad_first, found.paired.bad_then) == (20, 20 + new)
    assert found.paired.difference.value == pytest.approx(new / 200)
    assert found.paired.p < 0.01
    assert {c.name for c in found.errors} == {"contradiction", "hallucination"}


def test_an_answer_of_another_text_under_the_same_id_is_no_pair(tmp_path):
    audit_rows(tmp_path, [logged(1), logged(2)], "a")
    audit_rows(tmp_path, [logged(1), logged(2, bad=True)], "b")
    assert compare(tmp_path / "a", tmp_path / "b").paired.answers == 1
