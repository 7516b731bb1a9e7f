"""What each drift of the truth table must give: codes, lines, confidence.

The rows of fixtures/truth/speculators.json say what is true; this module says how driftcheck reports
it. A drift is *demanded* where its row says `break` or `silent`, *allowed* where it says `cond` (demanded too
where it says so itself), and at most `possible` where it says `risk`.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

ROWS = Path(__file__).resolve().parents[2] / "fixtures" / "truth" / "speculators.json"

CONSUMERS = ("speculators==0.3.0", "speculators==0.4.0")
TARGETS = ("0.11.0", "0.12.0", "0.16.0", "0.25.1", "0.33.0")
# What the consumers' metadata gives: vllm==0.11.0, and the highest release of vllm>=0.12.0,<=0.16.0.
KNOWN_GOOD = {"speculators==0.3.0": "0.11.0", "speculators==0.4.0": "0.16.0"}

GENERATOR = "speculators/data_generation/vllm_hidden_states_generator.py"
WORKER = "speculators/data_generation/custom_worker.py"

LEVELS = ("possible", "likely", "certain")


@dataclass(frozen=True)
class Expectation:
    """One finding that a drift gives: any of ``codes`` that starts on any of ``lines``."""

    codes: tuple[str, ...]
    lines: dict[str, tuple[int, ...]]  # by consumer version
    path: str = GENERATOR
    at_least: str = "likely"
    at_most: str = "certain"
    severity: str = "error"
    says: str = ""
    related: tuple[int, ...] = ()  # one of these lines is named in `related`
    demanded: bool = True
    demanded_of_some: bool = False  # also where only some models are concerned (`cond`)

    def matches(self, finding, consumer_version: str) -> bool:
        return (
            finding.code in self.codes
            and finding.path == self.path
            and finding.line in self.lines.get(consumer_version, ())
            and LEVELS.index(finding.confidence) <= LEVELS.index(self.at_most)
        )

    def satisfied_by(self, finding, consumer_version: str) -> bool:
        return (
            self.matches(finding, consumer_version)
            and LEVELS.index(finding.confidence) >= LEVELS.index(self.at_least)
            and finding.severity == self.severity
            and self.says in finding.message
        )


def _keyword(old: int | None = None, new: int | None = None) -> Expectation:
    return Expectation(("DC201",), _lines(old, new))


def _argument(old: int | None = None, new: int | None = None) -> Expectation:
    return Expectation(("DC202",), _lines(old, new))


def _moved(old: int, new: int) -> Expectation:
    return Expectation(("DC102",), _lines(old, new), says="vllm.v1.core.kv_cache_planning")


def _lines(old: int | None, new: int | None) -> dict[str, tuple[int, ...]]:
    lines = {"0.3.0": old, "0.4.0": new}
    return {version: (line,) for version, line in lines.items() if line is not None}


def _of_some(codes: tuple[str, ...], line: int, says: str) -> Expectation:
    return Expectation(
        codes, _lines(line, None), path=WORKER, at_most="possible", says=says, demanded_of_some=True
    )


DRIFTS: dict[str, tuple[Expectation, ...]] = {
    "D-KVSPECS": (_keyword(139),),
    "D-EOS": (_keyword(241, 271),),
    "U-BLOCKSIZE": (_keyword(new=158),),
    # 0.11.0's SchedulerConfig is pydantic's dataclass without extra="forbid": the keyword is ignored, silently.
    "U-ENCDEC": (Expectation(("DC201",), _lines(None, 219), severity="warning"),),
    "D-BLOCKSIZE": (_argument(148),),
    "D-ENCDEC": (_argument(194),),
    "U-KVSPECS": (_argument(new=143),),
    "D-MOVE-1": (_moved(16, 17),),
    "D-MOVE-2": (_moved(17, 18),),
    "D-MOVE-3": (_moved(18, 21),),
    "U-HASHMOD": (Expectation(("DC101",), _lines(None, 15)),),
    "U-SAMPLE": (Expectation(("DC103",), _lines(None, 315)),),
    "D-EMBED": (Expectation(("DC103",), _lines(30, None), path=WORKER, says="embed_input_ids"),),
    "U-EMBED": (Expectation(("DC103",), _lines(None, 38), path=WORKER, says="get_input_embeddings"),),
    "D-INPUTBATCH": (Expectation(("DC103",), _lines(None, 106), path=WORKER),),
    # The subscript, and three lines on the truth of what it gave.
    "D-RPCSHAPE": (
        Expectation(("DC401",), _lines(271, None)),
        Expectation(("DC402",), _lines(273, None)),
    ),
    # Every use of the value as a dictionary: truth and len() hold for a list too.
    "U-RPCSHAPE": (Expectation(("DC401",), {"0.4.0": (338, 341, 344)}),),
    "D-TWOPHASE": (Expectation(("DC405",), _lines(261, None)),),
    "D-PREFIX": (Expectation(("DC406",), _lines(166, None), related=(234, 253)),),
    "D-CHUNK": (Expectation(("DC406",), _lines(194, None), severity="warning"),),
    "D-ASYNC": (Expectation(("DC406",), _lines(194, 215)),),
    "L-ARGTYPE": (Expectation(("DC406",), _lines(None, 315)),),
    "D-ORDER": (Expectation(("DC409",), _lines(283, None), severity="warning", at_most="likely"),),
    "D-LAYOUT": (Expectation(("DC407",), _lines(136, 143)),),
    "D-WARMUP": (Expectation(("DC407",), _lines(156, 163), severity="warning", at_most="likely"),),
    # Both only with some models: hidden unless asked for, and demanded all the same.
    "D-VLMODEL": (_of_some(("DC103",), 107, says="Qwen3VLForConditionalGeneration"),),
    "D-FWDKW": (
        _of_some(("DC304",), 17, says="deepstack_input_embeds"),
    ),  # the `def` of the row's parameters
}

# Drifts that the engine cannot see yet: allowed where they are true, demanded nowhere. An entry is a
# drift_id, or drift_id@target for one release. A test fails while a drift is listed here although it is
# found wherever it is true.
PENDING: set[str] = set()

# Not in the JSON: true only with the runner that is the default since then.
EXTRA = {("speculators==0.3.0", "0.25.1"): ("D-ORDER",), ("speculators==0.3.0", "0.33.0"): ("D-ORDER",)}


def is_pending(drift_id: str, target: str) -> bool:
    return drift_id in PENDING or f"{drift_id}@{target}" in PENDING


@lru_cache(maxsize=1)
def rows() -> tuple[dict, ...]:
    return tuple(json.loads(ROWS.read_text())["rows"])


def verdicts(consumer: str, target: str) -> dict[str, str]:
    """The drifts of one cell with their verdict, `ok` ones left out."""
    name = consumer.replace("==", " ")
    found = {
        row["drift_id"]: row["versions"][target]["verdict"]
        for row in rows()
        if row["consumer"] == name and row["drift_id"] and row["versions"][target]["verdict"] != "ok"
    }
    return found | dict.fromkeys(EXTRA.get((consumer, target), ()), "silent")


def expected(consumer: str, target: str) -> dict[str, tuple[Expectation, ...]]:
    """What a cell must or may give, by drift."""
    return {
        drift_id: tuple(_judged(e, drift_id, verdict, target) for e in DRIFTS[drift_id])
        for drift_id, verdict in verdicts(consumer, target).items()
    }


def _judged(expectation: Expectation, drift_id: str, verdict: str, target: str) -> Expectation:
    """The expectation as its verdict tempers it."""
    if verdict == "risk":
        return replace(expectation, at_least="possible", at_most="possible", demanded=False)
    if verdict == "cond":
        # Only some models: with the runner chosen by the kind of model nothing is shown by default.
        at_most = "possible" if drift_id == "D-INPUTBATCH" else expectation.at_most
        demanded = expectation.demanded_of_some
        return replace(expectation, at_least="possible", at_most=at_most, demanded=demanded)
    if verdict == "silent" and expectation.severity == "error":
        # D-TWOPHASE with the runner that overwrites its state without an error.
        return replace(expectation, at_least="possible", demanded=False)
    if drift_id == "D-INPUTBATCH":
        return replace(expectation, at_most="likely")
    return expectation
