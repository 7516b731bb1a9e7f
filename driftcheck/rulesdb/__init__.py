"""Loads and validates rules/: the pages of the checks and the facts about libraries."""

from driftcheck.rulesdb.codes import CodeInfo, load_codes
from driftcheck.rulesdb.errors import RulesError
from driftcheck.rulesdb.libraries import load_toml, toml_files
from driftcheck.rulesdb.roots import rules_root, rules_roots

__all__ = [
    "CodeInfo",
    "RulesError",
    "load_codes",
    "load_toml",
    "rules_root",
    "rules_roots",
    "toml_files",
]
