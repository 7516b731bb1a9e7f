"""What many branches have in common is not counted once for each of them."""

import time
from pathlib import Path

import pytest

from driftcheck.engine.examine import check
from driftcheck.sources import open_tree

SIXTY = range(60)


@pytest.mark.parametrize(
    "step",
    [
        "    if options.get({n}):\n        options['k{n}'] = {n}\n",
        "    if flags[{n}]:\n        options = dict(options, k{n}={n})\n",
        "    options = {{**options, 'k{n}': {n}}} if flags[{n}] else options\n",
        "    if flags[{n}]:\n        items = [items, {n}]\n",
        "    for one in flags:\n        options.setdefault('k{n}', one)\n",
    ],
)
def test_one_branch_after_another(tmp_path: Path, step: str) -> None:
    body = "".join(step.format(n=n) for n in SIXTY)
    text = f"import gantry\n\n\ndef lift(flags, items=()):\n    options = {{}}\n{body}    gantry.lift(items, **options)\n"
    for name, source in (("user/dock.py", text), ("new/gantry.py", "def lift(load, k1=None): ...\n")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(source)
    consumer = open_tree(str(tmp_path / "user"), role="consumer")
    began = time.process_time()
    check(consumer, open_tree(str(tmp_path / "new"), role="provider"), None)
    assert time.process_time() - began < 10
