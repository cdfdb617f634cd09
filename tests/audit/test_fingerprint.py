"""What decides a verdict beside the texts."""

import pytest

from guardrail import Policy
from guardrail.audit.folder import AuditFolder
from guardrail.testing import FakeEngine
from tests.support.audited import logged, run_audit, write_lines

pytest.importorskip("pyarrow")


@pytest.mark.parametrize("change", [{"engine": FakeEngine(name="other")}, {"policy": Policy.strict()}])
def test_another_engine_or_policy_judges_again_beside_the_first(tmp_path, change):
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(20)])
    first = run_audit(log, tmp_path / "out")
    second = run_audit(log, tmp_path / "out", **change)
    assert (second.judged, second.written) == (20, 0)
    assert first.fingerprint != second.fingerprint
    with AuditFolder(tmp_path / "out") as folder:
        assert [len(folder.files("judgements", f"fingerprint={f}")) for f in folder.fingerprints()] == [1, 1]
    assert run_audit(log, tmp_path / "out").judged == 0
