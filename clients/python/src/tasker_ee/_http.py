"""Connections that are kept, one per thread that needs one at a time."""

from __future__ import annotations

import http.client
import random
import socket
import ssl
import threading
import urllib.parse
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple

from .errors import UnreachableError

_CONNECT_SECONDS = 5.0
_MOST_IDLE = 16
#: Python counts the milliseconds of a socket's time-out in 32 bits; a longer one would be over at once.
_LONGEST_TIMEOUT = 2147483.0


class Raw(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


def pause_seconds(attempt: int, longest: float, asked: Optional[float] = None) -> float:
    """How long to wait after the given failed attempt, counted from 0: doubling, with full jitter, never less than asked for."""
    own = random.uniform(0.05, min(longest, 0.2 * 2 ** min(attempt, 10)))
    return max(own, min(asked or 0.0, longest))


class Transport:
    """Sends requests to one server. Thread-safe; follows no redirects, and verifies certificates."""

    def __init__(self, url: str, ssl_context: Optional[ssl.SSLContext]) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise ValueError("%r is not an address of the form https://host:port, without user, query and fragment"
                             % (url if not parts.username else "…"))
        self.url = url.rstrip("/")
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/")
        self._tls = (ssl_context or ssl.create_default_context()) if parts.scheme == "https" else None
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def send(self, method: str, target: str, body: Optional[bytes], headers: Dict[str, str], timeout: float,
             is_repeatable: bool) -> Raw:
        """Sends once, and a repeatable request a second time if a kept connection turns out to be closed before an answer came.

        Raises UnreachableError.
        """
        while True:
            connection, is_kept = self._connection(timeout)
            try:
                connection.request(method, self._path + target, body, headers)
                answer = connection.getresponse()
                raw = Raw(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
            except (OSError, http.client.HTTPException) as e:
                connection.close()
                # The server closes connections that were idle for a while.
                if is_kept and isinstance(e, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
                    self.close()
                    if is_repeatable:
                        continue
                why = "no answer within %g s" % timeout if isinstance(e, socket.timeout) else str(e) or type(e).__name__
                raise UnreachableError("Cannot reach %s: %s" % (self.url, why), True) from e
            if answer.will_close:
                connection.close()
            else:
                self._keep(connection)
            return raw

    def _connection(self, timeout: float) -> Tuple[http.client.HTTPConnection, bool]:
        timeout = min(timeout, _LONGEST_TIMEOUT)
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is not None:
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            return connection, True
        if self._tls is not None:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=_CONNECT_SECONDS, context=self._tls)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=_CONNECT_SECONDS)
        try:
            connection.connect()
        except OSError as e:
            connection.close()
            raise UnreachableError("Cannot reach %s: no connection: %s" % (self.url, e), False) from e
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sock.settimeout(timeout)
        return connection, False

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Closes connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
