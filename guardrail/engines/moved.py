"""Import paths of version 0.1.0, for one version more: each warns where the module is now."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_CONTRACT = "guardrail.check.contract"
_MOVED: dict[str, dict[str, tuple[str, str]]] = {
    "guardrail.engine": {
        "account": ("guardrail.check.matrix", "validated"),
        **{name: (_CONTRACT, name) for name in ("AsyncEngine", "Engine", "VerifyRequest", "unverified")},
    },
    "guardrail.local": {},
    "guardrail.local.engine": {"LocalEngine": ("guardrail.engines.local.engine", "LocalEngine")},
}
"""Old module: its names, each with the module and the name that it has now."""


class _Finder:  # duck-typed: importlib.abc costs 7 ms at import
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target  # the name says it all
        return ModuleSpec(fullname, self, is_package=fullname == "guardrail.local") if fullname in _MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """The import system makes the module."""

    def exec_module(self, module: ModuleType) -> None:
        names = _MOVED[module.__name__]

        def moved(name: str) -> Any:
            if name not in names:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            where, now = names[name]
            message = f"{module.__name__}.{name} is now {where}.{now}; the old path goes with the next version."
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return getattr(import_module(where), now)

        module.__dict__.update(__getattr__=moved, __all__=sorted(names), __doc__="Moved; see guardrail.engines.moved.")


def install() -> None:
    """Let the old paths be imported."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
