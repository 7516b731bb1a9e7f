"""What a run knows is saved whole, however many of its threads save at once."""

from __future__ import annotations

import threading
from pathlib import Path

from driftcheck.validate.portable.results import load_results
from driftcheck.validate.portable.session import Session


def test_threads_that_save_at_once(tmp_path: Path, fixtures_dir: Path) -> None:
    recorded = fixtures_dir / "validation" / "speculators-0.3.0-on-vllm-0.16.0.cpu.json"
    results = load_results(recorded)
    path = tmp_path / "r.json"
    session = Session(None, results, path, jobs=4)  # type: ignore[arg-type]  # saving asks nothing of the bench
    failed: list[Exception] = []

    def save_often() -> None:
        try:
            for _ in range(20):
                session.save()
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=save_often) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert load_results(path) == results
    assert [one.name for one in tmp_path.iterdir()] == ["r.json"]
