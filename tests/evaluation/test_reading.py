"""Readers of labelled data: each format from a small file written here, and what is said of rows that are wrong."""

from __future__ import annotations

import csv
import gzip
import json
import re

import pytest

from guardrail.errors import UsageError
from guardrail.evaluation import read_labelled
from guardrail.evaluation.data.reading import find_sources
from guardrail.types import ErrorType, Span, Verdict

PLAIN = {
    "id": "a",
    "question": "When?",
    "answer": "It opened in 1931.",
    "passages": ["It opened in 1931."],
    "label": "supported",
}


def write_lines(path, rows):
    text = "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def read(path):
    bad = []
    return list(read_labelled(path, on_bad=bad.append)), bad


def test_plain_records(tmp_path):
    wrong = {
        **PLAIN,
        "id": 7,
        "label": "Contradiction",
        "error_type": "Causal confusion",
        "error_spans": [[0, 2]],
        "group": "g",
        "passages": [{"id": "p", "title": "T", "text": "x"}],
    }
    rows, bad = read(write_lines(tmp_path / "mine.jsonl", [PLAIN, wrong]))
    assert bad == []
    first, second = rows
    assert (first.id, first.answer, first.question, first.label) == (
        "a",
        "It opened in 1931.",
        "When?",
        Verdict.SUPPORTED,
    )
    assert (first.dataset, first.lang, first.claim, first.group) == ("mine", "en", False, "When?")
    assert (second.id, second.label, second.error_type) == ("7", Verdict.CONTRADICTED, ErrorType.CAUSAL_CONFUSION)
    assert second.error_spans == (Span(0, 2),)
    assert (second.passages[0].id, second.passages[0].title, second.group) == ("p", "T", "g")


def test_a_json_list_holds_plain_records_too(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([PLAIN, "no object", PLAIN]))
    rows, bad = read(path)
    assert len(rows) == 2
    assert [b.line for b in bad] == [2]


def test_language_is_told_by_script_where_it_is_not_given(tmp_path):
    rows, _ = read(
        write_lines(tmp_path / "x.jsonl", [{**PLAIN, "answer": "這座橋於1931年啟用。"}, {**PLAIN, "lang": "fr"}])
    )
    assert [row.lang for row in rows] == ["zh", "fr"]


def test_uniform_rows(tmp_path):
    row = {
        "id": "r1",
        "dataset": "shared",
        "question": None,
        "passages": ["The dam is 40 m high."],
        "text": "The dam is 30 m high.",
        "context_answer": "The dam is 30 m high. It is new.",
        "label": "unsupported",
        "error_type": "EntE",
        "spans": [[11, 13]],
        "lang": "en",
        "group": "dam",
    }
    rows, bad = read(write_lines(tmp_path / "set__dev.jsonl.gz", [row, {**row, "context_answer": None, "spans": None}]))
    assert bad == []
    claim, whole = rows
    assert (claim.answer, claim.dataset, claim.group) == ("The dam is 30 m high.", "set__dev", "dam")
    assert (claim.error_type, claim.error_name) == (None, "EntE")
    assert claim.error_spans[0].of(claim.answer) == "30"
    assert (claim.claim, claim.part_of) == (True, row["context_answer"])
    assert (whole.claim, whole.part_of, whole.error_spans) == (False, "", ())


def test_claims_of_one_answer_have_one_group_where_none_is_given(tmp_path):
    row = {"passages": ["Yes."], "context_answer": "Yes. No.", "label": "supported"}
    rows = [{**row, "id": n, "text": text, "question": q} for q in ("A?", "B?", None) for n, text in enumerate("xy")]
    found, _ = read(write_lines(tmp_path / "x.jsonl", rows))
    assert [one.group for one in found] == ["A?", "A?", "B?", "B?", "Yes. No.", "Yes. No."]


def test_bench_answers_with_evidence(tmp_path):
    row = {
        "id": "en01-a1",
        "item": "en01",
        "lang": "en",
        "question": "How long?",
        "passages": [
            {"id": "p1", "title": "A", "text": "Nothing."},
            {"id": "p2", "title": "B", "text": "It lasts 18 weeks."},
        ],
        "answer": "It lasts 20 weeks.",
        "label": "contradicted",
        "error_type": "contradiction",
        "difficulty": None,
        "error_span": [9, 11],
        "evidence": [{"passage_id": "p2", "start": 9, "end": 11}],
    }
    rows, bad = read(
        write_lines(tmp_path / "b.jsonl", [row, {**row, "evidence": [{"passage_id": "p9", "start": 0, "end": 1}]}])
    )
    (answer,) = rows
    assert answer.group == "en01"
    assert answer.error_spans[0].of(answer.answer) == "20"
    ((number, span),) = answer.evidence
    assert span.of(answer.passages[number].text) == "18"
    assert "p9" in bad[0].problem


def biography(**changes):
    row = {
        "id": "G1",
        "name": "Ana Bell",
        "question": "Tell me a bio of Ana Bell",
        "answer": "Ana Bell sings. She also dives.",
        "passages": [{"id": "1", "title": "Ana Bell (singer)", "text": "Ana Bell sings."}],
        "category": "one_bio_n_entities",
        "mixed": True,
        "sentences": [
            {"start": 0, "end": 15, "supported_by_group_entity": True},
            {"start": 16, "end": 31, "supported_by_group_entity": False},
        ],
    }
    return {**row, **changes}


def test_biographies_of_namesakes(tmp_path):
    fine = biography(mixed=False, sentences=[{"start": 0, "end": 15, "supported_by_group_entity": None}])
    none = biography(mixed=False, sentences=[], category="no_bio")
    rows, _ = read(write_lines(tmp_path / "e.jsonl", [biography(), fine, none]))
    assert [row.label for row in rows] == [Verdict.UNSUPPORTED, Verdict.SUPPORTED, Verdict.ABSTAINED]
    assert [row.mixed for row in rows] == [True, False, False]
    assert rows[0].error_type is ErrorType.MIXED_ENTITIES
    assert rows[0].error_spans[0].of(rows[0].answer) == "She also dives."


ANNOTATED = [
    {
        "id": "10",
        "response": "Oslo is the capital of Norway and of Sweden.",
        "claude2_response_kg": [
            {"triplet": ["Oslo", "is capital of", "Norway"], "human_label": "Entailment"},
            {"triplet": ["Oslo", "is capital of", "Sweden"], "human_label": "Contradiction"},
        ],
    },
    {"id": "11", "response": "I do not know.", "claude2_response_kg": []},
    {"id": "12", "response": "x", "claude2_response_kg": [{"triplet": ["a", "b", "c"], "human_label": "Perhaps"}]},
    {"id": "13", "response": "No such id.", "claude2_response_kg": []},
]
CONTEXTS = [
    {"id": ident, "question": "Capital?", "context": ["Oslo is in Norway.", "Stockholm."]}
    for ident in ("10", "11", "12")
]


def refchecker_folder(root):
    """The layout of RefChecker's repository."""
    labels = root / "benchmark" / "human_annotations_v1" / "noisy_context"
    contexts = root / "benchmark" / "data" / "noisy_context"
    labels.mkdir(parents=True)
    contexts.mkdir(parents=True)
    (labels / "msmarco_gpt4_answers.json").write_text(json.dumps(ANNOTATED))
    (contexts / "msmarco.json").write_text(json.dumps(CONTEXTS))
    return labels / "msmarco_gpt4_answers.json"


def test_refchecker_annotations(tmp_path):
    rows, bad = read(refchecker_folder(tmp_path))
    whole, norway, sweden, declining = rows
    assert whole.label is Verdict.CONTRADICTED
    assert (whole.claim, whole.question, len(whole.passages)) == (False, "Capital?", 2)
    assert (norway.answer, norway.label, norway.claim, norway.part_of) == (
        "Oslo is capital of Norway.",
        Verdict.SUPPORTED,
        True,
        "10",
    )
    assert sweden.label is Verdict.CONTRADICTED
    assert declining.label is Verdict.ABSTAINED
    assert [b.line for b in bad] == [3, 4]
    assert "'Perhaps'" in bad[0].problem
    assert "'13'" in bad[1].problem


def test_refchecker_neutral_alone_is_unsupported(tmp_path):
    path = tmp_path / "set_model_answers.json"
    claims = [{"triplet": ["a", "b", "c"], "human_label": label} for label in ("Entailment", "Neutral")]
    path.write_text(
        json.dumps([{"id": "1", "response": "A b c.", "question": "Q", "context": "A b c.", "m_response_kg": claims}])
    )
    rows, _ = read(path)
    assert rows[0].label is Verdict.UNSUPPORTED


def test_the_whole_refchecker_repository_is_one_folder_of_one_set(tmp_path):
    path = refchecker_folder(tmp_path)
    assert [source.path for source in find_sources(tmp_path)] == [path]


def test_refchecker_without_references_names_the_file_to_make(tmp_path):
    path = refchecker_folder(tmp_path)
    (tmp_path / "benchmark/data/noisy_context/msmarco.json").unlink()
    with pytest.raises(UsageError, match=r"gather_benchmark_data\.py"):
        read(path)


def write_csv(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def test_face4rag_csv(tmp_path):
    rows = [
        ["誰？", "他於1931年出生。\n第二行，有逗號", "他於1941年出生。", "1", "0", "KCont."],
        ["Who?", "A ref.", "An answer.", "2", "1", ""],
        ["Who?", "A ref.", "An answer.", "3", "maybe", ""],
        ["Who?", "A ref.", "So it must follow.", "", "False", "LCaus"],
    ]
    path = write_csv(tmp_path / "real.csv", ["question", "ref", "answer", "id", "Label", "error_type"], rows)
    (contradicted, fine, caused), bad = read(path)
    assert (contradicted.label, contradicted.error_type, contradicted.lang) == (
        Verdict.CONTRADICTED,
        ErrorType.CONTRADICTION,
        "zh",
    )
    assert contradicted.passages[0].text.endswith("有逗號")
    assert (fine.label, fine.error_type, fine.id) == (Verdict.SUPPORTED, None, "2")
    assert (caused.label, caused.error_type, caused.id) == (Verdict.UNSUPPORTED, ErrorType.CAUSAL_CONFUSION, "line 6")
    assert "'maybe'" in bad[0].problem
    assert bad[0].line == 5  # the line of the file: the first record has two


def test_face4rag_csv_with_other_columns_says_which_are_missing(tmp_path):
    with pytest.raises(UsageError, match=r"\['ref'\].*'reference'"):
        read(write_csv(tmp_path / "a.csv", ["question", "reference", "answer", "id", "label"], []))
    with pytest.raises(UsageError, match="a label column"):
        read(write_csv(tmp_path / "b.csv", ["question", "ref", "answer", "id"], []))


SOURCES = [
    {
        "source_id": "1",
        "task_type": "QA",
        "source_info": {"question": "Beets?", "passages": "passage 1:Wash beets.\n\npassage 2:Salt.\n\n"},
    },
    {"source_id": "2", "task_type": "Summary", "source_info": "The court met. It ruled."},
    {
        "source_id": "3",
        "task_type": "Data2txt",
        "source_info": {
            "name": "Corner Café",
            "hours": {"Monday": "9-17"},
            "attributes": {"WiFi": None, "OutdoorSeating": True},
            "review_info": [{"review_stars": 1.0, "review_text": "Cold soup."}],
        },
    },
]


def response(ident, source, text, labels=(), quality="good"):
    return {
        "id": ident,
        "source_id": source,
        "labels": list(labels),
        "split": "test",
        "quality": quality,
        "response": text,
    }


def test_ragtruth_pair(tmp_path):
    span = {"start": 0, "end": 4, "text": "Boil", "label_type": "Evident Conflict"}
    baseless = {**span, "label_type": "Subtle Baseless Info"}
    responses = [
        response("a", "1", "Boil beets.", [baseless, span]),
        response("b", "1", "Wash beets."),
        response("c", "1", "Unable to answer.", quality="incorrect_refusal"),
        response("d", "2", "They met.", [baseless]),
        response("e", "3", "It has seats outside."),
        response("f", "9", "Orphan."),
    ]
    write_lines(tmp_path / "source_info.jsonl", SOURCES)
    write_lines(tmp_path / "response.jsonl", responses)
    rows, bad = read(tmp_path)
    conflict, fine, refusal, summary, record = rows
    assert [row.label for row in rows] == [
        Verdict.CONTRADICTED,
        Verdict.SUPPORTED,
        Verdict.ABSTAINED,
        Verdict.UNSUPPORTED,
        Verdict.SUPPORTED,
    ]
    assert conflict.error_spans[0].of(conflict.answer) == "Boil"
    assert conflict.error_name == "Evident Conflict+Subtle Baseless Info"
    assert [p.text for p in fine.passages] == ["Wash beets.", "Salt."]
    assert (fine.question, fine.group, refusal.group) == ("Beets?", "1", "1")
    assert (summary.dataset, record.dataset) == ("RAGTruth Summary test", "RAGTruth Data2txt test")
    lines = record.passages[0].text.splitlines()
    assert lines == [
        "name: Corner Café",
        "hours Monday: 9-17",
        "attributes WiFi: not stated",
        "attributes OutdoorSeating: yes",
    ]
    assert "Cold soup." in record.passages[1].text
    assert "'9'" in bad[0].problem


def test_ragtruth_needs_both_files(tmp_path):
    write_lines(tmp_path / "response.jsonl", [response("a", "1", "x")])
    with pytest.raises(UsageError, match=r"source_info\.jsonl"):
        read(tmp_path)


def ambigbio(root):
    """The layout of the repository's result folder."""
    paragraphs = [
        {
            "question": "Tell me a bio of Ana Bell",
            "output": text,
            "docs": [{"id": "1", "title": "Ana Bell (singer)", "text": "Ana Bell sings."}],
        }
        for text in ("Ana Bell sings. She dives.", "I cannot tell.", "Ana Bell sings.")
    ]

    def facts(*pairs):
        return [{"atom": atom, "is_supported": good, "supporting_topic": None} for atom, good in pairs]

    sings, dives = ("Ana Bell sings.", True), "Ana Bell dives."
    result = {
        "decisions": [facts(sings, (dives, True)), None, facts(sings)],
        "global_decisions": [facts(sings, (dives, False)), None, facts(sings)],
    }
    for folder, name, value in (
        ("alce_output", "run.json", {"data": paragraphs}),
        ("factscore", "run_factscore_output.json", result),
    ):
        (root / folder).mkdir()
        (root / folder / name).write_text(json.dumps(value))
    return root


def test_ambigbio_results(tmp_path):
    rows, bad = read(ambigbio(tmp_path))
    assert bad == []
    mixed, sings, dives, declining, fine, _ = rows
    assert (mixed.label, mixed.mixed, mixed.dataset) == (Verdict.UNSUPPORTED, True, "run")
    assert (sings.label, sings.claim, sings.part_of) == (Verdict.SUPPORTED, True, mixed.id)
    assert dives.label is Verdict.UNSUPPORTED
    assert declining.label is Verdict.ABSTAINED
    assert (fine.label, fine.mixed) == (Verdict.SUPPORTED, False)


def test_ambigbio_files_that_do_not_belong_together(tmp_path):
    ambigbio(tmp_path)
    (tmp_path / "alce_output/run.json").write_text(json.dumps({"data": []}))
    with pytest.raises(UsageError, match="do not belong together"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not valid JSON"),
        ("[1]", "must be a JSON object, got list"),
        ({**PLAIN, "answer": None}, "no text 'answer'"),
        ({**PLAIN, "answer": "  "}, "'answer' is empty"),
        ({**PLAIN, "label": "suported"}, "Did you mean 'supported'"),
        ({**PLAIN, "label": "unverified"}, "no label"),
        ({**PLAIN, "label": 1}, "no label"),
        ({**PLAIN, "passages": "text"}, "'passages' must be a list"),
        ({**PLAIN, "passages": [{"title": "T"}]}, r"passages\[0\]"),
        ({**PLAIN, "passages": [{"id": "1", "text": "a"}, {"id": "1", "text": "b"}]}, "same id"),
        ({**PLAIN, "error_spans": [[0, 99]]}, "no stretch of a text of 18 characters"),
        ({**PLAIN, "error_spans": [[3, 3]]}, "no stretch"),
        ({**PLAIN, "error_spans": [[True, 3]]}, "no stretch"),
        ({**PLAIN, "mixed": "yes"}, "'mixed' must be true"),
        ({**PLAIN, "id": 1.5}, "'id' must be"),
    ],
)
def test_a_bad_row_is_told_with_its_line_and_the_rest_goes_on(tmp_path, line, problem):
    path = write_lines(tmp_path / "x.jsonl", [PLAIN, "", line, PLAIN])
    rows, bad = read(path)
    assert len(rows) == 2
    (found,) = bad
    assert (found.file, found.line) == (path, 3)
    assert re.search(problem, found.problem)


def test_bytes_that_are_not_utf8_spoil_their_own_line(tmp_path):
    path = tmp_path / "x.jsonl"
    good = json.dumps(PLAIN).encode()
    path.write_bytes(good + b"\n" + good.replace(b"1931", b"\xff\xfe") + b"\n" + good + b"\n")
    rows, bad = read(path)
    assert len(rows) == 2
    assert "UTF-8" in bad[0].problem


def test_a_file_of_bad_rows_only_is_an_error_that_names_the_first(tmp_path):
    path = write_lines(tmp_path / "x.jsonl", [{**PLAIN, "label": "?"}, "{"])
    with pytest.raises(UsageError, match="row 1: 'label'"):
        read(path)


def test_bad_rows_are_logged_where_nobody_listens(tmp_path, caplog):
    list(read_labelled(write_lines(tmp_path / "x.jsonl", [PLAIN, "{"])))
    assert "row 2" in caplog.text


@pytest.mark.parametrize("name", ["none.jsonl", "notes.md", "empty.jsonl", "other.json", "broken.jsonl.gz"])
def test_what_is_no_labelled_file_is_refused(tmp_path, name):
    (tmp_path / "notes.md").write_text("# notes")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "broken.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n' * 99)[:-9])
    with pytest.raises(UsageError, match=name):
        list(read_labelled(tmp_path / name))


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_file_is_said_to_be_empty(tmp_path, content):
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(UsageError, match=r"x\.jsonl' is empty"):
        read(path)
    write_lines(tmp_path / "y.jsonl", [PLAIN])
    assert len(read(tmp_path)[0]) == 1  # in a folder it is passed over


def test_what_is_hidden_is_passed_over(tmp_path):
    (tmp_path / ".copies").mkdir()
    for name in (".x.jsonl", ".copies/x.jsonl", "x.jsonl"):
        write_lines(tmp_path / name, [PLAIN])
    assert [source.path for source in find_sources(tmp_path)] == [tmp_path / "x.jsonl"]


def test_a_folder_is_read_by_name_and_files_without_labels_are_passed_over(tmp_path):
    (tmp_path / "README.md").write_text("# data")
    (tmp_path / "sub").mkdir()
    write_lines(tmp_path / "sub" / "b.jsonl", [PLAIN])
    write_lines(tmp_path / "a.jsonl.gz", [PLAIN])
    write_lines(tmp_path / "unlabelled.jsonl", [{"note": "no answers here"}])
    assert [source.path.name for source in find_sources(tmp_path)] == ["a.jsonl.gz", "b.jsonl"]
    assert [row.dataset for row in read_labelled(tmp_path)] == ["a", "b"]


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="holds no labelled answers"):
        list(read_labelled(tmp_path))
