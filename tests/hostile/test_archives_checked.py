"""Hostile archives as provider and as consumer, named as files and served by an index: refused in one line, or harmless."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hostile.making import CONSUMER, checked, codes, command, project, snapshot, spawned
from sources.making import sdist_bytes, wheel_bytes

NEW = "def lift(weight): ...\n"
META = {"PKG-INFO": "Name: gantry\nVersion: 2.0\n", "gantry/__init__.py": NEW}
INFO = "gantry-2.0.dist-info"
WHEEL = {"gantry/__init__.py": NEW, f"{INFO}/METADATA": "Name: gantry\nVersion: 2.0\n"}


def tar(*members: tuple[str, bytes, dict[str, object]]) -> bytes:
    """A .tar.gz of a good package and further members: (name, content, attributes of the header)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content, attributes in (
            *((f"gantry-2.0/{k}", v.encode(), {}) for k, v in META.items()),
            *members,
        ):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def wheel(*members: tuple[str, bytes, int]) -> bytes:
    """A wheel of a good package and further members: (name, content, mode)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in (*((k, v.encode(), 0o644) for k, v in WHEEL.items()), *members):
            info = zipfile.ZipInfo(name)
            info.external_attr = (mode if mode > 0o7777 else mode | stat.S_IFREG) << 16
            archive.writestr(info, content)
    return buffer.getvalue()


LINK, DEVICE = tarfile.SYMTYPE, tarfile.CHRTYPE
REFUSED = {
    "absolute.tar.gz": lambda: tar(("/tmp/driftcheck-canary.py", b"1", {})),
    "climbs.tar.gz": lambda: tar(("gantry-2.0/../../canary.py", b"1", {})),
    "absolute.whl": lambda: wheel(("/tmp/driftcheck-canary.py", b"1", 0o644)),
    "climbs.whl": lambda: wheel(("gantry/../../canary.py", b"1", 0o644)),
    "backslashes.whl": lambda: wheel(("gantry\\..\\..\\canary.py", b"1", 0o644)),
}
HARMLESS = {
    "a link out.tar.gz": lambda: tar(("gantry-2.0/gantry/out.py", b"", {"type": LINK, "linkname": "/etc/passwd"})),
    "a link up.tar.gz": lambda: tar(("gantry-2.0/gantry/up", b"", {"type": LINK, "linkname": "../.."}), ("gantry-2.0/gantry/up/canary.py", b"1", {})),
    "a hard link out.tar.gz": lambda: tar(("gantry-2.0/gantry/h.py", b"", {"type": tarfile.LNKTYPE, "linkname": "../../../etc/passwd"})),
    "a loop of links.tar.gz": lambda: tar(("gantry-2.0/gantry/a.py", b"", {"type": LINK, "linkname": "b.py"}), ("gantry-2.0/gantry/b.py", b"", {"type": LINK, "linkname": "a.py"})),
    "devices.tar.gz": lambda: tar(("gantry-2.0/gantry/zero.py", b"", {"type": DEVICE, "devmajor": 1, "devminor": 5}), ("gantry-2.0/gantry/pipe.py", b"", {"type": tarfile.FIFOTYPE})),
    "duplicates.tar.gz": lambda: tar(("gantry-2.0/gantry/__init__.py", b"raise SystemExit\n", {})),
    "case.tar.gz": lambda: tar(("gantry-2.0/Gantry/__init__.py", b"x = 1\n", {}), ("gantry-2.0/gantry/__INIT__.py", b"x = 1\n", {})),
    "modes.tar.gz": lambda: tar(("gantry-2.0/gantry/setuid.py", b"x = 1\n", {"mode": 0o6777})),
    "a link out.whl": lambda: wheel(("gantry/out.py", b"/etc/passwd", stat.S_IFLNK | 0o777)),
    "duplicates.whl": lambda: wheel(("gantry/__init__.py", b"raise SystemExit\n", 0o644)),
    "a record that lies.whl": lambda: wheel((f"{INFO}/RECORD", b"gantry/__init__.py,sha256=AAAA,1\n../../../etc/passwd,,\n/etc/shadow,,\n\"\n", 0o644)),
    "a file and a directory.whl": lambda: wheel(("gantry/__init__.py/x.py", b"1", 0o644), ("gantry/x", b"", 0o644), ("gantry/x/y.py", b"", 0o644)),
    "data elsewhere.whl": lambda: wheel(("gantry-2.0.data/data/etc/canary.py", b"1", 0o644), ("gantry-2.0.data/scripts/canary.py", b"1", 0o755)),
    "ten thousand members.whl": lambda: wheel(*((f"gantry/m{n}.py", b"", 0o644) for n in range(10_000))),
    "deep directories.tar.gz": lambda: tar(("gantry-2.0/gantry/" + "d/" * 1_000 + "x.py", b"1", {})),
    "a long name.tar.gz": lambda: tar(("gantry-2.0/gantry/" + "n" * 5_000 + ".py", b"1", {})),
}  # fmt: skip


def placed(tmp_path: Path, name: str, data: bytes) -> Path:
    form = ".whl" if name.endswith(".whl") else ".tar.gz"
    place = tmp_path / ("gantry-2.0-py3-none-any.whl" if form == ".whl" else "gantry-2.0.tar.gz")
    place.write_bytes(data)
    return place


def outside(tmp_path: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything but the cache."""
    cache, top = str(tmp_path / "cache"), str(tmp_path)
    return {
        path: found
        for path, found in snapshot(tmp_path).items()
        if path != top and not path.startswith(cache)
    }


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    return project(tmp_path, {"dock/__init__.py": CONSUMER})


@pytest.mark.parametrize("name", REFUSED)
def test_refused(arguments: list[str], tmp_path: Path, name: str) -> None:
    place = placed(tmp_path, name, REFUSED[name]())
    before = outside(tmp_path)
    for words in ([arguments[0], "--against", str(place)], [str(place), "--against", arguments[2]]):
        status, _, err = command("check", *words, "--known-good", "none")
        assert status == 3 and "refused" in err and err.count("\n") == 1
    assert outside(tmp_path) == before and not os.path.exists("/tmp/driftcheck-canary.py")
    assert not list((tmp_path / "cache").rglob("*.py"))


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(arguments: list[str], tmp_path: Path, name: str) -> None:
    place = placed(tmp_path, name, HARMLESS[name]())
    before = outside(tmp_path)
    report = checked(arguments[0], "--against", str(place), "--known-good", arguments[4])
    assert "DC201" in codes(report)
    assert command("check", str(place), "--against", arguments[2], "--known-good", "none")[0] == 0
    assert outside(tmp_path) == before
    for found in (tmp_path / "cache").rglob("*"):
        assert not found.is_symlink() and (found.is_dir() or found.is_file())
        assert not found.stat().st_mode & 0o6000 and ("up" in found.parts or found.name != "canary.py")
        assert not found.is_file() or b"root:" not in found.read_bytes()
        assert len(found.relative_to(tmp_path).parts) < 150


def bombs() -> Iterator[tuple[str, Callable[[Path], None]]]:
    """Archives that are small, and unpacked 10 GB of zeros or a million members."""

    def zeros_tar(place: Path) -> None:
        info = tarfile.TarInfo("gantry-2.0/gantry/zeros.py")
        info.size = 10 << 30
        with gzip.open(place, "wb", compresslevel=1) as file:
            file.write(info.tobuf())
            for _ in range(700):  # as much as it takes to be noticed; the header claims the rest
                file.write(bytes(1 << 20))

    def zeros_wheel(place: Path) -> None:
        with (
            zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
            archive.open("gantry/zeros.py", "w", force_zip64=True) as file,
        ):
            for _ in range(300):
                file.write(bytes(1 << 20))

    def members(place: Path) -> None:
        block = b"".join(
            tarfile.TarInfo(f"gantry-2.0/gantry/m{n}.py").tobuf(tarfile.USTAR_FORMAT) for n in range(1_000)
        )
        with gzip.open(place, "wb", compresslevel=1) as file:
            for _ in range(1_000):
                file.write(block)

    yield "zeros.tar.gz", zeros_tar
    yield "zeros.whl", zeros_wheel
    yield "members.tar.gz", members


@pytest.mark.slow
@pytest.mark.parametrize("name", dict(bombs()))
def test_bombs(arguments: list[str], tmp_path: Path, name: str) -> None:
    place = placed(tmp_path, name, b"")
    dict(bombs())[name](place)
    assert place.stat().st_size < 64 << 20
    done = spawned("check", arguments[0], "--against", str(place), timeout=300)
    assert done.returncode == 3 and "refused" in done.stderr and done.stderr.count("\n") == 1
    assert sum(found.stat().st_size for found in (tmp_path / "cache").rglob("*") if found.is_file()) < 1 << 20


def test_an_archive_that_an_index_serves(index, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    arguments = project(tmp_path)
    index.add("gantry-2.0.tar.gz", tar(("gantry-2.0/../../../canary.py", b"1", {})))
    index.add("gantry-3.0.tar.gz", sdist_bytes(META, "gantry-3.0"))
    index.add("gantry-4.0-py3-none-any.whl", wheel_bytes({"../canary.py": "1"}))
    for version, expected in (("2.0", 3), ("3.0", 1), ("4.0", 3)):
        status, _, err = command(
            "check", arguments[0], "--against", f"gantry=={version}", "--known-good", arguments[4]
        )
        assert status == expected, err
    assert not list(tmp_path.rglob("canary.py"))
