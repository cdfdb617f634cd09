"""Which answers come up to be labelled."""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np
import pytest

from guardrail.evaluation.labels import Labels
from guardrail.service.studio.labelling import queue
from guardrail.telemetry.records.database import open_store
from tests.support.label_files import item, said
from tests.support.recorded_answers import write_store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("queue") / "guardrail.db"
    write_store(path, 2_000, now=time.time())
    return path


def column(connection, name, numbers):
    return [
        connection.execute(f"SELECT {name} FROM records WHERE number = ?", (number,)).fetchone()[0]
        for number in numbers
    ]


def test_the_same_seed_draws_the_same_answers_and_another_draws_others(store):
    with open_store(store) as connection:
        first = queue.draw(queue.drawable(connection), 1, 100)
        assert queue.draw(queue.drawable(connection), 1, 100) == first
        assert queue.draw(queue.drawable(connection), 1, 30) == first[:30]
        assert len(set(first) & set(queue.draw(queue.drawable(connection), 2, 100))) < 50


def test_a_draw_is_of_all_answers_not_of_those_that_were_kept(store):
    """The store keeps all faults and a twentieth of the others: the draw must hold faults in their true share."""
    with open_store(store) as connection:
        kept, stand_for = Counter(), Counter()
        for verdict, rate in connection.execute("SELECT verdict, rate FROM records"):
            kept[verdict] += 1
            stand_for[verdict] += 1 / rate
        drawn = [
            v
            for seed in range(20)
            for v in column(connection, "verdict", queue.draw(queue.drawable(connection), seed, 50))
        ]
    true = stand_for["supported"] / stand_for.total()
    assert abs(true - kept["supported"] / kept.total()) > 0.15
    found = drawn.count("supported") / len(drawn)
    assert abs(found - true) < 4 * math.sqrt(true * (1 - true) / len(drawn))


def test_over_many_draws_each_answer_comes_as_often_as_it_should(store):
    """Of equal weights: the place of one answer is uniform over seeds, whatever its key; and two answers do not keep together."""
    answers = queue.Drawable(
        keys=np.arange(1000, dtype=np.uint64), numbers=np.arange(1000), weights=np.ones(1000)
    )  # keys as unlike hashes as can be
    drawn = np.array([queue.draw(answers, seed, 100) for seed in range(1000)])
    times = np.bincount(drawn.ravel(), minlength=1000)  # 100 of 1,000 draws are expected, with a deviation of 9.5
    assert 900 < ((times - 100) ** 2 / 90).sum() < 1100  # chi squared of 999: 44.7 is its deviation
    together = sum(7 in one and 8 in one for one in drawn)
    assert together < 30  # 10 are expected


def test_the_worst_and_the_most_uncertain_come_first(store):
    with open_store(store) as connection:
        worst = queue.worst(connection, 40)
        ranks = list(zip(column(connection, "rank", worst), column(connection, "score", worst), strict=True))
        assert ranks == sorted(ranks)
        assert ranks[0][0] == 0
        scores = [abs(score - 0.5) for score in column(connection, "score", queue.uncertain(connection, 0.5, 40))]
        assert scores == sorted(scores)
        every = connection.execute("SELECT score FROM records WHERE verdict != 'unverified' AND verdict != 'abstained'")
        assert scores[0] == min(abs(score - 0.5) for (score,) in every)


def test_the_same_answer_comes_once(store, tmp_path):
    path = tmp_path / "twice.db"
    write_store(path, 50, now=time.time())
    with open_store(path, writes=True) as connection:
        connection.execute("UPDATE records SET digest = 'd', rank = 0, verdict = 'contradicted' WHERE number <= 20")
        for numbers in (
            queue.draw(queue.drawable(connection), 1, 50),
            queue.worst(connection, 12),
            queue.uncertain(connection, 0.5, 50),
        ):
            assert column(connection, "digest", numbers).count("d") == 1


def test_engines_that_disagree_on_one_answer(tmp_path):
    path = tmp_path / "two.db"
    write_store(path, 60, now=time.time())
    with open_store(path, writes=True) as connection:
        assert queue.recorded_apart(connection, 10) == []
        for digest, numbers, scores in (
            ("a", (1, 2), (0.4, 0.6)),
            ("b", (3, 4), (0.1, 0.9)),
            ("c", (5, 6), (0.2, 0.9)),
        ):
            for number, score, verdict in zip(numbers, scores, ("unsupported", "supported"), strict=True):
                verdict = "supported" if digest == "c" else verdict  # noqa: PLW2901
                connection.execute(
                    "UPDATE records SET digest = ?, score = ?, verdict = ?, engine = ? WHERE number = ?",
                    (digest, score, verdict, f"engine {number % 2}", number),
                )
        assert queue.recorded_apart(connection, 10) == [3, 1]


def test_people_who_differ_by_sentence_or_on_the_whole():
    labels = Labels()
    for ident in "abcd":
        labels.add_item(item(ident))
    for n, (ident, segment, word, by) in enumerate(
        [
            ("a", "s1", "supported", "Ana"), ("a", "s1", "supported", "Bo"),
            ("b", "s1", "contradicted", "Ana"), ("b", "s1", "unsupported", "Bo"),
            ("c", "", "supported", "Ana"), ("c", "s1", "contradicted", "Bo"),
            ("d", "s1", "contradicted", "Ana"),
        ]
    ):  # fmt: skip
        labels.add_label(said(str(n), segment, word, by=by, of=ident))
    assert queue.people_differ(labels) == ["b", "c"]
