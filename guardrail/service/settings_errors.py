"""What pydantic finds wrong, in our words and without the value: it may be a secret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from guardrail.errors import ConfigurationError


@contextmanager
def as_configuration_error(where: str) -> Iterator[None]:
    """Errors of validation inside the block, as ConfigurationErrors that say where.

    Raises:
        ConfigurationError: something was wrong.
    """
    try:
        yield
    except ValidationError as error:
        raise ConfigurationError(f"{where}: {_first(error)}") from None
    except ConfigurationError:
        raise
    except ValueError as error:  # a variable of the environment that is no JSON
        raise ConfigurationError(f"{where}: {error}") from None


def _first(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    said = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        said = "there is no such setting. See docs/service.md."
    return f"{path}: {said}" if path else said
