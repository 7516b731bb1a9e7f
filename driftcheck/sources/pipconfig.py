"""The index settings that pip is configured with: its files, then its environment variables."""

from __future__ import annotations

import configparser
import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

# Later sections win; `install` is where people put what only installs should see.
SECTIONS = ("global", "download", "install")


@dataclass(frozen=True)
class IndexSettings:
    """Where releases are looked for, and how.

    ``index_url`` is None for the default index. ``cert``, ``client_cert`` and ``proxy`` are None
    where pip has no setting, and then requests' own environment variables count.
    """

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    cert: str | None = None
    client_cert: str | None = None
    proxy: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    timeout: float = 15.0
    retries: int = 3

    def is_trusted(self, url: str) -> bool:
        """Whether the URL's host is named by trusted-host."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        return bool({host, f"{host}:{parts.port}"} & {name.lower() for name in self.trusted_hosts})

    def fingerprint(self) -> str:
        """A short name for where releases come from; release lists are cached under it."""
        text = repr((self.index_url, self.extra_index_urls, self.find_links, self.no_index))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def read_settings(environ: Mapping[str, str] | None = None) -> IndexSettings:
    """The settings in force; files that cannot be read are passed over, as pip does."""
    environ = os.environ if environ is None else environ
    values: dict[str, str] = {}
    for path in config_files(environ):
        values.update(_file_values(path))
    values.update(_environment_values(environ))
    return IndexSettings(
        index_url=_url(values.get("index-url") or values.get("pypi-url")),
        extra_index_urls=tuple(values.get("extra-index-url", "").split()),
        find_links=tuple(values.get("find-links", "").split()),
        no_index=_truth(values.get("no-index")),
        cert=_path(values.get("cert")),
        client_cert=_path(values.get("client-cert")),
        proxy=values.get("proxy") or None,
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
        timeout=_number(values.get("timeout") or values.get("default-timeout"), 15.0),
        retries=int(min(_number(values.get("retries"), 3.0), 10.0)),
    )


def config_files(environ: Mapping[str, str]) -> Iterator[Path]:
    """pip's configuration files, those that win last."""
    named = environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    home = Path(os.path.expanduser("~"))
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    if sys.platform == "win32":
        yield Path(environ.get("PROGRAMDATA", "C:\\ProgramData")) / "pip" / name
        user = [home / "pip" / name, Path(environ.get("APPDATA", home)) / "pip" / name]
    elif sys.platform == "darwin":
        yield Path("/Library/Application Support/pip") / name
        support = home / "Library/Application Support/pip"
        user = [home / ".pip" / name]
        user.append((support if support.is_dir() else home / ".config/pip") / name)
    else:
        for directory in reversed((environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)):
            yield Path(directory) / "pip" / name
        yield Path("/etc") / name
        user = [home / ".pip" / name]
        user.append(Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / name)
    if not (named and os.path.exists(named)):
        yield from user
    yield Path(sys.prefix) / name
    if named:
        yield Path(named)


def _file_values(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(path.read_text("utf-8", "replace"))
    except (OSError, ValueError, configparser.Error):
        return {}
    values = {}
    for section in SECTIONS:
        if parser.has_section(section):
            for key, value in parser.items(section):
                values[key.lower().removeprefix("--").replace("_", "-")] = value
    return values


def _environment_values(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        key[len("PIP_") :].lower().replace("_", "-"): value
        for key, value in environ.items()
        if key.startswith("PIP_") and key not in ("PIP_CONFIG_FILE", "PIP_") and value
    }


def _url(value: str | None) -> str | None:
    return value.strip() if value and value.strip() else None


def _path(value: str | None) -> str | None:
    return os.path.expanduser(value.strip()) if value and value.strip() else None


def _truth(value: str | None) -> bool:
    return (value or "").strip().lower() in ("1", "true", "yes", "on", "y", "t")


def _number(value: str | None, default: float) -> float:
    try:
        number = float(value) if value else default
    except ValueError:
        return default
    return number if 0 <= number < 1e6 else default
