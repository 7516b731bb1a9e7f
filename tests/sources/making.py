"""Small archives and source trees for the tests of sources."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path


def wheel_bytes(files: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()


def sdist_bytes(files: Mapping[str, str | bytes], top: str = "pkg-1.0") -> bytes:
    """A .tar.gz whose members lie below `top`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def simple_wheel(name: str, version: str, requires: tuple[str, ...] = (), **modules: str) -> bytes:
    """A pure wheel of one package called as the distribution."""
    package = name.replace("-", "_")
    info = f"{package}-{version}.dist-info"
    headers = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {line}" for line in requires)]
    files = {
        f"{package}/__init__.py": f"VERSION = {version!r}\n",
        **{f"{package}/{module}.py": text for module, text in modules.items()},
        f"{info}/METADATA": "Metadata-Version: 2.1\n" + "\n".join(headers) + "\n\nText\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {package}:main\n",
        f"{info}/RECORD": "",
    }
    return wheel_bytes(files)


def simple_sdist(name: str, version: str, **modules: str) -> bytes:
    """An sdist of one package called as the distribution, with tests beside it."""
    package = name.replace("-", "_")
    files = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        "pyproject.toml": f"[project]\nname = {name!r}\nversion = {version!r}\n",
        f"{package}/__init__.py": f"VERSION = {version!r}\n",
        **{f"{package}/{module}.py": text for module, text in modules.items()},
        "tests/test_it.py": "",
    }
    return sdist_bytes(files, f"{package}-{version}")


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below `root`."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root
