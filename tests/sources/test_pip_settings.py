"""Index settings are pip's: its files in its order, then its environment variables."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sources.making import write

from driftcheck.sources.pipconfig import IndexSettings, config_files, read_settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="paths of pip's files differ by system")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment whose only pip files are those that a test writes below tmp_path."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    environ = {
        "HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "home/.config"),
        "XDG_CONFIG_DIRS": str(tmp_path / "xdg"),
    }
    monkeypatch.setenv("HOME", environ["HOME"])
    return environ


def test_the_order_of_files(home: dict[str, str], tmp_path: Path) -> None:
    files = {"xdg": "xdg/pip/pip.conf", "user": "home/.config/pip/pip.conf", "venv": "venv/pip.conf"}
    for name, path in files.items():
        write(
            tmp_path,
            {path: f"[global]\nindex-url = https://{name}/simple\nextra-index-url = https://{name}/x\n"},
        )
        assert read_settings(home).index_url == f"https://{name}/simple"
    named = write(tmp_path, {"named.conf": "[global]\nindex_url = https://named/simple\n"}) / "named.conf"
    settings = read_settings({**home, "PIP_CONFIG_FILE": str(named)})
    assert settings.index_url == "https://named/simple"
    assert settings.extra_index_urls == ("https://venv/x",)
    (tmp_path / "venv/pip.conf").unlink()
    # A file that is named replaces the user's own.
    assert "https://user/x" not in read_settings({**home, "PIP_CONFIG_FILE": str(named)}).extra_index_urls
    assert list(config_files({**home, "PIP_CONFIG_FILE": os.devnull})) == []


def test_sections_and_environment(home: dict[str, str], tmp_path: Path) -> None:
    text = (
        "[global]\nindex-url = https://one/simple\ntimeout = 7\ntrusted-host = a.example b.example:8080\n"
        "find-links =\n    /wheels\n    https://links/\n[install]\nextra-index-url =\n    https://two/\n    https://three/\n"
        "no-index = false\n[freeze]\nindex-url = https://other/\n"
    )
    write(tmp_path, {"venv/pip.conf": text})
    settings = read_settings(
        {**home, "PIP_INDEX_URL": "https://env/simple", "PIP_NO_INDEX": "", "PIP_RETRIES": "1"}
    )
    # This machine's own /etc/pip.conf may add what the test does not set.
    assert replace(settings, cert=None, client_cert=None, proxy=None) == IndexSettings(
        index_url="https://env/simple",
        extra_index_urls=("https://two/", "https://three/"),
        find_links=("/wheels", "https://links/"),
        trusted_hosts=("a.example", "b.example:8080"),
        timeout=7.0,
        retries=1,
    )
    assert settings.is_trusted("http://a.example/x") and settings.is_trusted("http://b.example:8080/x")
    assert not settings.is_trusted("http://b.example/x") and not settings.is_trusted("http://c.example/")
    assert read_settings({**home, "PIP_NO_INDEX": "1", "PIP_DEFAULT_TIMEOUT": "3"}).no_index


@pytest.mark.parametrize("text", ["no section\n", "[global\n", "[global]\nindex-url\n", "\0\x80"])
def test_files_that_cannot_be_read(home: dict[str, str], tmp_path: Path, text: str) -> None:
    write(tmp_path, {"venv/pip.conf": text})
    assert read_settings(home).index_url is None


def test_numbers_out_of_range(home: dict[str, str]) -> None:
    for text in ("-1", "nan", "1e99", "x", ""):
        assert read_settings({**home, "PIP_TIMEOUT": text}).timeout == 15.0
    assert read_settings({**home, "PIP_RETRIES": "1000"}).retries == 10


def test_fingerprints_tell_indexes_apart() -> None:
    assert IndexSettings().fingerprint() != IndexSettings(index_url="https://x/").fingerprint()
    assert IndexSettings(timeout=1).fingerprint() == IndexSettings(timeout=2).fingerprint()
