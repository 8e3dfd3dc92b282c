"""Settings of a server: where its data lies, who may come in, how much it may use."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from equilibrist.core.errors import FormatError, ParameterError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST_BODY = 256 * 1024  # bytes of a request
LARGEST_STREET = 200_000  # betting nodes; larger trees take seconds to write out
MOST_WAITING = 250  # jobs
LEAST_TOKEN = 12  # characters
MOST_THREADS = 1_024


@dataclass(frozen=True)
class ServerSettings:
    """What `equilibrist serve` was told."""

    data: Path
    host: str = LOOPBACK[0]
    port: int = 8765
    token: str | None = None
    workers: int = 1  # solves at a time
    threads: int = 1  # of one solve
    memory: int | None = None  # bytes for all solves together; None: what the machine has when asked
    save_seconds: float = 20.0  # between saves of a running solve
    save_patience: float = 60.0  # how long a finished solve tries to be saved, where the disk is full
    head_seconds: float = 10.0  # until the head of a request has arrived
    body_seconds: float = 20.0  # until the rest of it has
    request_seconds: float = 30.0  # until a request is answered, be it with a refusal
    resume: bool = False  # jobs that were interrupted go on by themselves when the server starts

    def __post_init__(self) -> None:
        if not self.is_local and not self.token:
            raise ParameterError(
                f"Serving on '{self.host}' lets other machines in, so a token is needed; give --token-file, or leave --host out."
            )
        if self.token is not None and not re.fullmatch(rf"[A-Za-z0-9._~-]{{{LEAST_TOKEN},200}}", self.token):
            raise ParameterError(
                f"A token has {LEAST_TOKEN} to 200 letters, digits and . _ ~ -, since it is sent in a link; give another one."
            )
        for what, number in (("workers", self.workers), ("threads", self.threads)):
            if not 1 <= number <= MOST_THREADS:
                raise ParameterError(f"The number of {what} is 1 to {MOST_THREADS:,}, but {number} was given.")
        if not 0.0 < self.request_seconds < math.inf:
            raise ParameterError(f"A request takes some seconds, but a limit of {self.request_seconds:g} was given.")
        if not 0 <= self.port <= 65535:
            raise ParameterError(f"A port is a number up to 65535, but {self.port} was given.")

    @property
    def is_local(self) -> bool:
        return self.host in LOOPBACK


def read_token(file: Path | None) -> str | None:
    """The token of a file that only its owner can read, or of EQUILIBRIST_TOKEN; neither is seen in the list of processes."""
    if file is None:
        return os.environ.get("EQUILIBRIST_TOKEN") or None
    try:
        with open(file, encoding="ascii") as text:
            shared = os.name == "posix" and os.fstat(text.fileno()).st_mode & 0o077
            token = text.read(1000).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not plain text"
        raise FormatError(f"The token file '{file}' cannot be read ({reason}); check the path.") from None
    if shared:
        raise ParameterError(f"Others can read the token file '{file}'; make it your own: chmod 600 '{file}'.")
    return token


def default_data() -> Path:
    """EQUILIBRIST_DATA, or the place where the system keeps data of programs."""
    given = os.environ.get("EQUILIBRIST_DATA")
    if given:
        return Path(given)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "equilibrist"
