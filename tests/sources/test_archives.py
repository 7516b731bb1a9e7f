"""Unpacking: what is kept, and that nothing hostile gets out, in, or too large."""

import gzip
import io
import random
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from sources.making import sdist_bytes, simple_sdist, simple_wheel, wheel_bytes, write

from driftcheck.sources import SourceError, open_tree
from driftcheck.sources.archive import Limits, unpack

SMALL = Limits(members=50, total=100_000, file=20_000, ratio=50, ratio_from=60_000, read=50_000)


def tar_of(*members: tarfile.TarInfo | tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                member[0].size = len(member[1])
                archive.addfile(member[0], io.BytesIO(member[1]))
    return buffer.getvalue()


def info(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


def unpacked(tmp_path: Path, data: bytes, name: str = "a-1.0.tar.gz", **options: object) -> dict[str, int]:
    archive = tmp_path / name
    archive.write_bytes(data)
    (tmp_path / "out").mkdir(exist_ok=True)
    return unpack(archive, tmp_path / "out", **options)  # type: ignore[arg-type]


def on_disk(tmp_path: Path) -> set[str]:
    """Everything outside the archive itself that exists below the test's directory."""
    return {
        path.relative_to(tmp_path).as_posix()
        for path in tmp_path.rglob("*")
        if path.is_file() and path.suffix not in (".gz", ".whl")
    }


def test_only_what_analysis_needs(tmp_path: Path) -> None:
    data = sdist_bytes(
        {
            "pkg/__init__.py": "x",
            "pkg/stub.pyi": "y",
            "pkg/_C.abi3.so": b"\x7fELF" * 10,
            "pkg/data.bin": b"0" * 100,
            "README.md": "text",
            "PKG-INFO": "Name: pkg",
            "requirements/common.txt": "a",
            "docs/notes.txt": "no",
        }
    )
    sizes = unpacked(tmp_path, data, strip=True)
    assert sizes == {
        "pkg/__init__.py": 1,
        "pkg/stub.pyi": 1,
        "pkg/_C.abi3.so": 0,
        "PKG-INFO": 9,
        "requirements/common.txt": 1,
    }
    assert on_disk(tmp_path) == {f"out/{path}" for path in sizes}


@pytest.mark.parametrize(
    "name", ["/etc/x.py", "../x.py", "a/../../x.py", "a/..", "C:/x.py", "\\x.py", "a\\..\\x.py"]
)
@pytest.mark.parametrize("form", ["tar", "zip"])
def test_paths_that_lead_out(tmp_path: Path, name: str, form: str) -> None:
    data = tar_of((info(name), b"1")) if form == "tar" else wheel_bytes({name: "1"})
    with pytest.raises(SourceError, match="refused"):
        unpacked(tmp_path, data, "a-1.0.tar.gz" if form == "tar" else "a-1.0-py3-none-any.whl")
    assert on_disk(tmp_path) == set()


def test_links_and_devices(tmp_path: Path) -> None:
    write(tmp_path, {"secret.py": "secret"})
    data = tar_of(
        (info("a/real.py"), b"real"),
        info("a/soft.py", tarfile.SYMTYPE, "real.py"),
        info("a/hard.py", tarfile.LNKTYPE, "a/real.py"),
        info("a/out.py", tarfile.SYMTYPE, "../../secret.py"),
        info("a/abs.py", tarfile.SYMTYPE, str(tmp_path / "secret.py")),
        info("a/hardout.py", tarfile.LNKTYPE, "../secret.py"),
        info("a/dir", tarfile.SYMTYPE, ".."),
        (info("a/dir/through.py"), b"through"),
        info("a/null.py", tarfile.CHRTYPE),
        info("a/pipe.py", tarfile.FIFOTYPE),
    )
    sizes = unpacked(tmp_path, data)
    assert set(sizes) == {"a/real.py", "a/soft.py", "a/hard.py", "a/dir/through.py"}
    assert (tmp_path / "out/a/soft.py").read_text() == "real"
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))
    assert on_disk(tmp_path) == {"secret.py", *(f"out/{path}" for path in sizes)}


def test_symbolic_links_in_a_wheel_are_passed_over(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("a/link.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a/x.py", "1")
    assert unpacked(tmp_path, buffer.getvalue(), "a-1.0-py3-none-any.whl") == {"a/x.py": 1}


def test_the_first_of_one_name_wins(tmp_path: Path) -> None:
    twice = tar_of((info("a/x.py"), b"first"), (info("a/x.py"), b"second!"), (info("./a/x.py"), b"third"))
    assert unpacked(tmp_path, twice) == {"a/x.py": 5}
    assert (tmp_path / "out/a/x.py").read_text() == "first"


def test_a_file_where_a_directory_is_needed(tmp_path: Path) -> None:
    data = tar_of(
        (info("a.py"), b"1"), (info("a.py/b.py"), b"2"), (info("c/d.py"), b"3"), (info("c.py"), b"4")
    )
    assert set(unpacked(tmp_path, data)) == {"a.py", "c/d.py", "c.py"}


@pytest.mark.parametrize("name", ["a/new\nline.py", "a/bell\x07.py", "a/co:lon.py", "a/" + "n" * 300 + ".py"])
def test_names_that_cannot_be_used_are_passed_over(tmp_path: Path, name: str) -> None:
    assert unpacked(tmp_path, tar_of((info(name), b"1"), (info("a/x.py"), b"2"))) == {"a/x.py": 1}


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_too_many_members(tmp_path: Path, form: str) -> None:
    names = [f"a/m{number}.py" for number in range(60)]
    data = tar_of(*map(info, names)) if form == "tar" else wheel_bytes(dict.fromkeys(names, ""))
    with pytest.raises(SourceError, match="more than 50 members"):
        unpacked(tmp_path, data, "a-1.0.tar.gz" if form == "tar" else "a-1.0-py3-none-any.whl", limits=SMALL)


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_a_member_that_is_too_large(tmp_path: Path, form: str) -> None:
    big = b"0" * 30_000
    data = tar_of((info("a/x.py"), big)) if form == "tar" else wheel_bytes({"a/x.py": big})
    with pytest.raises(SourceError, match="refused"):
        unpacked(tmp_path, data, "a-1.0.tar.gz" if form == "tar" else "a-1.0-py3-none-any.whl", limits=SMALL)


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_too_much_in_all(tmp_path: Path, form: str) -> None:
    noise = random.Random(1).randbytes(19_000)
    files = {f"a/m{number}.py": noise for number in range(8)}
    data = sdist_bytes(files) if form == "tar" else wheel_bytes(files)
    with pytest.raises(SourceError, match="refused"):
        unpacked(tmp_path, data, "a-1.0.tar.gz" if form == "tar" else "a-1.0-py3-none-any.whl", limits=SMALL)


def test_a_bomb_in_a_member_that_nobody_wants(tmp_path: Path) -> None:
    data = tar_of((info("zeros.bin"), bytes(5_000_000)), (info("a/x.py"), b"1"))
    with pytest.raises(SourceError, match="unpacks to more than"):
        unpacked(tmp_path, data, limits=SMALL)


def test_a_header_that_claims_gigabytes(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 3 << 30
    data = gzip.compress(header.tobuf(tarfile.USTAR_FORMAT) + bytes(2048))
    with pytest.raises(SourceError, match="header is too large"):
        unpacked(tmp_path, data)


def test_headers_without_end(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 512
    data = gzip.compress((header.tobuf(tarfile.GNU_FORMAT) + bytes(512)) * 20_000)
    with pytest.raises(SourceError):
        unpacked(tmp_path, data)


def test_a_central_directory_that_is_too_large(tmp_path: Path) -> None:
    data = bytearray(wheel_bytes({"a/x.py": "1"}))
    at = data.rfind(b"PK\x05\x06")
    struct.pack_into("<L", data, at + 12, 0x7FFFFFFF)
    with pytest.raises(SourceError, match="refused"):
        unpacked(tmp_path, bytes(data), "a-1.0-py3-none-any.whl")


def test_a_wheel_whose_sizes_lie(tmp_path: Path) -> None:
    data = bytearray(wheel_bytes({"a/x.py": "1" * 5000}))
    at = data.find(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 10)
    with pytest.raises(SourceError, match="damaged"):
        unpacked(tmp_path, bytes(data), "a-1.0-py3-none-any.whl")


@pytest.mark.parametrize("make", [simple_sdist, simple_wheel])
def test_damage_anywhere_is_one_line(tmp_path: Path, make: object) -> None:
    """Cut at any place, or with any byte changed: refused, or read as far as it is whole; no crash."""
    sound = make("pkg", "1.0", module="x = 1\n" * 50)  # type: ignore[operator]
    name = "pkg-1.0.tar.gz" if make is simple_sdist else "pkg-1.0-py3-none-any.whl"
    chance = random.Random(7)
    for round_ in range(150):
        data = bytearray(sound)
        if round_ % 2:
            del data[chance.randrange(len(data)) :]
        else:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        out = tmp_path / str(round_)
        out.mkdir()
        try:
            unpacked(out, bytes(data), name)
        except SourceError as error:
            assert "\n" not in str(error)
        assert all("/out/" in path or path.startswith("out/") for path in on_disk(out))


@pytest.mark.parametrize("data", [b"", b"no archive", b"\x1f\x8b", b"PK\x03\x04", bytes(600)])
def test_no_archive(tmp_path: Path, data: bytes) -> None:
    for name in ("a-1.0.tar.gz", "a-1.0-py3-none-any.whl", "a.zip"):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(SourceError) as caught:
            open_tree(str(tmp_path / name), role="provider", cache=None)
        assert caught.value.exit_status == 3


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("driftcheck.sources.archive._write", full)
    with pytest.raises(SourceError, match="No space left"):
        unpacked(tmp_path, simple_sdist("pkg", "1.0"))


def test_archive_files_open_as_trees(tmp_path: Path, cache: object) -> None:
    (tmp_path / "pkg-1.0.tar.gz").write_bytes(simple_sdist("pkg", "1.0", module="x = 1"))
    (tmp_path / "pkg-1.0-py3-none-any.whl").write_bytes(
        simple_wheel("pkg", "1.0", ("dep>=2",), module="x = 1")
    )
    for name in ("pkg-1.0.tar.gz", "pkg-1.0-py3-none-any.whl"):
        tree = open_tree(str(tmp_path / name), role="provider", cache=cache)  # type: ignore[arg-type]
        assert (tree.name, tree.version, tree.packages, tree.immutable) == ("pkg", "1.0", ("pkg",), True)
        assert tree.python_files == ("pkg/__init__.py", "pkg/module.py")
        assert tree.read("pkg/module.py") == b"x = 1"
    assert tree.requires == ("dep>=2",)
    assert tree.entry_points == {"console_scripts": {"pkg": "pkg:main"}}


def test_a_zip_sdist(tmp_path: Path, cache: object) -> None:
    files = {"pkg-1.0/PKG-INFO": "Name: pkg\nVersion: 1.0\n", "pkg-1.0/src/pkg/__init__.py": ""}
    (tmp_path / "pkg-1.0.zip").write_bytes(wheel_bytes(files))
    tree = open_tree(str(tmp_path / "pkg-1.0.zip"), role="provider", cache=cache)  # type: ignore[arg-type]
    assert tree.python_files == ("pkg/__init__.py",) and tree.version == "1.0"


def test_a_wheel_in_parts(tmp_path: Path, cache: object) -> None:
    """Files below .data are installed beside the others; strays beside the package are not its own."""
    files = {
        "pkg/__init__.py": "",
        "pkg/_fast.cpython-311-x86_64-linux-gnu.so": b"\x7fELF",
        "pkg-1.0.data/purelib/more/__init__.py": "",
        "pkg-1.0.data/platlib/single.py": "",
        "pkg-1.0.data/scripts/run.py": "",
        "tests/test_x.py": "",
        "pkg-1.0.dist-info/METADATA": "Name: pkg\nVersion: 1.0\n",
    }
    (tmp_path / "pkg-1.0-cp311-cp311-linux_x86_64.whl").write_bytes(wheel_bytes(files))
    tree = open_tree(str(tmp_path / "pkg-1.0-cp311-cp311-linux_x86_64.whl"), role="provider", cache=cache)  # type: ignore[arg-type]
    assert tree.packages == ("more", "pkg", "single")
    assert tree.python_files == ("more/__init__.py", "pkg/__init__.py", "single.py")
    assert tree.is_file("pkg/_fast.cpython-311-x86_64-linux-gnu.so")


def test_a_wheel_without_python(tmp_path: Path, cache: object) -> None:
    files = {"pkg/data.bin": "1", "pkg/_C.so": "2", "pkg-1.0.dist-info/METADATA": "Name: pkg\nVersion: 1.0\n"}
    path = tmp_path / "pkg-1.0-py3-none-any.whl"
    path.write_bytes(wheel_bytes(files))
    for _ in range(2):
        with pytest.raises(SourceError, match="no Python file"):
            open_tree(str(path), role="provider", cache=cache)  # type: ignore[arg-type]
