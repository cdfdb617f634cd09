"""The settings of the service: one YAML file, and the environment over it (``GUARDRAIL_LIMITS__QUEUE=64``)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from guardrail.errors import ConfigurationError
from guardrail.service.proxy.options import ProxySettings
from guardrail.service.settings_errors import as_configuration_error
from guardrail.service.yaml_file import read_mapping

MIB = 1024 * 1024
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Section(BaseModel):
    """A part of the file; a key that is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class GuardSettings(Section):
    """A named guard: what ``Guard(...)`` is made of.

    Attributes:
        policy: monitor, annotate, repair, strict, or a policy file (``FILE#NAME`` where it holds several); a file is
            read again when it changes. Relative to the settings file.
        engine: ``local``, ``local:base``, ``llm``, ``cascade``, a cross-encoder (``guardrail.engines.NAMES``), or
            ``python:<module>:<function>`` for a function of yours that returns an engine.
        model: The judge of ``llm`` and ``cascade``.
        base_url: Its OpenAI-compatible endpoint; default: OPENAI_BASE_URL.
        key_env: Variable of the environment with its key; default: OPENAI_API_KEY.
        plan: How it is asked; see docs/llm.md.
        cache: Where its verdicts are remembered: ``redis://…`` (shared by all workers and machines) or a file; default:
            the memory of each worker.
        max_calls: Calls of the judge per answer.
        threshold: Instead of the policy's (0..1).
        deadline: Seconds per check, instead of the policy's.
        linking: See Guard.
        labels: Of every answer of this guard in metrics and records, such as ``application: support``.
        stream: How the proxy releases a stream: whole answers only (``buffer``), sentence by sentence, or at
            once (``observe``: checked, never held back).
    """

    policy: str = "monitor"
    engine: str = "local"
    model: str | None = None
    base_url: str | None = None
    key_env: str | None = None
    plan: str | None = None
    cache: str | None = None
    max_calls: Count | None = None
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    deadline: Seconds | None = None
    linking: Literal["argmax", "hungarian"] = "argmax"
    labels: dict[str, str] = Field(default_factory=dict)
    stream: Literal["buffer", "sentence", "observe"] = "sentence"


class UpstreamSettings(Section):
    """An OpenAI-compatible endpoint behind the proxy.

    Attributes:
        url: Its base, with the version: ``https://api.openai.com/v1``.
        key_env: Variable of the environment with its key. None: the client's own key passes through.
        models: Models that it serves; empty = those that no other upstream names.
        guard: Guard of its answers; None = the default one.
        connect_seconds: Longest wait for a connection.
        read_seconds: Longest wait between two pieces of a reply.
        seconds: Longest time that a whole reply may take.
    """

    url: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$")]
    key_env: str | None = None
    models: tuple[str, ...] = ()
    guard: str | None = None
    connect_seconds: Seconds = 5.0
    read_seconds: Seconds = 120.0
    seconds: Seconds = 900.0


class KeySettings(Section):
    """A key of a client, of which only the hash is kept (``guardrail serve --new-key NAME``).

    Attributes:
        name: Of the client, in logs and for fairness between clients.
        hash: ``sha256:`` and 64 hex digits.
        guards: Guards that it may use; empty = all.
    """

    name: Name
    hash: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    guards: tuple[str, ...] = ()


class Limits(Section):
    """What one request may be, and how many there may be at once, per worker process.

    Attributes:
        body: Bytes of a request.
        bodies: Bytes of all requests under way together; more are answered 503.
        passages: Passages of one answer.
        batch: Answers of one request.
        threads: Checks that run at once; None = one per core, two at least, four at most.
        processes: Processes in which the engine ``local`` reads, two at least; 0 = it reads in threads of the service.
            As many checks run at once as there are processes. Other engines read in the service.
        awaited: Checks by engines that are awaited (an LLM) at once.
        queue: Checks that wait for a turn; more are answered 503.
        per_client: Requests of one key under way; more are answered 429.
        connections: Connections; more are answered 503.
        seconds: From the end of the body to the answer of a check; then 503.
        body_seconds: For the body to come; then 408.
        header_seconds: For the head of a request to come; then the connection is closed.
        large: Characters of answer and passages from which a check counts as large: they may not hold all turns.
    """

    body: Count = 4 * MIB
    bodies: Count = 256 * MIB
    passages: Count = 1_000
    batch: Count = 256
    threads: Count | None = None
    processes: Annotated[int, Field(ge=0, le=64)] = 0
    awaited: Count = 64
    queue: Count = 512
    per_client: Count = 256
    connections: Count = 1_024
    seconds: Seconds = 60.0
    body_seconds: Seconds = 15.0
    header_seconds: Seconds = 10.0
    large: Count = 50_000

    @model_validator(mode="after")
    def _turns_of_processes(self) -> Self:
        if self.processes == 1:
            raise ValueError("processes: 0, or 2 at least; one alone would have small checks wait for a large one.")
        if self.processes and self.threads is not None:
            raise ValueError("threads: leave it out beside processes; as many checks run at once as there are of them.")
        return self


class RecordSettings(Section):
    """The record store that all workers share (docs/records.md).

    Attributes:
        path: The SQLite file, relative to the settings file.
        sample: Share (0..1) of the answers that nobody objected to.
        days: Age at which a record is deleted.
        max_records: Records to keep.
    """

    path: Path
    sample: Annotated[float, Field(ge=0, le=1)] = 0.05
    days: Annotated[float, Field(gt=0)] | None = 30
    max_records: Count | None = 100_000


class CallSettings(Section):
    """Where passages of requests are kept until gateways ask about the answers (docs/service-dialects.md).

    Attributes:
        path: A SQLite file that all workers share, relative to the settings file. None: the memory of the process, or
            with several workers a file of this user's in the temporary folder.
        seconds: Age at which they are forgotten.
        most: Requests at most.
        most_bytes: Bytes of all together.
    """

    path: Path | None = None
    seconds: Seconds = 900.0
    most: Count = 20_000
    most_bytes: Count = 256 * MIB


class StudioSettings(Section):
    """The studio at ``/studio`` (docs/studio.md). Paths are relative to the settings file.

    Attributes:
        keys: Names of the keys that may use it: it shows all recorded answers, whatever their guard, and takes labels.
        policies: Policy files to choose besides the presets and those of the guards.
        engines: Engines to choose besides the local one, such as ``llm:gpt-4o-mini``.
        labels: The label file; default: beside the record store.
        policy_out: The only policy file that the view Set may write.
    """

    keys: Annotated[tuple[Name, ...], Field(min_length=1)]
    policies: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    labels: Path | None = None
    policy_out: Path | None = None


class Settings(BaseSettings):
    """All settings. Of the environment, the file and the defaults the first that says something counts.

    Attributes:
        host: Address to listen on. Another than loopback needs ``keys``.
        port: Port; 0 = a free one.
        workers: Processes.
        hosts: Names that requests may use for this service (header Host). None = any where there are keys, else those
            of loopback, so that no web page can reach it by a name of its own.
        default_guard: The guard of requests that name none.
        guards: Guards by name.
        upstreams: Endpoints of the proxy by name.
        proxy: How the proxy checks answers on their way.
        keys: Who may use it; empty = everybody who can reach it.
        limits: See Limits.
        records: Where answers are kept; None = nowhere.
        calls: Where passages wait for the answers of gateways that send them apart.
        studio: The studio at ``/studio``; None = there is none.
        open_metrics: Whether /metrics needs no key.
        drain_seconds: How long, after SIGTERM, new requests are still taken, while /readyz says no.
        stop_seconds: How long requests under way may take after that.
        log_level: Of the log.
        folder: What relative paths in the file refer to.
        source: The file.
        given: What the command line said; it counts also when the file is read again.
    """

    model_config = SettingsConfigDict(
        env_prefix="GUARDRAIL_", env_nested_delimiter="__", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8321
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    hosts: tuple[str, ...] | None = None
    default_guard: Name = "default"
    guards: dict[Name, GuardSettings] = Field(default_factory=dict)
    upstreams: dict[Name, UpstreamSettings] = Field(default_factory=dict)
    proxy: ProxySettings = ProxySettings()
    keys: tuple[KeySettings, ...] = ()
    limits: Limits = Limits()
    records: RecordSettings | None = None
    calls: CallSettings = CallSettings()
    studio: StudioSettings | None = None
    open_metrics: bool = False
    drain_seconds: Annotated[float, Field(ge=0, le=600)] = 0.0
    stop_seconds: Seconds = 30.0
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    folder: Path = Path()
    source: Path | None = None
    given: dict[str, Any] = Field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, path: str | Path | None = None, **given: Any) -> Self:
        """The settings of a file, or the standard ones.

        Args:
            path: The YAML or JSON file; None = environment and defaults only.
            **given: What counts before all else (options of the command line); None = not given.

        Raises:
            ConfigurationError: the file cannot be read, or says something unknown or impossible; the message names it.
        """
        said = {key: value for key, value in given.items() if value is not None}
        file = None if path is None else Path(path).absolute()
        raw: dict[str, Any] = {} if file is None else read_mapping(file)
        said["given"] = dict(said)
        if file is not None:
            said |= {"source": file, "folder": file.parent}
        with as_configuration_error(_where(file)):
            loaded = _with_file(cls, raw)(**said)
        return cls.model_construct(**{name: getattr(loaded, name) for name in cls.model_fields})

    @field_validator("keys")
    @classmethod
    def _one_key_per_name(cls, keys: tuple[KeySettings, ...]) -> tuple[KeySettings, ...]:
        names = [key.name for key in keys]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"two keys have the name {min(twice)!r}. Give each its own.")
        return keys

    @model_validator(mode="after")
    def _known_guards(self) -> Self:
        known = {self.default_guard, *self.guards}
        named = {f"keys.{key.name}.guards": name for key in self.keys for name in key.guards}
        named |= {f"upstreams.{name}.guard": up.guard for name, up in self.upstreams.items() if up.guard}
        for where, name in named.items():
            if name not in known:
                raise ValueError(f"{where}: no guard {name!r}. Known: {', '.join(sorted(known))}.")
        if self.guards and self.default_guard not in self.guards:
            raise ValueError(
                f"default_guard: no guard {self.default_guard!r}. Known: {', '.join(sorted(self.guards))}."
            )
        return self

    @model_validator(mode="after")
    def _studio_for_known_keys(self) -> Self:
        if self.studio is None:
            return self
        known = [key.name for key in self.keys]
        for name in self.studio.keys:
            if name not in known:
                raise ValueError(f"studio.keys: no key {name!r}. Known: {', '.join(known) or 'none'}.")
        if self.workers > 1:  # its jobs and queues are in the memory of one process
            raise ValueError(
                "studio: set workers to 1, or run `guardrail studio` on the record store beside the service."
            )
        return self

    def guard_settings(self) -> dict[str, GuardSettings]:
        """All guards by name; without any in the file, one with the standard settings."""
        return dict(self.guards) or {self.default_guard: GuardSettings()}

    def secret(self, variable: str | None) -> SecretStr | None:
        """A key from the environment.

        Raises:
            ConfigurationError: the variable is named and not set.
        """
        import os

        if variable is None:
            return None
        if not (value := os.environ.get(variable)):
            raise ConfigurationError(f"key_env names {variable}, which is not set. Set it, or leave key_env out.")
        return SecretStr(value)


def _with_file(base: type[Settings], raw: dict[str, Any]) -> type[Settings]:
    class FromFile(base):  # type: ignore[valid-type,misc]
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
            file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, InitSettingsSource(settings_cls, init_kwargs=raw)

    return FromFile


def _where(file: Path | None) -> str:
    return "settings" if file is None else f"settings file {str(file)!r}"
