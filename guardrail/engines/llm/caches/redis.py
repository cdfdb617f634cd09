"""The cache in Redis (or Valkey), shared by all machines of a service.

Who can write to the server can forge verdicts, and values hold words of answers and passages: use one that is yours.
"""

from __future__ import annotations

from guardrail.engines.llm.caches.memory import Backoff, refuse_limits
from guardrail.errors import ConfigurationError, MissingExtraError

_MONTH = 30 * 24 * 3600.0


class RedisCache:
    """Texts on a Redis server; it forgets each after ``max_age``.

    Args:
        url: ``redis://[[user]:password@]host[:port][/database]``, ``rediss://`` for TLS, ``unix://`` for a socket.
        prefix: Put before each key, so that applications can share a server.
        max_age: Seconds after which a text is forgotten; None leaves that to the server's own limits.
        timeout: Seconds to wait for the server; a check asks about once per segment.
        outage: Seconds to leave the server alone after a failure; until then each question is a miss, at once.

    Raises:
        ConfigurationError: the address or a limit is wrong. A server that fails later is a miss, logged once.
        MissingExtraError: redis is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str = "guardrail:",
        max_age: float | None = _MONTH,
        timeout: float = 0.25,
        outage: float = 10.0,
    ) -> None:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError as error:
            raise MissingExtraError('a Redis cache needs redis: pip install "rag-guardrail[redis]"') from error
        refuse_limits(1, max_age)
        self.prefix = prefix
        self.max_age = max_age
        self._failures = (redis.RedisError, OSError)
        self._backoff = Backoff("the Redis cache", outage)
        try:
            self._client = redis.Redis.from_url(
                url,
                socket_timeout=timeout,
                socket_connect_timeout=timeout,
                retry=Retry(NoBackoff(), 0),  # its default waits for seconds
            )
        except ValueError as error:  # its message may hold the password
            raise ConfigurationError(
                "the address of the Redis cache is wrong. Write redis://host:port/database, rediss:// or unix://."
            ) from error

    def get(self, key: str) -> str | None:
        """See Cache.get."""
        if self._backoff.active:
            return None
        try:
            value = self._client.get(self.prefix + key)
            text = value.decode() if isinstance(value, bytes) else None
        except UnicodeError:  # a lone surrogate in the key, or not our value
            return None
        except self._failures as error:
            self._backoff.begin(error)
            return None
        self._backoff.end()
        return text

    def set(self, key: str, value: str) -> None:
        """See Cache.set."""
        if self._backoff.active:
            return
        try:
            age = None if self.max_age is None else max(1, int(self.max_age * 1000))
            self._client.set(self.prefix + key, value.encode(), px=age)
        except UnicodeError:  # a lone surrogate, which UTF-8 cannot hold
            return
        except self._failures as error:
            self._backoff.begin(error)
            return
        self._backoff.end()

    def close(self) -> None:
        """Let go of the connections; the next use opens new ones."""
        self._client.close()
