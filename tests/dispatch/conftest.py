"""Small packages in memory, as the worlds that inference sees."""

from collections.abc import Callable, Mapping

import pytest

from driftcheck.index.tree_index import Index
from driftcheck.infer.facts import load_facts
from driftcheck.infer.world import World
from driftcheck.rulesdb import rules_roots
from driftcheck.rulesdb.contracts import Contract, Contracts
from driftcheck.sources.tree import MemoryFiles, Tree


def tree(name: str, version: str | None, files: Mapping[str, str]) -> Tree:
    return Tree(
        spec=name if version is None else f"{name}=={version}",
        files=MemoryFiles({path: text.encode() for path, text in files.items()}),
        packages=(name,),
        name=name,
        version=version,
        immutable=True,
    )


@pytest.fixture(scope="session")
def world() -> Callable[..., World]:
    """``world(provider_files, consumer_files, *contracts)``: gantry and dock side by side."""
    facts = load_facts(rules_roots())

    def make(provider: Mapping[str, str], consumer: Mapping[str, str], *contracts: Contract) -> World:
        made = World(Index(tree("dock", None, consumer)), Index(tree("gantry", "1", provider)), facts)
        made.contracts = Contracts(contracts)
        return made

    return make
