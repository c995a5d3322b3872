"""A server between a program and another server, which sees, changes and interrupts what goes through; and servers of nonsense."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What a hop-by-hop connection keeps to itself.
OWN_HEADERS = {"connection", "transfer-encoding", "content-length", "host", "keep-alive"}


class Quiet(ThreadingHTTPServer):
    """A server that ends with the test, and says nothing of broken connections."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


class Loopback:
    """Something that answers on a port of this machine, 0 for any free one, until the end of a `with` block."""

    def __init__(self, handler, port=0):
        self.server = Quiet(("127.0.0.1", port), handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def proxy(address, before=None, after=None, port=0):
    """Forward to an address.

    `before` gets the method, the path and the headers, which it can change; an answer that it returns is sent instead.
    `after` gets the method, the path and the status before the program does.
    """
    host = address.removeprefix("http://")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.title(): value for name, value in self.headers.items()}
            headers = {name: value for name, value in headers.items() if name.lower() not in OWN_HEADERS}
            own = before(self.command, self.path, headers) if before else None
            if own is None:
                behind = http.client.HTTPConnection(host, timeout=120)
                behind.request(self.command, self.path, body or None, headers)
                answer = behind.getresponse()
                status, text = answer.status, answer.read()
                behind.close()
            else:
                status, text = own
            if after:
                after(self.command, self.path, status)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = forward

        def log_message(self, *_):
            pass

    return Loopback(Handler, port)


def nonsense(answer):
    """Answer every request with what `answer` writes into the connection."""

    class Handler(BaseHTTPRequestHandler):
        def handle(self):
            self.raw_requestline = self.rfile.readline(65537)
            self.parse_request()
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer(self.wfile)

        def log_message(self, *_):
            pass

    return Loopback(Handler)
