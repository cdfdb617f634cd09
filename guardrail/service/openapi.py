"""The description of the native API, made from its models."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from guardrail import __version__
from guardrail.service import native_models as models
from guardrail.service.native_models import schema_of

_ERRORS = {
    "400": "The body cannot be read.",
    "401": "No key, or one that is not known.",
    "403": "The key is not for this guard.",
    "404": "There is no such guard.",
    "408": "The body did not come in time.",
    "413": "The body, the passages or the items are over a limit.",
    "415": "The body does not say that it is JSON.",
    "422": "Something in the body cannot be checked; the message says what.",
    "429": "Too many requests of this key are under way.",
    "503": "The queue is full, or the check did not end in time.",
}
_LATER = ("429", "503")

_WAYS: tuple[tuple[str, str, tuple[type[BaseModel], ...], tuple[type[BaseModel], ...]], ...] = (
    (
        "/v1/check",
        "Check an answer against its passages",
        (models.CheckRequest, models.CheckBatch),
        (models.CheckReply, models.CheckResults),
    ),
    (
        "/v1/run",
        "Check an answer, and do what the policy says: `text` is what to deliver",
        (models.CheckRequest, models.CheckBatch),
        (models.RunReply, models.RunResults),
    ),
    (
        "/v1/extract",
        "Take an answer apart into claims",
        (models.ExtractRequest, models.ExtractBatch),
        (models.ExtractReply, models.ExtractResults),
    ),
)


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    schemas: dict[str, Any] = {}

    def ref(model: type[BaseModel], *, reply: bool = True) -> dict[str, str]:
        own = schema_of(model, "serialization" if reply else "validation")
        schemas.update(own.pop("$defs", {}))
        schemas[model.__name__] = own
        return {"$ref": f"#/components/schemas/{model.__name__}"}

    def content(*kinds: type[BaseModel], reply: bool = True) -> dict[str, Any]:
        refs = [ref(kind, reply=reply) for kind in kinds]
        return {"application/json": {"schema": refs[0] if len(refs) == 1 else {"oneOf": refs}}}

    errors = {status: {"description": said, "content": content(models.ErrorReply)} for status, said in _ERRORS.items()}
    for status in _LATER:
        errors[status]["headers"] = {
            "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait before a new attempt"}
        }
    paths: dict[str, Any] = {
        path: {
            "post": {
                "operationId": path.rpartition("/")[2],
                "summary": summary,
                "requestBody": {"required": True, "content": content(*requests, reply=False)},
                "responses": {"200": {"description": "Done", "content": content(*replies)}, **errors},
            }
        }
        for path, summary, requests, replies in _WAYS
    }
    for path, name, summary, model in (
        ("/v1/guards", "guards", "The guards that this key may use", models.GuardsReply),
        ("/healthz", "healthz", "Whether the process lives", models.StatusReply),
        ("/readyz", "readyz", "Whether the engines are warm (503: not yet, or the service is about to end)",
         models.StatusReply),
    ):  # fmt: skip
        said: dict[str, Any] = {"200": {"description": "Done", "content": content(model)}}
        if name == "guards":
            said["401"] = errors["401"]
        paths[path] = {"get": {"operationId": name, "summary": summary, "responses": said}}
        if name != "guards":
            paths[path]["get"]["security"] = []
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rag-guardrail",
            "version": __version__,
            "description": "Checks every answer of a RAG application against its passages. Spans count code points "
            "unless `offsets` says otherwise, the end excluded.",
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }
