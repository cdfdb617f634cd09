"""``guardrail serve``: the guard as an HTTP service."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guardrail.errors import MissingExtraError

if TYPE_CHECKING:
    from guardrail.service.settings import Settings


def serve(
    config: Annotated[
        Path | None, typer.Option(help="Settings in YAML; see docs/service.md.", envvar="GUARDRAIL_CONFIG")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; default: 8321, 0 = a free one.", min=0, max=65535)] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: 1.", min=1, max=256)] = None,
    check: Annotated[bool, typer.Option("--check", help="Say what would run, and end: nothing is served.")] = False,
    new_key: Annotated[
        str | None, typer.Option(metavar="NAME", help="Print a new key for that client, and its line of the settings.")
    ] = None,
) -> None:
    """Serve checks over HTTP: POST /v1/check, /v1/run and /v1/extract; described at /openapi.json.

    Example: guardrail serve --config service.yaml
    """
    try:
        from guardrail.service.server import pass_on, refuse_open_door
        from guardrail.service.server import serve as run
        from guardrail.service.settings import Settings
    except ModuleNotFoundError as error:
        raise MissingExtraError(f'serve needs {error.name}: pip install "rag-guardrail[service]"') from error
    if new_key is not None:
        _print_key(new_key)
        return
    given = {"host": host, "port": port, "workers": workers}
    settings = Settings.load(config, **given)
    refuse_open_door(settings)
    if check:
        _describe(settings)
        return
    pass_on(None if config is None else str(config), given)
    run(settings)


def _print_key(name: str) -> None:
    from guardrail.service.keys import hashed, new_key
    from guardrail.service.settings import KeySettings
    from guardrail.service.settings_errors import as_configuration_error

    key = new_key()
    with as_configuration_error("--new-key"):
        made = KeySettings(name=name, hash=hashed(key))
    typer.echo(f"key (shown only now; give it to the client): {key}", err=True)
    typer.echo(f"- name: {made.name}\n  hash: {made.hash}")


def _describe(settings: Settings) -> None:
    """What would run: every guard is built, and nothing secret is printed."""
    from guardrail.service.guards import build_guards, open_records
    from guardrail.service.pool import threads_of
    from guardrail.service.studio.mount import PATH, build_studio

    store = open_records(settings)
    build_studio(settings, store)
    guards = build_guards(settings, store)
    typer.echo(f"address     {settings.host}:{settings.port}, {settings.workers} worker(s)")
    typer.echo(f"settings    {settings.source or 'environment and defaults'}")
    for name, (_, guard) in guards.items():
        policy, default = guard.policy.current(), " (default)" if name == settings.default_guard else ""
        typer.echo(
            f"guard       {name}{default}: policy {policy.name}, threshold {policy.threshold:g}, "
            f"engine {guard.judge.name}, deadline {'none' if policy.deadline is None else f'{policy.deadline:g} s'}"
        )
    for name, upstream in settings.upstreams.items():
        settings.secret(upstream.key_env)
        typer.echo(f"upstream    {name}: {upstream.url}, guard {upstream.guard or settings.default_guard}")
    for key in settings.keys:
        typer.echo(f"key         {key.name}: {', '.join(key.guards) or 'all guards'}")
    if not settings.keys:
        typer.echo("key         none: everybody on this machine may use it")
    typer.echo(f"records     {store.path if store else 'none'}")
    if settings.studio is not None:
        typer.echo(f"studio      {PATH}/, for the keys {', '.join(settings.studio.keys)}")
    fixed = settings.limits.model_dump(exclude={"threads"})
    said = ", ".join(f"{name} {value:,}" for name, value in fixed.items())
    typer.echo(f"limits      threads {threads_of(settings.limits)}, {said}")
