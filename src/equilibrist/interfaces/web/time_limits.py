"""Time limits: no request waits for its answer longer than it may, and work that nobody waits for any more is bounded.

Handlers run in threads, which cannot be stopped from outside: long loops ask `check_time`, solves are given `time_left`. What goes on
all the same is counted, and once too many such works are under way further requests are refused until one has ended.
"""

from __future__ import annotations

import asyncio
import time
from contextvars import ContextVar

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equilibrist.core.errors import EquilibristError

API = "/api/v1"
ALWAYS = (f"{API}/about", f"{API}/jobs")  # quick, and needed to stop what is too much
MOST_OVERDUE = 4  # works that go on although their request was answered
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


class OvertimeError(EquilibristError):
    """A request would take longer than it may."""


def time_left(most: float) -> float:
    """Seconds that a request may still use, at most so many; refuses where none are left."""
    end = _deadline.get()
    left = most if end is None else min(most, end - time.monotonic())
    if left <= 0.0:
        raise OvertimeError(_SENTENCE)
    return left


def check_time() -> None:
    """Stop the work of a request whose time is over."""
    time_left(1.0)


class TimeLimits:
    """ASGI middleware: an answer must begin in time, or a clear refusal is sent instead."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self.app, self.seconds, self.overdue = app, seconds, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(API):
            await self.app(scope, receive, send)
            return
        if self.overdue >= MOST_OVERDUE and not scope["path"].startswith(ALWAYS):
            await _refuse(
                scope, receive, send, "ServerBusy", "The server still works on earlier requests; try again soon."
            )
            return
        answer = _Answer(send)
        _deadline.set(time.monotonic() + self.seconds)  # seen by the task, and by the thread that its handler runs in
        task = asyncio.ensure_future(self.app(scope, receive, answer))
        try:
            await asyncio.wait({task}, timeout=self.seconds)
            if not task.done() and not answer.begun:
                self._abandon(task, answer)
                await _refuse(scope, receive, send, OvertimeError.__name__, _SENTENCE)
                return
            await task
        except asyncio.CancelledError:
            task.cancel()
            raise

    def _abandon(self, task: asyncio.Future[None], answer: _Answer) -> None:
        answer.unwanted = True
        self.overdue += 1

        def ended(done: asyncio.Future[None]) -> None:
            self.overdue -= 1
            if not done.cancelled():
                done.exception()  # looked at, so that nothing is said about it

        task.add_done_callback(ended)


class _Answer:
    """Passes an answer on unless it comes too late."""

    def __init__(self, send: Send) -> None:
        self.send, self.begun, self.unwanted = send, False, False

    async def __call__(self, message: Message) -> None:
        if not self.unwanted:
            self.begun = True
            await self.send(message)


_SENTENCE = "This request took longer than the server allows; ask for less, or start the server with a larger --request-seconds."


async def _refuse(scope: Scope, receive: Receive, send: Send, error: str, sentence: str) -> None:
    answer = JSONResponse({"error": error, "message": sentence}, 503, headers={"retry-after": "5"})
    await answer(scope, receive, send)
