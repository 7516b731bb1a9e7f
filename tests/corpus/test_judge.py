"""The corpus's own judging: which lines a ref covers, which findings are about an incident."""

from types import SimpleNamespace

from corpus.cases import Incident, compatible_pairs, idioms, incidents
from corpus.judge import extent, is_about
from corpus.session import path_matches

SOURCE = """\
from kettle import (
    boil,
    pour,
)

class Stove:
    @boil
    def heat(
        self,
    ):
        return pour(
            temperature=90,
        )
"""


def test_a_ref_covers_its_whole_statement():
    assert extent(SOURCE, 1) == (1, 4)
    assert extent(SOURCE, 3) == (1, 4)
    assert extent(SOURCE, 11) == (11, 13)


def test_a_ref_to_a_definition_covers_its_header_only():
    assert extent(SOURCE, 8) == (7, 10)
    assert extent(SOURCE, 6) == (6, 6)


def test_a_ref_to_the_start_of_a_call_covers_the_call():
    source = "return_(\n  first(\n    1\n  ),\n  second(),\n)\n"
    assert extent(source, 2) == (2, 4)
    assert extent(source, 3) == (1, 6)


def test_a_ref_to_a_guard_covers_what_it_guards():
    source = "if a:\n    b()\nelse:\n    c()\n"
    assert extent(source, 1) == (1, 1)
    assert extent(source, 1, guarded=True) == (1, 4)
    assert extent(source, 2, guarded=True) == (2, 2)


def test_a_file_that_does_not_parse_falls_back_on_the_line():
    assert extent("def (:\n", 1) == (1, 1)


def test_paths_match_from_either_root():
    assert path_matches("pkg/mod.py", "src/pkg/mod.py")
    assert path_matches("pkg/sub/mod.py", "sub/mod.py")
    assert not path_matches("pkg/xmod.py", "mod.py")


def test_a_finding_is_about_an_incident_by_whole_names():
    case = Incident("I", "c==1", "p==1", "p==2", (), ("DC102",), ("boil", "kettle.old.lid"), None)

    def finding(code, symbol):
        return SimpleNamespace(code=code, symbol=symbol, message="")

    assert is_about(finding("DC102", "kettle.boil"), case)
    assert is_about(finding("DC102", "kettle.old.lid.open"), case)
    assert not is_about(finding("DC102", "kettle.boiler"), case)
    assert not is_about(finding("DC102", "kettle.old.lids"), case)
    assert not is_about(finding("DC201", "kettle.boil"), case)


def test_the_data_is_complete():
    assert len(incidents()) == 18
    assert all(case.refs and case.codes and case.names for case in incidents())
    assert len({case.id for case in idioms()}) == len(idioms())
    assert len({case.id for case in compatible_pairs()}) == len(compatible_pairs())
    assert all(case.target != case.known_good for case in (*idioms(), *compatible_pairs()))
