"""The readers of foreign bytes, each as a function of bytes that raises only for a defect."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from driftcheck.engine.baseline import parse_baseline
from driftcheck.engine.comments import suppressions
from driftcheck.engine.config import check_words, codes_for, load_config
from driftcheck.engine.patterns import matches
from driftcheck.engine.results import MAGIC, Examined, ResultCache
from driftcheck.index.module import Module
from driftcheck.index.source import Source, SourceFault
from driftcheck.infer.facts import LibraryFile
from driftcheck.rulesdb import RulesError
from driftcheck.rulesdb.contracts import load_contracts
from driftcheck.rulesdb.libraries import load_toml
from driftcheck.rulesdb.pages import parse_page
from driftcheck.sources.archive import Limits, unpack
from driftcheck.sources.cache import FILES, MARKER, Cache
from driftcheck.sources.contents import keep, want_sdist, want_wheel
from driftcheck.sources.errors import SourceError
from driftcheck.sources.facts import project_metadata, project_name
from driftcheck.sources.layout import find_mounts
from driftcheck.sources.lists import _from_data
from driftcheck.sources.metadata import parse_entry_points, parse_metadata, record_hashes, record_paths
from driftcheck.sources.opening import _requirement
from driftcheck.sources.pyproject import read_project_files
from driftcheck.sources.registry import _parse_page
from driftcheck.sources.spec import parse_spec, release_text

LIMITS = Limits(members=500, total=1 << 20, file=1 << 19, ratio_from=1 << 20, directory=1 << 16)
PACKERS = (lambda data: data, gzip.compress, bz2.compress, lzma.compress)


def spec(data: bytes) -> None:
    """Spec strings, requirement lines, file patterns."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        parse_spec(text)
    except SourceError as error:
        assert str(error)
    release_text(text, "name")
    _requirement(text)
    pattern, _, path = text.partition("\n")
    matches(pattern, path)


def archive(data: bytes) -> None:
    """Archives: unpacked and laid out as an entry of the cache; nothing beside the directory given."""
    if not data:
        return
    packed = PACKERS[data[0] % len(PACKERS)](data[1:])
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        root = Path(name)
        (root / "archive").write_bytes(packed)
        unpacked = root / "inside" / "unpacked"
        unpacked.mkdir(parents=True)
        kind = "sdist" if data[0] & 4 else "wheel"
        try:
            want = want_sdist if kind == "sdist" else want_wheel
            sizes = unpack(root / "archive", unpacked, strip=kind == "sdist", want=want, limits=LIMITS)
            entry = keep(kind, unpacked, sizes, root / "inside" / FILES, "0" * 64, None, "pkg-1.0.tar.gz")
        except SourceError:
            entry = None
        assert sorted(place.name for place in root.iterdir()) == ["archive", "inside"]
        assert not any(place.is_symlink() for place in root.rglob("*"))
        for path, size in entry.sizes.items() if entry else ():
            assert (root / "inside" / FILES / path).stat().st_size == size


def rules(data: bytes) -> None:
    """Rule files: facts, contracts and pages."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        place = Path(name) / "library"
        place.mkdir()
        (place / "contracts.toml").write_bytes(data)
        for load in (
            lambda: load_contracts((Path(name),)),
            lambda: load_toml(place / "contracts.toml", LibraryFile),
        ):
            try:
                load()
            except RulesError as error:
                assert str(error)
    try:
        parse_page(Path("DC101-missing-module.md"), data.decode("utf-8", "replace"))
    except RulesError as error:
        assert str(error)


def cache(data: bytes) -> None:
    """What is kept on disk: markers, release lists, results; and an index's pages."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        place = Path(name) / "sources" / "releases" / "pkg" / "1.0-wheel-0"
        (place / FILES).mkdir(parents=True)
        (place / MARKER).write_bytes(data)
        (place / FILES / "pkg.py").write_bytes(b"")
        kept = Cache(Path(name))
        _read_all(kept, place)
        lists = Path(name) / "sources" / "lists" / "0"
        lists.mkdir(parents=True)
        (lists / "pkg.json").write_bytes(data)
        found = kept.read_list("0", "pkg")
        if found is not None:
            _from_data(found)
        results = ResultCache(Path(name))
        results.root.mkdir()
        sealed = MAGIC + hashlib.blake2b(data, digest_size=32).digest() + data
        entry = MAGIC + hashlib.blake2b(body := _entry(data), digest_size=32).digest() + body
        for content in (data, sealed, entry):
            (results.root / f"{b'key'.hex()}.result").write_bytes(content)
            results.load(b"key", (None, None, None), Examined)
    for kind in ("application/vnd.pypi.simple.v1+json", "text/html"):
        try:
            list(_parse_page("https://index.invalid/simple/pkg/", kind, data, "pkg"))
        except SourceError as error:
            assert str(error)


def _entry(data: bytes) -> bytes:
    return msgspec.msgpack.encode([b"key", [None, None, None], msgspec.Raw(data or b"\xc0")])


def _read_all(kept: Cache, place: Path) -> None:
    tree = kept.open(place, "pkg==1.0")
    if tree is None:
        return
    for path in tree.files.paths():
        tree.files.listdir(path.rpartition("/")[0])
        located = tree.locate(path)
        assert located is not None and located.resolve().is_relative_to(place.resolve())
        try:
            tree.read(path)
        except (SourceError, OSError):
            pass


def config(data: bytes) -> None:
    """Configuration: the table, what a project's files say of it, metadata, baselines."""
    text = data.decode("utf-8", "replace")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        root = Path(name)
        for file in ("pyproject.toml", "setup.cfg", "setup.py", "PKG-INFO"):
            (root / file).write_bytes(data)
        try:
            found = load_config(root / "pyproject.toml")
            if found is not None:
                check_words(found, codes_for(found))
        except (SourceError, RulesError) as error:
            assert str(error)
        project = read_project_files(root)
        project_metadata(project, find_mounts(project, project_name(project)).values())
        try:
            parse_baseline(root / "drift.baseline", text)
        except SourceError as error:
            assert str(error)
    parse_metadata(text)
    parse_entry_points(text)
    record_paths(text)
    record_hashes(text)
    suppressions("pkg.py", data)


def source(data: bytes) -> None:
    """Source files: outline, bindings, classes and functions of one module."""
    try:
        module = Module("pkg", Source("pkg.py", data), False)
    except SourceFault as fault:
        assert str(fault)
        return
    _ = module.bindings, module.stars, module.is_dynamic
    for read in (lambda: module.declared_all, lambda: module.source.tree):
        try:
            read()
        except SourceFault:
            pass
    for binding in module.functions_and_classes:
        try:
            if binding.kind == "class":
                _ = module.class_of(binding).members
            else:
                _ = module.function_of(binding).node
        except SourceFault:
            pass


TARGETS: dict[str, Callable[[bytes], None]] = {
    "spec": spec,
    "archive": archive,
    "rules": rules,
    "cache": cache,
    "config": config,
    "source": source,
}
