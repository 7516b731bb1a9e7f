"""``impact``: which consumers a provider's change breaks, on which uses, by which change."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from driftcheck import __version__
from driftcheck.engine.options import CheckOptions
from driftcheck.model import Finding, Stage
from driftcheck.model.finding import Severity
from driftcheck.queries.choosing import refuse_foreign
from driftcheck.queries.lanes import collected
from driftcheck.sources import open_tree
from driftcheck.sources.errors import SourceError, usage

Progress = Callable[[str], None]
Backend = Literal["loky", "dask", "ray"]
BACKENDS: tuple[Backend, ...] = ("loky", "dask", "ray")


class Consumer(msgspec.Struct, frozen=True, kw_only=True):
    """What one consumer loses between the two versions; ``error`` says why it could not be examined."""

    spec: str
    version: str | None = None
    uses: int = 0
    findings: list[Finding] = []
    error: str | None = None

    @property
    def breaks(self) -> int:
        return sum(one.severity == "error" for one in self.findings)

    @property
    def risks(self) -> int:
        return sum(one.severity == "warning" for one in self.findings)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of the provider with all that it breaks: ``reach`` counts consumers."""

    symbol: str
    code: str
    severity: Severity
    message: str
    reach: int
    consumers: list[str]
    places: list[str]


class Impact(msgspec.Struct, kw_only=True):
    """The whole answer of one ``impact``."""

    schema: str = "driftcheck-impact/1"
    driftcheck: str
    provider: str
    first: str
    last: str
    consumers: list[Consumer]
    changes: list[Change]
    resumed: int = 0

    @property
    def breaks(self) -> bool:
        """Whether some consumer breaks, or is at risk."""
        return any(one.breaks or one.risks for one in self.consumers)


@dataclass(frozen=True)
class ImpactRequest:
    """What is asked. ``first`` and ``last`` are versions or paths; ``results`` keeps what is done."""

    provider: str
    first: str
    last: str
    consumers: tuple[str, ...]
    results: Path | None = None
    backend: Backend = "loky"
    jobs: int = 2
    address: str | None = None
    python: Path | None = None
    show_possible: bool = False
    options: CheckOptions = dataclasses.field(default_factory=CheckOptions)


def read_consumers(path: Path) -> tuple[str, ...]:
    """The specs in a file, one a line; ``#`` begins a comment; paths are seen from the file's directory.

    Raises SourceError where it cannot be read or names nothing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise usage(f"--consumers {path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise usage(f"--consumers {path}: is no text in UTF-8") from error
    found: dict[str, str] = {}
    for line in text.splitlines():
        spec = line.partition(" #")[0].strip()
        if not spec or spec.startswith("#"):
            continue
        near = path.parent / spec
        looks_like_path = spec.startswith((".", "/", "~")) or "/" in spec
        if not looks_like_path:
            found.setdefault(spec, spec)
            continue
        place = spec if spec.startswith(("/", "~")) else str(near)
        # A bare word would be looked up among what is installed.
        place = place if "/" in place or place.startswith("~") else f"./{place}"
        found.setdefault(os.path.realpath(os.path.expanduser(place)), place)
    if not found:
        raise usage(f"--consumers {path}: names no consumer")
    return tuple(found.values())


def impact(request: ImpactRequest, progress: Progress = lambda stage: None) -> Impact:
    """Every consumer, those done before taken from ``results``; raises SourceError for a missing provider."""
    first, last = (_provider_spec(request.provider, end) for end in (request.first, request.last))
    opened = {}
    for spec in (first, last):
        progress(f"reading {spec}")
        opened[spec] = open_tree(spec, role="provider", python=request.python, progress=progress)
    for end, spec, other in ((request.first, first, last), (request.last, last, first)):
        # Of two source trees neither says what the provider holds.
        if spec == end and "==" in other:
            refuse_foreign(end, opened[spec], opened[other], request.provider)
    store = _Store(request.results, first, last, request.options) if request.results else None
    found: dict[str, Consumer] = {}
    if store is not None:
        found = {spec: kept for spec in request.consumers if (kept := store.load(spec)) is not None}
    resumed = len(found)
    missing = [spec for spec in request.consumers if spec not in found]
    progress(f"checking {len(missing)} consumers")
    for number, done in enumerate(_examined(request, missing, first, last), 1):
        found[done.spec] = done
        progress(Stage(f"{done.spec} checked ({number} of {len(missing)})", number / len(missing)))
        if store is not None and done.error is None:
            store.keep(done)
    consumers = [_visible(found[spec], request.show_possible) for spec in request.consumers]
    return Impact(
        driftcheck=__version__,
        provider=request.provider,
        first=request.first,
        last=request.last,
        consumers=sorted(consumers, key=lambda one: (-one.breaks, -one.risks, one.spec)),
        changes=changes_of(consumers),
        resumed=resumed,
    )


def changes_of(consumers: Sequence[Consumer]) -> list[Change]:
    """The findings grouped by what changed, those that reach most consumers first."""
    grouped: dict[tuple[str, str], list[tuple[str, Finding]]] = defaultdict(list)
    for consumer in consumers:
        for one in consumer.findings:
            if one.severity != "note":
                grouped[one.symbol, one.code].append((consumer.spec, one))
    found: list[Change] = []
    for (symbol, code), members in grouped.items():
        names = sorted({spec for spec, _ in members})
        gravest = min((one for _, one in members), key=lambda one: one.severity != "error")
        places = [f"{spec} {one.path}:{one.line}" for spec, one in members]
        found.append(
            Change(
                symbol=symbol,
                code=code,
                severity=gravest.severity,
                message=gravest.message,
                reach=len(names),
                consumers=names,
                places=places,
            )
        )
    return sorted(found, key=lambda one: (-one.reach, one.severity != "error", -len(one.places), one.symbol))


def _visible(consumer: Consumer, possible: bool) -> Consumer:
    if possible:
        return consumer
    return msgspec.structs.replace(
        consumer, findings=[one for one in consumer.findings if one.confidence != "possible"]
    )


def _provider_spec(name: str, end: str) -> str:
    return end if "/" in end or end.startswith(".") else f"{name}=={end}"


# One consumer


def examine_consumer(spec: str, first: str, last: str, python: str | None, options: CheckOptions) -> bytes:
    """One consumer against both versions, as encoded :class:`Consumer`; whatever fails is its ``error``.

    Called in other processes and on other machines, so everything that goes in and out is plain.
    """
    try:
        return msgspec.msgpack.encode(_consumer(spec, first, last, python, options))
    except Exception as error:
        said = str(error) if isinstance(error, SourceError) else f"{type(error).__name__}: {error}"
        return msgspec.msgpack.encode(Consumer(spec=spec, error=said))


def _consumer(spec: str, first: str, last: str, python: str | None, options: CheckOptions) -> Consumer:
    from driftcheck.engine.examine import check
    from driftcheck.engine.faults import none_read

    place = Path(python) if python else None
    tree = open_tree(spec, role="consumer", python=place)
    good, target = (open_tree(one, role="provider", python=place) for one in (first, last))
    with collected():
        report = check(tree, target, good, options)
    why = none_read(report.findings, len(tree.python_files))
    if why is not None:
        raise SourceError(why)
    findings = [
        one
        for one in report.findings
        if one.status in ("introduced", "unknown") and not one.code.startswith("DC9")
    ]
    return Consumer(
        spec=spec, version=tree.version, uses=int(report.summary.get("uses", 0)), findings=findings
    )


# Many of them


def _examined(request: ImpactRequest, specs: Sequence[str], first: str, last: str) -> Iterator[Consumer]:
    """The consumers as they are done, by joblib where several run at once."""
    python = str(request.python) if request.python else None
    rest = (first, last, python, request.options)
    if not specs:
        return
    if request.jobs == 1 and request.backend == "loky":
        for spec in specs:
            yield msgspec.msgpack.decode(examine_consumer(spec, *rest), type=Consumer)
        return
    joblib = _joblib(request.backend)
    with _backend(joblib, request):
        left = list(specs)
        try:
            for done in _together(joblib, request.jobs, left, rest):
                left.remove(done.spec)
                yield done
        except Exception as error:
            # A worker that dies takes the whole pool with it: what is left is tried one by one.
            if isinstance(error, SourceError) or not left:
                raise
            for spec in left:
                yield _alone(joblib, spec, rest)


def _together(joblib: Any, jobs: int, specs: Sequence[str], rest: tuple[Any, ...]) -> Iterator[Consumer]:
    """All of them on the active backend: as they are done where it can tell, else by small batches."""
    backend, _ = joblib.parallel.get_active_backend()
    streams = getattr(backend, "supports_return_generator", False)
    size = len(specs) if streams else 2 * max(jobs, 1)
    for batch in (specs[start : start + size] for start in range(0, len(specs), size)):
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered" if streams else "list")
        for data in parallel(joblib.delayed(examine_consumer)(spec, *rest) for spec in batch):
            yield msgspec.msgpack.decode(data, type=Consumer)


def _alone(joblib: Any, spec: str, rest: tuple[Any, ...]) -> Consumer:
    """One consumer in a process of its own, whose death is the consumer's error."""
    try:
        # Two slots, since one would be this very process.
        (data,) = joblib.Parallel(n_jobs=2)([joblib.delayed(examine_consumer)(spec, *rest)])
    except Exception as error:
        return Consumer(spec=spec, error=f"the process that checked it died: {type(error).__name__}")
    return msgspec.msgpack.decode(data, type=Consumer)


def _joblib(backend: str) -> Any:
    try:
        import joblib
    except ImportError:
        raise usage(
            f"--backend {backend} needs joblib: pip install 'driftcheck[impact]', or --jobs 1"
        ) from None
    return joblib


@contextmanager
def _backend(joblib: Any, request: ImpactRequest) -> Iterator[None]:
    """The joblib backend: processes here, a Dask scheduler (``address``, else a local one), or Ray."""
    if request.backend == "loky":
        context: AbstractContextManager[Any] = joblib.parallel_config("loky")
        with context:
            yield
    elif request.backend == "dask":
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise usage("--backend dask needs dask[distributed]: pip install 'driftcheck[dask]'") from None
        cluster = None
        if request.address is None:
            cluster = LocalCluster(n_workers=request.jobs, threads_per_worker=1, dashboard_address=None)
        try:
            with Client(request.address or cluster), joblib.parallel_config("dask"):
                yield
        finally:
            if cluster is not None:
                cluster.close()
    else:
        try:
            import ray
            from ray.util.joblib import register_ray
        except ImportError:
            raise usage("--backend ray needs ray: pip install 'driftcheck[ray]'") from None
        ray.init(
            address=request.address,
            num_cpus=None if request.address else request.jobs,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
        )
        try:
            register_ray()
            with joblib.parallel_config("ray"):
                yield
        finally:
            ray.shutdown()


class _Store:
    """Finished consumers on disk, one file each, so that a rerun goes on where the last one stopped.

    Only released consumers against released providers are taken up again: a working tree may have changed.
    """

    def __init__(self, root: Path, first: str, last: str, options: CheckOptions) -> None:
        self._root = root
        self._about = repr((__version__, first, last, options.no_contracts, options.rules_paths))
        self._stable = all("==" in spec for spec in (first, last))

    def load(self, spec: str) -> Consumer | None:
        """What was kept; None where nothing usable was."""
        if not self._stable or "==" not in spec:
            return None
        try:
            return msgspec.json.decode(self._path(spec).read_bytes(), type=Consumer)
        except (OSError, msgspec.DecodeError, msgspec.ValidationError, RecursionError):
            return None

    def keep(self, consumer: Consumer) -> None:
        """Write one consumer, whole or not at all."""
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            path = self._path(consumer.spec)
            temporary = path.with_suffix(".part")
            temporary.write_bytes(msgspec.json.encode(consumer))
            temporary.replace(path)
        except OSError as error:
            raise SourceError(f"cannot keep results in {self._root}: {error.strerror or error}") from error

    def _path(self, spec: str) -> Path:
        digest = hashlib.blake2b(
            (self._about + spec).encode("utf-8", "surrogateescape"), digest_size=8
        ).hexdigest()
        plain = "".join(c if c.isalnum() or c in "._-=" else "_" for c in spec)[-60:]
        return self._root / f"{plain}-{digest}.json"
