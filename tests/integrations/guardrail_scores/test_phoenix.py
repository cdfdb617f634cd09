"""Phoenix's annotations, against a server on loopback that keeps what it is sent."""

from guardrail_scores import Phoenix, Score

from tests.support.dialect_server import RIGHT
from tests.support.score_server import Taker
from tests.support.scored import guarded


def test_phoenix_with_documents(taker):
    with Phoenix(taker.url, api_key="k") as sink:
        sink.write(guarded(), "67f6740bbe1ddc3f", retriever_span_id="aaaaaaaaaaaaaaaa")
    (spans, headers, body), (documents, _, positions) = taker.seen
    assert (spans, documents) == ("/v1/span_annotations?sync=true", "/v1/document_annotations?sync=true")
    assert headers["authorization"] == "Bearer k"
    assert body["data"][0]["result"] == {"label": "contradicted", "explanation": "1 supported, 1 contradicted"}
    assert {each["annotator_kind"] for each in body["data"]} == {"CODE"}
    assert [(d["document_position"], d["result"]["label"]) for d in positions["data"]] == [
        (0, "contradicts"),
        (1, "not used"),
    ]


def test_documents_are_told_by_what_findings_rest_on_them(taker: Taker) -> None:
    with Phoenix(taker.url) as sink:
        sink.write(guarded(RIGHT), "67f6740bbe1ddc3f", retriever_span_id="aaaaaaaaaaaaaaaa")
        sink.write(guarded(RIGHT, []), "67f6740bbe1ddc3f", retriever_span_id="aaaaaaaaaaaaaaaa")
    assert [path.partition("?")[0] for path, _, _ in taker.seen] == [
        "/v1/span_annotations", "/v1/document_annotations", "/v1/span_annotations",
    ]  # fmt: skip
    labels = [one["result"]["label"] for one in taker.seen[1][2]["data"]]
    assert labels == ["supports", "not used"]


def test_scores_of_a_whole_trace(taker: Taker) -> None:
    with Phoenix(taker.url) as sink:
        sink.write_scores([Score("guardrail.verdict", "supported"), Score("guardrail.score", 0.9, "low")], "ab" * 16)
    ((path, headers, body),) = taker.seen
    assert path == "/v1/trace_annotations?sync=true"
    assert "authorization" not in headers
    assert [one["result"] for one in body["data"]] == [
        {"label": "supported", "explanation": ""}, {"score": 0.9, "explanation": "low"},
    ]  # fmt: skip
    assert {one["trace_id"] for one in body["data"]} == {"ab" * 16}
