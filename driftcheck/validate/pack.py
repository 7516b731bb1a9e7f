"""Packs a plan, the consumer and the portable part into one archive that runs with Python alone."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

from driftcheck.validate.portable.plan import Plan, dump_plan

_PORTABLE = Path(__file__).parent / "portable"
_MAIN = """import sys

if sys.version_info < (3, 10):
    sys.exit("Python 3.10 or newer is needed")

from portable.main import main

if __name__ == "__main__":
    sys.exit(main())
"""
# One date for every entry: the same plan makes the same bytes.
_DATE = (2020, 1, 1, 0, 0, 0)


def pack(plan: Plan, consumer: Mapping[str, bytes], drivers: Mapping[str, bytes], out: Path) -> None:
    """Writes the archive, executable as ``python OUT``; raises OSError."""
    files: dict[str, bytes] = {"__main__.py": _MAIN.encode(), "plan.json": dump_plan(plan).encode()}
    for path in sorted(_PORTABLE.glob("*.py")):
        files[f"portable/{path.name}"] = path.read_bytes()
    files.update({f"consumer/{path}": content for path, content in consumer.items()})
    files.update({f"drivers/{path}": content for path, content in drivers.items()})
    with out.open("wb") as raw:
        raw.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    out.chmod(out.stat().st_mode | stat.S_IXUSR)
