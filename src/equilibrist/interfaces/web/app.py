"""`create_app`: guards, handlers and the page put together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from equilibrist.core.errors import (
    EquilibristError,
    NotApplicableError,
    TooLargeError,
    UnknownNameError,
)
from equilibrist.interfaces.pictures.palette import CALL, FOLD, LARGEST_BET, SAFE, SMALLEST_BET
from equilibrist.interfaces.web.data.store import StoreError
from equilibrist.interfaces.web.guards import Guards
from equilibrist.interfaces.web.models.common import REFUSALS
from equilibrist.interfaces.web.routes import (
    batches,
    dials,
    jobs,
    lessons,
    solutions,
    spots,
    strategies,
    tables,
    trainer,
)
from equilibrist.interfaces.web.services import Services
from equilibrist.interfaces.web.settings import ServerSettings
from equilibrist.interfaces.web.time_limits import API, OvertimeError, TimeLimits
from equilibrist.version import __version__

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
PAGES = (
    "solve",
    "study",
    "exploit",
    "batch",
    "compare",
    "report",
    "library",
    "strategy",
    "learn",
    "play",
    "train",
    "help",
)
_STATUS: tuple[tuple[type[EquilibristError], int], ...] = (
    (OvertimeError, 503),
    (StoreError, 503),
    (UnknownNameError, 404),
    (TooLargeError, 413),
    (NotApplicableError, 409),
)


def create_app(settings: ServerSettings) -> FastAPI:
    """A server over one data folder."""
    services = Services.open(settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        services.queue.start()
        yield
        services.close()

    app = FastAPI(
        title="equilibrist",
        version=__version__,
        description="Solve, study and play games of imperfect information. Everything the page does goes through this API.",
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # the usual pages load scripts from elsewhere; /help/api reads the same description
        redoc_url=None,
        lifespan=life,
    )
    app.state.services = services
    api = APIRouter(prefix=API, responses=REFUSALS)
    for module in (spots, jobs, batches, solutions, strategies, dials, trainer, lessons, tables):
        api.include_router(module.router)
    api.add_api_route("/about", _about, methods=["GET"], tags=["server"])
    app.include_router(api)
    _add_page(app)
    app.add_middleware(TimeLimits, seconds=settings.request_seconds)
    app.add_middleware(Guards, settings=settings)
    app.add_exception_handler(EquilibristError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(OverflowError, _too_large)
    app.add_exception_handler(RecursionError, _too_large)
    app.add_exception_handler(MemoryError, _too_large)
    app.add_exception_handler(Exception, _failed)
    return app


def _about(request: Request) -> dict[str, Any]:
    """Version and limits of this server."""
    services: Services = request.app.state.services
    settings = services.settings
    return {
        "version": __version__,
        "workers": settings.workers,
        "threads": settings.threads,
        "memory_bytes": services.queue.memory,
        "palette": {
            "usual": {"fold": FOLD, "call": CALL, "smallest_bet": SMALLEST_BET, "largest_bet": LARGEST_BET},
            "safe": SAFE,
        },
    }


def _add_page(app: FastAPI) -> None:
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    def page() -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    def icon() -> Response:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")

    app.add_api_route("/", page, include_in_schema=False)
    app.add_api_route("/favicon.ico", icon, include_in_schema=False)
    for name in PAGES:
        app.add_api_route(f"/{name}", page, include_in_schema=False)
        app.add_api_route(f"/{name}/{{rest}}", page, include_in_schema=False)


def _problem(status: int, error: str, message: str) -> JSONResponse:
    readable = message.encode("utf-8", "replace").decode()  # what was given may hold halves of characters
    return JSONResponse({"error": error, "message": readable}, status)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 422)
    return _problem(status, type(error).__name__, str(error))


async def _malformed(request: Request, error: Exception) -> JSONResponse:
    """The first thing that is wrong, named."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    if first["type"] == "json_invalid":
        return _problem(422, "FormatError", "The request is not valid JSON.")
    return _problem(422, "ParameterError", f"'{where or 'the request'}': {first['msg']}.")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    message = "There is nothing at this address." if error.status_code == 404 else str(error.detail)
    answer = _problem(error.status_code, "HTTPError", message)
    answer.headers.update(error.headers or {})
    return answer


async def _too_large(request: Request, error: Exception) -> JSONResponse:
    """What no reader foresaw, but the request asked for: numbers, depths or sizes beyond what the machine computes with."""
    log.warning("%s %s is too large", request.method, request.url.path, exc_info=error)
    sentence = "The request has a number that is too large, is nested too deeply or needs too much memory; give less."
    return _problem(422, "TooLargeError", sentence)


async def _failed(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return _problem(500, "InternalError", "The server made a mistake; its log says which.")
