"""The Label view in a real browser: by keyboard alone, in two tabs, with hostile texts, and after a crash."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from guardrail.evaluation import read_labelled
from guardrail.service.studio.studio import Studio
from tests.support.axe import serious_faults
from tests.support.label_files import bridge, is_wrong, write_bridges
from tests.support.studios import running

expect.set_options(timeout=300_000)

pytestmark = pytest.mark.clock


@pytest.fixture
def source(tmp_path):
    return write_bridges(tmp_path / "answers.jsonl", 12)


@pytest.fixture
def site(source):
    with running(Studio(source)) as found:
        yield found


def begin(page, site, name="Ana", *, how_many=12):
    """Start labelling by keyboard: the name, and Enter."""
    page.goto(site.at("/label"))
    page.get_by_label("Your name").fill(name)
    page.get_by_label("How many").fill(str(how_many))
    page.keyboard.press("Enter")
    at_hand(page)


def at_hand(page):
    """The sentence to be judged, once it is there."""
    page.locator(".sentence.at-hand").wait_for()
    return page.locator(".sentence.at-hand")


def where(page, text):
    expect(page.locator(".answer-side")).to_contain_text(text)


def kept(page):
    expect(page.get_by_text("Kept.")).to_be_visible()


def labels_of(source):
    return {one.id: one.label.value for one in read_labelled(source.with_suffix(".labels.jsonl"))}


def test_ten_answers_by_keyboard_alone(page, site, source):
    begin(page, site, how_many=10)
    truth = {row["question"]: row["id"] for row in map(bridge, range(12))}
    wrong = 0
    for number in range(1, 11):
        where(page, f"Answer {number} of 10 · sentence 1 of 2")
        expect(page.get_by_text("This queue is done")).to_be_hidden()
        ident = truth[page.locator(".asked").inner_text()]
        page.keyboard.press("1")
        where(page, f"Answer {number} of 10 · sentence 2 of 2")
        if not is_wrong(ident):
            page.keyboard.press("1")
            continue
        wrong += 1
        page.keyboard.press("2")
        page.keyboard.press("t")
        expect(page.get_by_label("Kind of error")).to_be_focused()
        page.keyboard.type("contradiction")
        page.keyboard.press("Enter")
        page.keyboard.press("w")
        expect(page.get_by_role("listbox")).to_be_focused()
        for key in ("ArrowRight", "Shift+ArrowRight", "Enter"):
            page.keyboard.press(key)
        page.keyboard.press("e")
        expect(page.locator("[role=checkbox]").first).to_be_focused()
        for key in ("ArrowDown", "Space", "Enter"):
            page.keyboard.press(key)
        expect(page.get_by_text("1 evidence sentence marked")).to_be_visible()
        page.keyboard.press("n")
    expect(page.get_by_text("10 of 10 done")).to_be_visible()
    kept(page)
    assert wrong > 0
    found = {one.id: one for one in read_labelled(source.with_suffix(".labels.jsonl"))}
    assert {ident: one.label.value for ident, one in found.items()} == {
        ident: "contradicted" if is_wrong(ident) else "supported" for ident in found
    }
    assert len(found) == 10
    for ident, one in found.items():
        if is_wrong(ident):
            (span,) = one.error_spans
            second = one.answer.partition(". ")[2]
            assert span.of(one.answer) == " ".join(second.split()[1:3])
            assert one.error_type == "contradiction"
            ((number, evidence),) = one.evidence
            assert evidence.of(one.passages[number].text).startswith("Its two towers")


def test_the_end_of_a_queue_leads_to_set(page, site):
    begin(page, site, how_many=1)
    page.keyboard.press("1")
    where(page, "sentence 2 of 2")
    page.keyboard.press("1")
    expect(page.get_by_role("link", name="Set a threshold from its labels")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Set a threshold from 1 labelled answer")).to_be_visible()


def test_undo_unsure_and_skip(page, site, source):
    begin(page, site)
    page.keyboard.press("1")
    where(page, "sentence 2 of 2")
    page.keyboard.press("3")
    where(page, "Not in the passages")
    page.keyboard.press("z")
    where(page, "sentence 2 of 2 · not labelled yet")
    page.keyboard.press("z")
    where(page, "Answer 1 of 12 · sentence 1 of 2 · not labelled yet")
    page.keyboard.press("u")
    where(page, "sentence 2 of 2")
    page.keyboard.press("s")
    where(page, "Answer 2 of 12")
    page.keyboard.press("p")
    where(page, "Answer 1 of 12 · sentence 2 of 2")
    where(page, "the answer: ")
    page.keyboard.press("z")  # the skip
    expect(page.locator(".answer-side")).not_to_contain_text("the answer: ")
    where(page, "Answer 1 of 12 · sentence 2 of 2")
    page.keyboard.press("2")
    where(page, "Contradicted · n goes on")
    kept(page)
    last = at_hand(page).inner_text().rstrip(".").split()[-1]
    page.keyboard.press("w")
    page.get_by_role("listbox").press("End")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"“{last}”")).to_be_visible()
    assert list(labels_of(source).values()) == ["contradicted"]


def holding(page, url):
    """Requests that are held up: those that came, and what lets them all go."""
    held, free = [], []
    page.route(url, lambda route: route.continue_() if free else held.append(route))

    def release():
        free.append(True)
        while held:
            held.pop().continue_()

    return held, release


def pump(page, come):
    """Let the browser go on until something has come."""
    deadline = time.monotonic() + 300
    while not come():
        assert time.monotonic() < deadline
        page.evaluate("new Promise((go) => setTimeout(go, 10))")


def test_keys_are_about_the_answer_that_is_shown(page, site, source):
    """The next answer is slow to come, and whoever labels is quick."""
    begin(page, site)
    page.keyboard.press("1")
    where(page, "sentence 2 of 2")
    held, release = holding(page, "**/api/label/item*")
    page.keyboard.press("1")
    pump(page, lambda: len(held) == 1)
    with page.expect_response("**/api/label/say"):
        page.keyboard.press("1")  # once more: this is not about answer 2, and does not pass it over
    with page.expect_response("**/api/label/say"):
        page.keyboard.press("2")  # it was wrong after all
    release()
    where(page, "Answer 2 of 12 · sentence 1 of 2 · not labelled yet")
    kept(page)
    assert list(labels_of(source).values()) == ["contradicted"]


def test_what_is_said_while_the_answer_is_read_again_is_shown(page, site):
    begin(page, site)
    page.keyboard.press("2")
    where(page, "Contradicted")
    held, release = holding(page, "**/api/label/item*")
    page.keyboard.press("z")
    pump(page, lambda: held)
    before = held[0].fetch()
    with page.expect_response("**/api/label/say"):
        page.keyboard.press("3")
    held.pop(0).fulfill(response=before)
    release()
    where(page, "Answer 1 of 12 · sentence 1 of 2 · Not in the passages")
    kept(page)
    where(page, "Answer 1 of 12 · sentence 1 of 2 · Not in the passages")


def test_two_tabs_of_two_people_at_once_lose_nothing(context, site, source):
    tabs = [(context.new_page(), name) for name in ("Ana", "Bo")]
    for page, name in tabs:
        begin(page, site, name, how_many=4)
    for number in range(1, 5):
        for sentence in (1, 2):
            for page, _ in tabs:
                where(page, f"Answer {number} of 4 · sentence {sentence} of 2")
            for page, _ in tabs:  # the presses of both are on their way together
                page.keyboard.press("1")
    for page, _ in tabs:
        expect(page.get_by_text("4 of 4 done")).to_be_visible()
    lines = [json.loads(line) for line in source.with_suffix(".labels.jsonl").read_text().splitlines()]
    said = [(line["by"], line["item"], line["segment"]) for line in lines if line.get("kind") == "label"]
    assert len(said) == len(set(said)) == 16
    page = tabs[0][0]
    page.get_by_text("Who labelled").click()
    expect(page.get_by_text("Ana and Bo used a single word for 8 sentences of 4 answers")).to_be_visible()


def test_two_tabs_of_one_person(context, site):
    one, other = context.new_page(), context.new_page()
    begin(one, site)
    begin(other, site)
    one.keyboard.press("1")
    where(one, "sentence 2 of 2")
    kept(one)
    other.keyboard.press("s")
    where(other, "Answer 2 of 12")
    kept(other)
    one.reload()  # goes on with its queue: what was done in the other tab is done
    where(one, "Answer 2 of 12")


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9")
def test_labels_survive_a_kill(page, source):
    """What the page called kept is there when the studio starts again, and labelling goes on where it was."""
    with reserved_port() as port, started(source, port) as (process, url):
        page.goto(f"{url}&/label")
        page.get_by_label("Your name").fill("Ana")
        page.keyboard.press("Enter")
        where(page, "Answer 1 of 12 · sentence 1 of 2")
        page.keyboard.press("3")
        kept(page)
        page.keyboard.press("n")
        where(page, "sentence 2 of 2")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        page.keyboard.press("1")
        expect(page.get_by_text("The last label was not kept, from answer 1 on")).to_be_visible()
        expect(page.get_by_text("The studio does not answer")).to_have_count(1)  # said once, and it stays on the answer
        where(page, "Answer 1 of 12")
        assert list(labels_of(source).values()) == ["unsupported"]
        with started(source, port) as (_, again):
            page.get_by_role("button", name="Try again").click()
            page.get_by_label("Address or token").fill(again)  # the new run has another token
            page.get_by_role("button", name="Unlock").click()
            where(page, "Answer 1 of 12 · sentence 2 of 2 · not labelled yet")
            page.keyboard.press("1")
            where(page, "Answer 2 of 12")
            page.goto("about:blank")
            page.goto(f"{again}&/label?order=random&seed=1&limit=12")
            where(page, "Answer 2 of 12 · sentence 1 of 2")


@contextmanager
def reserved_port():
    """A port that two runs may have one after the other, and no other process in between.

    What the page keeps, such as the name, belongs to an address.
    """
    with (
        socket.socket() as held
    ):  # bound and not listening: the studio may bind it too, nobody is given it as a free one
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


class started:  # noqa: N801  reads as a verb
    """The command itself."""

    def __init__(self, source, port):
        command = [sys.executable, "-m", "guardrail.cli.main", "studio", str(source)]
        self._argv = [*command, "--port", str(port), "--no-browser"]

    def __enter__(self):
        self._process = subprocess.Popen(self._argv, stderr=subprocess.PIPE, text=True)
        line = self._process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self._process.stderr.read()
        return self._process, found[0]  # it is printed once connections are taken

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._process.stderr.close()


def test_hostile_texts_are_texts(page, tmp_path):
    evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script> \u202edrowssap\u202c \U0001f600 ends here.'
    row = {"id": "<b>", "question": evil, "answer": f"{evil} The bridge \U0001f600 was opened in 1932.",
           "passages": [{"id": evil, "title": evil, "text": f"{evil} The bridge was opened in 1932."}]}  # fmt: skip
    sentence = "The bridge was opened in 1932. "
    size = len(sentence)
    found = [{"id": f"s{n}", "text": sentence.strip(), "span": [n * size, (n + 1) * size - 1], "verdict": "supported",
              "score": 0.9, "error_type": None, "reason": "", "evidence": []} for n in range(2_000)]  # fmt: skip
    # Checked already: to judge it would take minutes on a slow machine, and is not what this is about.
    long = {"id": "long", "answer": sentence * 2_000, "verdict": "supported", "score": 0.9, "findings": found,
            "passages": [{"id": f"p{n}", "text": f"The bridge number {n} was opened in 1932."} for n in range(2_000)]}  # fmt: skip
    path = tmp_path / "evil.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (row, long)))
    with running(Studio(path)) as site:
        begin(page, site, "<i>Ana</i>")
        for _ in range(2):
            expect(page.locator(".label-columns")).to_contain_text("The bridge")
            if "<script>" in page.locator(".answer-text").inner_text():
                assert "U+202E" in page.locator(".answer-text").inner_text()
                assert "\u202e" not in page.locator("body").inner_text()
                while "was opened in 1932" not in at_hand(page).inner_text():
                    page.keyboard.press("1")
                page.keyboard.press("2")
                page.keyboard.press("w")
                page.get_by_role("option", name="1932").click()
                page.keyboard.press("Enter")
                expect(page.get_by_text("“1932”")).to_be_visible()
                kept(page)
            else:
                expect(page.get_by_role("button", name="Show all 2000 passages")).to_be_visible()
            page.keyboard.press("s" if "<script>" not in page.locator(".answer-text").inner_text() else "n")
            if page.get_by_text("Answer 2 of 2").count() == 0:
                where(page, "Answer 2 of 2")
        assert page.evaluate("window.hit") is None
        assert page.locator("main img, main script, main b, main i").count() == 0
    (found,) = [one for one in read_labelled(path.with_suffix(".labels.jsonl")) if one.id == "<b>"]
    assert [span.of(found.answer) for span in found.error_spans] == ["1932"]


def test_empty_states(page, tmp_path):
    with running(Studio()) as site:
        page.goto(site.at("/label"))
        expect(page.get_by_role("heading", name="Nothing to label yet")).to_be_visible()
        expect(page.get_by_text("guardrail studio answers.jsonl")).to_be_visible()
    with running(Studio(write_bridges(tmp_path / "answers.jsonl", 3))) as site:
        page.goto("about:blank")
        page.goto(site.at("/label"))
        page.get_by_text("Who labelled").click()
        expect(page.get_by_text("Nobody has labelled anything yet")).to_be_visible()
        page.get_by_label("Your name").fill("Ana")
        page.get_by_label("Which answers").select_option("people")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("heading", name="Nothing to label here")).to_be_visible()
        expect(page.get_by_text("That takes two")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_of_accessibility(page, site, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(site.at("/label"))
    page.get_by_label("Your name").wait_for()
    assert serious_faults(page) == []
    begin(page, site)
    for key in ("1", "2", "h", "e", "Space", "Enter"):
        page.keyboard.press(key)
    kept(page)
    page.get_by_text("Who labelled").click()
    page.get_by_role("table").wait_for()
    assert serious_faults(page) == []
    page.keyboard.press("w")
    page.get_by_role("listbox").wait_for()
    assert serious_faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 400
