"""Guards: what every request passes before it is looked at (host, origin, token, size), and what every answer carries."""

from __future__ import annotations

import asyncio
import secrets
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equilibrist.interfaces.web.settings import LARGEST_BODY, LOOPBACK, ServerSettings

COOKIE = "equilibrist_token"
BODY_SECONDS = 20.0  # a request that takes longer to arrive is dropped
_SAFE = ("GET", "HEAD", "OPTIONS")
_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
)


class Guards:
    """ASGI middleware; refusals are one sentence in JSON."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        if self.settings.token and (moved := _without_token(scope)) and self._known(_token_of(scope, headers)):
            await _redirect(send, moved, self.settings.token)
            return
        await self.app(scope, _Body(receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, str] | None:
        host = headers.get("host", "")
        if self.settings.is_local and urlsplit(f"//{host}").hostname not in (*LOOPBACK, "testserver"):
            return 403, "WrongHost", "This server answers to localhost only; open it by that name."
        if scope["method"] not in _SAFE and _foreign(headers, host):
            return 403, "WrongOrigin", "Requests that change something must come from the page of this server itself."
        if self.settings.token and not self._known(_token_of(scope, headers)):
            return (
                401,
                "NoToken",
                "A token is needed: open the link with ?token=… that the server printed when it started.",
            )
        try:
            size = int(headers.get("content-length", "0"))
        except ValueError:
            return 400, "BadLength", "The length of the request is not a number."
        if size > LARGEST_BODY:
            return 413, "TooLargeError", f"The request has {size:,} bytes; at most {LARGEST_BODY:,} are read."
        return None

    def _known(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), (self.settings.token or "").encode())


def _foreign(headers: dict[str, str], host: str) -> bool:
    """Whether a browser says that another site sent this."""
    if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != host


def _token_of(scope: Scope, headers: dict[str, str]) -> str:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    asked: dict[str, str] = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    if "token" in asked:
        return asked["token"]
    held = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    return held.value if held else ""


def _without_token(scope: Scope) -> str | None:
    """Where a link with a token leads once the browser has been given it; None where there is no token in the link."""
    asked: list[tuple[str, str]] = parse_qsl(scope["query_string"].decode("latin-1"))
    kept = [(name, value) for name, value in asked if name != "token"]
    if len(kept) == len(asked) or scope["path"].startswith("/api/"):
        return None
    path: str = "/" + scope["path"].lstrip("/\\")  # never another host
    return path + ("?" + urlencode(kept) if kept else "")


class _Body:
    """Receives at most so many bytes within so many seconds."""

    def __init__(self, receive: Receive) -> None:
        self.receive, self.read, self.done = receive, 0, False

    async def __call__(self) -> Message:
        if self.done:  # waiting for the client to leave takes as long as it takes
            return await self.receive()
        try:
            message = await asyncio.wait_for(self.receive(), BODY_SECONDS)
        except TimeoutError:
            return {"type": "http.disconnect"}
        self.read += len(message.get("body", b""))
        if self.read > LARGEST_BODY:
            return {"type": "http.disconnect"}
        self.done = not message.get("more_body", False)
        return message


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_HEADERS]
        await send(message)

    return wrapped


async def _answer(send: Send, status: int, error: str, sentence: str) -> None:
    body = msgspec.json.encode({"error": error, "message": sentence})
    headers: list[Any] = [(b"content-type", b"application/json"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _redirect(send: Send, target: str, token: str) -> None:
    cookie = f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
    headers = [(b"location", target.encode("latin-1", "ignore")), (b"set-cookie", cookie.encode()), *_HEADERS]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
