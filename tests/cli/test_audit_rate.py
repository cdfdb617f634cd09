"""Samples and rates on the command line."""

import json

import pytest
from typer.testing import CliRunner

from guardrail.audit.rate import draw_sample
from guardrail.audit.report import write_report
from guardrail.cli.main import app
from tests.support.sampled import audit_scores, labelled

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def audited(tmp_path):
    return audit_scores(tmp_path)


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


def test_without_labels_the_next_step_is_said(audited):
    def rate():
        return str(CliRunner().invoke(app, ["audit", "rate", str(audited)]).exception)

    assert "Draw one: guardrail audit sample" in rate()
    draw_sample(audited, 20)
    assert "Label it: guardrail studio" in rate()
