"""On a real Ray cluster of several nodes, as processes of this machine, one of which is killed."""

import os
from pathlib import Path

import pytest

from guardrail.audit import Cluster, audit
from guardrail.testing import FakeEngine
from tests.support.audited import FAKE, ids, logged, table, write_lines, write_parquet

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'rag-guardrail[audit-ray]'")
pytest.importorskip("ray.data")
cluster_utils = pytest.importorskip("ray.cluster_utils")
pytestmark = [
    pytest.mark.clock,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]

SLOW = FakeEngine(FAKE.verdicts, seconds=0.02)


@pytest.fixture
def nodes():
    """A head without CPUs for work, so that all of it lies on the three others."""
    root = str(Path(__file__).parents[2])
    with pytest.MonkeyPatch.context() as changed:  # for Ray's workers, which look for tests.support
        changed.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
        cluster = cluster_utils.Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
        )
        try:
            for _ in range(3):
                cluster.add_node(num_cpus=2)
            cluster.wait_for_nodes()
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


def whole(folder):
    names = {"answers": "key", "judgements": "content", "findings": "content", "documents": "content"}
    return {name: sorted(table(folder, name), key=lambda row: (row[key], str(row))) for name, key in names.items()}


def test_a_node_that_is_killed_costs_time_only(tmp_path, nodes):
    rows = [logged(n, bad=n % 6 == 0, model=f"m{n % 2}") for n in range(400)]
    logs = tmp_path / "logs"
    logs.mkdir()
    write_parquet(logs / "a.parquet", rows[:300], group=100)
    write_lines(logs / "b.jsonl", [*rows[280:], "{"])
    here = audit(logs, tmp_path / "here", engine=FAKE, workers=0, batch=8)
    lost, steps = [], set()

    def kill(done):
        steps.add(done.judged)
        if done.judged >= 8 and not lost:
            lost.append(done.judged)
            # Two of three, so that at least one was at work.
            for node in list(nodes.worker_nodes)[:2]:
                nodes.remove_node(node, allow_graceful=False)

    there = audit(
        logs, tmp_path / "there", engine=SLOW, batch=8, progress=kill, ray=Cluster(address=nodes.address, workers=3)
    )
    assert lost
    assert lost[0] < 400
    assert len(steps) > 40  # batch by batch, not piece by piece
    assert there.finished
    assert (there.written, there.judged, there.rejected, there.seen) == (400, 400, 1, here.seen)
    assert ids(tmp_path / "there") == dict.fromkeys((row["id"] for row in rows), 1)
    assert whole(tmp_path / "there") == whole(tmp_path / "here")
