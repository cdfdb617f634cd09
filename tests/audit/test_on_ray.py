"""On a real Ray, on this machine."""

import os
from pathlib import Path

import pytest

from guardrail.audit import Cluster, audit
from guardrail.audit.sources import json_lines
from tests.support.audited import FAKE, LethalEngine, ids, logged, table, write_lines, write_parquet

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")
pytestmark = [
    pytest.mark.clock,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]


@pytest.fixture(scope="module")
def cluster():
    root = str(Path(__file__).parents[2])
    with pytest.MonkeyPatch.context() as changed:  # for Ray's workers, which look for tests.support
        changed.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield Cluster(workers=1)
        ray.shutdown()


def whole(folder):
    names = {"answers": "key", "judgements": "content", "findings": "content", "documents": "content"}
    return {name: sorted(table(folder, name), key=lambda row: (row[key], str(row))) for name, key in names.items()}


def test_ray_and_processes_write_the_same(tmp_path, cluster, monkeypatch):
    rows = [logged(n, bad=n % 6 == 0, model=f"m{n % 2}") for n in range(120)]
    logs = tmp_path / "logs"
    logs.mkdir()
    write_parquet(logs / "a.parquet", rows[:70], group=30)
    write_lines(logs / "b.jsonl", [*rows[60:], "{", logged(3, id="same"), logged(4, id="a3")])
    here = audit(logs, tmp_path / "here", engine=FAKE, workers=0, batch=8)
    there = audit(logs, tmp_path / "there", engine=FAKE, ray=cluster, batch=8)
    assert whole(tmp_path / "there") == whole(tmp_path / "here")
    assert (there.written, there.judged, there.rejected, there.again) == (here.written, here.judged, here.rejected, 10)
    assert there.seen == here.seen == 133
    reasons = [sorted(row["reason"] for row in table(tmp_path / name, "rejected")) for name in ("here", "there")]
    assert reasons[0] == reasons[1]
    monkeypatch.setattr(json_lines, "PIECE_BYTES", 1000)
    again = audit(logs, tmp_path / "there", engine=FAKE, ray=cluster, batch=8)
    assert (again.judged, again.written) == (0, 0)


def test_an_answer_that_kills_its_actor_ends_the_audit_and_what_is_committed_stays(tmp_path, cluster):
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(40)])
    with pytest.raises(ray.exceptions.RayError):
        audit(log, tmp_path / "out", engine=LethalEngine("Valve 33 "), ray=cluster, batch=4)
    left = audit(log, tmp_path / "out", engine=LethalEngine(), workers=0, batch=4)
    assert left.judged < 40  # 8 batches came before it
    assert ids(tmp_path / "out") == {f"a{n}": 1 for n in range(40)}
