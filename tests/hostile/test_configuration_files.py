"""Configuration, rules and baselines that are huge, deep, cyclic or costly: one line, or the usual answer, in time."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hostile.making import checked, codes, command, project, write

from driftcheck.engine.patterns import matches

HEAD = '[project]\nname = "dock"\nversion = "1"\n'
DOUBLING = (
    "\n".join(f"a{n} = a{n + 1} + a{n + 1}" for n in range(60))
    + "\na60 = ['b']\nsetup(install_requires=a0, packages=a0)\n"
)

# What a project's files hold: (file, text, exit status).
PROJECTS = {
    "deep table": ("pyproject.toml", HEAD + "[tool.driftcheck]\nignore = " + "[" * 5_000 + "]" * 5_000, 2),
    "deep elsewhere": ("pyproject.toml", HEAD + "x = " + "[" * 5_000 + "]" * 5_000, 1),
    "deep keys": ("pyproject.toml", ".".join(["tool.driftcheck"] + ["a"] * 1_000) + " = 1\n" + HEAD, 2),
    "large": ("pyproject.toml", HEAD + "# driftcheck\n" + "#" * 5_000_000, 2),
    "large and of others": ("pyproject.toml", HEAD + "#" * 5_000_000, 1),
    "many keys": ("pyproject.toml", HEAD + "".join(f"k{n} = {n}\n" for n in range(50_000)) + "[tool.driftcheck]\n", 1),
    "many wrong keys": ("pyproject.toml", "[tool.driftcheck]\n" + "".join(f"k{n} = {n}\n" for n in range(5_000)), 2),
    "extras of extras": ("pyproject.toml", HEAD + '[project.optional-dependencies]\na = ["dock[b]"]\nb = ["dock[a]"]\n', 1),
    "no table": ("pyproject.toml", "tool = 1\n# driftcheck\n", 2),
    "a list of tables": ("pyproject.toml", "[[tool.driftcheck]]\nx = 1\n", 2),
    "bytes": ("pyproject.toml", "[tool.driftcheck]\nignore = ['\udcff']\n", 2),
    "a NUL in a path": ("pyproject.toml", HEAD + '[tool.setuptools.packages.find]\nwhere = ["\\u0000"]\n', 1),
    "a rules directory that is none": ("pyproject.toml", '[tool.driftcheck]\nrules = ["\\u0000", "none"]\n', 2),
    "names that double": ("setup.py", DOUBLING, 1),
    "names of themselves": ("setup.py", "a = a + a\nsetup(name=a, packages=find_packages(a), install_requires=a)\n", 1),
    "a deep setup.py": ("setup.py", "setup(name=" + "(" * 5_000 + ")" * 5_000 + ")", 1),
    "a long sum in setup.py": ("setup.py", "setup(install_requires=" + " + ".join(["['a']"] * 3_000) + ")", 1),
    "endless interpolation": ("setup.cfg", "[metadata]\nname = %(name)s%(name)s\n[options]\npackages = find:\n", 1),
    "a requirement of blanks": ("PKG-INFO", "Name: dock\nRequires-Dist: gantry" + " " * 50_000 + ")x\n", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", PROJECTS)
def test_projects(tmp_path: Path, name: str) -> None:
    file, text, expected = PROJECTS[name]
    arguments = project(tmp_path)
    write(tmp_path / "mine", {file: text})
    began = time.process_time()
    status, _, err = command("check", *arguments)
    assert status == expected, err
    assert "internal error" not in err and "Traceback" not in err
    assert expected == 1 or (len(err.strip().splitlines()) == 1 and len(err) < 2_000)
    assert time.process_time() - began < 20


def test_costly_patterns() -> None:
    began = time.process_time()
    path = "/".join(["a" * 50] * 60) + ".py"
    for pattern in (
        "**/" * 40 + "x",
        "*a" * 30 + "b",
        "**/*a*a*a*a*a*b/**/*a*b/**/x",
        "[" * 500,
        "a/**/**/**/" * 20 + "*.txt",
    ):
        assert not matches(pattern, path)
    assert matches("**/" * 40 + "*.py", path) and matches("*a" * 10 + "*", path)
    assert time.process_time() - began < 5


RULES = {
    "deep": ("gantry/a.toml", "a = " + "[" * 5_000, 2),
    "deep contracts": ("gantry/contracts.toml", "[[dispatch]]\nid = " + "[" * 5_000 + "]" * 5_000, 2),
    "wrong types": ("gantry/a.toml", "decorator = 5\n", 2),
    "many": ("gantry/a.toml", "".join(f'[[function]]\npath = "gantry.f{n}"\nreturns = "gantry.C"\n' for n in range(20_000)), 1),
    "in a circle": ("gantry/a.toml", '[[function]]\npath = "gantry.turn"\nreturns = "gantry.turn"\n[[base]]\npath = "gantry.lift"\n', 1),
    "itself many": ("gantry/a.toml", '[[function]]\npath = "gantry.turn"\nreturns = "' + "list[" * 3_000 + "a" + "]" * 3_000 + '"\n', 1),
    "patterns": ("gantry/a.toml", '[[function]]\npath = "(a+)+$"\nreturns = "(.*)*\\\\"\n[[environment]]\nlibrary = "gantry"\nprefix = "(a+)+$"\n[[command]]\nlibrary = "gantry"\nprogram = "(x+x+)+y"\n', 1),
    "empty names": ("gantry/a.toml", '[[function]]\npath = ""\nreturns = ""\n[[resolver]]\npath = "gantry.turn"\nargument = -99\n[[patcher]]\npath = "gantry.lift"\ntarget = -5\nname = 10000000000\n', 1),
    "a contract of itself": ("gantry/contracts.toml", '[[protocol]]\nid = "a"\nlibrary = "gantry"\nevidence = ["gantry.turn"]\nreason = "r"\ncall = "gantry.turn"\nreaches = ["gantry.turn"]\n[[variant]]\nid = "b"\nlibrary = "gantry"\nevidence = ["gantry"]\nreason = "r"\nattribute = "gantry.turn"\ncases = [{cls = "gantry.turn", when = "w"}]\n', 1),
    "specifiers": ("gantry/contracts.toml", '[[protocol]]\nid = "a"\nlibrary = "gantry"\nversions = "' + ">=1," * 5_000 + '"\nevidence = ["gantry.turn"]\nreason = "r"\ncall = "gantry.turn"\nreaches = []\n', None),
    "a page without a head": ("checks/DC999-x.md", "x\n", 2),
    "a page that never ends": ("checks/DC999-x.md", "---\n" * 1 + "code: DC999\n" * 50_000, 2),
    "a page of another encoding": ("checks/DC999-x.md", "---\nname: \udcff\n", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_rules(tmp_path: Path, name: str) -> None:
    file, text, expected = RULES[name]
    arguments = project(tmp_path)
    write(tmp_path / "rules", {file: text})
    began = time.process_time()
    status, _, err = command("check", *arguments, "--rules", str(tmp_path / "rules"))
    assert status == expected or (expected is None and status in (1, 2)), err
    assert "internal error" not in err and (status == 1 or len(err.strip().splitlines()) == 1)
    assert time.process_time() - began < 20


def test_rules_that_are_devices(tmp_path: Path) -> None:
    arguments = project(tmp_path)
    write(tmp_path / "rules", {"gantry/x.txt": "", "checks/x.txt": ""})
    os.symlink("/dev/zero", tmp_path / "rules/gantry/zero.toml")
    os.mkfifo(tmp_path / "rules/gantry/pipe.toml")
    os.mkfifo(tmp_path / "rules/checks/DC999-pipe.md")
    status, _, err = command("check", *arguments, "--rules", str(tmp_path / "rules"))
    assert status == 2 and len(err.strip().splitlines()) == 1


def test_rules_that_cannot_be_read(tmp_path: Path) -> None:
    arguments = project(tmp_path)
    for name in ("checks/DC999-x.md", "gantry/x.toml"):
        place = tmp_path / name.replace("/", "-") / name
        place.mkdir(parents=True)
        status, _, err = command("check", *arguments, "--rules", str(place.parent.parent))
        assert status == 2 and len(err.strip().splitlines()) == 1 and str(place) in err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        "{}",
        "\0",
        '{"schema": 1}',
        "x" * 1_000_000,
        '{"schema":"driftcheck-baseline/1"}\n' + "[" * 9_000,
    ],
)
def test_baselines(tmp_path: Path, text: str) -> None:
    arguments = project(tmp_path)
    write(tmp_path / "mine", {"b": text})
    status, _, err = command("check", *arguments, "--baseline", str(tmp_path / "mine/b"))
    assert status == 2 and len(err.strip().splitlines()) == 1 and len(err) < 2_000


def test_suppressions_without_end(tmp_path: Path) -> None:
    text = (
        "import gantry\n"
        + "gantry.lift(1, slow=True)  # drift: ignore["
        + "DC201," * 20_000
        + "\n"
        + "# drift: ignore[" * 5_000
    )
    arguments = project(tmp_path, {"dock/__init__.py": text})
    assert codes(checked(*arguments))


def test_a_proof_that_is_none(tmp_path: Path) -> None:
    arguments = project(tmp_path)
    for text in ("", "[" * 50_000, "{}", json.dumps({"schema": "x"}), "\0"):
        write(tmp_path, {"proof.json": text})
        status, _, err = command("fix", *arguments, "--diff", "--proof", str(tmp_path / "proof.json"))
        assert status == 2 and len(err.strip().splitlines()) == 1
