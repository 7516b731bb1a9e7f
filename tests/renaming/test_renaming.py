"""The engine knows no name: with every name of the truth table replaced it finds the same.

A library that the engine (rather than rules/) knew by name would be judged differently under another.
"""

import re

import pytest
from corpus.session import release, report
from renaming.renamed import Renaming, renamed_rules, renamed_tree
from renaming.run import check_renamed, differences
from renaming.words import identifiers, known_words, renaming

from driftcheck.sources.tree import MemoryFiles, Tree

SEED = 20


@pytest.fixture(scope="session")
def new_names() -> Renaming:
    return Renaming(renaming(SEED))


@pytest.mark.network
@pytest.mark.parametrize("target", ["0.16.0", "0.33.0"])
def test_the_same_findings_but_for_the_names(new_names, tmp_path, target):
    pair = ("speculators==0.3.0", f"vllm=={target}", "vllm==0.11.0")
    original = report(*pair)
    assert original.findings, "nothing found: nothing compared"
    other = check_renamed(*pair, new_names, tmp_path)
    wrong = differences(original, other, new_names)
    assert not wrong, "\n".join(wrong)


@pytest.mark.network
def test_no_old_name_is_left_in_a_renamed_tree(new_names):
    tree = renamed_tree(release("vllm==0.11.0", "provider"), new_names)
    assert "vllm" not in tree.packages
    package = tree.packages[0]
    assert tree.is_file(f"{package}/__init__.py")
    scheduler = new_names.text("vllm/v1/core/sched/scheduler.py")
    text = tree.read(scheduler).decode()
    left = set(re.findall(r"[A-Za-z0-9_]+", text)) & set(new_names.table)
    assert not left


def test_the_words_are_the_tables_and_nobody_elses():
    words = set(identifiers())
    assert {"vllm", "SchedulerConfig", "kv_cache_specs", "is_encoder_decoder", "sample_tokens"} <= words
    assert {"get_input_embeddings", "collective_rpc", "unique_reply_rank", "kv_cache_planning"} <= words
    assert not words & known_words()
    table = renaming(SEED)
    assert len(set(table.values())) == len(table)
    assert not set(table.values()) & words
    assert renaming(SEED) == table != renaming(SEED + 1)


def test_case_style_and_privacy_are_kept():
    table = renaming(SEED)
    assert table["_patched_forward"].startswith("_q")
    assert table["CacheConfig"][0].isupper()
    assert table["FINISHED_ABORTED"].isupper()


def test_a_renamed_tree_maps_paths_both_ways(new_names):
    tree = Tree(
        spec="vllm==1",
        files=MemoryFiles(
            {"vllm/config/__init__.py": b"from vllm.v1 import Request\nx = 'vllm.v1.request'\n"}
        ),
        packages=("vllm",),
        name="vllm",
        requires=("vllm==1; extra == 'x'",),
    )
    copy = renamed_tree(tree, new_names)
    (path,) = copy.python_files
    assert path == new_names.text("vllm/config/__init__.py")
    assert copy.is_file(path)
    assert copy.read(path).decode() == new_names.text("from vllm.v1 import Request\nx = 'vllm.v1.request'\n")
    assert copy.name == copy.packages[0] == new_names.table["vllm"]
    assert copy.requires == (f"{copy.name}==1; extra == 'x'",)


def test_renamed_rules_keep_their_keys(new_names, tmp_path):
    (tmp_path / "rules" / "vllm").mkdir(parents=True)
    (tmp_path / "rules" / "checks").mkdir()
    (tmp_path / "rules" / "vllm" / "a.toml").write_text('request = "vllm.v1.Request" # vllm\n')
    (tmp_path / "rules" / "checks" / "DC1.md").write_text("---\nname: layer\n---\nuses vllm\n")
    copy = renamed_rules(tmp_path / "rules", tmp_path / "copy", new_names)
    package = new_names.table["vllm"]
    assert (
        copy / package / "a.toml"
    ).read_text() == f'request = "{new_names.text("vllm.v1.Request")}" # vllm\n'
    assert (copy / "checks" / "DC1.md").read_text() == f"---\nname: layer\n---\nuses {package}\n"
