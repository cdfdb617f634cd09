"""What readers call a document, from what loaders write into its metadata."""

from __future__ import annotations

import pytest

from guardrail.retrieval.titles import title_of

NAMES = [
    ({"title": "Opening hours", "source": "/srv/data/hours.md"}, "Opening hours"),
    ({"title": "Income/Expenses 2024"}, "Income/Expenses 2024"),
    ({"title": "  ", "source": "hours.md"}, "hours.md"),
    ({"title": 7, "file_name": "hours.md"}, "hours.md"),
    ({"title": "/home/rita/hours.md"}, "hours.md"),
    ({"source": "/home/rita/secret-project/hours 2024.pdf", "page": 3}, "hours 2024.pdf"),
    ({"source": r"C:\Users\rita\hours.pdf"}, "hours.pdf"),
    ({"source": r"\\server\share\hours.pdf"}, "hours.pdf"),
    ({"source": "../data/hours.pdf"}, "hours.pdf"),
    ({"file_path": "/data/a/hours.pdf", "file_name": "hours.pdf"}, "hours.pdf"),
    ({"source": "file:///home/rita/hours%20now.pdf"}, "hours now.pdf"),
    ({"source": "s3://bucket/private/hours.pdf"}, "hours.pdf"),
    ({"source": "https://rita:pw@example.org/garage/hours?token=abc#top"}, "example.org/garage/hours"),
    ({"url": "https://example.org/"}, "example.org"),
    ({"source": "handbook"}, "handbook"),
    ({"source": "/tmp/tmpab12_x.pdf", "url": "https://example.org/hours"}, "example.org/hours"),
    ({"file_name": "3f2504e0-4f89-11d3-9a0c-0305e82c3301.pdf"}, None),
    ({"source": "0"}, None),
    ({"source": "https://[broken"}, None),
    ({"source": "x" * 500}, None),
    ({"page": 3}, None),
    ({}, None),
    (None, None),
    (["title"], None),
]


@pytest.mark.parametrize(("metadata", "name"), NAMES)
def test_a_name_that_people_can_read_and_may_see(metadata, name):
    """The title, else a file's name or a page's address; never a whole path, a password or a query."""
    assert title_of(metadata) == name
