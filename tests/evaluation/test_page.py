"""The page of an evaluation: whole, escaped, and with plots inside their frames."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from tests.support.labelled_answers import ROWS, run, write


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "set <i>&.jsonl", ROWS)


VOID = {"meta", "circle", "line", "rect", "polyline", "br"}


class Page(HTMLParser):
    """Collects tags and text, and refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_whole_escaped_and_stands_alone(data, tmp_path):
    assert run(data, "--html", tmp_path / "out.html", "--resamples", 50).exit_code == 0
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "i", "b"} & set(page.tags)
    assert not [a for a in page.attributes if a[0] in {"src", "href", "action"} or a[0].startswith("on")]
    assert "://" not in text
    assert "prefers-color-scheme: dark" in text
    seen = "".join(page.text)
    assert "set <i>&" in seen
    assert "<b>'odd' & \"type\"</b>" in seen
    assert page.tags.count("figure") == page.tags.count("figcaption") == page.tags.count("svg") == 3
    assert seen.count("How to read it") == 3


def test_each_plot_is_well_formed_and_inside_its_frame(data, tmp_path):
    run(data, "--html", tmp_path / "out.html", "--resamples", 50)
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    plots = [part.partition("</svg>")[0] + "</svg>" for part in ("<svg" + rest for rest in text.split("<svg")[1:])]
    assert len(plots) == 3
    for plot in plots:
        root = ET.fromstring(plot)
        _, _, width, height = map(float, root.get("viewBox").split())
        assert root.get("aria-label")
        for circle in root.iter("circle"):
            assert 0 <= float(circle.get("cx")) <= width
            assert 0 <= float(circle.get("cy")) <= height
        for bar in root.iter("rect"):
            assert 0 <= float(bar.get("x")) + float(bar.get("width")) <= width
