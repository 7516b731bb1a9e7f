"""driftcheck installs as wheel, sdist and editable, and its command runs from another directory."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = [pytest.mark.slow, pytest.mark.network]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist made from the checkout, and the wheel made from that sdist, as a release makes them."""
    place = tmp_path_factory.mktemp("archives")
    run(sys.executable, "-m", "build", "--outdir", place, ROOT, cwd=place)
    (wheel,) = place.glob("*.whl")
    (sdist,) = place.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist, "editable": ROOT}


def test_contents(archives: dict[str, Path]) -> None:
    pages = {path.name for path in (ROOT / "rules" / "checks").glob("*.md")}
    with zipfile.ZipFile(archives["wheel"]) as wheel:
        names = wheel.namelist()
    assert {
        name.rpartition("/")[2] for name in names if name.startswith("driftcheck/_rules/checks/")
    } == pages
    assert {name.split("/")[0] for name in names if not name.split("/")[0].endswith(".dist-info")} == {
        "driftcheck"
    }
    with tarfile.open(archives["sdist"]) as sdist:
        inside = {name.partition("/")[2] for name in sdist.getnames()}
    assert {f"rules/checks/{name}" for name in pages} <= inside
    assert {"README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"} <= inside
    assert not any("__pycache__" in name for name in inside)


@pytest.mark.parametrize("form", ["wheel", "sdist", "editable"])
def test_install(form: str, archives: dict[str, Path], tmp_path: Path) -> None:
    venv, elsewhere = tmp_path / "venv", tmp_path / "elsewhere"
    elsewhere.mkdir()
    run(sys.executable, "-m", "venv", venv, cwd=tmp_path)
    scripts = venv / ("Scripts" if sys.platform == "win32" else "bin")
    option = ["-e"] if form == "editable" else []
    pip = [scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, *option, archives[form], cwd=elsewhere)
    listed = run(scripts / "driftcheck", "rules", "list", cwd=elsewhere)
    assert "DC101  missing-module" in listed
    assert "Why it breaks" in run(scripts / "driftcheck", "rules", "explain", "DC101", cwd=elsewhere)
    run(scripts / "driftcheck", "check", "--help", cwd=elsewhere)
    run(scripts / "python", "-m", "pip", "check", cwd=elsewhere)
