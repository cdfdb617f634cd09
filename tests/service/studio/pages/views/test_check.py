"""The Check view in a real browser: by keyboard alone, with hostile texts, in a small window, in two tabs."""

import json

import pytest

pytestmark = pytest.mark.clock

QUESTION = "Why was Larkmoor Dam closed in 2021?"


def opened(page, site, hash_="/check"):
    page.goto(site.at(hash_))
    page.get_by_label("Answer", exact=True).wait_for()
    return page


def checked(page, answer, *passages, question=""):
    """Write a check into the fields and wait for its result."""
    page.get_by_label("Question (optional)").fill(question)
    page.get_by_label("Answer", exact=True).fill(answer)
    for number, passage in enumerate(passages, 1):
        if number > 1:
            page.get_by_role("button", name="Add passage").click()
        page.get_by_label(f"Passage {number}", exact=True).fill(passage)
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".result").wait_for()
    return page


def example(page, title=QUESTION):
    page.get_by_label("Example").select_option(label=title)
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".result").wait_for()
    return page


def test_an_example_shows_what_is_wrong_and_why(page, site):
    example(opened(page, site))
    assert page.locator(".segment").evaluate_all("all => all.map(each => each.dataset.verdict)") == [
        "supported",
        "contradicted",
        "supported",
        "unsupported",
    ]
    panel = page.get_by_role("complementary", name="Finding")
    assert "causal confusion" in panel.inner_text()
    assert "not as in the passages" in page.locator(".relation").inner_text()
    assert "mayor of Fennick" in page.locator(".diff del").all_inner_texts()[-1]
    assert page.locator(".heatmap tbody tr").count() == 4


def lit(page, kind):
    return page.locator(f"{kind}.lit").all_inner_texts()


def test_pointing_at_a_segment_lights_its_evidence_and_the_other_way_round(page, site):
    example(opened(page, site))
    page.locator(".segment").nth(2).hover()
    assert lit(page, ".evidence") == ["The repair took eleven weeks and cost 2.3 million euros."]
    page.get_by_text("Engineers lowered the reservoir", exact=False).first.hover()
    (segment,) = lit(page, ".segment")
    assert "Divers found a crack" in segment


def test_a_check_by_keyboard_alone(page, site):
    opened(page, site)
    press = page.keyboard.press
    page.get_by_label("Example").focus()
    page.keyboard.type("Why")  # the browser's own way to choose in a list
    press("Control+Enter")
    page.locator(".result").wait_for()
    assert page.evaluate("document.activeElement.className") == "result"
    while page.evaluate("!document.activeElement.matches('.segment')"):
        press("Tab")
    for key, found in (
        ("n", "Divers"),
        ("ArrowRight", "The repair"),
        ("n", "The mayor"),
        ("p", "Divers"),
        ("Home", "Larkmoor"),
    ):
        press(key)
        assert found in page.evaluate("document.activeElement.textContent")
    press("n")
    press("Enter")
    assert page.evaluate("document.activeElement.textContent").startswith("Engineers lowered")
    press("Escape")
    assert "Divers" in page.evaluate("document.activeElement.textContent")
    assert "causal confusion" in page.get_by_role("complementary", name="Finding").inner_text()


def test_texts_are_only_texts(page, site):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    bad = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)> The dam is 64 metres high."
    checked(opened(page, site), bad, bad, "</p><iframe srcdoc='<script>alert(3)</script>'></iframe>", question=bad)
    report = page.locator(".report")
    assert report.locator("script, img, iframe").count() == 0
    assert "<script>alert(1)</script>" in report.inner_text()
    assert all(url.startswith(site.origin) for url in asked)


def test_controls_that_reorder_text_are_shown(page, site):
    answer = "The dam is \u202e64\u202c metres\u200b high."
    checked(opened(page, site), answer, "The dam is 64 metres high.")
    column = page.get_by_role("region", name="Answer")
    assert column.locator(".unseen").all_inner_texts() == ["U+202E", "U+202C", "U+200B"]
    assert "\u202e" not in page.locator(".report").inner_text()


def test_spans_hold_beside_characters_of_two_units(page, site):
    fact = "The dam is 64 metres high."
    checked(opened(page, site), f"😀😀 Good question! {fact}", f"😀𝒳 Visitors came. {fact} 😀")
    assert fact in page.locator(".evidence").all_inner_texts()


def test_lone_surrogates_are_no_fault(page, site):
    opened(page, site)
    page.evaluate("document.getElementById('answer').value = 'The dam \\ud800 is high.'")
    page.evaluate("document.getElementById('answer').dispatchEvent(new Event('input'))")
    page.get_by_label("Passage 1", exact=True).fill("The dam is high.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".result").wait_for()


def reply_with(page, site, answer, passages, findings):
    """Let the page show a report of this size at once: judging it would take minutes on a slow machine."""
    body = {
        "verdict": "unsupported", "score": 0.1, "reason": "", "engine": "local", "seconds": 0.0, "findings": findings,
        "answer": answer, "question": None, "passages": passages, "groups": [], "relations": [], "skipped": [],
        "matrix": {"rows": [{"segment_id": f["id"], "supported": 0.1, "contradicted": 0.0,
                             "cells": [[(17 * n + 250 * m) % len(passages), 0.1, 0.0] for m in range(8)]}
                            for n, f in enumerate(findings[:1_000])]},
        "action": "flag", "policy": "monitor", "rule": "unsupported", "text": answer, "exhausted": False,
    }  # fmt: skip
    page.route("**/api/check", lambda route: route.fulfill(body=json.dumps(body), content_type="application/json"))


def finding(number, start, end, text, evidence=()):
    return {
        "id": f"s{number}", "text": text, "span": [start, end], "claim": text, "verdict": "unsupported", "score": 0.1,
        "error_type": None, "entity": None, "reason": "", "cause": None, "focus": None, "conflict": False,
        "evidence": list(evidence), "action": "flag",
    }  # fmt: skip


def test_large_reports_come_in_parts_that_say_how_many_there_are(page, site):
    sentence = f"The dam that the town built is sixty-four metres high, {'they say that ' * 32}it is. "
    count, size = 2_000, len(sentence)
    answer = sentence * count  # 1 MB
    passages = [{"id": f"p{n}", "title": None, "text": sentence} for n in range(2_000)]
    quote = {"passage_id": "p1999", "span": [0, size - 1], "quote": sentence.strip(), "title": None}
    findings = [
        finding(n, n * size, (n + 1) * size - 1, sentence.strip(), [quote] * (n % 10 == 0)) for n in range(count)
    ]
    reply_with(page, site, answer, passages, findings)
    checked(opened(page, site), "The dam is high.", "The dam is high.")
    assert page.locator(".segment").count() < 400
    assert page.locator(".passage").count() == 1
    assert page.locator(".heatmap th[scope=col]").count() <= 14
    page.get_by_text("1,999 passages without evidence").click()
    page.get_by_role("button", name="Show all 1,999 passages").click()
    page.locator(".passage").nth(1_999).wait_for(state="attached")
    page.get_by_role("button", name="Show all 2,000 segments").click()
    page.locator(".segment").nth(1_500).wait_for(state="attached")
    page.locator(".segment").nth(1).click()  # the page still answers while the others come
    assert "s1" in page.get_by_role("complementary", name="Finding").inner_text()


def test_many_passages_can_be_given(page, site, tmp_path):
    opened(page, site)
    file = tmp_path / "passages.jsonl"
    file.write_text("\n".join(json.dumps({"text": f"Dam {n} is {n} metres high."}) for n in range(2_000)))
    page.get_by_label("Files with passages").set_input_files(file)
    page.locator("legend").get_by_text("2,000 passages").wait_for()
    assert page.locator(".passage-field").count() < 20
    page.get_by_label("Answer", exact=True).fill("Dam 1234 is 1234 metres high.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".result").wait_for()
    assert page.locator(".segment").get_attribute("data-verdict") == "supported"


def test_files_that_are_no_passages_are_refused(page, site, tmp_path):
    opened(page, site)
    file = tmp_path / "wrong.json"
    file.write_text('{"passages": 3}')
    page.get_by_label("Files with passages").set_input_files(file)
    page.get_by_text("wrong.json holds neither an answer nor passages", exact=False).wait_for()


def test_a_link_holds_the_whole_check_and_no_token(context, page, site):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    example(opened(page, site))
    page.get_by_role("button", name="Link").click()
    page.locator(".copied").get_by_text("It holds all texts").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert site.token not in link
    assert "#/check?d=" in link
    other = context.new_page()
    other.goto(link)
    assert other.get_by_label("Question (optional)").input_value() == QUESTION
    assert other.locator(".result").count() == 0  # texts of others are not sent anywhere unasked
    other.get_by_role("button", name="Check", exact=True).click()
    other.locator(".result").wait_for()


def test_a_damaged_link_is_said(page, site):
    opened(page, site, "/check?d=%3Cscript%3E")
    page.get_by_text("This link is damaged", exact=False).wait_for()


def test_python_and_curl_that_are_copied_run(context, page, site, capsys):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    checked(opened(page, site), "It's the “dam”.\nIt is\u2028 64 metres high.", "The dam's 64 metres high.")
    page.get_by_role("button", name="Python").click()
    page.locator(".copied").get_by_text("Copied.").wait_for()
    exec(compile(page.evaluate("navigator.clipboard.readText()"), "copied", "exec"), {})
    assert capsys.readouterr().out
    page.get_by_role("button", name="cURL").click()
    page.locator(".copied").get_by_text("guardrail serve").wait_for()
    body = page.evaluate("navigator.clipboard.readText()").partition("-d '")[2].rstrip().removesuffix("'")
    assert json.loads(body.replace("'\\''", "'"))["passages"][0]["text"] == "The dam's 64 metres high."


def test_stopped_is_said(page, site):
    page.route("**/api/check", lambda _: None)  # it never comes
    opened(page, site)
    page.get_by_label("Answer", exact=True).fill("The dam is high.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("heading", name="Stopped").wait_for()


def test_errors_say_what_to_do(page, site):
    opened(page, site)
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_text("There is no answer to check. Paste one", exact=False).wait_for()
    page.route("**/api/check", lambda route: route.abort())
    page.get_by_label("Answer", exact=True).fill("The dam is high.")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("alert").get_by_text("still running?").wait_for()


def test_two_tabs_know_nothing_of_each_other(context, site):
    first, second = context.new_page(), context.new_page()
    example(opened(first, site))
    second.goto(f"{site.origin}/")  # the token is known in this browser
    example(second, "Who was Dick Hanley?")
    assert first.locator(".segment").count() == 4
    assert second.locator(".segment").count() == 3
    first.get_by_role("link", name="Check").click()
    assert first.locator(".segment").count() == 4


@pytest.mark.parametrize("width", [400, 1280])
def test_axe_has_nothing_serious_to_say(browser, site, width):
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="dark")
    context.set_default_timeout(300_000)
    page = context.new_page()
    opened(page, site)
    serious(Axe(), page)
    example(page)
    serious(Axe(), page)
    page.emulate_media(color_scheme="light")
    serious(Axe(), page, runOnly=["color-contrast"])  # colours are all that changes
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def serious(axe, page, **options):
    found = axe.run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    bad = {
        each["id"]: [node["html"] for node in each["nodes"]]
        for each in found
        if each["impact"] in ("serious", "critical")
    }
    assert not bad
