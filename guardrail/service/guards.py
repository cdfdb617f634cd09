"""Guards as the settings name them, and again when the settings change."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from guardrail.check.contract import AsyncEngine, Engine
from guardrail.engines.by_name import asks_a_model, make_cascade, make_engine
from guardrail.errors import ConfigurationError, GuardrailError
from guardrail.guard import Guard
from guardrail.policy.keys import PRESETS
from guardrail.policy.policy import Policy
from guardrail.policy.watch import PolicyWatch
from guardrail.service.local_engine import in_processes
from guardrail.service.processes import Processes
from guardrail.service.settings import GuardSettings, Settings
from guardrail.telemetry import Telemetry
from guardrail.telemetry.outcome import Recorder

if TYPE_CHECKING:
    from guardrail.engines.llm.caches.memory import Cache
    from guardrail.telemetry.records import RecordStore

_PYTHON = "python:"


def build_guards(
    settings: Settings,
    recorder: Recorder | None,
    before: dict[str, tuple[GuardSettings, Guard]] | None = None,
    processes: Processes | None = None,
) -> dict[str, tuple[GuardSettings, Guard]]:
    """All guards of the settings; those of ``before`` whose settings are the same stay, with their warm engines.

    ``processes``: where the local engine reads; None = in this process.

    Raises:
        ConfigurationError: one of them cannot be; the message names it.
        MissingExtraError: what an engine needs is not installed.
    """
    built = {}
    for name, wanted in settings.guard_settings().items():
        old = (before or {}).get(name)
        try:
            if old is None or old[0] != wanted:
                old = (wanted, build_guard(wanted, settings, recorder, processes))
            built[name] = old
        except ConfigurationError as error:
            raise ConfigurationError(f"guards.{name}: {error}") from None
    return built


def build_guard(
    wanted: GuardSettings, settings: Settings, recorder: Recorder | None = None, processes: Processes | None = None
) -> Guard:
    """One guard.

    Raises:
        ConfigurationError: as ``build_guards``.
        MissingExtraError: as ``build_guards``.
    """
    policy = _policy(wanted, settings.folder)
    return Guard(
        policy=policy,
        engine=in_processes(_engine(wanted, settings, policy.current()), processes),
        linking=wanted.linking,
        telemetry=Telemetry(labels=wanted.labels, recorder=recorder),
    )


def _policy(wanted: GuardSettings, folder: Path) -> Policy | PolicyWatch[Policy]:
    changes = {key: value for key in ("threshold", "deadline") if (value := getattr(wanted, key)) is not None}
    if wanted.policy in PRESETS:
        return Policy.load(wanted.policy).with_(**changes)
    path, _, name = wanted.policy.partition("#")
    return PolicyWatch(folder / path, partial(_read, name=name or None, changes=changes))


def _read(path: Path, name: str | None, changes: dict[str, float]) -> Policy:
    return Policy.read(path, name).with_(**changes)


def _engine(wanted: GuardSettings, settings: Settings, policy: Policy) -> Engine | AsyncEngine:
    kind, _, model = wanted.engine.partition(":")
    if wanted.engine.startswith(_PYTHON):
        return _own_engine(wanted.engine.removeprefix(_PYTHON))
    if not asks_a_model(wanted.engine):
        for option in ("model", "base_url", "key_env", "plan", "cache", "max_calls"):
            if getattr(wanted, option) is not None:
                raise ConfigurationError(f"{option} applies to the engines llm and cascade, not to {wanted.engine!r}.")
        return make_engine(wanted.engine, policy=policy)
    if not (model := model or wanted.model or ""):
        raise ConfigurationError(f"engine {kind!r} needs `model`, the name of a model of the endpoint.")
    judge = _llm(wanted, settings, model)
    return judge if kind == "llm" else make_cascade(judge, policy)


def _llm(wanted: GuardSettings, settings: Settings, model: str) -> Engine | AsyncEngine:
    from guardrail.engines.llm.engine import LLMEngine
    from guardrail.engines.llm.models.openai import OpenAILLM
    from guardrail.engines.llm.requests.calls import CallSettings

    standard = CallSettings()
    key = settings.secret(wanted.key_env)
    return LLMEngine(
        llm=OpenAILLM(model, base_url=wanted.base_url, api_key=key.get_secret_value() if key else None),
        plan=wanted.plan or "fast",
        settings=CallSettings(
            max_calls=wanted.max_calls or standard.max_calls,
            concurrency=max(standard.concurrency, settings.limits.awaited),
        ),
        cache=_cache(wanted.cache, settings.folder),
    )


def _cache(where: str | None, folder: Path) -> Cache:
    from guardrail.engines.llm.caches.disk import DiskCache
    from guardrail.engines.llm.caches.memory import MemoryCache
    from guardrail.engines.llm.caches.redis import RedisCache

    if where is None:
        return MemoryCache()
    return RedisCache(where) if where.startswith(("redis://", "rediss://", "unix://")) else DiskCache(folder / where)


def _own_engine(where: str) -> Engine | AsyncEngine:
    """The engine that a function of the operator returns. The settings file is the operator's, as the code is."""
    module, _, function = where.partition(":")
    try:
        made = getattr(import_module(module), function)()
    except GuardrailError:
        raise
    except Exception as error:
        raise ConfigurationError(f"engine python:{where}: {type(error).__name__}: {error}") from error
    if not isinstance(made, (Engine, AsyncEngine)):
        raise ConfigurationError(f"engine python:{where} returned {type(made).__name__}, which has no `verify`.")
    return made


def open_records(settings: Settings) -> RecordStore | None:
    """The record store of the settings, if there is one.

    Raises:
        ConfigurationError: it cannot be at that place.
    """
    if settings.records is None:
        return None
    from guardrail.telemetry.records import RecordStore

    kept = settings.records
    return RecordStore(settings.folder / kept.path, sample=kept.sample, days=kept.days, max_records=kept.max_records)
