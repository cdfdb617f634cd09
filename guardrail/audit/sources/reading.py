"""How a source is opened, as it is noted in the journal of an audit to open it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from guardrail.audit.columns import Columns
from guardrail.audit.sources.opened import open_source
from guardrail.audit.sources.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A name (a local one absolute), its format, and which column holds what."""

    name: str
    form: str = "auto"
    columns: Columns = field(default_factory=Columns)

    @classmethod
    def named(cls, source: str, form: str, columns: Columns | None) -> Self:
        """As it was asked for, from wherever."""
        name = source if "://" in source else str(Path(source).absolute())
        return cls(name=name, form=form, columns=columns or Columns())

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        """What ``as_json`` wrote."""
        columns = Columns(names=written["names"], labels=written["labels"])
        return cls(name=written["name"], form=written["form"], columns=columns)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        names, labels = dict(self.columns.names), dict(self.columns.labels)
        return {"name": self.name, "form": self.form, "names": names, "labels": labels}

    def open(self) -> Source:
        """The source.

        Raises:
            UsageError: it is not there any more.
        """
        return open_source(self.name, self.form, self.columns)
