"""D-FActScore: facts, groups and individuals."""

from itertools import count

import pytest

from guardrail.check.contract import validated_draft
from guardrail.engines.llm.paper import d_factscore
from guardrail.types import Passage


@pytest.fixture
def grouped(sentences, drive, draft_request):
    def draft_of(groups, facts=("Larkmoor Dam is 64 metres high.",)):
        numbers = count()

        def script(name, data):
            if name == "d_factscore_facts":
                return {"facts": [f"{data['sentence']['text'][:-1]} ({next(numbers)})."]}
            return {"groups": groups}

        request = draft_request(" ".join(sentences[:4]))
        draft, _ = drive(d_factscore.decompose(request, "en"), script)
        validated_draft(request, draft)
        return draft

    return draft_of


@pytest.mark.parametrize(
    ("groups", "expected", "noted"),
    [
        ([("A", "s1 s2"), ("B", "s3 s4")], [("A", "s1 s2"), ("B", "s3 s4")], False),
        ([("A", "s1 s2 s3 s4 s1 s9")], [("A", "s1 s2 s3 s4")], False),
        ([("A", "s1"), ("B", "s3 s1 s4")], [("A", "s1 s2"), ("B", "s3 s4")], True),  # s2 is missing, s1 doubled
        ([("A", "s1"), ("B", "s2 s4")], [("A", "s1"), ("B", "s2 s3 s4")], True),
        ([("B", "s2"), ("A", "s4")], [("B", "s1 s2 s3"), ("A", "s4")], True),  # the first is missing
        ([("A (swimmer)", "s1 s2"), ("", "s3 s4")], [("A", "s1 s2"), ("", "s3 s4")], False),
    ],
)
def test_ids_of_groups_are_mended_and_no_fact_is_lost(groups, expected, noted, grouped):
    draft = grouped([{"name": name, "facts": ids.split()} for name, ids in groups])
    assert [(g.name, " ".join(g.segments)) for g in draft.groups] == expected
    assert ("stay with the fact before" in draft.reason) == noted


def test_the_rules_group_where_the_reply_names_nothing(grouped):
    assert grouped([{"name": "A", "facts": ["x"]}]).groups is None
    assert "The rules grouped" in grouped("none").reason


def test_facts_that_leave_a_sentence_out_do_not_hide_it(sentences, drive, draft_request):
    def script(name, data):
        if name == "d_factscore_groups":
            return {"groups": [{"name": "", "facts": [fact["id"] for fact in data["facts"]]}]}
        return {"facts": ["Water is wet."] if data["sentence"]["unit"] == 2 else [data["sentence"]["text"]]}

    request = draft_request(" ".join(sentences[:3]))
    draft, _ = drive(d_factscore.decompose(request, "en"), script)
    validated_draft(request, draft)
    assert [s.text for s in draft.parts.checked] == [sentences[0], "Water is wet.", sentences[1], sentences[2]]
    assert "1 of 3 sentences are checked whole" in draft.reason


def test_a_fact_is_false_only_if_every_individual_was_judged(sentences, answer, drive, verify_request, checked):
    passages = [Passage(id=str(n), text=answer, title=f"Larkmoor ({tag})") for n, tag in enumerate(["dam", "lake"])]

    def told(first, second):
        request = verify_request(sentences[:1], passages, claims=1)
        by = {"d1": first, "d2": second}

        def script(_, data):
            verdict = by[data["documents"][0]["id"]]
            return {"id": data["fact"]["id"], "verdict": verdict}

        return checked(request, drive(d_factscore.verify(request, "en"), script)[0]).claims[0]

    assert told("false", "true").supported == 0.95
    assert told("false", "true").cells[0].supported == 0.05
    assert (told("false", "false").unverified, told("false", "false").supported) == (None, 0.05)
    assert told("false", "both").unverified
    assert told("true", "both").supported == 0.95
