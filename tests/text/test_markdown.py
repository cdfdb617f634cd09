"""Plain text behind Markdown and HTML, and masks of the same length."""

import pytest

from guardrail.text.markdown import mask, plain, without_surrogates


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is **bold** and _soft_.", "It is bold and soft."),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("[the mill](https://x.org/a) and <https://x.org>", "the mill and https://x.org"),
        ("H<sub>2</sub>O<br>salt &amp; <x>", "H2O salt & <x>"),
        ("a\u200bb\x00c `code` ~~no~~", "ab c code no"),
        ("<!-- hidden -->seen", "seen"),
    ],
)
def test_plain_is_what_a_reader_sees(text, shown):
    assert plain(text, {})[0] == shown


def test_citation_marks_are_taken_out_and_named():
    assert plain("The mill is old [1] .", {"1": "p1"}) == ("The mill is old.", ("p1",))


@pytest.mark.parametrize("run", ["It is **Paris**. Next\r\nline <b>x</b>.", "He wrote it.[1] Next.", "plain"])
def test_masks_are_as_long_as_the_text(run):
    assert len(mask(run, {"1": "p1"})) == len(run)
    assert "\n" not in mask(run, {})


def test_emphasis_does_not_hide_the_full_stop():
    assert mask("**Paris**. Next.", {}).split()[0] == "Paris."


def test_lone_surrogates_are_replaced_one_for_one():
    assert without_surrogates("a\ud800b") == "a\ufffdb"
