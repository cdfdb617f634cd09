"""Pages of records: order, filters, keyset, search, and what they cost in a full store."""

from __future__ import annotations

import pytest

from guardrail.service.studio.recorded import listing
from guardrail.service.studio.recorded.chosen import FieldError, read_chosen
from guardrail.service.studio.recorded.listing import list_records, statement
from tests.service.studio.recorded.conftest import NOW

VERDICTS = ("supported", "contradicted", "unsupported", "contradicted", "unverified", "abstained", "unsupported")


def listed(source, query=None, **how):
    with source.open() as connection:
        return list_records(source, connection, read_chosen(query or {}, NOW), NOW, **how)


def numbers(page):
    return [int(record["id"], 16) for record in page.records]


def test_the_worst_come_first_and_among_equals_the_newest(kept):
    source = kept(*((verdict, {}) for verdict in VERDICTS))
    assert numbers(listed(source)) == [4, 2, 7, 3, 5, 6, 1]
    assert numbers(listed(source, order="newest")) == [7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("order", ["worst", "newest"])
def test_pages_together_are_the_list(kept, order):
    source = kept(*((verdict, {"at": NOW - number // 3}) for number, verdict in enumerate(VERDICTS * 3)))
    whole, after, pages = numbers(listed(source, order=order, limit=100)), None, []
    while True:
        page = listed(source, order=order, after=after, limit=4)
        pages.append(numbers(page))
        if (after := page.after) is None:
            break
    assert [number for page in pages for number in page] == whole
    assert len(whole) == 21
    assert len(pages) == 6


@pytest.mark.parametrize("order", ["worst", "newest"])
def test_a_page_goes_on_where_it_ended_though_records_came_and_went(kept, order):
    source = kept(*(("contradicted", {}) for _ in range(6)))
    first = listed(source, order=order, limit=2)
    kept(*((("contradicted", {})) for _ in range(8)))  # the same six and two newer ones
    assert numbers(listed(source, order=order, after=first.after, limit=2)) == [4, 3]


@pytest.mark.parametrize("after", ["nonsense", "[1]", '["a", "b", 3]', "[true, 1, 2]", "{}", "[NaN]"])
def test_a_place_that_no_page_gave_is_refused(kept, after):
    with pytest.raises(FieldError, match="Begin again"):
        listed(kept(("supported", {})), after=after)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("WHY WAS LARKMOOR", [1]),
        ("überweisung", [3, 4]),
        ("Mahnung kostet", [4]),
        ("drinking water", [1, 2, 5]),
        ("verdict", []),  # a key of the JSON, no text
        ("contradicted", []),
        ('"', []),
        ("%", []),
    ],
)
def test_search_reads_questions_answers_and_passages_only(kept, text, found):
    source = kept(*(("contradicted", {"question": number}) for number in range(5)))
    page = listed(source, {"text": text})
    assert sorted(numbers(page)) == found
    assert page.searched == 5


def test_a_search_says_how_far_it_came_and_goes_on(kept, monkeypatch):
    monkeypatch.setattr(listing, "SEARCHED", 4)
    monkeypatch.setattr(listing, "_AT_ONCE", 3)
    source = kept(*(("contradicted", {"question": 3 if number in (2, 9) else 0}) for number in range(1, 11)))
    pages, after = [], None
    while True:
        page = listed(source, {"text": "mahnung"}, order="newest", after=after)
        pages.append((numbers(page), page.searched))
        if (after := page.after) is None:
            break
    assert pages == [([9], 4), ([], 4), ([2], 2)]


def test_a_search_that_fills_its_page_goes_on_behind_the_last_one_shown(kept):
    source = kept(*(("contradicted", {"question": 3}) for _ in range(5)))
    first = listed(source, {"text": "mahnung"}, order="newest", limit=2)
    assert (numbers(first), first.searched) == ([5, 4], 2)
    second = listed(source, {"text": "mahnung"}, order="newest", limit=2, after=first.after)
    assert (numbers(second), second.searched) == ([3, 2], 2)


@pytest.mark.parametrize("query", [{}, {"release": "v41"}, {"verdict": "abstained"}, {"since": "24h"}])
@pytest.mark.parametrize("order", ["worst", "newest"])
def test_no_page_of_100000_records_sorts_them_or_reads_their_texts(many, query, order):
    chosen = read_chosen(query, NOW)
    with many.open() as connection:
        for place in (None, [1, 0.2, 50_000] if order == "worst" else [NOW - 86_400, 50_000]):
            asked, values = statement(chosen, NOW, order, place)
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {asked}", (*values, 50))]
            assert any("USING INDEX records_by_" in step or "USING COVERING INDEX" in step for step in plan), plan
            assert not any("contents" in step for step in plan)
            if not query:  # then only records that are shown are looked at, and those of equal score
                assert "USE TEMP B-TREE FOR ORDER BY" not in plan


def test_a_page_of_100000_records_reads_the_texts_of_that_page_only(many):
    statements = []
    with many.open() as connection:
        connection.set_trace_callback(statements.append)
        page = list_records(many, connection, read_chosen({}, NOW), NOW, limit=20)
    assert len(page.records) == 20
    assert len([s for s in statements if "contents" in s]) == 20
