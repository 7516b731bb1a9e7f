"""``driftcheck fix`` on files: what it writes, prints and answers."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from making import write_project

from driftcheck.cli import main
from driftcheck.fixes import apply_edits
from driftcheck.model import Edit

OLD = "def lift(load, limit=3):\n    return load + limit\n\n\ndef lower(load):\n    return load\n"
NEW = "def lift(load):\n    return load\n\n\ndef lower(load, gently):\n    return load\n"
DOCK = "from gantry import lift, lower\n\nlift(1, limit=9)  # up\nlift(2, limit=3)\nlower(1)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A consumer in ``mine/``, the provider in ``old/`` and ``new/``; the current directory is theirs."""
    write_project(tmp_path, OLD, NEW, DOCK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def fix(*more: str) -> int:
    return main(["fix", "mine", "--against", "./new", "--known-good", "./old", *more])


def dock(project: Path) -> str:
    return (project / "mine/dock/__init__.py").read_text()


def test_safe_fixes_alone_are_applied_and_the_rest_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fix() == 1
    assert dock(project) == DOCK.replace("lift(2, limit=3)", "lift(2)")
    said = capsys.readouterr().out
    assert "dock/__init__.py:4: DC201 safe: drop the keyword limit" in said
    assert (
        "dock/__init__.py:3: DC201 left:" in said and "--unsafe-fixes would: drop the keyword limit" in said
    )
    assert "a person decides: pass gently=…" in said
    assert said.endswith("Fixed 1 drift in 1 file; 2 left\n")


def test_unsafe_fixes_when_asked_and_twice_changes_nothing(project: Path) -> None:
    assert fix("--unsafe-fixes") == 1
    once = dock(project)
    assert once == DOCK.replace("1, limit=9", "1").replace("2, limit=3", "2")
    assert fix("--unsafe-fixes") == 1
    assert dock(project) == once


def test_nothing_left_is_a_success(project: Path) -> None:
    assert fix("--unsafe-fixes", "--ignore", "DC202") == 0


def test_a_diff_that_applies_and_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fix("--diff", "--unsafe-fixes") == 1
    assert dock(project) == DOCK
    diff = capsys.readouterr().out
    done = subprocess.run(
        ["git", "apply", "-p1"], input=diff, text=True, capture_output=True, check=False, cwd=project
    )
    assert done.returncode == 0, done.stderr
    assert dock(project) == DOCK.replace("1, limit=9", "1").replace("2, limit=3", "2")


def test_a_diff_of_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fix("--diff", "--select", "DC202") == 0
    assert capsys.readouterr().out == ""


def test_the_reports_edits_make_the_same_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["check", "mine", "--against", "./new", "--known-good", "./old", "--output-format", "json"]
    main(command)
    found = json.loads(capsys.readouterr().out)["findings"]
    edits = [
        Edit(**edit)
        for one in found
        if one["fix"] and one["fix"]["applicability"] != "display"
        for edit in one["fix"]["edits"]
    ]
    made = apply_edits(DOCK.encode(), edits)
    fix("--unsafe-fixes")
    assert (project / "mine/dock/__init__.py").read_bytes() == made


def test_line_ends_encoding_and_mark_stay(project: Path) -> None:
    file = project / "mine/dock/__init__.py"
    file.write_bytes(b"\xef\xbb\xbf" + DOCK.replace("# up", "# äö").replace("\n", "\r\n").encode()[:-2])
    fix("--unsafe-fixes")
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbffrom gantry")
    assert data.endswith(b"lower(1)") and data.count(b"\r\n") == 4 == data.count(b"\n")
    assert "lift(1)  # äö".encode() in data


def test_only_the_lines_concerned_change(project: Path) -> None:
    fix("--unsafe-fixes")
    pairs = list(zip(DOCK.splitlines(), dock(project).splitlines(), strict=True))
    assert [number for number, (old, new) in enumerate(pairs, 1) if old != new] == [3, 4]


def test_uncommitted_changes_are_refused_only_when_asked(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words],
            cwd=project,
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    assert fix("--require-clean") == 2
    assert "uncommitted changes" in capsys.readouterr().err
    git("add", "mine")
    git("commit", "-qm", "x")
    assert fix("--require-clean") == 1
    assert dock(project) != DOCK


def test_a_release_is_not_rewritten(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = project / "dock-1.0-py3-none-any.whl"
    import zipfile

    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("dock/__init__.py", DOCK)
        archive.writestr("dock-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: dock\nVersion: 1.0\n")
        archive.writestr(
            "dock-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("dock-1.0.dist-info/RECORD", "")
    command = ["fix", str(wheel), "--against", "./new", "--known-good", "./old"]
    assert main(command) == 2
    assert "not yours to change" in capsys.readouterr().err
    assert main([*command, "--diff"]) == 1


def test_a_file_that_changes_meanwhile_is_left_alone(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import driftcheck.engine.fixing as fixing

    checked = fixing.repair

    def then_changed(*arguments):
        done = checked(*arguments)
        (project / "mine/dock/__init__.py").write_text("# somebody else's\n")
        return done

    monkeypatch.setattr(fixing, "repair", then_changed)
    assert fix() == 1
    assert dock(project) == "# somebody else's\n"
    assert "has changed since it was read" in capsys.readouterr().err
    assert sorted(os.listdir(project / "mine/dock")) == ["__init__.py"]


@pytest.mark.parametrize("style", ["shim", "gate"])
def test_both_versions(project: Path, style: str) -> None:
    for place, version in (("old", "1"), ("new", "2")):
        (project / place / "pyproject.toml").write_text(
            f'[project]\nname = "gantry"\nversion = "{version}"\n'
        )
        init = project / place / "gantry/__init__.py"
        init.write_text(f'__version__ = "{version}"\n' + init.read_text())
    (project / "mine/dock/__init__.py").write_text("from gantry import lift\n\nlift(1, limit=9)\n")
    assert (
        main(["fix", "mine", "--against", "./new", "--keep", "./old", "--style", style, "--unsafe-fixes"])
        == 0
    )
    assert "limit" in dock(project)
    for place in ("old", "new"):
        assert main(["check", "mine", "--against", f"./{place}", "--known-good", "none"]) == 0
        program = "import sys; sys.path[:0] = sys.argv[1:]; import dock"
        done = subprocess.run(
            ["python3", "-c", program, place, "mine"],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        if "No module named 'packaging'" not in done.stderr:
            assert done.returncode == 0, done.stderr


def proof_of(project: Path, edits: list[Edit], **other: object) -> Path:
    """A results file of ``validate`` that found the edits necessary and sufficient, as far as ``fix`` reads it."""
    from driftcheck.sources import open_tree
    from driftcheck.sources.payload import package_digest

    listed = [{name: getattr(edit, name) for name in Edit.__struct_fields__} for edit in edits]
    plan = {
        "consumer": {"sha256": other.get("sha256", package_digest(open_tree("mine", role="consumer")))},
        "provider": {"version": other.get("version")},
        "fixes": [{"id": "one", "edits": listed}],
    }
    verdict = {"necessary": True, "sufficient": True, "harmful": other.get("harmful", False)}
    file = project / "results.json"
    file.write_text(
        json.dumps(
            {"schema": "driftcheck/validation/1", "plan": plan, "verdicts": {"fixes": {"one": verdict}}}
        )
    )
    return file


EDIT = Edit("dock/__init__.py", 3, 7, 3, 16, "")


def test_a_proof_stands_in_for_the_wish(project: Path) -> None:
    proof = proof_of(project, [EDIT])
    assert fix("--proof", str(proof)) == 1
    assert dock(project) == DOCK.replace("1, limit=9", "1").replace("2, limit=3", "2")


def test_what_a_run_found_harmful_is_not_proven(project: Path) -> None:
    assert fix("--proof", str(proof_of(project, [EDIT], harmful=True))) == 1
    assert dock(project) == DOCK.replace("2, limit=3", "2")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"sha256": "0"}, "that run was of a consumer with other bytes than these files have"),
        ({"version": "9"}, "that run was on 9, this is about None"),
    ],
)
def test_a_proof_of_something_else_is_refused(
    project: Path, other: dict, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fix("--proof", str(proof_of(project, [EDIT], **other))) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1
    assert dock(project) == DOCK


def test_a_file_that_is_no_proof_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "results.json").write_text("{}")
    assert fix("--proof", "results.json") == 2
    assert "not a results file" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_left_and_not_counted(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import driftcheck.fixes as fixes

    other = project / "mine/dock/b.py"
    other.write_text("from gantry import lift\n\nlift(2, limit=3)\n")
    writing = fixes.write_file

    def but_not_b(place: Path, before: bytes, after: bytes) -> None:
        if place.name == "b.py":
            raise PermissionError(13, "Permission denied", str(place))
        writing(place, before, after)

    monkeypatch.setattr(fixes, "write_file", but_not_b)
    assert fix("--ignore", "DC202", "--unsafe-fixes") == 1
    assert "limit" not in dock(project)
    assert other.read_text().endswith("lift(2, limit=3)\n")
    out, err = capsys.readouterr()
    assert err == "driftcheck: error: cannot write mine/dock/b.py: Permission denied\n"
    assert "dock/b.py:3: DC201 left:" in out and "its fix could not be written: drop the keyword limit" in out
    assert "dock/b.py:3: DC201 safe:" not in out
    assert out.endswith("Fixed 2 drifts in 1 file; 1 left\n")


def test_what_is_wrong_with_a_kept_version_is_said_of_keep(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "new/pyproject.toml").write_text('[project]\nname = "gantry"\nversion = "2"\n')
    assert main(["fix", "mine", "--against", "./new", "--keep", "zz"]) == 2
    err = capsys.readouterr().err
    assert "--keep zz: another library than gantry" in err and "--known-good" not in err
