"""``impact``: many consumers of one change, in processes, on a Dask and on a Ray cluster, resumed where it stopped."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from sources.making import simple_wheel

from driftcheck.cli.app import app
from driftcheck.queries import impact as impact_query
from driftcheck.queries.impact import Impact, ImpactRequest, impact, read_consumers

FINE = "from gantry.hoist import lift\n\nlift(1)\n"


@pytest.fixture
def consumers(dock: Path) -> tuple[str, ...]:
    (dock / "quay-1.0-py3-none-any.whl").write_bytes(simple_wheel("quay", "1.0", work=FINE))
    return ("quay==1.0", "dock==1.0", "nobody==1.0")


def asked(consumers: tuple[str, ...], **more: object) -> Impact:
    return impact(ImpactRequest("gantry", "1.2", "2.1", consumers, **more))  # type: ignore[arg-type]


def test_who_breaks_and_by_what(consumers: tuple[str, ...]) -> None:
    found = asked(consumers, jobs=1)
    assert [(one.spec, one.breaks) for one in found.consumers] == [
        ("dock==1.0", 1),
        ("nobody==1.0", 0),
        ("quay==1.0", 0),
    ]
    (failed,) = [one for one in found.consumers if one.error]
    assert failed.spec == "nobody==1.0"
    (change,) = found.changes
    assert (change.code, change.reach, change.consumers) == ("DC202", 1, ["dock==1.0"])


def test_a_rerun_takes_up_what_is_there(consumers: tuple[str, ...], tmp_path: Path) -> None:
    first = asked(consumers[:1], jobs=1, results=tmp_path / "results")
    again = asked(consumers, jobs=1, results=tmp_path / "results")
    assert (first.resumed, again.resumed) == (0, 1)
    (half,) = (tmp_path / "results").glob("quay*.json")
    half.write_bytes(half.read_bytes()[:20])
    third = asked(consumers, jobs=1, results=tmp_path / "results")
    assert third.resumed == 1 and third.consumers == again.consumers


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "dask", "ray"])
def test_two_workers_find_the_same(consumers: tuple[str, ...], backend: str) -> None:
    pytest.importorskip("joblib")
    if backend != "loky":
        pytest.importorskip({"dask": "distributed", "ray": "ray"}[backend])
    alone, together = asked(consumers, jobs=1), asked(consumers, jobs=2, backend=backend)
    assert msgspec.json.encode(alone) == msgspec.json.encode(together)


@pytest.mark.slow
def test_a_worker_that_dies_is_its_consumers_error_alone(
    consumers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("joblib")
    plain = impact_query.examine_consumer

    def killed_by_one(spec: str, *rest: object) -> bytes:
        if spec == "quay==1.0":
            os.kill(os.getpid(), signal.SIGKILL)
        return plain(spec, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(impact_query, "examine_consumer", killed_by_one)
    found = {one.spec: one for one in asked(consumers, jobs=2).consumers}
    assert found["dock==1.0"].breaks == 1
    assert "died" in (found["quay==1.0"].error or "")
    assert "died" not in (found["nobody==1.0"].error or "")


def test_a_working_tree_as_the_target(consumers: tuple[str, ...], tmp_path: Path) -> None:
    tree = tmp_path / "work" / "gantry"
    tree.mkdir(parents=True)
    (tree / "__init__.py").write_text("")
    (tree / "hoist.py").write_text("def hoist(load):\n    return load\n")
    found = impact(ImpactRequest("gantry", "1.2", str(tree), consumers[:2], jobs=1))
    assert all(one.breaks for one in found.consumers)
    assert found.changes[0].reach == 2


def test_the_file_of_consumers(tmp_path: Path) -> None:
    file = tmp_path / "consumers.txt"
    file.write_text("\ufeff# ours\n\ndock==1.0  # the oldest\n./quay\ndock==1.0\nyard/../quay\n", "utf-8")
    assert read_consumers(file) == ("dock==1.0", str(tmp_path / "quay"))
    file.write_text("\ufeffdock==1.0\n", "utf-8")
    assert read_consumers(file) == ("dock==1.0",)


def test_a_path_beside_the_file_stays_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("consumers.txt").write_text("./quay\n")
    assert read_consumers(Path("consumers.txt")) == ("./quay",)


def test_the_command(consumers: tuple[str, ...]) -> None:
    Path("consumers.txt").write_text("\n".join(consumers))
    base = ["impact", "--provider", "gantry", "--from", "1.2", "--consumers", "consumers.txt", "--jobs", "1"]
    hit = CliRunner().invoke(app, [*base, "--to", "2.1", "--html", "page.html"])
    assert hit.exit_code == 1, hit.output
    assert "1 of 3 consumers are hit" in hit.output
    assert "DC202" in Path("page.html").read_text()
    json = CliRunner().invoke(app, [*base, "--to", "2.1", "--output-format", "json"])
    assert msgspec.json.decode(json.output, type=Impact).schema == "driftcheck-impact/1"
