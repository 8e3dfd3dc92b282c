"""Guards: what every request passes before it is looked at (host, origin, token, size), and what every answer carries."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equilibrist.core.errors import TooLargeError
from equilibrist.interfaces.web.settings import LARGEST_BODY, LOOPBACK, ServerSettings

COOKIE = "equilibrist_token"
LARGEST_SKIPPED = 64 * 1024 * 1024  # bytes that are received and forgotten, so that a refusal can be read
SKIP_SECONDS = 5.0
_SAFE = ("GET", "HEAD", "OPTIONS")
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
)


class Guards:
    """ASGI middleware; refusals are one sentence in JSON."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app, self.settings, self.body_seconds = app, settings, settings.body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _Body(receive).skip(LARGEST_BODY)
            await _answer(send, *refusal)
            return
        if self.settings.token and (moved := _without_token(scope)) and self._known(_token_of(scope, headers)):
            await _redirect(send, moved, self.settings.token)
            return
        body = _Body(receive)
        try:
            await body.read(self.body_seconds)
        except TooLargeError as error:
            await body.skip(
                LARGEST_SKIPPED
            )  # a client that is still sending would see the connection break, not the answer
            await _answer(send, 413, "TooLargeError", str(error))
        except TimeoutError:
            sentence = f"The request did not arrive within {self.body_seconds:g} seconds; send it again."
            await _answer(send, 408, "TooSlow", sentence)
        except ConnectionError:
            return
        else:
            await self.app(scope, body, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, str] | None:
        host = headers.get("host", "")
        try:
            name, foreign = urlsplit(f"//{host}").hostname, _foreign(headers, host)
        except ValueError:  # such as an address whose bracket is never closed
            return 400, "BadHeader", "The Host or the Origin of the request cannot be read."
        if self.settings.is_local and name not in LOOPBACK:
            return 403, "WrongHost", "This server answers to localhost only; open it by that name."
        if scope["method"] not in _SAFE and foreign:
            return 403, "WrongOrigin", "Requests that change something must come from the page of this server itself."
        if self.settings.token and not self._known(_token_of(scope, headers)):
            return (
                401,
                "NoToken",
                "A token is needed: open the link with ?token=… that the server printed when it started.",
            )
        if not headers.get("content-length", "0").isdecimal():
            return 400, "BadLength", "The length of the request is not a number."
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
    """The body of a request, read as a whole within so many bytes and seconds, then handed on in one piece."""

    def __init__(self, receive: Receive) -> None:
        self.receive, self.content, self.whole, self.told = receive, b"", False, False

    async def __call__(self) -> Message:
        if self.told:  # from here on only the client's leaving can come, and that takes as long as it takes
            return await self.receive()
        self.told = True
        return {"type": "http.request", "body": self.content, "more_body": False}

    async def read(self, seconds: float) -> None:
        pieces, size = [], 0
        async with asyncio.timeout(seconds):
            while not self.whole:
                pieces.append(await self._piece())
                size += len(pieces[-1])
                if size > LARGEST_BODY:
                    raise TooLargeError(
                        f"The request has more than {LARGEST_BODY:,} bytes, which is the most that is read."
                    )
        self.content = b"".join(pieces)

    async def skip(self, most: int) -> None:
        """Let what is still coming arrive, and forget it; at most so many bytes, and not for long."""
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(SKIP_SECONDS):
                while not self.whole and most > 0:
                    most -= len(await self._piece())

    async def _piece(self) -> bytes:
        message = await self.receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        self.whole = not message.get("more_body", False)
        return bytes(message.get("body", b""))


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
