"""An index on this machine that serves small archives, and misbehaves when told to."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from driftcheck.sources import Cache

JSON = "application/vnd.pypi.simple.v1+json"


@dataclass
class Index:
    """An index on this machine; `asked` are the paths that were requested."""

    files: dict[str, bytes] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    yanked: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    ranges: bool = True
    html: bool = False
    sized: bool = True
    #: path beginning → what to answer instead: a status, bytes, or a function of the handler
    faults: dict[str, int | bytes | Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    url: str = ""

    def add(self, filename: str, data: bytes) -> None:
        self.files[filename] = data
        self.hashes[filename] = hashlib.sha256(data).hexdigest()

    def count(self, beginning: str) -> int:
        return sum(path.startswith(beginning) for path in self.asked)

    def page(self, name: str) -> tuple[str, bytes] | None:
        own = [file for file in self.files if file.split("-")[0].replace("_", "-").lower() == name]
        if not own:
            return None
        if self.html:
            links = "".join(
                f'<a href="/files/{file}#sha256={self.hashes[file]}">{file}</a><br>' for file in own
            )
            return "text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
        rows = [
            {
                "filename": file,
                "url": f"../../files/{file}",
                "hashes": {"sha256": self.hashes[file]},
                "yanked": file in self.yanked,
                **({"size": len(self.files[file])} if self.sized else {}),
            }
            for file in own
        ]
        return JSON, json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": rows}).encode()


def _handler(index: Index) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_index = index

        def log_message(self, *args: object) -> None:
            pass

        def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            index.asked.append(self.path)
            for beginning, fault in index.faults.items():
                if self.path.startswith(beginning):
                    if isinstance(fault, int):
                        self.answer(fault)
                    elif isinstance(fault, bytes):
                        self.answer(200, fault, Content_Type=JSON)
                    else:
                        fault(self)
                    return
            if self.path.startswith("/simple/"):
                page = index.page(self.path.split("/")[2])
                if page is None:
                    self.answer(404)
                else:
                    self.answer(200, page[1], Content_Type=page[0])
                return
            data = index.files.get(self.path.removeprefix("/files/"))
            if data is None:
                self.answer(404)
            else:
                self.send_file(data)

        def send_file(self, data: bytes) -> None:
            wanted = self.headers.get("Range")
            if not wanted or not index.ranges:
                self.answer(200, data)
                return
            start, _, end = wanted.removeprefix("bytes=").partition("-")
            first = int(start) if start else max(0, len(data) - int(end))
            last = min(len(data), int(end) + 1) if start and end else len(data)
            if first >= len(data):
                self.answer(416)
                return
            span = f"bytes {first}-{last - 1}/{len(data)}"
            self.answer(206, data[first:last], Content_Range=span)

    return Handler


@pytest.fixture
def start_index() -> Iterator[Callable[[], Index]]:
    """Starts an index; several may run at once."""
    servers: list[ThreadingHTTPServer] = []

    def start() -> Index:
        index = Index()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(index))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        index.url = f"http://127.0.0.1:{server.server_port}"
        return index

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def index(start_index: Callable[[], Index], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Index:
    """The one index that pip is configured for here, and an empty cache."""
    started = start_index()
    for key in list(os.environ):
        if key.startswith("PIP_") or key.lower().endswith("_proxy"):
            monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"{started.url}/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_TIMEOUT", "2")
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    return started


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """An empty cache."""
    return Cache(tmp_path / "cache")
