"""Says what an environment is, as JSON on standard output. Run by path, with a job as JSON on standard input.

The job names the provider's module and distributions, the distributions to record, the consumer's
requirement lines, and whether a GPU is wanted. Nothing of provider or consumer is imported; torch is,
where a GPU is wanted.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import sys
import sysconfig
from typing import Any


def main() -> None:
    job = json.load(sys.stdin)
    answer = {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "platform": f"{platform.system()} {platform.machine()}",
        "prefix": sys.prefix,
        "base_prefix": sys.base_prefix,
        "stdlib": os.path.dirname(os.__file__),
        "sites": [sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]],
        "provider": _provider(job["module"], job["distributions"]),
        "distributions": {name: version for name in job["record"] if (version := _version(name)) is not None},
        "conflicts": _conflicts(job["requires"]),
    }
    if job["device"] != "cpu":
        answer["gpu"] = _gpu()
    json.dump(answer, sys.stdout)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _provider(module: str, distributions: list[str]) -> dict[str, Any] | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return None
    places = list(spec.submodule_search_locations or [])
    root = places[0] if places else spec.origin
    for name in distributions:
        version = _version(name)
        if version is not None:
            return {"root": root, "distribution": name, "version": version}
    return {"root": root, "distribution": None, "version": _version_file(places)}


def _version_file(places: list[str]) -> str | None:
    for place in places:
        for name in ("_version.py", "version.py", "__init__.py"):
            try:
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    found = re.search(
                        r"^(?:__version__|version)\b[^'\"\n]*['\"]([0-9][^'\"]*)['\"]", file.read(), re.M
                    )
            except OSError:
                continue
            if found:
                return found.group(1)
    return None


def _conflicts(requires: list[str]) -> list[dict[str, Any]]:
    """Requirements of the consumer that what is installed does not meet."""
    try:
        from packaging.requirements import InvalidRequirement, Requirement
    except ImportError:
        return []
    found = []
    for line in requires:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        version = _version(requirement.name)
        if version is not None and not requirement.specifier.contains(version, prereleases=True):
            found.append({"requirement": line, "installed": version, "name": requirement.name})
    return found


def _gpu() -> dict[str, Any]:
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except Exception as error:
        return {"available": False, "problem": f"torch cannot be imported: {error}"}
    if not torch.cuda.is_available():
        return {"available": False, "torch": torch.__version__, "problem": "torch sees no GPU"}
    device = torch.cuda.get_device_properties(0)
    return {
        "available": True,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "name": device.name,
        "count": torch.cuda.device_count(),
        "memory_gib": round(device.total_memory / 2**30, 1),
    }


if __name__ == "__main__":
    main()
