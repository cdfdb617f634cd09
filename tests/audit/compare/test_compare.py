import json

import pytest
from typer.testing import CliRunner

from guardrail.audit import audit
from guardrail.audit.compare import compare, write_comparison
from guardrail.audit.compare.written import lines_of
from guardrail.audit.folder import AuditFolder
from guardrail.cli.main import app
from guardrail.errors import UsageError
from guardrail.testing import FakeEngine
from tests.support.audited import FAKE, logged, write_lines

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

KIND = FakeEngine({"wrong": "contradicted", "Valve 3": "unsupported"}, name="kind")


def run(tmp_path, name, rows, engine=FAKE):
    log = write_lines(tmp_path / f"{name}.jsonl", rows)
    return audit(log, tmp_path / name, engine=engine, workers=0)


def month(bad, model="m1", first=0, count=200, **more):
    return [logged(n, bad=bad(n), labels={"model": f"{model if n % 2 else 'm0'}", "user": f"u{n}"}, **more)
            for n in range(first, first + count)]  # fmt: skip


def test_two_months_are_two_groups(tmp_path):
    run(tmp_path, "june", month(lambda n: n % 10 == 0))
    run(tmp_path, "july", month(lambda n: n % 10 == 0 or (n % 7 == 3 and n % 2), first=1000))
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
    first = run(tmp_path, "out", [*rows, logged(999, passages=[])])
    then = run(tmp_path, "out", [*rows, logged(999, passages=[])], engine=KIND)
    found = compare(tmp_path / "out", tmp_path / "out", first_fingerprint=first.fingerprint[:6])
    assert (found.first.fingerprint, found.then.fingerprint) == (first.fingerprint, then.fingerprint)
    new = sum("Valve 3" in row["answer"] and "wrong" not in row["answer"] for row in rows)
    assert (found.paired.answers, found.paired.only_first, found.paired.only_then) == (200, 0, new)
    assert (found.paired.bad_first, found.paired.bad_then) == (20, 20 + new)
    assert found.paired.difference.value == pytest.approx(new / 200)
    assert found.paired.p < 0.01
    assert {c.name for c in found.errors} == {"contradiction", "hallucination"}


def test_an_answer_of_another_text_under_the_same_id_is_no_pair(tmp_path):
    run(tmp_path, "a", [logged(1), logged(2)])
    run(tmp_path, "b", [logged(1), logged(2, bad=True)])
    assert compare(tmp_path / "a", tmp_path / "b").paired.answers == 1


def test_a_new_bad_document_is_named(tmp_path):
    run(tmp_path, "a", month(lambda n: n % 40 == 0, count=300))
    run(tmp_path, "b", month(lambda n: n % 40 == 0 or n % 7 == 4, count=300))
    found = compare(tmp_path / "a", tmp_path / "b")
    assert found.documents[0].name == "Manual 4"
    write_comparison(found, tmp_path / "page")
    page = (tmp_path / "page" / "compare.html").read_text()
    assert "Documents with more bad answers than before" in page
    assert "Manual 4" in page
    assert json.loads((tmp_path / "page" / "compare.json").read_text())["documents"][0]["name"] == "Manual 4"


def test_texts_stay_text(tmp_path):
    for name, bad in (("a", False), ("b", True)):
        rows = [
            logged(n, bad=bad, labels={"<b>": "<i>"}, passages=[{"title": "<u>", "text": "Valve."}]) for n in range(9)
        ]
        run(tmp_path, name, rows)
    write_comparison(compare(tmp_path / "a", tmp_path / "b"), tmp_path)
    page = (tmp_path / "compare.html").read_text()
    assert "&lt;u&gt;" in page
    assert not any(mark in page for mark in ("<b>", "<i>", "<u>"))


def test_an_empty_audit_can_be_compared(tmp_path):
    run(tmp_path, "a", ["{"])
    run(tmp_path, "b", [logged(1)])
    found = compare(tmp_path / "a", tmp_path / "b")
    assert (found.whole.difference, found.paired) == (None, None)
    write_comparison(found, tmp_path / "page")
    assert "nothing to compare" in (tmp_path / "page" / "compare.html").read_text()
    assert list(lines_of(found))


def test_the_command_line(tmp_path):
    run(tmp_path, "a", month(lambda n: n % 10 == 0))
    run(tmp_path, "b", month(lambda n: n % 5 == 0))

    def invoke(*words):
        return CliRunner().invoke(app, ["audit", "compare", *map(str, words)])

    found = invoke(tmp_path / "a", tmp_path / "b")
    assert found.exit_code == 0, found.output
    assert "B less A: +10.0 points" in found.output
    assert "Of 180 answers that are in both" in found.output
    assert (tmp_path / "b" / "compare.html").exists()
    told = invoke(tmp_path / "a", tmp_path / "b", "--json", "--to", tmp_path / "c")
    assert json.loads(told.stdout)["whole"]["then"] == [40, 200]
    assert "given twice" in str(invoke(tmp_path / "a", tmp_path / "b", "--fingerprint", "x").exception)
    with pytest.raises(UsageError, match="no folder of an audit"):
        compare(tmp_path / "a", tmp_path / "nowhere")
    assert not list((tmp_path / "b").glob("spill-*"))


def test_the_report_says_what_changed_since_the_last_audit(tmp_path):
    run(tmp_path, "june", month(lambda n: n % 40 == 0, count=300))
    run(tmp_path, "july", month(lambda n: n % 40 == 0 or n % 7 == 4, first=1000, count=300))

    def page(*words):
        found = CliRunner().invoke(app, ["audit", *map(str, words)])
        assert found.exit_code == 0, found.output
        return (tmp_path / "july" / "report.html").read_text()

    assert "What changed" not in page("report", tmp_path / "july")
    told = page("report", tmp_path / "july", "--since", tmp_path / "june")
    assert "What changed since the last audit" in told
    assert "Documents with more bad answers than before" in told
    assert str(tmp_path / "june") in told
    assert told.index("What changed") < told.index("Which documents")


def test_another_engine_in_the_same_folder_is_a_change_since_the_last_audit(tmp_path):
    rows = month(lambda n: n % 10 == 0)
    run(tmp_path, "out", rows)
    first = run(tmp_path, "out", rows, engine=KIND)
    with AuditFolder(tmp_path / "out") as folder:
        assert folder.before(first.fingerprint) == min(folder.fingerprints(), key=lambda f: f == first.fingerprint)
        assert folder.before(folder.before(first.fingerprint)) is None
    found = CliRunner().invoke(app, ["audit", "report", str(tmp_path / "out")])
    assert "what changed: compare.html" in found.output
    assert "200 answers that are in both" in (tmp_path / "out" / "report.html").read_text()


def test_labels_that_are_ids_are_no_slices(tmp_path):
    for name in ("a", "b"):
        run(tmp_path, name, month(lambda n: n % 10 == 0, count=201))
    assert set(compare(tmp_path / "a", tmp_path / "b").slices) == {"model"}
