"""Which identifiers the truth table names, and the random words that replace them.

Not replaced: what Python, its standard library, torch or pydantic means by a name, since an engine
may know those. Kept of a name: leading underscores (privacy) and its case style.
"""

import asyncio
import builtins
import collections
import concurrent.futures
import contextlib
import dataclasses
import enum
import functools
import importlib
import inspect
import itertools
import keyword
import logging
import multiprocessing
import os
import pathlib
import random
import re
import string
import sys
import threading
import time
import types
import typing
from functools import lru_cache

from truth.table import DRIFTS, rows

KNOWN_MODULES = (
    asyncio, builtins, collections, collections.abc, concurrent.futures, contextlib, dataclasses,
    enum, functools, importlib, inspect, itertools, logging, multiprocessing, os, pathlib,
    threading, time, types, typing,
)  # fmt: skip
KNOWN_TYPES = (
    object,
    str,
    bytes,
    list,
    dict,
    set,
    tuple,
    int,
    float,
    Exception,
    logging.Logger,
    pathlib.Path,
)
THIRD_PARTIES = {
    # torch
    "torch", "nn", "Module", "Tensor", "forward", "dtype", "device", "distributed", "utils", "cat", "stack",
    "clone", "cpu", "cuda", "norm", "dim",
    # pydantic
    "model_config", "model_fields",
    # words of Python that no module lists
    "self", "cls", "args", "kwargs",
}  # fmt: skip
# The table's rows name these only in prose or by their place.
ALSO = {"kv_cache_planning", "_get_captured_states", "_patched_forward", "supports_eagle3", "vllm"}


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    words = set(keyword.kwlist) | set(keyword.softkwlist) | set(sys.stdlib_module_names) | THIRD_PARTIES
    for thing in (*KNOWN_MODULES, *KNOWN_TYPES):
        words |= set(dir(thing))
    return frozenset(words)


@lru_cache(maxsize=1)
def identifiers() -> tuple[str, ...]:
    """Every identifier of the truth table: parts of dotted names, callees, keywords, string names."""
    found = set(ALSO)
    for row in rows():
        found |= {
            word
            for m in re.finditer(r"[A-Za-z_]\w*", row["symbol"])
            if _is_code(word := m.group(), row["symbol"][: m.start()], row["symbol"][m.end() :])
        }
        found |= {part for part in re.split(r"[/.]", row["file"]) if part != "py"}
        for verdict in row["versions"].values():
            found |= {word for word in re.findall(r"[A-Za-z_]\w*", verdict["how"]) if "_" in word}
            found |= {word for word in re.findall(r"[A-Za-z_]\w*", verdict["evidence"]) if "_" in word}
    for expectations in DRIFTS.values():
        found |= {word for e in expectations for word in re.findall(r"[A-Za-z_]\w*", e.says)}
    return tuple(
        sorted(word for word in found - known_words() if len(word) > 1 and not word.startswith("__"))
    )


def _is_code(word: str, before: str, after: str) -> bool:
    return (
        "_" in word
        or re.search(r"[a-z][A-Z]", word) is not None
        or before.endswith((".", "'", '"'))
        or after.startswith((".", "(", "="))
    )


def renaming(seed: int) -> dict[str, str]:
    """A random word for each identifier; no two alike."""
    source = random.Random(seed)
    table: dict[str, str] = {}
    for word in identifiers():
        while True:
            new = _styled(word, "q" + "".join(source.choices(string.ascii_lowercase, k=9)))
            if new not in table.values() and new not in known_words():
                break
        table[word] = new
    return table


def _styled(word: str, new: str) -> str:
    bare = word.lstrip("_")
    if bare.isupper():
        new = new.upper()
    elif bare[:1].isupper():
        new = new.capitalize()
    return "_" * (len(word) - len(bare)) + new
