"""Options that name the engine, shared by all commands that judge, and the engine that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.engines.by_name import CROSS_ENCODERS, asks_a_model, make_cascade, make_engine
from guardrail.errors import UsageError
from guardrail.policy.policy import Policy
from guardrail.types import Report, Usage, Verdict

if TYPE_CHECKING:
    from guardrail.engines.llm.batches.service import BatchSettings
    from guardrail.engines.llm.protocol import LLM

_JOBS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChoice:
    """The options as given; None = left out. Each field is one option of a command (``with_engine``)."""

    name: Annotated[
        str,
        typer.Option(
            "--engine",
            help="Engine that judges: local; local:base with a larger model; local:<folder> with weights of your own; "
            "llm; cascade (local first, the model for what it is unsure of); or "
            f"{', '.join(CROSS_ENCODERS[:-1])}, nli:<hub id or folder>.",
        ),
    ] = "local"
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="Model of --engine llm or cascade. Its key is read from the environment (--provider)."
        ),
    ] = None
    provider: Annotated[
        str | None,
        typer.Option(
            "--provider", help="openai (default; key from OPENAI_API_KEY), or anthropic (key from ANTHROPIC_API_KEY)."
        ),
    ] = None
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url", help="OpenAI-compatible endpoint, such as http://localhost:8000/v1.", show_default=False
        ),
    ] = None
    plan: Annotated[
        str | None, typer.Option("--plan", help="Call plan of the model: fast (default), thorough, or paper:<seed>.")
    ] = None
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Folder in which the model's verdicts are kept for the next run.")
    ] = None
    max_calls: Annotated[
        int | None, typer.Option("--max-calls", help="Calls per answer at most, retries included.", min=1)
    ] = None
    price_in: Annotated[
        float | None, typer.Option("--price-in", help="Price of a million input tokens, to count costs.", min=0.0)
    ] = None
    price_out: Annotated[
        float | None, typer.Option("--price-out", help="Price of a million output tokens.", min=0.0)
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", help="Answers judged at once; default: 8 where a model is asked and a file read, else 1.", min=1
        ),
    ] = None

    @property
    def asks(self) -> bool:
        """Whether it asks a language model."""
        return asks_a_model(self.name)

    @property
    def at_once(self) -> int:
        """Answers to judge at once."""
        return self.jobs or (_JOBS if self.asks else 1)

    def build(self, policy: Policy, batches: BatchSettings | None = None) -> Engine | AsyncEngine:
        """The engine; with ``batches``, one that asks in batches.

        Raises:
            UsageError: an option is missing, or says something to an engine that it does not apply to.
            MissingExtraError: what the engine needs is not installed.
        """
        if not self.asks:
            self._refuse_options(batches)
            return make_engine(self.name, policy=policy)
        kind, _, model = self.name.partition(":")
        if model and self.model:
            raise UsageError(f"--engine {self.name!r} and --model both name a model. Leave one out.")
        model = model or self.model or ""
        if not model:
            raise UsageError(f"--engine {kind} needs --model, the name of a model of the endpoint.")
        if (self.price_in is None) is not (self.price_out is None):
            raise UsageError("costs need both --price-in and --price-out.")
        engine = self._llm_engine(model, batches)
        return engine if kind == "llm" else make_cascade(engine, policy)

    def _refuse_options(self, batches: BatchSettings | None) -> None:
        given = {
            "--batch": batches,
            "--model": self.model,
            "--provider": self.provider,
            "--base-url": self.base_url,
            "--plan": self.plan,
            "--cache": self.cache,
            "--max-calls": self.max_calls,
            "--price-in": self.price_in,
            "--price-out": self.price_out,
        }
        for option, value in given.items():
            if value is not None:
                raise UsageError(
                    f"{option} applies to --engine llm or cascade, not to {self.name!r}. Name one of them, or leave "
                    f"{option} out."
                )

    def _llm(self, model: str) -> LLM:
        if self.provider == "anthropic":
            from guardrail.engines.llm.models.anthropic import AnthropicLLM

            return AnthropicLLM(model, base_url=self.base_url)
        if self.provider not in (None, "openai"):
            raise UsageError(f"unknown --provider {self.provider!r}. Known: openai, anthropic.")
        from guardrail.engines.llm.models.openai import OpenAILLM

        return OpenAILLM(model, base_url=self.base_url)

    def _llm_engine(self, model: str, batches: BatchSettings | None) -> Engine | AsyncEngine:
        from guardrail.engines.llm.caches.disk import DiskCache
        from guardrail.engines.llm.caches.memory import (
            MemoryCache,  # what asks a model is loaded only where one is asked
        )
        from guardrail.engines.llm.engine import LLMEngine
        from guardrail.engines.llm.requests.calls import CallSettings, Prices

        standard = CallSettings()
        plan = self.plan or "fast"
        paper = plan.startswith("paper:")
        if paper and self.cache is not None:
            raise UsageError(f"--plan {plan} remembers nothing, for the papers' figures. Leave --cache out.")
        return LLMEngine(
            llm=self._llm(model),
            plan=plan,
            batches=batches,
            settings=CallSettings(
                max_calls=self.max_calls or (None if paper else standard.max_calls),
                concurrency=max(standard.concurrency, self.at_once),
            ),
            prices=None
            if self.price_in is None or self.price_out is None
            else Prices(input=self.price_in, output=self.price_out),
            cache=MemoryCache() if self.cache is None else DiskCache(self.cache),
        )


def with_engine(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: the fields of EngineChoice as options in place of the parameter of that type.

    All parameters from that one on are keyword-only.
    """
    own = signature(command, eval_str=True)
    choice = next(parameter.name for parameter in own.parameters.values() if parameter.annotation is EngineChoice)
    hints = get_type_hints(EngineChoice, include_extras=True)
    options = [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in fields(EngineChoice)
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        chosen = {option.name: given.pop(option.name) for option in options}
        command(**given, **{choice: EngineChoice(**chosen)})

    shown = [new for old in own.parameters.values() for new in (options if old.name == choice else [old])]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    vars(run)["__signature__"] = own.replace(parameters=shown)
    return run


def show_usage(usage: Usage, answers: int) -> None:
    """One line on standard error: what so many answers together have cost; nothing where no model was in play."""
    if usage.calls or usage.cache_hits or usage.screened:
        typer.echo(f"usage: {usage_line(usage, answers)}", err=True)


def why_unjudged(report: Report) -> str | None:
    """The first reason why an answer could not be judged; None = it was."""
    if report.verdict is not Verdict.UNVERIFIED:
        return None
    return next((f.reason for f in report.findings if f.verdict is Verdict.UNVERIFIED), report.reason)


def warn_unjudged(whys: Mapping[str | None, int], what: str = "could not be judged") -> None:
    """One line on standard error if most answers could not be judged: a wrong key must not pass for a result.

    Args:
        whys: How many answers by ``why_unjudged``, in the order in which they came up.
        what: What became of those that have a reason.
    """
    total = sum(whys.values())
    unjudged = total - whys.get(None, 0)
    if unjudged * 2 > total:
        why = next(why for why in whys if why is not None)
        typer.echo(f"warning: {unjudged} of {total} answers {what}: {why}", err=True)


def usage_line(usage: Usage, answers: int) -> str:
    """The usage of so many answers in words."""
    parts = [f"{answers} answers", f"{usage.calls} calls in {usage.rounds} rounds"]
    if usage.retries:
        parts.append(f"{usage.retries} of them retries")
    cached = f" ({usage.cached_tokens} cached by the provider)" if usage.cached_tokens else ""
    parts.append(f"{usage.input_tokens} tokens in{cached}, {usage.output_tokens} out")
    if usage.cost is not None:
        parts.append(f"cost {usage.cost:.4f}")
    parts.append(f"{usage.cache_hits} cache hits")
    if usage.screened:
        share = usage.escalated / usage.screened
        parts.append(
            f"{usage.escalated} of {usage.screened} segments escalated ({share:.0%}), {usage.calls_saved} calls saved"
        )
    return ", ".join(parts)
