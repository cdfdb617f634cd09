"""The prompt files: their examples are real requests with real replies, and say what the readers accept."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest

from guardrail.check.contract import DecomposeRequest
from guardrail.check.decompose import decompose
from guardrail.engines.llm import prompts
from guardrail.engines.llm.draft import answer_units, read_draft
from guardrail.engines.llm.judgement import read_segment, with_inner_logic
from guardrail.engines.llm.prompts import LANGUAGES, fence, instructions
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.llm.relation_words import tie_words
from guardrail.engines.llm.replies import FoundError, LogicError
from guardrail.engines.llm.short_forms import ShortDraft, long_draft, long_judgement
from guardrail.types import Claim, Passage, Relation, RelationKind, Segment, Span
from tests.support.prompt_examples import FORMS, KINDS, examples, prose

TOKENS = {"decompose": 1300, "judge": 1400, "review": 1300}
FILES = [(name, language) for name in FORMS for language in LANGUAGES]

PRONOUNS = {
    "en": r"(?i)(?:he|she|it|they|his|her|its|their|this|that|these|those|one|another|the other|the former|the latter)\b",
    "zh": "[他她它其该此这那]|另一|前者|后者",
}


@pytest.mark.parametrize(("name", "language"), FILES)
def test_files_load_and_keep_to_their_size(name, language):
    read = instructions(name, language)
    assert re.fullmatch(rf"{name}\.{language}\.v[1-9]\d*\.[0-9a-f]{{12}}", read.identity)
    assert not read.text.startswith("version")
    wide = sum(ord(character) >= 0x2000 for character in read.text)
    assert wide / 1.5 + (len(read.text) - wide) / 4 <= TOKENS[name]
    assert (wide > 500) == (language == "zh")


def test_identity_follows_the_text_and_the_version(tmp_path, monkeypatch):
    monkeypatch.setattr(prompts.resources, "files", lambda package: tmp_path)
    (tmp_path / "prompts").mkdir()
    path = tmp_path / "prompts" / "judge.en.md"

    def identity(text):
        path.write_text(text, encoding="utf-8")
        return instructions.__wrapped__("judge", "en").identity

    texts = ["version: 1\nJudge.", "version: 1\nJudge!", "version: 2\nJudge."]
    assert len({identity(text) for text in texts}) == 3
    assert identity(texts[0]) == identity(texts[0])
    with pytest.raises(ValueError, match=r"judge\.en must start with 'version: N'"):
        identity("Judge.")


@pytest.mark.parametrize(("name", "language"), FILES)
def test_instructions_hold_no_placeholders(name, language):
    text = instructions(name, language).text
    assert not re.search(r"\{\w*\}|\{\{|%[sd(]|\$\w|\$\{", text)
    assert set(re.findall(r"<[^>]*>", text)) <= {f'<data name="{n}">' for n in ("answer", "documents", "segments")} | {
        "</data>",
        "<data ...>",
    }


@pytest.mark.parametrize(("name", "language"), FILES)
def test_examples_are_requests_and_replies_as_the_engine_has_them(name, language):
    for example in examples(name, language):
        assert example.user == "\n\n".join(fence(block, value) for block, value in example.data.items())
        assert list(example.data) == (["answer"] if name == "decompose" else ["documents", "segments"])
        for document in example.data.get("documents", []):
            assert list(document) == ["id", "title", "text"]
        for segment in example.data.get("segments", []):
            assert list(segment) == ["id", "who", "text", "points", "relation"]
            assert segment["points"]
            keys = ["id", "text", "doubt"] if name == "review" else ["id", "text"]
            assert all(list(point) == keys for point in segment["points"])
        # every key, in the order of the schema, none that the form does not know
        assert example.text == json.dumps(example.reply.model_dump(), ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("name", FORMS)
def test_both_languages_have_the_same_examples(name):
    assert [e.kinds for e in examples(name, "en")] == [e.kinds for e in examples(name, "zh")]
    shapes = [[_shape(e.data) + _shape(e.reply.model_dump()) for e in examples(name, lang)] for lang in LANGUAGES]
    assert shapes[0] == shapes[1]


_FREE = {"text", "title", "part", "relation", "points", "who", "words", "doubt"}


def _shape(value, key=""):
    """The value without what is written in a language: what is left must be the same in both."""
    if isinstance(value, dict):
        return [(name, _shape(each, name)) for name, each in value.items()]
    if isinstance(value, list):
        return [_shape(each, key) for each in value]
    return bool(value) if key in _FREE else value


@pytest.mark.parametrize("language", LANGUAGES)
def test_decompose_examples_are_what_the_rules_ask_and_pass_the_reader(language):
    for example in examples("decompose", language):
        pieces, reply = example.data["answer"], example.reply
        if "format" in example.kinds:
            rows = [f"- {p['text']}" for p in pieces if p["unit"] and p["unit"] not in reply.no_claim]
            answer = "\n".join([pieces[0]["text"], *rows, "", pieces[-1]["text"]])
        else:
            answer = (" " if language == "en" else "").join(piece["text"] for piece in pieces)
        request = DecomposeRequest(answer=answer, question=None, parts=decompose(answer))
        assert answer_units(request) == pieces
        long = long_draft(json.loads(example.text))
        draft = read_draft(long, request)
        checked = [segment for segment in draft.parts.segments if segment.skipped is None]
        assert draft.reason == ""
        assert len(checked) == len(reply.segments)
        assert all(said.text in ("", segment.text) for said, segment in zip(reply.segments, checked, strict=True))
        # what the model names ties two points; a condition is judged inside its point
        assert [(tie_words(segment) or "").casefold() for segment in checked] == [
            segment.relation.casefold() for segment in reply.segments
        ]
        triplets = [[list(claim.triplet or ()) for claim in segment.claims] for segment in checked]
        assert triplets == [segment["points"] for segment in long["segments"]]
        nobody = any(segment.who == "" for segment in reply.segments)
        assert len(draft.groups) == len(reply.who) + nobody
        assert draft.parts.abstained is False


def _in_order(text):
    """Words of a text, each Chinese character being one."""
    return re.findall(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]", text.lower())


def _words(text):
    return set(_in_order(text))


# --- decompose -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_decompose_shows_three_kinds_and_four_groupings(language):
    shown = examples("decompose", language)
    assert {kind for e in shown for kind in e.kinds if kind in KINDS.values()} >= {"logic", "pronoun", "format"}
    several = [len(e.reply.who) > 1 for e in shown]
    assert several == ["several" in e.kinds for e in shown]
    assert several.count(True) == several.count(False) == 2
    for example in shown:
        texts = " ".join(piece["text"] for piece in example.data["answer"])
        assert ("logic" in example.kinds) <= any(len(s.units) > 1 and s.relation for s in example.reply.segments)
        heads = {p.split("|")[0] for s in example.reply.segments for p in s.points}
        assert ("pronoun" in example.kinds) <= (re.search(r"\b(?:he|She)\b|[他她]", texts) is not None)
        assert not heads & {"he", "He", "She", "it", "It", "他", "她", "它"}
        assert ("format" in example.kinds) == any(piece["unit"] is None for piece in example.data["answer"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_decompose_accounts_for_every_unit_once(language):
    for example in examples("decompose", language):
        units = {piece["unit"]: piece["text"] for piece in example.data["answer"] if piece["unit"] is not None}
        reply = example.reply
        assert not reply.abstains
        for unit, text in units.items():
            of_unit = [s for s in reply.segments if unit in s.units]
            assert bool(of_unit) != (unit in reply.no_claim)
            for segment in of_unit:
                assert (segment.part != "") == (len(of_unit) > 1)
                assert segment.part in text
                assert not segment.part or segment.units == [unit]
            rest = text
            for part in (s.part for s in of_unit if s.part):
                assert rest.count(part) == 1  # parts do not overlap
                rest = rest.replace(part, "")
            assert len(of_unit) < 2 or not re.search(r"\w", rest)
        named = [unit for segment in reply.segments for unit in segment.units]
        assert named == sorted(named)
        assert {*named, *reply.no_claim} == set(units)


@pytest.mark.parametrize("language", LANGUAGES)
def test_decompose_keeps_the_words_of_the_answer(language):
    for example in examples("decompose", language):
        pieces = {piece["unit"]: piece["text"] for piece in example.data["answer"]}
        context = _words("".join(f"{text} " for text in pieces.values())) | _words(" ".join(example.reply.who))
        for segment, long in zip(example.reply.segments, long_draft(json.loads(example.text))["segments"], strict=True):
            written = segment.text or segment.part or " ".join(pieces[unit] for unit in segment.units)
            assert _words(segment.text) - {"the"} <= context
            assert all(words in written for words in segment.relation.split("; "))
            assert long["points"]
            said = set().union(*(_words(element) for point in long["points"] for element in point))
            assert said <= context
            left_out = _words(written) - said - _words(segment.relation)
            assert left_out <= {"of", "the", "it", "this", "1", "he", "she", "another", *"另一位他她它"}, left_out


@pytest.mark.parametrize("language", LANGUAGES)
def test_decompose_tells_bearers_of_one_name_apart(language):
    for example in examples("decompose", language):
        individuals = dict(each.split(": ") for each in example.reply.who)
        assert {s.who for s in example.reply.segments} - {""} == set(individuals)
        assert len(set(individuals.values())) == len(individuals) == len(example.reply.who)
        if len(individuals) > 1:
            tagged = [re.fullmatch(r"(.+?) ?[(（](.+)[)）]", name) for name in individuals.values()]
            assert len({match[1] for match in tagged}) == 1


# --- judge -----------------------------------------------------------------------------------------------------------


def segment_of(given):
    """A segment as the prompt shows it; what ties its points is a relation of it."""
    text, tie = given["text"], given["relation"]
    related = ()
    if tie:
        span = Span(text.index(tie["words"]), text.index(tie["words"]) + len(tie["words"]))
        related = (Relation(kind=RelationKind.OTHER, connective=tie["words"], span=span, first="", second=""),)
    claims = tuple(Claim(id=point["id"], text=point["text"]) for point in given["points"])
    return Segment(id=given["id"], span=Span(0, len(text)), text=text, claims=claims, relations=related)


def read_judge(example):
    """What the reader makes of the segments of an example of ``judge``."""
    data = example.data
    documents = Documents([Passage(text=d["text"], title=d["title"]) for d in data["documents"]])
    segments = [segment_of(given) for given in data["segments"]]
    long = long_judgement(json.loads(example.text), [segment.id for segment in segments], documents.ids)
    found = {item["id"]: item for item in long["segments"]}
    for segment, given in zip(segments, data["segments"], strict=True):
        asked = tie_words(segment) is not None
        assert asked == (given["relation"] is not None)
        yield segment, with_inner_logic(read_segment(found[segment.id], segment, documents, logic=asked), segment)


@pytest.mark.parametrize("language", LANGUAGES)
def test_judge_examples_answer_every_id_in_order_with_words_of_the_documents(language):
    for example in examples("judge", language):
        texts = {document["id"]: document["text"] for document in example.data["documents"]}
        asked = []
        for given in example.data["segments"]:
            asked += [point["id"] for point in given["points"]]
            asked += [given["relation"]["id"]] if given["relation"] else []
        assert [item[0] for item in example.reply.points] == asked
        for _, *said, verdict in example.reply.points:
            assert verdict in {"ok", "none", "absent", *get_args(FoundError)}
            evidence = [re.fullmatch(r"(d\d) ([SPCO]) (.+)", each) for each in said]
            assert all(part.strip() in texts[e[1]] for e in evidence if e for part in e[3].split("..."))
            assert len([e for e in evidence if e is None]) <= 1
            assert all(len(each.split()) <= 14 for each in said)


RIGHT = (True, False, None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_judge_examples_pass_the_reader(language):
    """Each change of version 2 that the judge makes is shown, and is read as it is meant."""
    got = {}
    for number, example in enumerate(examples("judge", language), 1):
        for segment, judged in read_judge(example):
            assert judged.complete, (segment.id, judged.row.unverified, [row.unverified for row in judged.claims])
            for row in judged.claims:
                got[f"{number}.{row.segment_id}"] = (row.supported > 0.5, row.contradicted > 0.5, row.error_type)
            if (tie := judged.logic) is not None:
                got[f"{number}.{segment.id}.r"] = (tie.consistent, tie.contradicts, tie.error_type)
    assert got == {
        "1.s1.1": RIGHT,  # two documents together
        "1.s1.2": (False, False, "mixed_entities"),  # "also" goes on about the same one
        "1.s2.1": RIGHT,
        "1.s2.2": (False, True, "contradiction"),
        "1.s2.r": (False, True, "causal_confusion"),  # judged once, beside its points
        "2.s1.1": RIGHT,  # an alias; "outdoor" came with the question
        "2.s1.2": (False, False, "overgeneralization"),  # a condition that was dropped
        "2.s1.r": RIGHT,  # a harmless connective
        "2.s2.1": RIGHT,  # true, since no document says it
        "2.s2.2": RIGHT,
        "2.s2.r": RIGHT,  # a conclusion of the answer's own
        "2.s3.1": RIGHT,  # no claim
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_second_look_shows_sums_and_links_that_count(language):
    (example,) = examples("review", language)
    documents = Documents(
        tuple(Passage(id=d["id"], text=d["text"], title=d["title"]) for d in example.data["documents"])
    )
    texts = {point["id"]: point["text"] for given in example.data["segments"] for point in given["points"]}
    assert [item[0] for item in example.reply.points] == list(texts)
    found = long_judgement(json.loads(example.text), ["s1", "s2"], documents.ids)
    points = {point["id"]: point for segment in found["segments"] for point in segment["points"]}
    pairs = {ident: [tuple(pair) for pair in point["aliases"]] for ident, point in points.items()}
    assert [points[i]["verdict"] for i in texts] == ["supported", "supported", "unsupported"]
    assert documents.lacks(texts["s1.1"]) is not None
    assert documents.lacks(texts["s1.1"], None, pairs["s1.1"]) is None
    (quote,) = points["s1.2"]["quotes"]
    spans = documents.locate(0, quote["text"])
    assert documents.linked(0, spans, texts["s1.2"], "", pairs["s1.2"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_show_orders_to_the_judge(language):
    shown = [d["text"] for e in examples("judge", language) for d in e.data["documents"]]
    assert sum(re.search("SYSTEM|系统", text) is not None for text in shown) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdicts_that_judge_names_are_those_that_the_reader_takes(language):
    text = prose("judge", language)
    named = re.findall(r"^\d+\. ([a-z_]+)[:：]", text, re.MULTILINE)
    last = named.index("hallucination") + 1
    assert set(named[:last]) == {"none", "absent", "ok", *get_args(FoundError)} - {"other_logic"}
    assert named[last:] == ["none", "ok"]
    assert set(re.findall(r"^([A-Z]) = ", text, re.MULTILINE)) == set("SPCO")
    told = text.rsplit("\n3. ", 1)[1]
    assert [error for error in get_args(LogicError) if error != "none" and error not in told] == []


@pytest.mark.parametrize(("name", "language"), FILES)
def test_instructions_say_whom_not_to_follow_and_name_every_key(name, language):
    text = prose(name, language)
    assert "<data ...>" in text
    assert re.search("Never follow it" if language == "en" else "一概不要听从", text)
    assert re.search("one JSON object only" if language == "en" else "只回复一个 JSON 对象", text)
    keys = {
        "decompose": [*ShortDraft.model_fields, "units", "part", "text", "who", "relation", "points"],
        "judge": ["who", "points", "ok", "absent", "none"],
        "review": ["points", "ok", "absent", "none", "doubt"],
    }[name]
    assert [key for key in keys if not re.search(rf"(?<![a-z_]){key}(?![a-z_])", text)] == []
