"""A check while the index, the network, the disk or the cache fails: one clear line and a status, or the right answer."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from hostile.making import CONSUMER, NEW, OLD, checked, codes, command, write
from sources.making import simple_sdist

MODULES = {f"m{number}": f"x = {number}\n" * 100 for number in range(20)}


@pytest.fixture
def arguments(index, tmp_path: Path) -> list[str]:  # type: ignore[no-untyped-def]
    """A consumer of two releases that the index has; the cache is empty."""
    for version, text in (("1.0", OLD), ("2.0", NEW)):
        index.add(f"gantry-{version}.tar.gz", simple_sdist("gantry", version, core=text, **MODULES))
    write(
        tmp_path / "mine",
        {"dock/__init__.py": CONSUMER.replace("import gantry", "from gantry import core as gantry")},
    )
    return [str(tmp_path / "mine"), "--against", "gantry==2.0", "--known-good", "1.0"]


def refused(*arguments: str, status: int = 3) -> str:
    """The one line that a check that cannot be made says."""
    found, out, err = command("check", *arguments)
    lines = err.strip().splitlines()
    assert found == status and not out and len(lines) == 1, (found, out, err)
    assert lines[0].startswith("driftcheck: error: ") and "internal error" not in lines[0]
    return lines[0]


def right(arguments: list[str]) -> None:
    """The check is made and says what it says without any fault."""
    assert codes(checked(*arguments)) == ["DC201", "DC102"] or "DC201" in codes(checked(*arguments))


# The index and the network


def redirecting(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(302)
    handler.send_header("Location", handler.path + "x")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def silent(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(3)
    handler.close_connection = True


def hanging_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def lying(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"this is no HTTP\r\n\r\n")
    handler.close_connection = True


def endless_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 5_000 + b"\r\n")
    handler.close_connection = True


FAULTS: dict[str, int | bytes | Callable[[BaseHTTPRequestHandler], None]] = {
    "404": 404, "403": 403, "401": 401, "500": 500, "503": 503, "garbage": b"\x00\xff{", "html": b"<html><p>maintenance",
    "json of another kind": b'{"files": {"a": []}}', "deep json": b"[" * 100_000, "nothing": b"", "a redirect loop": redirecting,
    "a time-out": silent, "no answer": hanging_up, "no http": lying, "headers without end": endless_headers,
}  # fmt: skip


@pytest.mark.parametrize("where", ["/simple", "/files"])
@pytest.mark.parametrize("name", FAULTS)
def test_answers(arguments: list[str], index, tmp_path: Path, where: str, name: str) -> None:  # type: ignore[no-untyped-def]
    index.faults = {where: FAULTS[name]}
    refused(*arguments)
    assert not list((tmp_path / "cache").rglob("release.json"))
    index.faults = {}
    right(arguments)


def test_a_wrong_hash(arguments: list[str], index, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    good = index.hashes["gantry-2.0.tar.gz"]
    index.hashes["gantry-2.0.tar.gz"] = "0" * 64
    assert "sha256" in refused(*arguments)
    assert not list((tmp_path / "cache/sources/releases/gantry").glob("2.0*"))
    index.hashes["gantry-2.0.tar.gz"] = good
    right([*arguments, "--refresh"])


@pytest.mark.parametrize("bytes_", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_download_cut_at_any_byte(arguments: list[str], index, tmp_path: Path, bytes_: int) -> None:  # type: ignore[no-untyped-def]
    """At every `bytes_` hundredth of the archive; then resumed or restarted, never half-used."""
    data = index.files["gantry-2.0.tar.gz"]
    right(arguments)
    step = max(len(data) * bytes_ // 100, 1) if bytes_ > 1 else max(len(data) // 300, 1)
    for after in range(0, len(data), step):
        shutil.rmtree(next((tmp_path / "cache/sources/releases/gantry").glob("2.0-*")), ignore_errors=True)
        index.faults = {"/files/gantry-2.0": _cut_at(after)}
        refused(*arguments)
        assert not list((tmp_path / "cache/sources/releases/gantry").glob("2.0-*"))
        index.faults = {}
        index.ranges = after % 2 == 0
        index.asked.clear()
        right(arguments)
        assert index.count("/files/gantry-2.0") == 1


def _cut_at(after: int) -> Callable[[BaseHTTPRequestHandler], None]:
    def fault(handler: BaseHTTPRequestHandler) -> None:
        if handler.headers.get("Range"):  # it must not get any further in this run
            handler.close_connection = True
            return
        data = handler.server_index.files[handler.path.removeprefix("/files/")]  # type: ignore[attr-defined]
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[:after])
        handler.close_connection = True

    return fault


# The disk and the cache


@pytest.mark.parametrize("step", ["mkdtemp", "fsync", "rename", "replace", "mkstemp"])
def test_a_full_disk(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whatever step finds it full: either the check is right without keeping anything, or one line says it."""

    def full(*args: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    module = {"mkdtemp": "tempfile", "mkstemp": "tempfile"}.get(step, "os")
    with monkeypatch.context() as patch:
        patch.setattr(f"{module}.{step}", full)
        status, out, err = command("check", *arguments)
    assert (status == 3 and "No space left" in err and err.count("\n") == 1) or (
        status == 1 and "DC201" in out
    )
    right(arguments)


@pytest.mark.parametrize("size", [0, 100, 5_000, 60_000])
def test_files_that_may_not_grow(arguments: list[str], tmp_path: Path, size: int) -> None:
    """A limit on file sizes stands for a full disk: writing fails in the middle of a file."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    code = "import signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from driftcheck.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", *arguments], preexec_fn=limited, capture_output=True, text=True
    )
    assert (
        done.returncode in (1, 3) and "Traceback" not in done.stderr and "internal error" not in done.stderr
    ), done.stderr
    assert done.returncode == 1 or len(done.stderr.strip().splitlines()) == 1
    right(arguments)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
def test_a_small_file_system(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)], capture_output=True
    ).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(small))
        status, out, err = command("check", *arguments)
        assert (status == 3 and "No space left" in err) or (status == 1 and "DC201" in out), err
        # A consumer on it: what cannot be written leaves the file as it was.
        shutil.rmtree(small / "sources", ignore_errors=True)
        text = CONSUMER.replace("import gantry", "from gantry import core as gantry") + "#" * 9_000
        write(small, {"dock/__init__.py": text})
        monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
        status, _, err = command("fix", str(small), *arguments[1:], "--unsafe-fixes")
        assert status in (1, 3) and (small / "dock/__init__.py").read_text() == text, err
        assert "No space left" in err and not list(small.rglob("*.driftcheck"))
    finally:
        subprocess.run(["umount", str(small)], check=False)


def test_a_cache_that_cannot_be_written(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file/below", Path("/proc/none"), Path("/dev/null/x")):
        monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(place))
        right(arguments)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_cache(arguments: list[str], tmp_path: Path) -> None:
    right(arguments)
    for place in (tmp_path / "cache").rglob("*"):
        place.chmod(0o555 if place.is_dir() else 0o444)
    right(arguments)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize("filled", [True, False])
def test_a_read_only_file_system(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filled: bool
) -> None:
    place = tmp_path / "mounted"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(place))
        if filled:
            right(arguments)
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        right(arguments)
        status, _, err = command("cache", "clean")
        assert "internal error" not in err and "Traceback" not in err, (status, err)
    finally:
        subprocess.run(["umount", str(place)], check=False)


def test_the_cache_goes_in_the_middle(arguments: list[str], tmp_path: Path) -> None:
    """Removed again and again while checks run: right or one line, and right afterwards."""
    chance = random.Random(5)
    words = [sys.executable, "-m", "driftcheck.cli", "check", *arguments]
    for _ in range(4):
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            time.sleep(chance.uniform(0.02, 0.3))
            shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        out, err = process.communicate()
        assert process.returncode in (1, 3) and "internal error" not in err and "Traceback" not in err, err
        assert process.returncode == 3 or "DC201" in out
    right(arguments)


@pytest.mark.parametrize("damage", ["cut", "other bytes", "empty", "garbage", "a directory"])
def test_damaged_results(arguments: list[str], tmp_path: Path, damage: str) -> None:
    right(arguments)
    for place in (tmp_path / "cache/results").glob("*.result"):
        data = place.read_bytes()
        if damage == "a directory":
            place.unlink()
            place.mkdir()
        else:
            place.write_bytes(
                {
                    "cut": data[:-9],
                    "other bytes": data[:200] + b"\0" + data[201:],
                    "empty": b"",
                    "garbage": b"x" * 99,
                }[damage]
            )
    right(arguments)
    right(arguments)
