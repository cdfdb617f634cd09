"""A policy file that is read again when it changes."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from guardrail.errors import ConfigurationError
from guardrail.policy.calibration import Calibration, engine_identity, warn_of_another

_log = logging.getLogger(__name__)

_Signature = tuple[int, int, int]


class _Read(Protocol):
    """What is read: a Policy, which knows this module and not the other way round."""

    @property
    def name(self) -> str: ...

    @property
    def calibration(self) -> Calibration | None: ...


P = TypeVar("P", bound=_Read)


class PolicyWatch(Generic[P]):
    """The policy of a file, as the file stands now. ``Guard(policy=Policy.watch(path))`` takes it like a policy.

    Any number of guards, threads and tasks may share one. At most once per ``every`` seconds the file's time, size and
    inode are looked at, and it is read if one of them changed. A file that has become wrong, or has vanished, is logged
    as an error once per change, and the last good policy stays in force: nothing is raised while answers are checked.
    """

    def __init__(self, path: str | Path, read: Callable[[Path], P], *, every: float = 1.0) -> None:
        """Read the file for the first time.

        Args:
            path: The YAML or JSON file.
            read: Reads it (``Policy.watch`` passes ``Policy.read``).
            every: Seconds between two looks at the file, at least; 0 = look at every call.

        Raises:
            ConfigurationError: the file is missing or wrong, or ``every`` is no number of seconds.
        """
        if isinstance(every, bool) or not isinstance(every, (int, float)) or not 0 <= every < math.inf:
            raise ConfigurationError(f"every must be a number of seconds from 0 on, got {every!r}.")
        self.path = Path(path).absolute()  # a later change of the working folder must not change the policy
        self.every = every
        self._lock = threading.Lock()
        self._engines: set[str] = set()
        self._signature = _signature(self.path)
        self._read = read
        self._policy = read(self.path)
        self._next = time.monotonic() + every

    def __repr__(self) -> str:
        return f"PolicyWatch({str(self.path)!r}, every={self.every!r})"

    def current(self) -> P:
        """The policy to use for one call, from its beginning to its end."""
        if time.monotonic() >= self._next and self._lock.acquire(blocking=False):  # one looks, the others go on
            try:
                self._look()
                self._next = time.monotonic() + self.every
            finally:
                self._lock.release()
        return self._policy

    def warn_if_calibrated_for_another(self, engine: object) -> None:
        """Warn, now and after each change, where the policy was calibrated for another engine than this one."""
        own = engine_identity(engine)
        self._engines.add(own)
        warn_of_another(self._policy.calibration, own, self._policy.name)

    def _look(self) -> None:
        # The signature is taken first: what changes while the file is read is seen, and read anew, at the next look.
        signature = _signature(self.path)
        if signature == self._signature:
            return
        self._signature = signature
        try:
            policy = self._read(self.path)
        except Exception as error:  # an edit of the file must not take the service down
            said = str(error) if isinstance(error, ConfigurationError) else repr(error)
            _log.error("the policy stays %r, as last read: %s", self._policy.name, said)
            return
        if _signature(self.path) != signature:
            return  # it was still being written: what was read may be half of it
        self._policy = policy
        _log.info("policy %r was read again from %s", policy.name, self.path)
        for own in tuple(self._engines):
            warn_of_another(policy.calibration, own, policy.name)


def _signature(path: Path) -> _Signature | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
