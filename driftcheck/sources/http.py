"""Requests to package indexes, as pip is configured to make them. Every failure is a SourceError."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import url2pathname

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase, HTTPBasicAuth
from requests.utils import get_netrc_auth
from urllib3.util import Retry

from driftcheck.sources.errors import SourceError
from driftcheck.sources.pipconfig import IndexSettings

PAGE_LIMIT = 128 << 20
CHUNK = 1 << 18
SLOW_SECONDS = 60
SLOW_BYTES = 64 << 10
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class NotThere(SourceError):
    """The server answered that there is no such thing (404 or 410)."""


def public_url(url: str) -> str:
    """The URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def local_path(url: str) -> Path | None:
    """The path that a file URL or a plain path names; None for another URL."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    if parts.scheme in ("http", "https"):
        return None
    return Path(url).expanduser().absolute()


class _Credentials(AuthBase):
    """The user names and passwords of index URLs, for whatever else their hosts serve; else netrc."""

    def __init__(self, urls: tuple[str, ...]) -> None:
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        for url in urls:
            parts = urlsplit(url)
            if parts.username is not None:
                key = (parts.scheme, parts.netloc.rpartition("@")[2])
                self._known[key] = (unquote(parts.username), unquote(parts.password or ""))

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        url = request.url or ""
        parts = urlsplit(url)
        found = self._known.get((parts.scheme, parts.netloc.rpartition("@")[2])) or get_netrc_auth(url)
        return HTTPBasicAuth(*found)(request) if found else request


class Client:
    """One session with the configured indexes."""

    def __init__(self, settings: IndexSettings) -> None:
        self._settings = settings
        self._timeout = (max(0.2, min(settings.timeout, 10.0)), max(0.2, settings.timeout))
        retry = Retry(
            total=settings.retries,
            connect=min(1, settings.retries),
            read=min(2, settings.retries),
            redirect=10,
            status_forcelist=(500, 502, 503, 504, 429),
            backoff_factor=0.2,
            backoff_max=2,
            respect_retry_after_header=False,
            raise_on_status=False,
        )
        self._session = requests.Session()
        self._session.max_redirects = 10
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))
        urls = (settings.index_url or "", *settings.extra_index_urls, *settings.find_links)
        self._session.auth = _Credentials(urls)
        self._session.cert = settings.client_cert
        if settings.proxy:
            self._session.proxies = {"http": settings.proxy, "https": settings.proxy}

    def close(self) -> None:
        """End the session's connections."""
        self._session.close()

    def page(self, url: str, accept: str) -> tuple[str, str, bytes]:
        """(address after redirects, content type, body) of an index page.

        Raises NotThere where there is none, SourceError for everything else that goes wrong.
        """
        with self._get(url, {"Accept": accept}) as response:
            body = bytearray()
            started = time.monotonic()
            for chunk in response.iter_content(CHUNK):
                body += chunk
                if len(body) > PAGE_LIMIT:
                    raise SourceError(f"the answer of {public_url(url)} is larger than {PAGE_LIMIT >> 20} MB")
                if time.monotonic() - started > max(SLOW_SECONDS, self._timeout[1]):
                    raise SourceError(f"{public_url(url)} answers too slowly; try again later")
            return response.url, response.headers.get("Content-Type", ""), bytes(body)

    def range(self, url: str, start: int | None, end: int) -> tuple[int, int, bytes]:
        """(first byte, size of the whole, bytes) from `start` up to `end`; the last `end` bytes for None.

        Raises SourceError where the server does not serve ranges.
        """
        wanted = f"bytes=-{end}" if start is None else f"bytes={start}-{end - 1}"
        headers = {"Range": wanted, "Accept-Encoding": "identity"}
        with self._get(url, headers) as response:
            first, total = _content_range(response.headers.get("Content-Range", ""))
            if response.status_code != 206 or first is None or total is None:
                raise SourceError(f"{public_url(url)} does not serve ranges")
            limit = end if start is None else end - start
            data = bytearray()
            for chunk in response.iter_content(CHUNK):
                data += chunk
                if len(data) > limit:
                    raise SourceError(f"{public_url(url)} sent more than it was asked for")
            if len(data) < min(limit, total) and start is not None:
                raise SourceError(f"{public_url(url)} sent less than it was asked for")
            return first, total, bytes(data)

    def download(
        self, url: str, path: Path, size: int | None, moved: Callable[[int, int | None], None] | None = None
    ) -> bool:
        """Fetch `url` to `path`, going on where an earlier attempt ended; True where it went on.

        `moved` is told (bytes so far, bytes in all). Raises SourceError; what was received until
        then stays in `path`.
        """
        resumed = False
        failure: SourceError | None = None
        for attempt in range(self._settings.retries + 1):
            have = path.stat().st_size if path.exists() else 0
            if size is not None and have == size and have:
                return True
            if size is not None and have > size:
                path.unlink()
                have = 0
            try:
                resumed = self._append(url, path, have, size, moved) or resumed
                return resumed
            except NotThere:
                raise
            except _Cut as cut:
                failure = cut
                time.sleep(min(0.2 * 2**attempt, 2))
        raise failure or SourceError(f"cannot download {public_url(url)}")

    def _append(
        self,
        url: str,
        path: Path,
        have: int,
        size: int | None,
        moved: Callable[[int, int | None], None] | None,
    ) -> bool:
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        with self._get(url, headers, allow=(416,)) as response:
            if response.status_code == 416:
                path.unlink(missing_ok=True)
                raise _Cut(f"{public_url(url)} cannot be resumed")
            first, total = _content_range(response.headers.get("Content-Range", ""))
            resumed = response.status_code == 206 and first == have and have > 0
            if not resumed:
                have = 0
                total = _integer(response.headers.get("Content-Length"))
            expected = size if size is not None else total
            with path.open("ab" if resumed else "wb") as file:
                for chunk in self._raw(response, url):
                    have += len(chunk)
                    if expected is not None and have > expected:
                        path.unlink(missing_ok=True)
                        raise SourceError(f"{public_url(url)} is larger than the index says")
                    file.write(chunk)
                    if moved is not None:
                        moved(have, expected)
            if expected is not None and have < expected:
                raise _Cut(f"{public_url(url)} ended after {have} of {expected} bytes")
            return resumed

    def _raw(self, response: requests.Response, url: str) -> Iterator[bytes]:
        """The body as it was sent; gives up on a connection that hardly moves."""
        since, received = time.monotonic(), 0
        try:
            for chunk in response.raw.stream(CHUNK, decode_content=False):
                yield chunk
                received += len(chunk)
                now = time.monotonic()
                if now - since > SLOW_SECONDS:
                    if received < SLOW_BYTES:
                        raise SourceError(f"{public_url(url)} answers too slowly; try again later")
                    since, received = now, 0
        except (urllib3.exceptions.HTTPError, ConnectionError, TimeoutError) as error:
            raise _Cut(f"the download of {public_url(url)} was cut: {_reason(error)}") from error

    @contextmanager
    def _get(
        self, url: str, headers: Mapping[str, str], allow: tuple[int, ...] = ()
    ) -> Iterator[requests.Response]:
        shown = public_url(url)
        self._refuse_insecure(url)
        try:
            with self._session.get(
                shown, headers=dict(headers), timeout=self._timeout, stream=True, verify=self._verify(url)
            ) as response:
                self._refuse_insecure(response.url)
                status = response.status_code
                if status in (404, 410):
                    raise NotThere(f"{shown} does not exist (the server answered {status})")
                if status >= 400 and status not in allow:
                    hint = "check the credentials" if status in (401, 403, 407) else "try again later"
                    raise SourceError(f"{shown} cannot be read: the server answered {status}; {hint}")
                yield response
        except requests.exceptions.TooManyRedirects:
            raise SourceError(f"{shown} redirects in a loop; check pip's index settings") from None
        except requests.exceptions.SSLError as error:
            raise SourceError(f"no trusted connection to {shown}: {_reason(error)}; set PIP_CERT") from error
        except requests.exceptions.Timeout as error:
            raise SourceError(
                f"{shown} did not answer in time; check the network or try again later"
            ) from error
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, UnicodeError) as error:
            raise SourceError(f"{shown} cannot be reached: {_reason(error)}") from error

    def _verify(self, url: str) -> Any:
        if self._settings.is_trusted(url):
            return False
        # True lets requests look at its own environment variables.
        return self._settings.cert or _system_bundle() or True

    def _refuse_insecure(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme == "http" and parts.hostname not in LOOPBACK and not self._settings.is_trusted(url):
            raise SourceError(
                f"{public_url(url)} is not secure: use https, or name its host in pip's trusted-host"
            )


class _Cut(SourceError):
    """A transfer ended early; another attempt may go on."""


def _system_bundle() -> str | None:
    if os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE"):
        return None
    bundle = os.environ.get("SSL_CERT_FILE")
    return bundle if bundle and os.path.isfile(bundle) else None


def _reason(error: BaseException) -> str:
    """The innermost reason, without object addresses or whole URLs."""
    inner: Any = error
    for _ in range(6):
        deeper = getattr(inner, "reason", None) or (inner.args[0] if getattr(inner, "args", None) else None)
        if not isinstance(deeper, BaseException):
            break
        inner = deeper
    text = str(inner).rpartition(">: ")[2].rpartition("object at 0x")[2]
    text = text.partition("): ")[2] or text
    return text[:160] or type(inner).__name__


def _content_range(value: str) -> tuple[int | None, int | None]:
    unit, _, rest = value.partition(" ")
    span, _, total = rest.partition("/")
    return (_integer(span.partition("-")[0]), _integer(total)) if unit == "bytes" else (None, None)


def _integer(value: str | None) -> int | None:
    return int(value) if value and value.strip().isascii() and value.strip().isdigit() else None
