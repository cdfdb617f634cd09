"""What decides a verdict beside the texts."""

import pytest

from guardrail import Guard, Policy
from guardrail.audit.fingerprint import fingerprint_of
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


def test_a_second_look_has_a_fingerprint_of_both() -> None:
    first = fingerprint_of(Guard(policy=Policy.monitor(), engine=FakeEngine(name="first")))
    other = fingerprint_of(Guard(policy=Policy.monitor(), engine=FakeEngine(name="other")))
    both = other.after(first)
    assert both.base == first.id
    assert len({first.id, other.id, both.id, first.after(other).id}) == 4
    assert both.engine == f"{first.engine}, then {other.engine}"


def test_a_guard_made_again_has_the_same_fingerprint() -> None:
    made = [fingerprint_of(Guard(policy=Policy.strict(), engine=FakeEngine(name="same"))) for _ in range(2)]
    assert made[0] == made[1]
