"""Receives deliveries, and answers 400 to those that are not genuine."""
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify import verify

MAX_BODY_BYTES = 1_000_000


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("content-length", "0"))
        body = self.rfile.read(size) if size <= MAX_BODY_BYTES else b""
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_genuine = verify(body, headers, os.environ["SECRET"])
        self.send_response(200 if is_genuine else 400)
        self.end_headers()
        # Here: store the delivery, unless its webhook-id is already stored, and act on it afterwards.
        print(headers["x-webhook-event"] if is_genuine else "refused", body.decode(), flush=True)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
