"""Inputs to begin from: well-formed ones of each kind."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from driftcheck.engine.results import Examined
from driftcheck.model import Finding, Report, Side
from driftcheck.rulesdb import rules_root

FILES = {
    "pkg-1.0/pyproject.toml": b'[project]\nname = "pkg"\nversion = "1.0"\ndependencies = ["a>=1"]\n',
    "pkg-1.0/PKG-INFO": b"Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\nRequires-Dist: a>=1\n",
    "pkg-1.0/pkg/__init__.py": b'__version__ = "1.0"\n',
    "pkg-1.0/pkg/sub/mod.py": b"def f(): ...\n",
}
WHEEL = {
    "pkg/__init__.py": b"VERSION = 1\n",
    "pkg-1.0.data/purelib/other.py": b"",
    "pkg-1.0.dist-info/METADATA": b"Name: pkg\nVersion: 1.0\n",
    "pkg-1.0.dist-info/RECORD": b"pkg/__init__.py,sha256=abc,12\n",
    "pkg-1.0.dist-info/entry_points.txt": b"[console_scripts]\npkg = pkg:main\n",
}


def archives() -> Iterator[bytes]:
    """A wheel and an sdist, the latter before it is packed; the first byte says how it will be."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in WHEEL.items():
            archive.writestr(path, data)
    yield b"\x00" + buffer.getvalue()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in FILES.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("pkg-1.0/pkg/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "../../../etc/passwd"
        archive.addfile(link)
    for how in (5, 6, 7):
        yield bytes([how]) + buffer.getvalue()[: -8 * 512]


def specs() -> Iterator[bytes]:
    """One of each form."""
    for text in ("a==1.0", "a>=1,<2", "a@latest", "a", "a[x]==1.*", "./a", "a.whl", "a===1+local", "~/a",
                 'a>=1; python_version < "3"', "a @ https://x/a-1.0.tar.gz", "**/test_*.py\na/b/test_c.py"):  # fmt: skip
        yield text.encode()


def rule_files() -> Iterator[bytes]:
    """driftcheck's own, the short ones."""
    for path in sorted(rules_root().glob("*/*")):
        if path.suffix in (".toml", ".md"):
            yield path.read_bytes()[:4000]


def caches() -> Iterator[bytes]:
    """A marker, a release list, an index page, a result."""
    marker = {"format": 1, "name": "pkg", "version": "1.0", "kind": "wheel", "digest": "0", "packages": ["pkg"],
              "requires": [], "entry_points": {"g": {"a": "b"}}, "sizes": {"pkg.py": 0}}  # fmt: skip
    row = ["pkg-1.0.tar.gz", "https://x/pkg-1.0.tar.gz", "sdist", "1.0", "sha256=0", 1, False]
    page = {"filename": row[0], "url": row[1], "hashes": {"sha256": "0"}, "size": 1, "yanked": "why"}
    yield json.dumps(marker).encode()
    yield json.dumps({"asked": 1.0, "files": [row]}).encode()
    yield json.dumps({"meta": {"api-version": "1.1"}, "name": "pkg", "files": [page]}).encode()
    yield b'<html><body><a href="/files/pkg-1.0.tar.gz#sha256=00" data-yanked="x">pkg-1.0.tar.gz</a></body></html>'
    finding = Finding(code="DC101", name="missing-module", severity="error", confidence="certain", status="unknown",
                      path="a.py", line=1, column=1, end_line=1, end_column=2, symbol="a", message="text")  # fmt: skip
    report = Report(
        driftcheck="0",
        consumer=Side(spec="a"),
        target=Side(spec="b", version="1"),
        known_good=None,
        summary={"uses": 1},
        findings=[finding],
    )
    kept = Examined(report, [], 1, 0)
    yield msgspec.msgpack.encode(kept)
    yield msgspec.msgpack.encode([b"key", [None, None, None], msgspec.Raw(msgspec.msgpack.encode(kept))])


def configurations() -> Iterator[bytes]:
    """A table with every key, a setup.cfg, a setup.py, metadata, a baseline, suppressions."""
    yield b"""[project]
name = "a"
dynamic = ["version"]
[project.optional-dependencies]
x = ["b>=1"]
[tool.setuptools.packages.find]
where = ["src"]
[tool.poetry.dependencies]
b = {version = "^1.2", optional = true}
[tool.driftcheck]
select = ["DC1"]
ignore = ["DC406"]
severity = { DC409 = "note" }
per-file-ignores = { "tests/**" = ["DC2"] }
exclude = ["a/**/b?[x].py"]
fail-on = ["error"]
[tool.driftcheck.providers]
b = { target = "1", known-good = "0" }
"""
    yield b"[metadata]\nname = a\n[options]\npackages = find:\n[options.packages.find]\nwhere = src\n"
    yield b"from setuptools import *\nsetup(name='a', packages=find_packages('src'), install_requires=X + ['b'])\n"
    yield b"Name: a\nVersion: 1\nRequires-Dist: b>=1\n\ntext\n"
    yield b'{"driftcheck-baseline": 1}\n{"code": "DC101", "path": "a.py", "symbol": "b", "line": "x"}\n'
    yield b"import b  # drift: ignore[DC101] until b>=2 reason\n# drift: ignore-next-line\nb.c(\n)\n# drift: ignore-file\n"


def sources() -> Iterator[bytes]:
    """Some of driftcheck's own modules, and odd ones."""
    root = Path(__file__).resolve().parents[2] / "driftcheck" / "index"
    for path in sorted(root.glob("*.py")):
        yield path.read_bytes()[:4000]
    yield b"# -*- coding: latin-1 -*-\nx = '\xe4'\n"
    yield b"if a:\n    def f(x, /, *, y: int = 1): ...\nelif b: import c; d = 1\nelse:\n  class E(F, metaclass=G):\n    g = h = 1\n"
    yield b"match x:\n  case [a, *b] if c: pass\nasync def f():\n\tasync with a as b: yield\nx: int\nwith (a as b, c): ...\n"


SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {
    "spec": specs,
    "archive": archives,
    "rules": rule_files,
    "cache": caches,
    "config": configurations,
    "source": sources,
}
