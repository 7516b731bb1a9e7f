"""The cache: complete or absent, under many processes, kills, damage and disks that refuse."""

import errno
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sources.making import simple_sdist

from driftcheck.sources import Cache, SourceError, cache_root, open_tree

MODULES = {f"m{number}": f"x = {number}\n" * 50 for number in range(60)}

OPEN = (
    "from driftcheck.sources import open_tree\n"
    "tree = open_tree('lift==1.0', role='provider')\n"
    "print(sum(len(tree.read(path)) for path in tree.python_files))\n"
)


@pytest.fixture
def lift(index):  # type: ignore[no-untyped-def]
    index.add("lift-1.0.tar.gz", simple_sdist("lift", "1.0", **MODULES))
    return index


def content() -> int:
    tree = open_tree("lift==1.0", role="provider")
    return sum(len(tree.read(path)) for path in tree.python_files)


def entries(tmp_path: Path) -> list[Path]:
    """The complete entries in the cache."""
    return [
        marker.parent
        for marker in list((tmp_path / "cache").rglob("release.json"))
        if not marker.parent.name.startswith(".tmp-")
    ]


def entry(tmp_path: Path) -> Path:
    (place,) = entries(tmp_path)
    return place


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.delenv("DRIFTCHECK_CACHE_DIR")
    assert cache_root().name == "driftcheck"


def test_eight_processes_on_an_empty_cache(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    expected = len(b"VERSION = '1.0'\n") + sum(map(len, MODULES.values()))
    running = [
        subprocess.Popen([sys.executable, "-c", OPEN], stdout=subprocess.PIPE, text=True) for _ in range(8)
    ]
    assert [int(process.communicate(timeout=60)[0]) for process in running] == [expected] * 8
    assert lift.count("/files") == 1
    assert not list((tmp_path / "cache").rglob(".tmp-*")) and not list((tmp_path / "cache").rglob("*.part"))


@pytest.mark.slow
def test_killed_at_any_moment(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Whatever a killed process leaves behind, the next one is right."""
    chance = random.Random(3)
    for _ in range(25):
        process = subprocess.Popen([sys.executable, "-c", OPEN], stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.05, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for place in entries(tmp_path):
            sizes = json.loads((place / "release.json").read_text())["sizes"]
            assert all((place / "files" / path).stat().st_size == size for path, size in sizes.items())
        assert content() > 0
        for place in entries(tmp_path):
            shutil.rmtree(place)


@pytest.mark.parametrize(
    "marker",
    ["", "{", "[]", "null", '{"format": 1}', '{"format": 99}', "\0" * 100, '{"format":1,"sizes":{"../x":1}}',
     '{"format":1,"name":"lift","version":"1.0","kind":"sdist","digest":"","packages":[5],"requires":[],'
     '"entry_points":{},"sizes":{}}', "[" * 100_000],
)  # fmt: skip
def test_a_marker_that_cannot_be_read(lift, tmp_path: Path, marker: str) -> None:  # type: ignore[no-untyped-def]
    before = content()
    (entry(tmp_path) / "release.json").write_text(marker)
    assert content() == before
    assert lift.count("/files") == 2


def test_a_directory_without_its_marker(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    before = content()
    (entry(tmp_path) / "release.json").unlink()
    assert content() == before


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_file_is_noticed_and_the_next_run_is_right(lift, tmp_path: Path, damage: str) -> None:  # type: ignore[no-untyped-def]
    before = content()
    file = entry(tmp_path) / "files/lift/m3.py"
    file.unlink() if damage == "gone" else file.write_text("x")
    with pytest.raises(SourceError, match="run again"):
        content()
    assert content() == before


def test_the_cache_is_removed_in_the_middle(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    tree = open_tree("lift==1.0", role="provider")
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(SourceError, match="run again"):
        tree.read("lift/m3.py")
    assert content() > 0


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"files": 1}', b'{"asked": "x", "files": [[1, 2]]}', b"\xff"]
)
def test_a_release_list_that_cannot_be_read(lift, tmp_path: Path, data: bytes) -> None:  # type: ignore[no-untyped-def]
    content()
    (kept,) = (tmp_path / "cache").rglob("lift.json")
    kept.write_bytes(data)
    assert content() > 0
    assert lift.count("/simple") == 2


def test_a_cache_that_cannot_be_written_but_read(
    lift, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    """Root may write anywhere, so the refusal is made."""
    lift.add("lift-1.1.tar.gz", simple_sdist("lift", "1.1"))
    content()
    monkeypatch.setattr("driftcheck.sources.cache._can_write", lambda root: False)
    before = sorted((tmp_path / "cache").rglob("*"))
    assert content() > 0 and lift.count("/files") == 1
    tree = open_tree("lift==1.1", role="provider")
    assert (
        tree.version == "1.1" and tree.root is not None and not tree.root.startswith(str(tmp_path / "cache"))
    )
    assert sorted((tmp_path / "cache").rglob("*")) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert content() > 0


def test_the_cache_is_a_file(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "cache").write_text("")
    assert content() > 0


@pytest.mark.parametrize("step", ["tempfile.mkdtemp", "os.fsync", "os.rename"])
def test_a_disk_that_is_full(lift, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:  # type: ignore[no-untyped-def]
    def full(*args: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(step, full)
        with pytest.raises(SourceError, match="No space left"):
            content()
    assert not list((tmp_path / "cache").rglob(".tmp-*"))
    assert content() > 0


def test_what_a_killed_process_left_is_swept(lift, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    parent = tmp_path / "cache/sources/releases/lift"
    for name, age in ((".tmp-old", 2 * 24 * 3600), (".tmp-new", 60)):
        (parent / name / "unpacked").mkdir(parents=True)
        os.utime(parent / name, (time.time() - age,) * 2)
    content()
    assert not (parent / ".tmp-old").exists() and (parent / ".tmp-new").exists()


def test_an_archive_file_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lift-1.0.tar.gz"
    path.write_bytes(simple_sdist("lift", "1.0"))
    cache = Cache(tmp_path / "cache")
    first = open_tree(str(path), role="provider", cache=cache)
    monkeypatch.setattr("driftcheck.sources.archivefile.unpack_entry", None)
    assert open_tree(str(path), role="provider", cache=cache).key == first.key
