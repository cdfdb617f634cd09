"""Which ids were seen: 64-bit hashes in sorted arrays, 8 bytes each, however many there are."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

_RECENT = 4096


def hashed(text: str) -> int:
    """A signed 64-bit hash. Two of a hundred million texts share one with a chance of 3 in 10,000."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class KeySet:
    """A growing set of 64-bit hashes.

    Runs of sorted keys are merged when they are of similar length, so there are only about log(n) of them.
    """

    def __init__(self, keys: Iterable[NDArray[np.int64]] = ()) -> None:
        self._runs: list[NDArray[np.int64]] = []
        self._recent: set[int] = set()
        for some in keys:
            self._merge(np.unique(some))

    def __len__(self) -> int:
        return sum(map(len, self._runs)) + len(self._recent)

    def __contains__(self, key: int) -> bool:
        if key in self._recent:
            return True
        for run in self._runs:
            place = int(np.searchsorted(run, key))
            if place < len(run) and run[place] == key:
                return True
        return False

    def add(self, key: int) -> bool:
        """Add a key; whether it is new."""
        if key in self:
            return False
        self._recent.add(key)
        if len(self._recent) >= _RECENT:
            self._merge(np.array(sorted(self._recent), dtype=np.int64))
            self._recent.clear()
        return True

    def _merge(self, run: NDArray[np.int64]) -> None:
        while self._runs and len(self._runs[-1]) <= 2 * len(run):
            run = np.union1d(self._runs.pop(), run)
        if len(run):
            self._runs.append(run)
