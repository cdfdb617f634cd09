import json
from datetime import UTC, date, datetime

import pytest

from guardrail.audit.answer import LoggedAnswer, Rejected
from guardrail.audit.columns import Columns, read_passages, seconds_of
from guardrail.errors import UsageError


def read(row, **columns):
    return Columns(**columns).read(row, "log:1")


def test_usual_names_are_found_and_labels_are_kept():
    row = {"request_id": 7, "query": "q?", "response": "r", "contexts": ["one", "two"], "model": "m1", "other": "x",
           "labels": {"team": "north"}, "created_at": "2026-11-03T10:00:00Z"}  # fmt: skip
    found = read(row)
    assert isinstance(found, LoggedAnswer)
    assert (found.id, found.question, found.answer, found.day) == ("7", "q?", "r", "2026-11-03")
    assert [p.text for p in found.passages] == ["one", "two"]
    assert found.labels == {"model": "m1", "team": "north"}


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        ([("team", "north")], {"team": "north"}),
        ([["team", "north"], ["team"], [1, "x"], ["deep", {}]], {"team": "north"}),
        (["ab", "cd"], {}), ("ab", {}), (3, {}), (None, {}),
    ],
)  # fmt: skip
def test_labels_are_pairs_or_none(labels, kept):
    found = read({"id": 1, "answer": "a", "passages": ["p"], "model": "m1", "labels": labels})
    assert isinstance(found, LoggedAnswer)
    assert found.labels == {"model": "m1"} | kept


def test_columns_may_be_named_and_lie_inside():
    row = {
        "meta": {"id": "x", "release": "v2"},
        "out": {"text": "r"},
        "docs": '[{"content": "c", "title": "T"}]',
        "answer": "no",
    }
    found = read(
        row, names={"id": "meta.id", "answer": "out.text", "passages": "docs"}, labels={"release": "meta.release"}
    )
    assert isinstance(found, LoggedAnswer)
    assert (found.id, found.answer, found.labels) == ("x", "r", {"release": "v2"})
    assert (found.passages[0].text, found.documents) == ("c", ("T",))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": 1, "passages": []}, "has no 'answer'"),
        ({"id": 1, "answer": "a"}, "has no 'passages'"),
        ({"id": 1, "answer": 5, "passages": []}, "answer: must be a text, got int"),
        ({"id": 1, "answer": "a", "passages": [{"id": "p"}]}, "a passage has no 'text'"),
        ({"id": 1, "answer": "a", "passages": [3]}, "must be a text or an object, got int"),
        ({"id": 1, "answer": "a", "passages": [], "at": "noon"}, "'noon' is no time"),
        ({"id": 1, "answer": "a", "passages": [], "at": 1e30}, "year"),
        ({"id": 1, "answer": "a", "passages": [], "question": ["q"]}, "question: must be a text"),
    ],
)
def test_what_is_wrong_with_a_row_is_said_with_its_id(row, reason):
    found = read(row)
    assert isinstance(found, Rejected)
    assert reason in found.reason
    assert (found.id, found.place) == ("1", "log:1")


def test_a_row_without_an_id_is_known_by_what_it_holds():
    rows = [{"answer": text, "passages": ["p"]} for text in ("a", "a", "b")]
    first, again, other = (read(row) for row in rows)
    assert first.id == again.id != other.id
    more = ({"model": "m1"}, {"user": "u"}, {"passages": [{"text": "p", "title": "T"}]})
    assert len({read(rows[0] | change).id for change in ({}, *more)}) == 4


def test_passages_have_unique_ids_and_a_document_each():
    given = [
        {"id": "x", "text": "one"},
        {"id": "x", "text": "one"},
        {"id": "x", "text": "two", "source": "guide.pdf"},
        "three",
    ]
    passages, documents = read_passages(given)
    assert [(p.id, p.text) for p in passages] == [("x", "one"), ("x#3", "two"), ("p4", "three")]
    assert documents[:2] == ("x", "guide.pdf")
    assert documents[2].startswith("three [")


@pytest.mark.parametrize(
    ("given", "texts"), [("plain", ["plain"]), ("", []), ("[1 of 2]", ["[1 of 2]"]), (["[x]"], ["[x]"])]
)
def test_a_text_alone_is_one_passage(given, texts):
    assert [p.text for p in read_passages(given)[0]] == texts


@pytest.mark.parametrize(
    "value",
    [
        1_700_000_000, 1_700_000_000_000, 1.7e18, "1700000000", "2023-11-14T22:13:20Z", "2023-11-14 22:13:20",
        datetime(2023, 11, 14, 22, 13, 20),  # noqa: DTZ001  a table may hold such
        datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
    ],
)  # fmt: skip
def test_times_in_every_unit(value):
    assert seconds_of(value) == 1_700_000_000


def test_dates_are_times_and_truth_is_none():
    assert seconds_of(date(2023, 11, 14)) == 1_699_920_000
    with pytest.raises(UsageError, match="True"):
        seconds_of(True)


def test_contents_differ_by_question_passages_and_documents():
    base = {"id": 1, "answer": "a", "question": "q", "passages": [{"id": "p", "text": "t", "source": "s"}]}
    changes = ({"question": None}, {"answer": "b"}, {"passages": [{"id": "p", "text": "u", "source": "s"}]},
               {"passages": [{"id": "p", "text": "t", "source": "other"}]})  # fmt: skip
    contents = [read(base | change).content for change in ({}, *changes)]
    assert len(set(contents)) == 5
    assert read(json.loads(json.dumps(base)) | {"id": 2}).content == contents[0]


def test_unknown_column_names_are_refused():
    with pytest.raises(UsageError, match="Did you mean 'answer'"):
        Columns(names={"anwser": "x"})


@pytest.mark.parametrize("none", [None, "", float("nan")])
def test_an_id_that_is_missing_is_a_hash_of_the_row(none):
    rows = [{"id": none, "answer": f"Valve {n} closes.", "passages": ["Valves."]} for n in range(2)]
    found = [Columns().read(row, "here").id for row in rows]
    assert all(one.startswith("hash:") for one in found)
    assert found[0] != found[1]
