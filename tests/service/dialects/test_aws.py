"""ApplyGuardrail: the exact responses, and boto3 as it is, pointed at the service by ``endpoint_url``."""

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from guardrail.service import dialects
from guardrail.service.errors import Busy
from guardrail.service.keys import hashed
from guardrail.service.settings import KeySettings
from tests.support.dialect_server import RIGHT, SOURCE, WRONG, serving, settings
from tests.support.golden_requests import answers_exactly, golden, refused_in_form


def bedrock(url, key="any"):
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key="not looked at",
        config=Config(retries={"max_attempts": 1}),
    )


def content(answer):
    return [
        {"text": {"text": SOURCE, "qualifiers": ["grounding_source"]}},
        {"text": {"text": "How high is it?", "qualifiers": ["query"]}},
        {"text": {"text": answer, "qualifiers": ["guard_content"]}},
    ]


def applied(client, answer, guard="strict"):
    return client.apply_guardrail(
        guardrailIdentifier=guard, guardrailVersion="1", source="OUTPUT", content=content(answer), outputScope="FULL"
    )


def test_boto3_reads_scores_and_actions(url):
    good, bad = applied(bedrock(url), RIGHT), applied(bedrock(url), f"{RIGHT} {WRONG}")
    grounding = [r["assessments"][0]["contextualGroundingPolicy"]["filters"][0] for r in (good, bad)]
    assert [f["action"] for f in grounding] == ["NONE", "BLOCKED"]
    assert [f["detected"] for f in grounding] == [False, True]
    assert (good["action"], good["outputs"]) == ("NONE", [])
    assert bad["action"] == "GUARDRAIL_INTERVENED"
    assert "Halloway" not in bad["outputs"][0]["text"]


def test_boto3_takes_an_arn_for_the_guard(url):
    arn = "arn:aws:bedrock:us-east-1:123456789012:guardrail/redact"
    assert applied(bedrock(url), f"{RIGHT} {WRONG}", arn)["outputs"] == [{"text": RIGHT}]


@pytest.mark.parametrize(
    ("answer", "guard", "kind", "status"),
    [(RIGHT, "nosuch", "ResourceNotFoundException", 404), (" ", "strict", None, 200)],
)
def test_boto3_names_the_errors(url, answer, guard, kind, status):
    client = bedrock(url)
    if kind is None:
        assert applied(client, answer, guard)["ResponseMetadata"]["HTTPStatusCode"] == status
        return
    with pytest.raises(ClientError) as error:
        applied(client, answer, guard)
    assert isinstance(error.value, getattr(client.exceptions, kind))
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_boto3_hears_of_a_bad_request(url):
    client = bedrock(url)
    with pytest.raises(client.exceptions.ValidationException, match="no text to guard"):
        client.apply_guardrail(
            guardrailIdentifier="strict", guardrailVersion="1", source="OUTPUT", content=content(RIGHT)[:2]
        )


def test_the_access_key_id_is_the_key_of_the_service(tmp_path):
    keys = (KeySettings(name="team", hash=hashed("grk_right"), guards=("strict",)),)
    with serving(settings(tmp_path, keys=keys)) as (url, _):
        assert applied(bedrock(url, "grk_right"), RIGHT)["action"] == "NONE"
        for key, guard in (("grk_wrong", "strict"), ("grk_right", "redact")):
            client = bedrock(url, key)
            with pytest.raises(client.exceptions.AccessDeniedException):
                applied(client, RIGHT, guard)


@pytest.mark.parametrize("cases", golden("aws"))
def test_exact_response(cases, url):
    answers_exactly(url, cases)


def test_refusals_have_the_vendors_form(locked):
    refused_in_form(locked, "/guardrail/strict/version/1/apply", "message", unauthorized=403, too_large=400)


def test_busy_says_when_to_come_again():
    reply = dialects.render_error("/guardrail/x/version/1/apply", Busy("full", 3))
    assert (reply.status_code, reply.headers["x-amzn-errortype"]) == (503, "ServiceUnavailableException")
    assert dialects.render_error("/v1/check", Busy("full", 3)) is None
