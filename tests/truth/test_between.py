"""The same consumers at the releases between: breaks that an import or a signature shows, and no others.

The counts were measured by importing and by binding every call on thirteen releases.
"""

import pytest
from corpus.session import describe, shown
from truth.table import DRIFTS, KNOWN_GOOD, PENDING, is_pending

pytestmark = [pytest.mark.network, pytest.mark.slow]

RELEASES = (
    "0.10.2", "0.11.0", "0.12.0", "0.13.0", "0.14.1", "0.16.0", "0.18.1",
    "0.19.1", "0.20.2", "0.22.1", "0.25.1",
    "0.28.0", "0.32.0", "0.33.0",
)  # fmt: skip
BINDING = ("DC101", "DC102", "DC103", "DC104", "DC105", "DC106", "DC201", "DC202", "DC203", "DC205", "DC206")
OLD = ("D-ENCDEC", "D-KVSPECS", "D-BLOCKSIZE", "D-EMBED")
MOVES = ("D-MOVE-1", "D-MOVE-2", "D-MOVE-3")


def since(release: str, first: str) -> bool:
    return RELEASES.index(release) >= RELEASES.index(first)


def breaks_of_0_3_0(release: str) -> tuple[str, ...]:
    """2 missing names at 0.10.2; 0; 4 from 0.12.0; 5 from 0.18.1; 8 at 0.33.0."""
    if release == "0.10.2":
        return ("D-MOVE-1", "D-MOVE-2")
    return (
        (OLD if since(release, "0.12.0") else ())
        + (("D-EOS",) if since(release, "0.18.1") else ())
        + (MOVES if since(release, "0.33.0") else ())
    )


def breaks_of_0_4_0(release: str) -> tuple[str, ...]:
    """0 from 0.12.0; 1 from 0.18.1; 4 at 0.33.0."""
    return (("D-EOS",) if since(release, "0.18.1") else ()) + (MOVES if since(release, "0.33.0") else ())


CASES = [("speculators==0.3.0", r, breaks_of_0_3_0(r)) for r in RELEASES]
CASES += [("speculators==0.4.0", r, breaks_of_0_4_0(r)) for r in RELEASES if since(r, "0.12.0")]


@pytest.mark.parametrize(
    ("consumer", "release", "drifts"), [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in CASES]
)
def test_breaks_that_binding_shows(report, consumer, release, drifts):
    version = consumer.partition("==")[2]
    found = report(consumer, f"vllm=={release}", f"vllm=={KNOWN_GOOD[consumer]}")
    places = {(f.code, f.path, f.line) for f in shown(found) if f.code in BINDING}
    demanded, allowed = set(), set()
    for drift_id in drifts:
        for e in DRIFTS[drift_id]:
            here = {(code, e.path, line) for code in e.codes for line in e.lines[version]}
            allowed |= here
            if not is_pending(drift_id, release):
                demanded |= here
    if consumer == "speculators==0.4.0" and since(release, "0.25.1"):
        # Which runner is the default there is not a matter of binding.
        allowed |= {(code, e.path, 106) for e in DRIFTS["D-INPUTBATCH"] for code in e.codes}
    assert demanded <= places <= allowed, describe(shown(found))


def test_counts_agree_with_what_was_measured():
    counts = {(consumer, release): len(drifts) for consumer, release, drifts in CASES}
    assert [counts["speculators==0.3.0", r] for r in RELEASES] == [2, 0, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 8]
    assert [counts["speculators==0.4.0", r] for r in RELEASES[2:]] == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 4]
    assert {entry.partition("@")[0] for entry in PENDING} <= set(DRIFTS)
