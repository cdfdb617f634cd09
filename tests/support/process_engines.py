"""Local engines that go wrong in the processes that read for the service."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from guardrail.engines.local.engine import LocalEngine


@dataclass(frozen=True, slots=True)
class Hanging(LocalEngine):
    """Its first process (all, where a file ``hang_all`` is there) does not load before a file ``go`` is there."""

    signs: Path = Path()

    def __init__(self, signs):
        super(Hanging, self).__init__(threads=1)
        object.__setattr__(self, "signs", signs)

    def warm_up(self):
        super(Hanging, self).warm_up()
        ticks = threading.Event()
        if self._first() or (self.signs / "hang_all").exists():
            while not (self.signs / "go").exists():
                ticks.wait(0.02)

    def _first(self):
        try:
            (self.signs / "hangs").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


class PanicException(BaseException):
    """What a panic of such a library is in Python."""


@dataclass(frozen=True, slots=True)
class Panicking(LocalEngine):
    """A library that it uses panics."""

    threads: int = 1

    def verify(self, request):
        raise PanicException(request.answer)
