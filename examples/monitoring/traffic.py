"""Users: threads that ask the service at random times, about one topic or another."""

from __future__ import annotations

import random
import threading
from http.client import HTTPException
from types import TracebackType
from typing import Self

from http_calls import post
from model import QUESTIONS


class Traffic:
    """Asks ``rate`` questions a second, from ``users`` threads, while its context is open."""

    def __init__(self, url: str, *, rate: float, users: int = 8) -> None:
        self.url = url
        self.failed = 0
        self._pause = users / rate
        self._over = threading.Event()
        self._users = [threading.Thread(target=self._use, args=(n,), daemon=True) for n in range(users)]

    def __enter__(self) -> Self:
        for user in self._users:
            user.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        for user in self._users:
            user.join(timeout=10)

    def _use(self, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311  no secret
        while not self._over.wait(chance.expovariate(1 / self._pause)):
            question = chance.choice(QUESTIONS)
            try:
                post(f"{self.url}/ask", {"question": question.text, "topic": question.topic})
            except (OSError, HTTPException):
                self.failed += 1
