"""HTTP for all endpoints: one asyncio event loop in its own thread, with aiohttp sessions.

Callers in any thread, including notebooks, submit a coroutine to `run_on_loop` and wait for its result. Redirects are
not followed, because they would send the key to another address. One deadline covers a whole exchange.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import urllib.request
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from referee.errors import InputError, naming_extra

if TYPE_CHECKING:
    import aiohttp

# A chat answer has some kilobytes and a transcript some megabytes; an endless body must not fill the memory.
LARGEST_BYTES = 1 << 24
T = TypeVar("T")


class HttpResponse(NamedTuple):
    """Status, headers (names in any case) and body of an HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ConnectionFailed(Exception):
    """No response came: the connection failed, broke off or timed out, or the body was too large."""

    def __init__(self, reason: str, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.timed_out = timed_out


class _LoopThread:
    """An event loop in a daemon thread, and the sessions that were opened on it, by SOCKS proxy."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.sessions: dict[str, aiohttp.ClientSession] = {}
        self._thread = threading.Thread(target=self.loop.run_forever, name="referee-http", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close the sessions and end the thread."""
        asyncio.run_coroutine_threadsafe(self._close_sessions(), self.loop).result(5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(5)
        self.loop.close()

    async def _close_sessions(self) -> None:
        for session in self.sessions.values():
            await session.close()


_STARTING = threading.Lock()
_RUNNING: list[_LoopThread] = []


def _get_loop_thread() -> _LoopThread:
    """Return this process's loop thread, started with the first request."""
    with _STARTING:
        if not _RUNNING:
            _RUNNING.append(_LoopThread())
        return _RUNNING[0]


@atexit.register
def _close_loop() -> None:
    if _RUNNING:
        _RUNNING.pop().close()


def _forget_after_fork() -> None:
    """Forget the loop in a forked child: its thread exists in the parent only."""
    global _STARTING
    _STARTING = threading.Lock()
    _RUNNING.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def run_on_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop and return its result; an interrupted caller cancels it."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _get_loop_thread().loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def call_on_loop(function: Any) -> None:
    """Schedule a plain function on the loop, without waiting for it."""
    _get_loop_thread().loop.call_soon_threadsafe(function)


async def post(url: str, body: Any, headers: Mapping[str, str], timeout_s: float) -> HttpResponse:
    """Send one POST request; `body` is bytes or aiohttp form data.

    Raises:
        ConnectionFailed: no whole response came within `timeout_s`.
        InputError: the environment names a proxy that cannot be used.
    """
    import aiohttp

    proxy = find_proxy(url)
    session = _get_session(proxy if proxy.startswith("socks") else "")
    try:
        async with session.post(
            url,
            data=body,
            headers=headers,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=timeout_s),
            proxy=None if proxy.startswith("socks") else proxy or None,
        ) as response:
            return HttpResponse(response.status, response.headers, await _read_body(response))
    except TimeoutError:
        raise ConnectionFailed("timed out", timed_out=True) from None
    except (aiohttp.ClientError, OSError) as error:
        raise ConnectionFailed(f"{type(error).__name__}: {error}"[:200]) from None
    except Exception as error:
        # The SOCKS library's errors share no base with aiohttp's.
        if type(error).__module__.partition(".")[0] not in ("aiohttp_socks", "python_socks"):
            raise
        raise ConnectionFailed(f"{type(error).__name__}: {error}"[:200]) from None


async def _read_body(response: aiohttp.ClientResponse) -> bytes:
    """Return the body of a response. Raises ConnectionFailed if it is too large."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_BYTES:
            raise ConnectionFailed(f"the response is larger than {LARGEST_BYTES} bytes")
    return bytes(body)


def _get_session(socks_proxy: str) -> aiohttp.ClientSession:
    """Return the session for direct connections and HTTP proxies (""), or for one SOCKS proxy."""
    sessions = _get_loop_thread().sessions
    if socks_proxy not in sessions:
        with naming_extra():
            import aiohttp
        # The concurrency limit belongs to the endpoint; no cookie may connect two questions.
        connector = _make_socks_connector(socks_proxy) if socks_proxy else aiohttp.TCPConnector(limit=0)
        # Without trust_env, which would also read ~/.netrc and refuse our Authorization header beside it.
        sessions[socks_proxy] = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
    return sessions[socks_proxy]


def _make_socks_connector(proxy: str) -> aiohttp.BaseConnector:
    """Return a connector for a SOCKS proxy. Raises InputError for an invalid address."""
    try:
        with naming_extra():
            from aiohttp_socks import ProxyConnector
        # socks5h: the proxy resolves the host's name, which the library does by default.
        connector: aiohttp.BaseConnector = ProxyConnector.from_url(proxy.replace("socks5h://", "socks5://"), limit=0)
        return connector
    except ValueError:
        raise InputError(
            "the environment names a SOCKS proxy that cannot be used",
            remedy="write ALL_PROXY like socks5://HOST:PORT, or unset it",
        ) from None


def find_proxy(url: str) -> str:
    """Return the address of the proxy that the environment names for a URL, or "".

    HTTP_PROXY and HTTPS_PROXY come before ALL_PROXY; NO_PROXY excepts hosts from all of them.
    """
    parts = urlsplit(url)
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    if not proxy or urllib.request.proxy_bypass(parts.hostname or ""):
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https", "socks4", "socks5", "socks5h"):
        raise InputError(
            f"the environment names a proxy of the kind {urlsplit(proxy).scheme}://, which cannot be used",
            remedy="use an http://, https:// or socks5:// proxy, or list the host in NO_PROXY",
        )
    return proxy
