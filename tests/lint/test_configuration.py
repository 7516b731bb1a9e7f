"""``[tool.driftcheck]``: found, strict, nested, and what it decides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lint.project import NEW, OLD, Project

from driftcheck.cli import main
from driftcheck.engine.patterns import matches


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "ignor = []",
            ":5: [tool.driftcheck] unknown key `ignor` (did you mean 'ignore'?); allowed: providers,",
        ),
        ('ignore = ["DC299"]', ":5: [tool.driftcheck] no check 'DC299' in ignore; did you mean DC2"),
        ('select = ["unknown-keywrod"]', "did you mean unknown-keyword (DC201)?"),
        ('severity = {DC201 = "fatal"}', "'fatal' at severity; allowed: error, note, warning"),
        ('severity = {DC2011 = "note"}', "no check 'DC2011' in severity"),
        ('style = "shims"', "'shims' at style (did you mean 'shim'?); allowed: gate, shim"),
        ('fail-on = ["fatal"]', "no check 'fatal' in fail-on"),
        ('select = "DC2"', "Expected `array | null`, got `str` at select"),
        (
            '[tool.driftcheck.providers.gantry]\nknown_good = "1"',
            "unknown key `known_good` (did you mean 'known-good'?)",
        ),
        ('per-file-ignores = {"a" = ["x"]}', "no check 'x' in per-file-ignores"),
        ("ignore = [", "pyproject.toml: "),
        ('rules = ["none"]', "no such rules directory"),
    ],
)
@pytest.mark.parametrize("command", ["check", "config"])
def test_what_cannot_be_meant_is_refused(
    project: Project, capsys: pytest.CaptureFixture[str], text: str, problem: str, command: str
) -> None:
    project.configure(f"[tool.driftcheck]\n{text}\n")
    assert (project.check() if command == "check" else main(["config"])) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert problem in err


def test_another_tools_table_is_no_concern(project: Project) -> None:
    project.configure("[tool.ruff]\nignor = []\n# driftcheck is not configured\n")
    assert project.check() == 1


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('select = ["DC1"]', []),
        ('select = ["DC2"]', ["DC201"]),
        ('select = ["unknown-keyword"]', ["DC201"]),
        ('ignore = ["DC2"]', []),
        ('ignore = ["DC"]\nselect = ["DC201"]', ["DC201"]),
        ('ignore = ["DC201"]\nselect = ["DC2"]', []),
        ('exclude = ["dock"]', []),
        ('exclude = ["src/*/__init__.py"]', []),
        ('exclude = ["src/dock/*.txt"]', ["DC201"]),
        ('per-file-ignores = {"src/**/*.py" = ["DC2"]}', []),
        ('per-file-ignores = {"__init__.py" = ["DC1"]}', ["DC201"]),
    ],
)
def test_what_is_selected(project: Project, text: str, codes: list[str]) -> None:
    project.configure(f"[tool.driftcheck]\n{text}\n")
    assert [code for code, _, _ in project.found()] == codes


def test_the_command_line_wins(project: Project) -> None:
    project.configure('[tool.driftcheck]\nselect = ["DC1"]\n')
    assert project.found("--select", "DC1,DC201") == [("DC201", "dock/__init__.py", 5)]
    assert project.found("--isolated") == [("DC201", "dock/__init__.py", 5)]
    other = project.write("other.toml", "[tool.driftcheck]\n")
    assert project.found("--config", str(other)) == [("DC201", "dock/__init__.py", 5)]
    assert project.check("--config", "none.toml") == 2
    assert project.check("--select", "DC9999") == 2


def test_severity_and_fail_on(project: Project) -> None:
    project.configure('[tool.driftcheck]\nseverity = {DC2 = "note", DC201 = "warning"}\n')
    assert [one["severity"] for one in project.report()["findings"]] == ["warning"]
    assert project.check() == 1
    assert project.check("--fail-on", "error") == 0
    assert project.check("--fail-on", "error", "--fail-on", "DC2") == 1
    assert project.check("--fail-on", "error,unknown-keyword", "--exit-zero") == 0
    assert project.check("--fail-on", "wraning") == 2
    project.configure('[tool.driftcheck]\nseverity = {DC2 = "note"}\n')
    assert project.check() == 0
    project.configure('[tool.driftcheck]\nseverity = {DC2 = "note"}\nfail-on = ["DC2"]\n')
    assert project.check() == 1


def test_a_nested_project_has_its_own(project: Project) -> None:
    project.write("src/dock/vendored/__init__.py", "from gantry import lower\n")
    assert {code for code, _, _ in project.found()} == {"DC102", "DC201"}
    project.write("src/dock/vendored/pyproject.toml", '[tool.driftcheck]\nignore = ["DC102"]\n')
    assert {code for code, _, _ in project.found()} == {"DC201"}
    project.write("src/dock/vendored/pyproject.toml", '[tool.driftcheck]\nignor = ["DC102"]\n')
    assert project.check() == 2


def test_providers_from_the_configuration(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 2
    assert "or [tool.driftcheck.providers] in pyproject.toml" in capsys.readouterr().err
    project.configure(
        '[tool.driftcheck.providers.gantry]\ntarget = "./new/gantry"\nknown-good = "./old/gantry"\n'
    )
    assert main(["check", "--output-format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [one["status"] for one in report["findings"]] == ["introduced"]
    assert report["findings"][0]["provider"] is None
    project.configure('[tool.driftcheck.providers]\ngantry = "./new/gantry"\n')
    assert main(["check", str(project.user)]) == 1


def several(project: Project) -> None:
    for name, version, text in (
        ("gantry", "1.0", OLD),
        ("gantry", "2.0", NEW),
        ("crane", "1.0", "def swing(): ...\n"),
        ("crane", "2.0", "def turn(): ...\n"),
    ):
        project.write(f"{name}-{version}/{name}/__init__.py", text)
        project.write(
            f"{name}-{version}/pyproject.toml", f'[project]\nname = "{name}"\nversion = "{version}"\n'
        )
    project.write("src/dock/swinging.py", "import crane\n\ncrane.swing()\n")


def test_several_providers_in_one_run(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    several(project)
    project.configure(
        '[tool.driftcheck.providers]\ngantry = {target = "./gantry-2.0", known-good = "./gantry-1.0"}\n'
        'crane = {target = "./crane-2.0"}\n'
    )
    assert main(["check", "--output-format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    labelled = [(one["code"], one["provider"], one["status"]) for one in report["findings"]]
    assert labelled == [("DC201", "gantry", "introduced"), ("DC102", "crane", "unknown")]
    assert [pair["provider"] for pair in report["providers"]] == ["gantry", "crane"]
    assert main(["check", "--output-format", "concise"]) == 1
    assert "known-good 1.0, none" in capsys.readouterr().out
    pair = [
        "--against",
        "./gantry-2.0",
        "--against",
        "./crane-2.0",
        "--output-format",
        "concise",
        "--isolated",
    ]
    assert main(["check", *pair, "--known-good", "none"]) == 1
    assert "known-good none, none" in capsys.readouterr().out
    assert main(["check", *pair, "--known-good", "1.0"]) == 2
    assert "of which provider? write name==1.0" in capsys.readouterr().err


def test_one_of_several_that_cannot_be_had_is_a_finding(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    several(project)
    project.configure('[tool.driftcheck.providers]\ngantry = "./gantry-2.0"\ncrane = "./nowhere/crane"\n')
    assert main(["check", "--output-format", "concise"]) == 1
    assert "pyproject.toml:6:1: DC902" in capsys.readouterr().out
    project.configure('[tool.driftcheck.providers]\ngantry = "./none/gantry"\ncrane = "./none/crane"\n')
    assert main(["check"]) == 3


def test_config_tells_where_from(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.configure('[tool.driftcheck]\nignore = ["DC4"]\n[tool.driftcheck.severity]\nDC203 = "error"\n')
    assert main(["config"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert f"# {project.root / 'pyproject.toml'}" in lines
    assert 'ignore = ["DC4"] # pyproject.toml:5' in lines
    assert 'severity.DC203 = "error" # pyproject.toml:7' in lines
    assert "exclude = [] # default" in lines
    assert main(["config", "--output-format", "json"]) == 0
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)["settings"]}
    assert rows["ignore"]["from"] == "pyproject.toml:5"
    assert main(["config", "/"]) == 0
    assert "no configuration file" in capsys.readouterr().out
    assert main(["config", "none"]) == 2


def test_a_checkouts_root_ends_the_search(project: Project) -> None:
    project.configure('[tool.driftcheck]\nignore = ["DC201"]\n')
    inner = project.root / "inner"
    project.write("inner/.git/HEAD", "")
    project.write("inner/dock/__init__.py", project.user.read_text())
    arguments = project.arguments()
    arguments[1] = str(inner)
    assert main(arguments) == 1


def test_files_of_one_package_are_one_run(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    other = project.write("src/dock/other.py", "from gantry import lower\n")
    project.write("src/dock/third.py", "from gantry import lower\n")
    arguments = project.arguments("--output-format", "json")
    assert main(["check", str(project.user), str(other), *arguments[2:]]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in report["findings"]] == ["dock/__init__.py", "dock/other.py"]


@pytest.mark.parametrize(
    ("pattern", "path", "answer"),
    [
        ("*.py", "a/b.py", True),
        ("tests", "a/tests/b.py", True),
        ("tests/", "a/tests/b.py", True),
        ("tests/*", "a/tests/b.py", False),
        ("a/*", "a/b/c.py", True),
        ("a/*.py", "a/b/c.py", False),
        ("a/**/c.py", "a/c.py", True),
        ("a/**/c.py", "a/b/d/c.py", True),
        ("**/c.py", "c.py", True),
        ("a/**", "a/b/c.py", True),
        ("./a/b.py", "a/b.py", True),
        ("a?.py", "ab.py", True),
        ("a[!b].py", "ab.py", False),
        ("a[bc].py", "ab.py", True),
        ("a.py", "axpy", False),
        ("a.py", "ba.py", False),
    ],
)
def test_patterns(pattern: str, path: str, answer: bool) -> None:
    assert matches(pattern, path) is answer


def test_paths_are_read_from_the_files_directory(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.configure(
        '[tool.driftcheck]\nrules = ["lore"]\n[tool.driftcheck.providers]\ngantry = "./new/gantry"\n'
    )
    project.write("lore/gantry/facts.toml", "")
    monkeypatch.chdir(Path("/"))
    assert main(["check", str(project.root)]) == 1
