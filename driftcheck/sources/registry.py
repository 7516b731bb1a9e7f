"""Asking the configured indexes what they offer of a distribution."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from pypi_simple import ACCEPT_HTML_ONLY, ACCEPT_JSON_PREFERRED, PYPI_SIMPLE_ENDPOINT, ProjectPage

from driftcheck.sources.errors import SourceError
from driftcheck.sources.http import Client, NotThere, local_path, public_url
from driftcheck.sources.lists import ReleaseFile, Report
from driftcheck.sources.names import parse_filename
from driftcheck.sources.pipconfig import IndexSettings

HASHES = ("sha256", "sha512", "sha384", "sha1", "md5")


class Unknown(SourceError):
    """Every index answered, and none has the name."""


def offered_files(
    name: str, settings: IndexSettings, report: Report | None
) -> tuple[list[ReleaseFile], bool]:
    """The files that all places offer, and whether every place answered."""
    if report is not None:
        report(f"asking for the releases of {name}")
    found: dict[str, ReleaseFile] = {}
    failures: list[SourceError] = []
    client = Client(settings)
    try:
        for place in places(name, settings):
            try:
                for file in place.files(client, name):
                    found.setdefault(file.filename, file)
            except NotThere:
                continue
            except SourceError as error:
                failures.append(error)
                if report is not None:
                    report(f"passed over {public_url(place.url)}: {error}")
    finally:
        client.close()
    if not found and failures:
        raise failures[0]
    if not found:
        raise Unknown(f"the package index that pip is configured for has no release of {name}")
    return list(found.values()), not failures


@dataclass(frozen=True)
class Place:
    """Somewhere that offers archives: an index's page of a project, or a page or directory of links."""

    url: str
    is_index: bool

    def files(self, client: Client, name: str) -> Iterator[ReleaseFile]:
        """The archives of `name` here; raises SourceError."""
        local = local_path(self.url)
        if local is None:
            url, kind, body = client.page(self.url, _accept(self.is_index))
            yield from _parse_page(url, kind, body, name)
            return
        if local.is_dir() and not self.is_index:
            for path in sorted(local.iterdir()):
                parsed = parse_filename(path.name)
                if parsed is not None and parsed[0] == name:
                    size = path.stat().st_size
                    yield ReleaseFile(path.name, path.as_uri(), parsed[2], str(parsed[1]), size=size)
            return
        page = local / "index.html" if local.is_dir() else local
        if page.is_file():
            yield from _parse_page(page.as_uri(), "text/html", page.read_bytes(), name)


def places(name: str, settings: IndexSettings) -> Iterator[Place]:
    """Where to look, in pip's order."""
    for link in settings.find_links:
        yield Place(link, is_index=False)
    if settings.no_index:
        return
    main = settings.index_url
    if main is None:
        main = PYPI_SIMPLE_ENDPOINT
    for url in (main, *settings.extra_index_urls):
        yield Place(f"{url.rstrip('/')}/{quote(name)}/", is_index=True)


def _accept(is_index: bool) -> str:
    return ACCEPT_JSON_PREFERRED if is_index else ACCEPT_HTML_ONLY


def _parse_page(url: str, content_type: str, body: bytes, name: str) -> Iterator[ReleaseFile]:
    shown = public_url(url)
    kind = content_type.partition(";")[0].strip().lower()
    try:
        if kind.endswith("json"):
            page = ProjectPage.from_json_data(json.loads(body), shown)
        elif kind in ("", "text/html", "application/vnd.pypi.simple.v1+html"):
            page = ProjectPage.from_html(name, body, shown)
        else:
            raise SourceError(f"{shown} answered with {kind}, no list of releases; check pip's index-url")
    except SourceError:
        raise
    except Exception as error:  # whatever a parser makes of garbage
        raise SourceError(
            f"{shown} answered with something that is no list of releases ({type(error).__name__}); "
            "check pip's index-url or try again later"
        ) from error
    # A server has no business naming files of this machine.
    schemes = ("file", "https", "http") if urlsplit(shown).scheme == "file" else ("https", "http")
    for package in page.packages:
        parsed = parse_filename(package.filename)
        if parsed is None or parsed[0] != name or urlsplit(package.url).scheme not in schemes:
            continue
        digests: Mapping[str, str] = package.digests
        yield ReleaseFile(
            package.filename,
            public_url(package.url),
            parsed[2],
            str(parsed[1]),
            next((f"{key}={digests[key].lower()}" for key in HASHES if digests.get(key)), ""),
            package.size,
            package.is_yanked,
        )
