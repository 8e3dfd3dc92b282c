"""`equilibrist serve`: start the browser application."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

MOST_GIGABYTES = 1e6


def serve(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Saved solutions (.eqb): spots are put into the library, all can be played against; tables (.toml) are solved first."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address; anything but localhost needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 for any free port.")] = 8765,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the library (default: EQUILIBRIST_DATA, or your data folder).")
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the access token that visitors must give (default: EQUILIBRIST_TOKEN)."),
    ] = None,
    token: Annotated[str | None, typer.Option(hidden=True)] = None,
    workers: Annotated[int, typer.Option(help="Number of solves at a time.")] = 1,
    threads: Annotated[int | None, typer.Option(help="Threads per solve (default: all cores).")] = None,
    memory: Annotated[
        float | None, typer.Option(help="Memory limit of all solves together, in gigabytes (default: free memory).")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue solves that were interrupted by the last stop.")
    ] = False,
    request_seconds: Annotated[float, typer.Option(help="Time limit of one request, in seconds.")] = 30.0,
    game: Annotated[
        list[str] | None, typer.Option(help="A game from a Python file that saved players play: my_game.py:MyGame.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in your browser.")] = False,
) -> None:
    """Open a local web application: solve spots, study, learn, play."""
    from equilibrist.compute.machine import cores
    from equilibrist.core.errors import MissingExtraError, ParameterError
    from equilibrist.games.catalogue import load_game

    for package in ("fastapi", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError(package, "web", "The browser") from None

    from equilibrist.interfaces.cli.play.served_tables import solved_files
    from equilibrist.interfaces.web.server import run_server
    from equilibrist.interfaces.web.settings import ServerSettings, default_data, read_token

    for text in game or ():
        load_game(text)
    if memory is not None and not 0.0 < memory <= MOST_GIGABYTES:
        raise ParameterError(
            f"--memory is a number of gigabytes above 0 and at most {MOST_GIGABYTES:g}, but {memory:g} was given."
        )
    if token is not None:
        raise ParameterError(
            "A token on the command line can be read by every user of this machine; put it in a file for --token-file, or in "
            "EQUILIBRIST_TOKEN."
        )
    settings = ServerSettings(
        data=data or default_data(),
        host=host,
        port=port,
        token=read_token(token_file),
        workers=workers,
        threads=threads if threads is not None else max(1, cores() // max(workers, 1)),
        memory=None if memory is None else int(memory * 1e9),
        request_seconds=request_seconds,
        resume=resume,
    )

    def say(sentence: str) -> None:
        print(sentence, file=sys.stderr, flush=True)

    served = solved_files(files or [], settings.threads)
    try:
        run_server(settings, served, say=say, open_browser=open_browser)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Stopped; the library is kept, and 'equilibrist serve --resume' goes on with solves that were under way."
        ) from None
