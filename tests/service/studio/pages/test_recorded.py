"""Browse, Watch and Compare in a real browser: by keyboard, empty, full, written to meanwhile, with hostile texts."""

from __future__ import annotations

import json
import re
import time

import pytest

from guardrail.service.studio.studio import Studio
from guardrail.telemetry.records import RecordStore
from tests.support.recorded_answers import outcome, write_answers, write_store
from tests.support.studios import running

pytestmark = pytest.mark.clock

VIEWS = ("/browse", "/browse?tab=changes", "/watch", "/watch?by=topic", "/compare")
READY = {"browse": "a.record-item", "changes": "tbody tr", "watch": "svg.chart", "compare": ".view-compare > form"}
NOW = time.time()


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A studio with 300 records."""
    path = tmp_path_factory.mktemp("few") / "guardrail.db"
    write_store(path, 300, now=NOW)
    with running(Studio(path)) as found:
        yield found


def ready(view):
    return READY[re.search(r"changes|browse|watch|compare", view.replace("browse?tab=", ""))[0]]


def opened(page, site, view, wait=None):
    page.goto(site.at(view))
    page.locator(wait or ready(view)).first.wait_for()
    return page


def focused(page):
    """The text or the name of what has the focus."""
    at = "document.activeElement"
    return page.evaluate(f"{at} === document.body ? '' : {at}.innerText || {at}.getAttribute('aria-label') || ''")


def tab_to(page, text, most=60):
    for _ in range(most):
        page.keyboard.press("Tab")
        if text in focused(page):
            return
    pytest.fail(f"Tab never comes to {text!r}")


def test_browse_by_keyboard_alone(page, few):
    opened(page, few, "/browse")
    tab_to(page, "✗")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    third = focused(page)
    page.keyboard.press("Enter")
    page.locator(".record .segment").first.wait_for()
    assert page.locator(".record").inner_text().count("Trace")
    tab_to(page, "Next →")
    page.keyboard.press("Enter")
    page.get_by_text("4 of the 50 in the list").wait_for()
    page.locator(".record .segment").first.wait_for()  # the focus comes back with the record
    assert focused(page) == "Next →"
    tab_to(page, "✓")  # the first segment of the answer
    page.keyboard.press("n")  # the one at fault
    assert "✗" in focused(page)
    page.keyboard.press("Enter")
    assert page.locator("mark.evidence:focus").count() == 1
    page.keyboard.press("Escape")  # back to the segment
    assert page.locator(".segment:focus").count() == 1
    page.keyboard.press("Escape")  # back to the list
    assert page.locator(".detail").is_hidden()
    page.keyboard.press("ArrowUp")
    assert focused(page) == third


def test_filters_and_order_stay_in_the_address_and_survive_a_reload(page, few):
    opened(page, few, "/browse")
    page.get_by_label("Verdict").select_option("unsupported")
    page.get_by_label("Order").select_option("newest")
    page.wait_for_url("**order=newest*")
    page.reload()
    page.locator("a.record-item").first.wait_for()
    assert page.get_by_label("Verdict").input_value() == "unsupported"
    assert all("unsupported" in text for text in page.locator("a.record-item .verdict").all_inner_texts())
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_text("50 of 300 answers").wait_for()
    page.get_by_role("button", name="Show more").click()
    page.get_by_text("100 of 300 answers").wait_for()


def test_a_search_says_how_much_it_read(page, few):
    opened(page, few, "/browse?text=kostenlos")
    page.get_by_text(re.compile(r"found in the [\d,]+ answers searched so far")).wait_for()
    page.get_by_label("Search texts").fill("no such words anywhere")
    page.keyboard.press("Enter")
    page.get_by_text("No answer fits these filters.").wait_for()


def test_an_unknown_filter_in_the_address_is_said_not_swallowed(page, few):
    opened(page, few, "/browse?verdict=nonsense", "[role=alert]")
    assert "unknown verdict 'nonsense'" in page.locator("[role=alert]").inner_text()


def test_what_changed(page, few):
    opened(page, few, "/browse?tab=changes")
    entries = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/api/'))"
    asked = page.evaluate(f"{entries}.map((one) => [new URL(one.name).pathname, one.startTime, one.responseEnd])")
    assert sorted(path for path, *_ in asked) == ["/api/changes", "/api/records/choices"]
    assert max(start for _, start, _ in asked) < min(end for *_, end in asked)  # side by side
    assert "all answers" in page.locator("tbody tr").first.inner_text()
    assert re.search(r"n \d+", page.locator("tbody tr").first.inner_text())
    page.get_by_label("Compare").select_option("topic")
    page.get_by_text(re.compile("unfaithful in (billing|people|places)")).wait_for()
    assert page.locator("#side-first").input_value() != page.locator("#side-second").input_value()


def test_charts_have_names_intervals_and_tables(page, few):
    opened(page, few, "/watch")
    charts = page.locator("svg.chart")
    assert charts.count() == 4
    assert "Unfaithful share over time" in charts.first.get_attribute("aria-label")
    page.get_by_text("The same as a table").first.click()
    table = page.locator("figure").first.locator("tbody tr")
    numbers = [int(row.locator("td").nth(1).inner_text()) for row in table.all()]
    tile = page.locator(".tiles > div").first.inner_text()
    assert sum(numbers) == int(re.search(r"n ([\d,]+)", tile)[1].replace(",", ""))
    page.get_by_label("Lines by").select_option("release")
    page.locator(".legend li").first.wait_for()
    assert page.locator(".legend").first.inner_text().split() == ["v40", "v41"]


def test_two_policies_are_compared_by_keyboard(page, few):
    opened(page, few, "/compare")
    page.get_by_label("Answers", exact=True).fill("5")
    page.get_by_role("button", name="Compare").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Done. 5 answers compared.").wait_for()
    rows = page.locator("tbody tr")
    assert "as recorded" in rows.first.inner_text()
    assert "against as recorded" in rows.nth(2).inner_text()
    tab_to(page, "as recorded:")
    page.keyboard.press("Enter")
    page.locator(".opinions .record").nth(1).wait_for()


def test_a_comparison_can_be_stopped(page, few):
    opened(page, few, "/compare")
    page.get_by_label("Answers", exact=True).fill("300")
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Stop").click()
    page.locator("p", has_text="Stopped. What was compared until then").wait_for()
    page.get_by_role("button", name="Compare").click()  # there is room for the next one
    page.get_by_role("button", name="Stop").click()


def test_releases_are_compared_by_question(page, few):
    opened(page, few, "/compare")
    page.get_by_label("Compare").first.select_option("release")
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Done. 5 questions compared.").wait_for()


@pytest.mark.parametrize("view", ["/browse", "/watch", "/compare"])
def test_no_source_and_an_empty_store_are_said(page, site, tmp_path, view):
    page.goto(site.at(view))
    page.get_by_role("heading", name="No recorded answers").wait_for()
    assert "guardrail studio guardrail.db" in page.locator("main").inner_text()
    write_store(tmp_path / "guardrail.db", 0, now=NOW)
    with running(Studio(tmp_path / "guardrail.db")) as empty:
        page.goto(empty.at(view))
        page.get_by_role("heading", name="Nothing recorded yet").wait_for()


def test_an_answer_of_a_file_is_opened_and_checked(page, tmp_path):
    write_answers(tmp_path / "answers.jsonl", 4)
    with (tmp_path / "answers.jsonl").open("a") as file:
        file.write("{broken\n")
    with running(Studio(tmp_path / "answers.jsonl")) as site:
        opened(page, site, "/browse")
        page.get_by_text("1 rows of answers.jsonl could not be read").wait_for()
        page.locator("a.record-item").first.click()
        page.get_by_role("button", name="Check this answer").click()
        page.locator(".record .summary").wait_for()
        page.keyboard.press("Escape")
        assert page.locator("a.record-item", has_text="not checked").count() == 3


def test_100000_records_are_shown_by_a_page(page, many_records):
    with running(Studio(many_records)) as site:
        for view in VIEWS:
            opened(page, site, view)
            assert page.locator("*").count() < 8_000
        opened(page, site, "/browse")
        page.get_by_text("50 of 100,000 answers").wait_for()
        page.get_by_role("button", name="Show more").click()
        page.get_by_text("100 of 100,000 answers").wait_for()
        sizes = page.evaluate("performance.getEntriesByType('resource').map((r) => r.transferSize)")
        assert max(sizes) < 200_000


def test_records_that_another_process_writes_appear(page, tmp_path):
    path = tmp_path / "guardrail.db"
    write_store(path, 60, now=NOW)
    with running(Studio(path)) as site, RecordStore(path, sample=1.0, days=None) as store:
        opened(page, site, "/browse?order=newest")
        page.get_by_text("50 of 60 answers").wait_for()
        for number in range(7):
            store.record(outcome("contradicted", id=f"{number:032x}", labels={"release": "v99"}))
        assert store.flush(30)
        page.get_by_role("button", name="Show more").click()  # goes on where the page ended
        page.get_by_text(re.compile("^60 of")).wait_for()
        page.reload()
        page.get_by_text("50 of 67 answers").wait_for()
        assert "v99" in page.locator("a.record-item").first.inner_text()


HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> \u202egnirts\u202c {{7*7}} \u0000"


def test_hostile_texts_are_shown_as_texts(page, tmp_path):
    long = "One sentence that says little. " * 33_000
    passages = [{"id": f"p{n} {HOSTILE}", "title": HOSTILE, "text": f"Passage {n}. {HOSTILE}"} for n in range(2_000)]
    finding = {"id": HOSTILE, "text": HOSTILE, "span": [0, len(HOSTILE)], "verdict": "contradicted", "score": 0.1,
               "error_type": None, "reason": HOSTILE, "evidence": [
                   {"passage_id": passages[3]["id"], "span": [0, 10_000_000], "quote": HOSTILE}]}  # fmt: skip
    report = {"id": f"r {HOSTILE}", "question": HOSTILE, "answer": HOSTILE + long, "passages": passages, "at": NOW,
              "verdict": "contradicted", "score": 0.1, "findings": [finding], "policy": HOSTILE, "engine": HOSTILE,
              "labels": {"release": HOSTILE, "topic": "a"}, "trace_id": HOSTILE, "action": "block",
              "delivered": HOSTILE}  # fmt: skip
    rows = [report, {**report, "id": "other", "labels": {"release": "v2", "topic": HOSTILE}, "policy": "p"}]
    (tmp_path / "reports.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    with running(Studio(tmp_path / "reports.jsonl")) as site:
        for view in VIEWS:
            opened(page, site, view)
            assert page.evaluate("window.hacked") is None
        opened(page, site, "/browse")
        item = page.locator("a.record-item").first
        assert "<script>window.hacked = 1</script>" in item.inner_text()
        assert "\u202e" not in item.inner_text()
        item.click()
        page.locator(".record .report").wait_for()
        assert "<img src=x" in page.locator(".record").inner_text()
        assert "\u202e" not in page.locator(".record").inner_text()
        assert page.locator("main img, main script").count() == 0
        assert page.evaluate("window.hacked") is None
        assert page.locator("*").count() < 20_000
        page.get_by_role("button", name="Back to the list").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, few, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # for axe's own script
    page = context.new_page()
    page.set_default_timeout(300_000)
    found = []
    for view in VIEWS:
        opened(page, few, view)
        if view == "/compare":
            page.get_by_label("Answers", exact=True).fill("3")
            page.get_by_role("button", name="Compare").click()
            page.locator(".differing summary").first.click()
            page.locator(".opinions .record").first.wait_for()
        found += [(view, one["id"], one["nodes"][0]["html"][:200]) for one in serious(axe, page, scheme)]
    opened(page, few, "/browse")
    page.locator("a.record-item").first.click()
    page.locator(".record .report").wait_for()
    found += [("record", one["id"], one["nodes"][0]["html"][:200]) for one in serious(axe, page, scheme)]
    context.close()
    assert not found


def serious(axe, page, scheme):
    options = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}  # colours are all that changes
    violations = axe.run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [one for one in violations if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("width", [400, 1280])
def test_no_view_is_wider_than_the_window(browser, few, width):
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.set_default_timeout(300_000)
    for view in VIEWS:
        opened(page, few, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    opened(page, few, "/browse")
    page.locator("a.record-item").first.click()
    page.locator(".record .report").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
