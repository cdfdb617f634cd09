"""How a passage introduces its subject."""

from __future__ import annotations

import pytest

from guardrail.check.entities.subjects import subject_of
from guardrail.types import Passage


@pytest.mark.parametrize(
    ("title", "text", "name", "born", "role"),
    [
        (None, "Dick Hanley (1894 – 1970) was an American football coach.", "Dick Hanley", "1894", "football"),
        ("Jo Cook (cricketer)", "He bats.", "Jo Cook", "", "cricket"),
        ("Ken Harris", "Captain Ken Harris (1898 – 1982) was an animator.", "Ken Harris", "1898", "art"),
        (None, "陆文启（1931年—2001年）是水文站站长。", "陆文启", "1931", "science"),
        ("Team", "Anna Berg (born 1980) is an engineer.", "Anna Berg", "1980", "science"),
        (None, "The leave is 18 weeks long.", "", "", None),
    ],
)
def test_subject(title: str | None, text: str, name: str, born: str, role: str | None) -> None:
    """Name, birth year and occupation, from the title or the opening."""
    subject = subject_of(Passage(id="p", title=title, text=text))
    assert (subject.name, subject.born) == (name, born)
    assert (role in subject.roles) if role else not subject.roles


def test_another() -> None:
    """A passage that says so is about somebody else."""
    assert subject_of(Passage(id="p", text="Another Li Marsh was a teacher in Leeds.")).other
    assert not subject_of(Passage(id="p", text="Li Marsh was a teacher in Hull.")).other
