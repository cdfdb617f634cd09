"""Workers that share what a judge said through Redis."""

from __future__ import annotations

import httpx
import pytest

from guardrail.testing import OpenAIServer
from tests.support.judge_script import ReadingJudge
from tests.support.redis_server import needs_redis, running_redis
from tests.support.services import RIVER, command

GUARD = (
    "guards:\n  default: {{engine: llm, model: judge, base_url: '{}', key_env: JUDGE_KEY, deadline: 60, cache: '{}'}}\n"
)

pytestmark = pytest.mark.clock


@needs_redis
def test_workers_share_one_cache_of_verdicts(tmp_path):
    """What one of them asked the model, no other asks again."""
    with running_redis() as (redis, _), OpenAIServer(ReadingJudge()) as judge:
        config = GUARD.format(judge.base_url, redis)
        with command(tmp_path, config, "--workers", "2", env={"JUDGE_KEY": "k"}) as one:
            assert one.post("/v1/check").json()["verdict"] == "supported"
            asked = judge.call_count
            assert asked > 0
            for _ in range(40):
                with httpx.Client(base_url=one.url, timeout=60) as http:  # a connection each, so that both get some
                    assert http.post("/v1/check", json=RIVER).json()["verdict"] == "supported"
            workers = {line["process"] for line in one.log() if line.get("route") == "/v1/check"}
            assert len(workers) == 2
            assert judge.call_count == asked
