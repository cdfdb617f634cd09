"""Guards, keys and limits change with their files, while requests go on."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from guardrail.errors import GuardrailError
from guardrail.guard import Guard
from guardrail.service.guards import build_guards
from guardrail.service.measures import Measures
from guardrail.service.pool import Pool
from guardrail.service.processes import Processes
from guardrail.service.settings import GuardSettings, Settings, StudioSettings
from guardrail.service.warming import warm

if TYPE_CHECKING:
    from guardrail.telemetry.records import RecordStore

_log = logging.getLogger("guardrail.service")

EVERY = 1.0
"""Seconds between two looks at the files."""

_AT_START = ("host", "port", "workers", "hosts", "records", "log_level", "drain_seconds", "stop_seconds")
_LIMITS_AT_START = ("threads", "processes", "awaited", "connections", "header_seconds")


class Reloadable(Protocol):
    """What changes with the files, and what new guards are built from; see Service."""

    settings: Settings
    guards: dict[str, tuple[GuardSettings, Guard]]
    records: RecordStore | None
    processes: Processes | None
    measures: Measures
    pool: Pool


class Reload:
    """Looks at the settings file and at the policies' files.

    Attributes:
        failure: What is wrong with the settings file as it is now, while the former settings stay; "" = nothing.
    """

    def __init__(self, service: Reloadable) -> None:
        self._service = service
        self._seen = _signature(service.settings.source)
        self.failure = ""

    async def watch(self) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(EVERY)
            await self.look()

    async def look(self) -> None:
        """Read what has changed. What is wrong is logged, once per change, and what was there stays."""
        for _, guard in self._service.guards.values():
            await asyncio.to_thread(guard.policy.current)  # its own watch: it logs what is wrong, and keeps the old
        now = _signature(source := self._service.settings.source)
        if source is None or now == self._seen:
            return
        self._seen = now
        try:
            await self._change(source)
        except GuardrailError as error:
            self._failed(str(error))
        except Exception as error:  # an edit of the file must not take the service down
            self._failed(f"{type(error).__name__}")

    async def _change(self, source: Path) -> None:
        service = self._service
        before = service.settings
        settings = await asyncio.to_thread(Settings.load, source, **before.given)
        guards = await asyncio.to_thread(build_guards, settings, service.records, service.guards, service.processes)
        await warm({name: guard for name, guard in guards.items() if guard != service.guards.get(name)})
        fixed = {name: getattr(before, name) for name in _AT_START}
        limits = {name: getattr(before.limits, name) for name in _LIMITS_AT_START}
        later = [name for name, value in fixed.items() if getattr(settings, name) != value]
        later += [f"limits.{name}" for name, value in limits.items() if getattr(settings.limits, name) != value]
        kept = settings.limits.model_copy(update=limits)
        studio, later_studio = _studio(before.studio, settings.studio)
        later += later_studio
        service.settings = settings.model_copy(update={**fixed, "limits": kept, "studio": studio})
        service.guards = guards
        service.pool.change(kept)
        self.failure = ""
        service.measures.reload("done")
        _log.info("the settings were read again: guards %s, %d keys", ", ".join(guards), len(settings.keys))
        if later:
            _log.warning("only a restart changes %s", ", ".join(later))

    def _failed(self, said: str) -> None:
        self.failure = said
        self._service.measures.reload("failed")
        _log.error("the settings stay as last read: %s", said)


def _studio(before: StudioSettings | None, now: StudioSettings | None) -> tuple[StudioSettings | None, list[str]]:
    """Its keys change at once, and so does that there is none any more; what else changes is for a restart."""
    if before is None or now is None:
        return None, ["studio"] if now is not None else []
    kept = before.model_copy(update={"keys": now.keys})
    return kept, ["studio"] if kept != now else []


def _signature(path: Path | None) -> tuple[int, int, int] | None:
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size, found.st_ino)
