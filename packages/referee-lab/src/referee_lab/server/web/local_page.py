"""One finished page at a local address, for those who would rather follow a link than open a file."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from referee.errors import InputError

__all__ = ["page_server"]


def page_server(page: str, port: int, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """A server that has this page and nothing else; the page carries its own policy."""
    content = page.encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # Nothing is looked up on the disk, whatever is asked for.
            found = self.path.partition("?")[0] == "/"
            self.send_response(200 if found else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("x-content-type-options", "nosniff")
            self.send_header("content-length", str(len(content) if found else 0))
            self.end_headers()
            self.wfile.write(content if found else b"")

        def log_message(self, format: str, *args: object) -> None:
            """Nobody needs a log of a page they look at themselves."""

    try:
        return ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"cannot listen on port {port}: {reason}", remedy="take another one with --port") from None
