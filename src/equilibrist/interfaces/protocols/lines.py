"""Lines of text over a socket, with a limit on their length and on the time spent waiting."""

from __future__ import annotations

import socket
import time

MOST_BYTES = 65_536  # a line longer than any match state is an attack or an error


class Lines:
    """Reads and writes whole lines."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self._rest = connection, b""

    def send(self, line: str) -> None:
        self.connection.sendall(line.encode("ascii", "replace") + b"\r\n")

    def receive(self, deadline: float | None = None) -> str:
        """The next line without its end; TimeoutError at the deadline, ConnectionError when the other end has gone."""
        while b"\n" not in self._rest:
            if len(self._rest) > MOST_BYTES:
                raise ConnectionError("a line without end was sent")
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError("no answer in time")
            self.connection.settimeout(left)
            try:
                received = self.connection.recv(4096)
            except TimeoutError:
                raise TimeoutError("no answer in time") from None
            if not received:
                raise ConnectionError("the connection was closed")
            self._rest += received
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode("ascii", "replace").strip("\r")

    def close(self) -> None:
        self.connection.close()
