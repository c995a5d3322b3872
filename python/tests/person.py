"""A browser without a window, on the labelling page."""

from __future__ import annotations

import http.client
import json
from typing import Any


class Person:
    """A browser without a window."""

    def __init__(self, address: str) -> None:
        self.host, token = address.removeprefix("http://").split("/#")
        self.cookie = ""
        answer = self.send("POST", "/api/session", {"token": token})
        assert answer == {"ok": True}

    def send(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection(self.host, timeout=30)
        headers = {"Cookie": self.cookie, "Origin": f"http://{self.host}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        self.cookie = (answer.getheader("Set-Cookie") or self.cookie).split(";")[0]
        return json.loads(answer.read())
