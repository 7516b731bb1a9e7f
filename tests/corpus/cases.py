"""The corpus as cases to run: one case is one consumer release on one provider release."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "fixtures" / "corpus"

# Small consumers whose checks are quick: these belong to the default run, everything else is slow.
QUICK = {
    "I008", "I016", "I017", "I018", "I035", "I101",
    "N02@0.11.0", "N22@0.33.0", "N29@0.16.0", "P-euroeval@0.33.0",
}  # fmt: skip

# Incidents whose codes the engine cannot give yet. Empty this as they come.
PENDING: dict[str, str] = {}

IMPORT_ROOTS = ("src/", "lib/", "python/")


@dataclass(frozen=True)
class Ref:
    """A place in a consumer release; the path is as a finding spells it."""

    path: str
    line: int


@dataclass(frozen=True)
class Incident:
    id: str
    consumer: str
    worked: str
    broke: str
    refs: tuple[Ref, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]
    repaired: str | None
    left: tuple[Ref, ...] = ()  # places in `repaired` that the repair did not reach


@dataclass(frozen=True)
class Quiet:
    """A consumer that works on a target: at ``refs``, or (without any) anywhere by ``codes``."""

    id: str
    consumer: str
    target: str
    known_good: str | None
    refs: tuple[Ref, ...] = ()
    codes: tuple[str, ...] = ("DC1", "DC2", "DC3")
    real: tuple[Ref, ...] = ()  # places that do fail there, by both sources


@lru_cache(maxsize=1)
def incidents() -> tuple[Incident, ...]:
    """The runnable incidents that source alone can show."""
    return tuple(
        Incident(
            id=row["id"],
            consumer=row["spec"],
            worked=f"{row['provider']}=={row['worked']}",
            broke=f"{row['provider']}=={row['broke']}",
            refs=_refs(row["refs"]),
            codes=tuple(row["codes"]),
            names=tuple(row["names"]),
            repaired=row["repaired_spec"],
            left=_refs(row.get("left_in_repaired", ())),
        )
        for row in json.loads((DATA / "incidents.json").read_text())
        if row["runnable"] and row["knowable"] == "yes"
    )


@lru_cache(maxsize=1)
def idioms() -> tuple[Quiet, ...]:
    """Right code that a naive tool reports, at each release where it would."""
    rows = json.loads((DATA / "negatives.json").read_text())["idioms"]
    return tuple(
        Quiet(f"{row['id']}@{target}", row["spec"], f"vllm=={target}", known_good, _refs(row["refs"]))
        for row in rows
        if row["spec"] and row["refs"]
        for target, known_good in _with_neighbours(row["versions"])
    )


@lru_cache(maxsize=1)
def compatible_pairs() -> tuple[Quiet, ...]:
    """Releases that work together: no name, call or override is wrong, but at the ``real`` places."""
    rows = json.loads((DATA / "negatives.json").read_text())["compatible_pairs"]
    seen: set[str] = set()
    cases = []
    for row in rows:
        name, _, version = row["spec"].partition("==")
        label = f"P-{name}" if name not in seen else f"P-{name}-{version}"
        seen.add(name)
        cases += [
            Quiet(
                f"{label}@{target}",
                row["spec"],
                f"vllm=={target}",
                known_good,
                real=_refs(row.get("real", ())),
            )
            for target, known_good in _with_neighbours(row["versions"])
        ]
    return tuple(cases)


def _with_neighbours(versions: list[str]) -> list[tuple[str, str | None]]:
    """Each version with the one before it (the next for the first) as known-good, so that the checks
    that compare two versions run as well."""
    if len(versions) == 1:
        return [(versions[0], None)]
    return [
        (version, f"vllm=={versions[position - 1 if position else 1]}")
        for position, version in enumerate(versions)
    ]


def _refs(rows: list[dict]) -> tuple[Ref, ...]:
    return tuple(Ref(_importable(row["path"]), row["line"]) for row in rows)


def _importable(path: str) -> str:
    """A path of the source repository, from its import root."""
    return next((path.removeprefix(root) for root in IMPORT_ROOTS if path.startswith(root)), path)
