"""`run_server`: a listening socket, a sentence that says where, and uvicorn."""

from __future__ import annotations

import os
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from equilibrist.core.errors import NotApplicableError
from equilibrist.core.writing import reason
from equilibrist.interfaces.web.app import create_app
from equilibrist.interfaces.web.services import Services
from equilibrist.interfaces.web.settings import ServerSettings
from equilibrist.interfaces.web.timed_protocol import timed_protocol
from equilibrist.solvers.saved_solutions import load_solution


def run_server(
    settings: ServerSettings, files: list[Path], *, say: Callable[[str], None], open_browser: bool = False
) -> None:
    """Serve until Ctrl-C; running solves are saved and can go on next time."""
    for file in files:
        load_solution(file)  # refused before anything is opened
    listening = _listen(settings)
    os.umask(0o077)  # what is written from here on is the owner's alone
    app = create_app(settings)
    services: Services = app.state.services
    try:
        services.queue.start()
    except NotApplicableError:  # before anything is announced
        listening.close()
        raise
    for file in files:
        say(services.add_file(file))
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    link = f"http://{host}:{listening.getsockname()[1]}/" + (f"?token={settings.token}" if settings.token else "")
    say(f"equilibrist is at {link}  (data in {settings.data}; Ctrl-C stops)")
    if open_browser:
        webbrowser.open(link)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        server_header=False,
        http=timed_protocol(settings.head_seconds),
    )
    uvicorn.Server(config).run(sockets=[listening])


def _listen(settings: ServerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except (OSError, UnicodeError, TypeError) as error:  # the latter: what cannot be encoded
        listening.close()
        why = reason(error) if isinstance(error, OSError) else "it cannot be the name of a host"
        raise NotApplicableError(
            f"Cannot listen on {settings.host}:{settings.port} ({why}); choose another --port (0: any)."
        ) from None
    listening.listen(128)
    return listening
