"""What of a tree is its packages, and a hash that says which bytes those are."""

from __future__ import annotations

import hashlib

from driftcheck.sources.tree import Tree


def package_files(tree: Tree) -> dict[str, bytes]:
    """Every file of the tree's packages by path, compiled ones left out. Raises OSError."""
    return {
        path: tree.read(path)
        for path in tree.files.paths()
        if path.partition("/")[0].removesuffix(".py") in tree.packages and "__pycache__" not in path
    }


def package_digest(tree: Tree) -> str:
    """The same for trees whose packages hold the same files with the same bytes. Raises OSError."""
    total = hashlib.sha256()
    for path, content in sorted(package_files(tree).items()):
        total.update(f"{path}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return total.hexdigest()
