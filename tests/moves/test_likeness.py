"""How like two names are, and what else of a small definition speaks for it."""

import pytest
from moves.making import world

from driftcheck.infer.likeness import name_likeness
from driftcheck.infer.moves import moved_name


@pytest.mark.parametrize(
    ("one", "other"), [("max_load", "load_max"), ("LoadLimits", "limit_load"), ("plan", "plan")]
)
def test_names_of_the_same_words_are_alike(one, other):
    assert name_likeness(one, other) == 1


@pytest.mark.parametrize(
    ("one", "other", "likeness"), [("lift", "swung", 0), ("_", "lift", 0), ("_", "_x", 2 / 3), ("_", "_", 1)]
)
def test_names_without_a_word_in_common_are_as_alike_as_their_letters(one, other, likeness):
    assert name_likeness(one, other) == pytest.approx(likeness)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("loads, depth", "loads, depth", "all_lifts"),
        ("loads, depth", "loads, speed", None),
        ("loads", "loads", None),
    ],
)
def test_the_same_parameters_speak_for_a_like_name_elsewhere(before, after, found):
    at = world(
        {"gantry/a.py": f"A = 1\ndef lift_all({before}):\n    return 1\nB = 2\n"},
        {"gantry/a.py": f"A = 1\nB = 2\nC = 3\ndef all_lifts({after}):\n    return 2\n"},
    )
    move = moved_name(at, "gantry.a", "lift_all")
    assert (move and move.name) == found
    assert move is None or "a like name and the same parameters" in move.phrase
