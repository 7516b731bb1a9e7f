"""Two versions of a small package as worlds, the second knowing the first."""

import hashlib
from pathlib import Path

from driftcheck.engine import CheckOptions, check
from driftcheck.index.tree_index import Index
from driftcheck.infer.facts import load_facts
from driftcheck.infer.world import World
from driftcheck.model import Finding
from driftcheck.rulesdb import rules_root
from driftcheck.sources.tree import MemoryFiles, Tree

Files = dict[str, str]


def tree(name: str, version: str, files: Files) -> Tree:
    """A tree of files that are given as text."""
    contents = {path: text.encode() for path, text in files.items()}
    digest = hashlib.sha256(repr(sorted(contents.items())).encode()).hexdigest()
    packages = tuple(dict.fromkeys(Path(path).parts[0].removesuffix(".py") for path in files))
    return Tree(
        spec=f"{name}=={version}",
        files=MemoryFiles(contents),
        packages=packages,
        name=name,
        version=version,
        key=f"{name}/{version}/{digest}",
        immutable=True,
    )


def world(before: Files | None, after: Files) -> World:
    """The second version's world; ``before`` is known-good, if there is one."""
    facts = load_facts((rules_root(),))
    consumer = {"dock.py": ""}
    found = World(Index(tree("dock", "1", consumer)), Index(tree("gantry", "2", after)), facts)
    if before is not None:
        found.known_good = World(
            Index(tree("dock", "1", consumer)), Index(tree("gantry", "1", before)), facts
        )
    return found


def findings(consumer: Files, before: Files | None, after: Files) -> list[Finding]:
    """What a check of the consumer finds on the second version."""
    report = check(
        tree("dock", "1", consumer),
        tree("gantry", "2", after),
        None if before is None else tree("gantry", "1", before),
        CheckOptions(),
    )
    return report.findings
