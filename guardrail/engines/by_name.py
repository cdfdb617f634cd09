"""Engines by name, for ``Guard(engine="...")`` and the command line. Vendors are imported only for what is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.errors import ConfigurationError, MissingExtraError, did_you_mean
from guardrail.policy.keys import LOGIC
from guardrail.policy.policy import Policy
from guardrail.types import LOGIC_ERRORS, Action, ErrorType, Verdict

if TYPE_CHECKING:
    from guardrail.engines.local.engine import LocalEngine

CROSS_ENCODERS = ("minicheck", "factcg", "hhem", "alignscore", "lettucedetect", "nli")
"""Engines of engines.cross_encoder; a colon and a variant, a hub id or a folder may follow, after ``nli`` must."""

NAMES = (
    "local",
    "local:base",
    "local:<folder>",
    "llm:<model>",
    "cascade:<model>",
    *CROSS_ENCODERS[:-1],
    "nli:<hub id or folder>",
)

BASE = "base"
"""``local:base``; a folder of that name is ``local:./base``."""

_MODELLED = ("llm", "cascade")


def make_engine(name: str, *, policy: Policy) -> Engine | AsyncEngine:
    """The engine of that name (see NAMES).

    ``local:base`` has a second, larger model read whole passages; it comes with the extra ``base``.
    ``local:<folder>`` reads with weights of your own instead of those that ship, as ``training.export`` or
    ``training.mpnet.export`` and ``training.fit`` write them.
    ``llm:<model>`` asks an OpenAI-compatible endpoint: OPENAI_API_KEY and OPENAI_BASE_URL of the environment.
    ``cascade:<model>`` is the local engine with that one behind it, for what it is unsure of and for error types that
    the policy acts on more severely than on other errors. ``cascade:local:<folder>`` has a larger reader behind it.

    Raises:
        ConfigurationError: there is no such engine, or its name lacks the model, or the folder lacks a file.
        MissingExtraError: what the engine needs is not installed.
    """
    kind, _, model = name.partition(":")
    if kind in _MODELLED and not model:
        raise ConfigurationError(f"engine {name!r} needs a model. Write {kind}:<model>, such as '{kind}:gpt-4o-mini'.")
    if kind == "local":
        return _local(model)
    if kind == "llm":
        return _llm(model)
    if kind == "cascade":
        second = _local(model.removeprefix("local:")) if model.startswith("local:") else _llm(model)
        return make_cascade(second, policy)
    if kind in CROSS_ENCODERS:
        from guardrail.engines.cross_encoder import make

        return make(name)
    near = did_you_mean(kind, [known.partition(":")[0] for known in NAMES])
    raise ConfigurationError(
        f"unknown engine {name!r}. {near if near.startswith('Did') else did_you_mean(name, NAMES)}"
    )


def asks_a_model(name: str) -> bool:
    """Whether an engine of that name asks a language model."""
    return name.partition(":")[0] in _MODELLED and not name.startswith("cascade:local:")


def make_cascade(second: Engine | AsyncEngine, policy: Policy) -> Engine | AsyncEngine:
    """The local engine first, then ``second``, as the policy needs it."""
    from guardrail.engines.cascade import CascadeEngine
    from guardrail.engines.local.engine import LocalEngine

    return CascadeEngine(first=LocalEngine(), second=second, always=escalated_error_types(policy))


def escalated_error_types(policy: Policy) -> frozenset[ErrorType]:
    """Error types that the policy acts on more severely than on an error of no type: they deserve a second look."""
    untyped = min(_severity(policy, verdict.value) for verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED))
    return frozenset(
        error
        for error in ErrorType
        if _severity(policy, error.value) > untyped or (error in LOGIC_ERRORS and _severity(policy, LOGIC) > untyped)
    )


def _severity(policy: Policy, key: str) -> int:
    return policy.actions.get(key, Action.FLAG).severity


def _local(folder: str) -> Engine:
    from guardrail.engines.local.engine import LocalEngine
    from guardrail.engines.local.model import FILES

    if not folder:
        return LocalEngine()
    if folder == BASE:
        return _checked(LocalEngine(passage_reader=_base_folder()))
    missing = [name for name in FILES if not Path(folder, name).is_file()]
    if missing:
        raise ConfigurationError(
            f"the folder {folder!r} of engine 'local:<folder>' lacks {', '.join(missing)}. It must hold "
            f"{', '.join(FILES)}, as training.export and training.fit write them."
        )
    return _checked(LocalEngine(folder=Path(folder)))


def _checked(engine: LocalEngine) -> LocalEngine:
    """The engine, if its scorer is of this version: said now, not at the first answer."""
    from guardrail.engines.local.scorer import load_scorer

    load_scorer(engine.english.scorer)
    return engine


def _base_folder() -> Path:
    try:
        import guardrail_base
    except ImportError as error:
        raise MissingExtraError(
            f'engine "local:{BASE}" needs its weights. Run: pip install "rag-guardrail[base]"'
        ) from error
    folder: Path = guardrail_base.FOLDER
    return folder


def _llm(model: str) -> Engine | AsyncEngine:
    from guardrail.engines.llm.engine import LLMEngine
    from guardrail.engines.llm.models.openai import OpenAILLM

    return LLMEngine(llm=OpenAILLM(model))
