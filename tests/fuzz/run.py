#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Fuzz one reader with atheris: python tests/fuzz/run.py TARGET [--seconds N] [--corpus DIR]"""

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

with atheris.instrument_imports(include=["driftcheck", "tomllib", "tarfile", "zipfile", "configparser"]):
    from seeds import SEEDS
    from targets import TARGETS


def main() -> None:
    """Parses the command line and hands over to libFuzzer, which ends the process itself."""
    parser = argparse.ArgumentParser(description="Fuzz one of driftcheck's readers.")
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="how long (default: 60)")
    parser.add_argument("--corpus", type=Path, help="where inputs that cover new code are kept")
    parser.add_argument("--longest", type=int, default=4096, help="bytes of an input (default: 4096)")
    asked = parser.parse_args()
    corpus = asked.corpus or Path(tempfile.mkdtemp(prefix="fuzz-corpus-"))
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[asked.target]()):
        (corpus / f"seed-{number}").write_bytes(seed)
    found = [place for place in (HERE / "found" / asked.target,) if place.is_dir()]
    target = TARGETS[asked.target]

    def one_input(data: bytes) -> None:
        target(data)

    options = [
        f"-max_total_time={asked.seconds}",
        f"-max_len={asked.longest}",
        "-timeout=20",
        "-rss_limit_mb=1500",
    ]
    print(f"fuzzing {asked.target} for {asked.seconds} s; corpus in {corpus}", flush=True)
    atheris.Setup([sys.argv[0], *options, str(corpus), *map(str, found)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
