"""Input that is broken, hostile or odd, each through the command: one line, and the documented status.

How archives, indexes and environments go wrong in detail is tested below tests/sources.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from lint.project import Project

from driftcheck.cli import main
from driftcheck.cli.outputs import Output, outputs_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in a directory of its own, with an empty cache and an index that nobody serves."""
    for key in list(os.environ):
        if key.startswith("PIP_") or key.lower().endswith("_proxy"):
            monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    found = Project(tmp_path / "project")
    monkeypatch.chdir(found.root)
    return found


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit status and the one line on standard error of a run that stops."""
    status = main(["check", *arguments])
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("driftcheck: error: ")
    assert err.count("\n") == 1
    assert "internal error" not in err
    return status, err


# Nothing to ask, or nobody to answer


def test_an_index_that_is_down(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = fails(capsys, str(project.root), "--against", "gantry==2")
    assert status == 3
    assert "gantry" in said


@pytest.mark.parametrize("spec", ["gantry==", "gantry=2", "==2", "gantry==2 crane", "gantry==not a version"])
def test_a_spec_that_means_nothing(project: Project, capsys: pytest.CaptureFixture[str], spec: str) -> None:
    assert fails(capsys, str(project.root), "--against", spec)[0] in (2, 3)


def test_a_name_that_is_not_installed(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = fails(capsys, str(project.root), "--against", "no-such-distribution-here")
    assert status == 3
    assert "no-such-distribution-here" in said


def test_a_path_that_is_not_there(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = fails(capsys, "./nowhere", "--against", str(project.new))
    assert status in (2, 3)
    assert "nowhere" in said


def test_an_empty_directory(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    (project.root / "empty").mkdir()
    assert fails(capsys, "empty", "--against", str(project.new))[0] == 3
    assert fails(capsys, str(project.root), "--against", "./empty")[0] == 3


# Archives


def wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_a_wheel_without_python_files(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    file = wheel(project.root / "gantry-2-py3-none-any.whl", {"gantry/data.bin": "1"})
    status, said = fails(capsys, str(project.root), "--against", str(file))
    assert status == 3
    assert "no Python file" in said


@pytest.mark.parametrize("name", ["gantry-2-py3-none-any.whl", "gantry-2.tar.gz"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and no more", b"\x1f\x8b\x08\x00 and no more", b"<html>"])
def test_a_corrupted_archive(
    project: Project, capsys: pytest.CaptureFixture[str], name: str, data: bytes
) -> None:
    (project.root / name).write_bytes(data)
    status, said = fails(capsys, str(project.root), "--against", f"./{name}")
    assert status == 3
    assert name in said


def test_an_archive_that_leads_out(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    file = project.root / "gantry-2.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for name in ("gantry-2/gantry/__init__.py", "../../escaped.py"):
            entry = tarfile.TarInfo(name)
            archive.addfile(entry)
    assert fails(capsys, str(project.root), "--against", str(file))[0] == 3
    assert not list(project.root.parent.rglob("escaped.py"))


# One odd file among others


def checked(project: Project, *more: str) -> list[tuple[str, str, int]]:
    return project.found("--no-cache", *more)


@pytest.mark.parametrize(
    "data",
    [
        b'import gantry\nprint "old"\n',
        b"import gantry\nexec 'x' in {}\n",
        b"import gantry\ntry:\n    pass\nexcept Exception, error:\n    raise\n",
        b"import gantry\nx = (\n",
        b"import gantry\nx = '\xe9'\n",
        b"import gantry\n\0\n",
        b"import gantry\nx = " + b"(" * 5000 + b"1" + b")" * 5000 + b"\n",
        b"import gantry\nx = " + b"-" * 20_000 + b"1\n",
        b"import gantry\nx = gantry" + b".lift(1)" * 5000 + b"\n",
        b"import gantry\nx = " + b" + ".join([b"gantry.lift(1)"] * 5000) + b"\n",
    ],
    ids=["print", "exec", "except", "open", "encoding", "nul", "brackets", "signs", "chain", "sum"],
)
def test_a_file_that_cannot_be_followed(project: Project, data: bytes) -> None:
    """It is told, and the other files are checked all the same."""
    (project.root / "src/dock/odd.py").write_bytes(data)
    found = checked(project)
    assert ("DC201", "dock/__init__.py", 5) in found
    assert [(code, path) for code, path, _ in found if code != "DC201"] == [("DC903", "dock/odd.py")]
    assert project.check() == 1


def test_a_consumer_without_one_readable_file(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.user.write_text('import gantry\nprint "old"\n')
    status, said = fails(capsys, *project.arguments()[1:])
    assert status == 3
    assert "dock/__init__.py:2" in said


def test_a_file_that_may_not_be_read(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from driftcheck.sources.files import DirectoryFiles

    real = DirectoryFiles.read

    def read(self: DirectoryFiles, path: str) -> bytes:
        if path.endswith("odd.py"):
            raise PermissionError(13, "Permission denied", path)
        return real(self, path)

    project.write("src/dock/odd.py", "import gantry\n")
    monkeypatch.setattr(DirectoryFiles, "read", read)
    (odd,) = [one for one in project.report("--no-cache")["findings"] if one["code"] == "DC903"]
    assert odd["path"] == "dock/odd.py"
    assert "Permission denied" in odd["message"]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfimport gantry\ngantry.lift(1, fast=1)\n",
        b"import gantry\r\ngantry.lift(1, fast=1)\r\n",
        b"import gantry\rgantry.lift(1, fast=1)\r",
        b"import gantry\n\x0cgantry.lift(1, fast=1)\n",
        b"# coding: latin-1\nimport gantry; gantry.lift('\xe9', fast=1)\n",
        b"import gantry; gantry.lift(1, fast=1)",
    ],
    ids=["bom", "crlf", "cr", "form-feed", "latin-1", "no-newline"],
)
def test_an_odd_file_that_is_right(project: Project, data: bytes) -> None:
    (project.root / "src/dock/odd.py").write_bytes(data)
    assert ("DC201", "dock/odd.py", 2 - (b";" in data and b"coding" not in data)) in checked(project)


def test_links_that_lead_in_circles(project: Project) -> None:
    package = project.root / "src/dock"
    (package / "loop").symlink_to(package)
    (package / "self.py").symlink_to(package / "self.py")
    (package / "gone.py").symlink_to(package / "nowhere.py")
    os.mkfifo(package / "pipe.py")
    assert checked(project) == [("DC201", "dock/__init__.py", 5)]


def test_a_directory_named_like_a_module(project: Project) -> None:
    project.write("src/dock/odd.py/__init__.py", "import gantry\ngantry.lift(1, fast=1)\n")
    project.write("new/gantry/crane.py/__init__.py", "")
    project.write("src/dock/user.py", "import gantry.crane\n")
    assert ("DC101", "dock/user.py", 1) in checked(project)


def test_a_module_beside_a_package_of_its_name(project: Project) -> None:
    """Python takes the package."""
    project.write("new/gantry/crane.py", "def lift(): ...\n")
    project.write("new/gantry/crane/__init__.py", "def lower(): ...\n")
    project.write("src/dock/user.py", "from gantry.crane import lower, lift\n")
    assert [line for _, path, line in checked(project) if path == "dock/user.py"] == [1]


# A provider that turns in circles, or is huge


def test_circular_re_exports(project: Project) -> None:
    project.write("new/gantry/one.py", "from gantry.two import load\nfrom gantry.three import *\n")
    project.write("new/gantry/two.py", "from gantry.one import load\n")
    project.write("new/gantry/three.py", "from gantry.four import *\nfrom gantry.three import *\n")
    project.write("new/gantry/four.py", "from gantry.three import *\nrope = 1\n")
    project.write("src/dock/user.py", "from gantry.one import load, rope\nload(1, 2)\n")
    assert checked(project) == [("DC201", "dock/__init__.py", 5)]


def test_inheritance_in_a_circle(project: Project) -> None:
    project.write("new/gantry/one.py", "from gantry.two import B\nclass A(B):\n    def lift(self): ...\n")
    project.write("new/gantry/two.py", "from gantry.one import A\nclass B(A): ...\nclass Same(Same): ...\n")
    project.write(
        "src/dock/user.py",
        "from gantry.one import A\nfrom gantry.two import B, Same\n"
        "class P(A): ...\nclass Q(P, B): ...\nclass R(R): ...\n"
        "Q().lower(); Same().lift(); R().x; B().lower(1)\n",
    )
    project.write("src/dock/other.py", "import gantry\nclass P(Q): ...\nclass Q(P): ...\nQ().x\n")
    assert checked(project) == [("DC201", "dock/__init__.py", 5)]


def test_two_megabytes_of_generated_code(project: Project) -> None:
    functions = "".join(f"def lift{n}(load, rope={n}):\n    return load + rope\n\n\n" for n in range(36_000))
    table = "TABLE = {\n" + "".join(f"    {n!r}: [{n}, 'rope'],\n" for n in range(2_000)) + "}\n"
    file = project.write("new/gantry/generated.py", functions + table)
    assert file.stat().st_size > 2_000_000
    project.write("old/gantry/generated.py", functions + table)
    project.write(
        "src/dock/user.py",
        "from gantry.generated import TABLE, lift9, lift35999\nlift9(1, chain=2)\nlift35999()\nTABLE[1]\n",
    )
    project.write(
        "src/dock/big.py",
        "import gantry\n" + "gantry.lift(1)\n" * 1000 + "x = [\n" + "1,\n" * 100_000 + "]\n",
    )
    assert [one for one in checked(project) if one[1] != "dock/__init__.py"] == [
        ("DC201", "dock/user.py", 2),
        ("DC202", "dock/user.py", 3),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "    return " + "(" * 180 + "load" + ")" * 180,
        "".join("    " * depth + "if load:\n" for depth in range(1, 90)) + "    " * 90 + "return load",
        "    return " + "[" * 150 + "load" + "]" * 150,
        "    if load == 0:\n        return 0\n"
        + "".join(f"    elif load == {n}:\n        return {n}\n" for n in range(1, 800)),
    ],
    ids=["brackets", "ifs", "lists", "elifs"],
)
def test_a_deeply_nested_provider(project: Project, body: str) -> None:
    for version in ("new", "old"):
        project.write(f"{version}/gantry/deep.py", f"def dig(load):\n{body}\n")
    project.write("src/dock/user.py", "from gantry.deep import dig\nx = dig(1)\nx[0][0]\ndig()\n")
    assert [one for one in checked(project) if one[1] == "dock/user.py"] == [("DC202", "dock/user.py", 4)]


def test_a_provider_module_that_cannot_be_followed(project: Project) -> None:
    """Nothing is said of what it defines but that it was not checked."""
    for version in ("new", "old"):
        project.write(
            f"{version}/gantry/sum.py", "def total():\n    return " + " + ".join(["'rope'"] * 5000) + "\n"
        )
    project.write("src/dock/user.py", "from gantry.sum import total\ntotal(1).nothing\n")
    report = project.report("--no-cache")
    found = [(one["code"], one["path"], one["severity"]) for one in report["findings"]]
    assert ("DC201", "dock/__init__.py", "error") in found
    assert all(code in ("DC902", "DC203") for code, path, _ in found if path == "dock/user.py")


def test_a_consumer_that_never_mentions_the_provider(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.user.write_text("import json\n")
    assert project.check() == 0
    assert "never mentions" in capsys.readouterr().out
    project.write("src/dock/odd.py", 'import gantry\nprint "old"\n')
    assert project.check() == 1
    assert "never mentions" not in capsys.readouterr().out


def test_a_report_is_json_whatever_the_input(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    (project.root / "src/dock/odd.py").write_bytes(b"import gantry\nx = '\xff'\n")
    assert project.check("--output-format", "json", "--no-cache") == 1
    assert json.loads(capsys.readouterr().out)["findings"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["audit", "quay", "--provider", "gantry", "--from", "", "--to", "2.0"], "--from is empty"),
        (["check", "quay", "--against", "gantry==2.0", "--known-good="], "--known-good is empty"),
        (["check", "quay", "--against", "gantry==2.0", "--output-file", " "], "--output-file is empty"),
        (["impact", "--provider", "gantry", "--results", ""], "--results is empty"),
        (["show", "", "--in", "gantry==2.0"], "an argument is empty"),
    ],
)
def test_an_empty_argument_is_never_taken_for_none(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from driftcheck.cli import main

    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert said in shown.err and len(shown.err.strip().splitlines()) == 1 and not shown.out


# Where the answer goes


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a system without /dev/full")
@pytest.mark.parametrize("command", ["check", "fix", "show"])
def test_standard_output_on_a_full_disk(project: Project, command: str) -> None:
    (project.root / "gantry").mkdir()
    (project.root / "gantry/__init__.py").write_text("def lift(load): ...\n")
    (project.root / "dock.py").write_text("from gantry import lower\n")
    asked = {
        "check": ["dock.py", "--against", "./gantry"],
        "fix": ["dock.py", "--against", "./gantry"],
        "show": ["gantry.lift", "--in", "./gantry"],
    }[command]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "driftcheck.cli", command, *asked],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.stderr.endswith(
        "driftcheck: error: cannot write standard output: No space left on device\n"
    ), done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("given", ["serif:x", "SARIF:x.sarif", "jason:x", ":x"])
def test_an_output_format_that_is_none(
    project: Project, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    status, said = fails(capsys, str(project.root), "--against", "gantry==2", "--output-file", given)
    assert status == 2
    assert "is no format" in said and "sarif" in said
    assert not list(project.root.glob("*x*"))


def test_a_colon_in_a_path_is_no_format() -> None:
    for given in ("./serif:x", "odd:name", "C:report.txt", "C:\\a\\b"):
        assert outputs_of("text", (given,)) == [Output("text", Path(given))]


def test_a_format_where_a_command_takes_none(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "gantry.lift", "--in", "./gantry", "--output-file", "json:foo.json"]) == 2
    assert "--output-format says it" in capsys.readouterr().err
