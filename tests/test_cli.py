"""The command line: exit statuses, one-line errors, and what is passed on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from driftcheck import __version__
from driftcheck.cli import main
from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.engine.request import Request, known_good_spec
from driftcheck.engine.work import Outcome
from driftcheck.model import Finding, Report, Side
from driftcheck.sources.errors import SourceError
from driftcheck.sources.tree import MemoryFiles, Tree

DRIFT = Finding(
    code="DC102",
    name="missing-name",
    severity="error",
    confidence="certain",
    status="introduced",
    path="dock/__init__.py",
    line=1,
    column=20,
    end_line=1,
    end_column=24,
    symbol="gantry.lower",
    message="gantry 2 has no name 'lower'",
)


def changed(**changes: object) -> Finding:
    import msgspec

    return msgspec.structs.replace(DRIFT, **changes)


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch):
    """Lets ``check`` answer with these findings, and keeps the request it was asked with."""
    asked: list[Request] = []

    def answering(*findings: Finding, warnings: tuple[str, ...] = (), error: Exception | None = None):
        def run(request: Request, progress: object) -> Outcome:
            asked.append(request)
            if error is not None:
                raise error
            side = Side(spec="gantry==2", version="2")
            report = Report(
                driftcheck=__version__,
                consumer=Side(spec="dock"),
                target=side,
                known_good=None,
                summary={},
                findings=list(findings),
            )
            return Outcome(report, lambda path: b"from gantry import lower\n", list(warnings))

        monkeypatch.setattr("driftcheck.cli.work.run", run)
        return asked

    return answering


CHECK = ["check", "src", "--against", "gantry==2"]


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        ([], 0),
        ([DRIFT], 1),
        ([changed(severity="warning", confidence="likely")], 1),
        ([changed(status="preexisting")], 1),
        ([changed(status="unknown")], 1),
        ([changed(status="fixed")], 0),
        ([changed(severity="note")], 0),
        ([changed(confidence="possible")], 0),
    ],
)
def test_exit_status(answer, findings: list[Finding], status: int) -> None:
    answer(*findings)
    assert main(CHECK) == status
    assert main([*CHECK, "--exit-zero"]) == 0


def test_possible_is_hidden_unless_asked_for(answer, capsys: pytest.CaptureFixture[str]) -> None:
    answer(changed(confidence="possible"))
    main([*CHECK, "--output-format", "concise"])
    assert "1 of confidence possible hidden" in capsys.readouterr().out
    assert main([*CHECK, "--output-format", "concise", "--show-possible"]) == 0
    assert "DC102 gantry 2 has no name 'lower'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageProblem("one\nline"), 2),
        (NothingChecked("one\nline"), 3),
        (RuntimeError("one\nline"), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_are_one_line(
    answer, capsys: pytest.CaptureFixture[str], error: Exception, status: int
) -> None:
    answer(error=error)
    assert main(CHECK) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip().count("\n") == 0
    assert status == 130 or (err.startswith("driftcheck: error: ") and "one line" in err)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["check"], "Missing option '--against'"),
        (["chek"], "Did you mean 'check'?"),
        ([*CHECK, "--output-format", "yaml"], "'yaml' is not one of 'text', 'concise', 'json'"),
        ([*CHECK, "--no-such"], "No such option"),
        (["rules", "explain", "DC20"], "no check 'DC20'; did you mean DC20"),
        (["rules", "explain", "unknown-keywrod"], "did you mean unknown-keyword (DC201)?"),
    ],
)
def test_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("driftcheck: error: ")
    assert problem in err
    assert err.count("\n") == 1


def test_no_command_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "check" in capsys.readouterr().err


def test_options_reach_the_work(answer, tmp_path: Path) -> None:
    asked = answer()
    python = tmp_path / "python"
    python.touch()
    options = ["--known-good", "1", "--python", str(python), "--include", "tests"]
    main([*CHECK, "more", *options, "--no-cache", "--refresh", "--no-contracts"])
    assert asked == [
        Request(
            consumers=("src", "more"),
            against=("gantry==2",),
            known_good=("1",),
            python=python,
            include_tests=True,
            use_cache=False,
            refresh=True,
            no_contracts=True,
        )
    ]
    main(["check", "--against", "gantry==2"])
    assert asked[1] == Request(consumers=(".",), against=("gantry==2",), known_good=())


def test_output_file(answer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(DRIFT, warnings=("no comparison",))
    file = tmp_path / "report.json"
    assert main([*CHECK, "--output-format", "json", "--output-file", str(file)]) == 1
    assert json.loads(file.read_text())["findings"][0]["code"] == "DC102"
    out, err = capsys.readouterr()
    assert (out, err) == ("", "driftcheck: warning: no comparison\n")
    assert main([*CHECK, "--output-file", str(tmp_path / "none" / "report")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_text_has_a_hint_and_no_colour_for_a_pipe(answer, capsys: pytest.CaptureFixture[str]) -> None:
    answer(DRIFT)
    main(CHECK)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "1 | from gantry import lower" in out
    assert "help: Import the name from where" in out


def test_colour_follows_the_environment(
    answer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(DRIFT)
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(CHECK)
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(CHECK)
    assert "\x1b[" not in capsys.readouterr().out


def test_columns_is_honoured(
    answer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(DRIFT)
    monkeypatch.setenv("COLUMNS", "50")
    main(CHECK)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 50


def test_profile(answer, capsys: pytest.CaptureFixture[str]) -> None:
    answer()
    main([*CHECK, "--profile"])
    assert "  total\n" in capsys.readouterr().err


def target(name: str | None = "gantry") -> Tree:
    return Tree(spec="../gantry", files=MemoryFiles({}), packages=("gantry",), name=name, version="2")


@pytest.mark.parametrize(
    ("given", "spec"),
    [
        ("none", None),
        ("1", "gantry==1"),
        ("v1.0rc1", "gantry==v1.0rc1"),
        (">=1,<2", "gantry>=1,<2"),
        ("gantry==1", "gantry==1"),
        ("Gantry==1", "Gantry==1"),
        ("gantry@latest", "gantry@latest"),
        ("../gantry", "../gantry"),
        ("gantry-1.tar.gz", "gantry-1.tar.gz"),
    ],
)
def test_known_good_spec(given: str, spec: str | None) -> None:
    assert known_good_spec(given, target()) == spec


def test_known_good_of_another_library_is_refused() -> None:
    with pytest.raises(SourceError, match="another library than gantry"):
        known_good_spec("crane==1", target())
    with pytest.raises(SourceError, match="allowed: X, name==X"):
        known_good_spec("?", target())
    with pytest.raises(SourceError, match="has no name"):
        known_good_spec("1", target(None))


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list"]) == 0
    listed = capsys.readouterr().out
    assert "DC201  unknown-keyword" in listed
    for word in ("DC201", "dc201", "unknown-keyword"):
        assert main(["rules", "explain", word]) == 0
        page = capsys.readouterr().out
        assert page.startswith("# DC201 unknown-keyword (error)")
        assert "## Use instead" in page
        assert "file=provider" not in page
    assert main(["rules", "explain", "DC201", "--cases"]) == 0
    assert "file=provider@1/" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"driftcheck {__version__} (")


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        timeout=120,
    )


def test_help_imports_nothing_heavy() -> None:
    done = python(
        "-c",
        "import sys; from driftcheck.cli import main; main(['check', '--help']);"
        "print([name for name in ('libcst', 'networkx', 'rich', 'requests', 'packaging') if name in sys.modules])",
    )
    assert done.stdout.endswith("[]\n"), done


def test_a_closed_pipe_is_no_error() -> None:
    program = "import sys; from driftcheck.cli import main; sys.exit(main(['rules', 'explain', 'DC102', '--cases']))"
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -c "{program}" | head -1; echo ${{PIPESTATUS[0]}}'],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stderr == ""
    assert done.stdout.endswith("\n0\n")


def package(directory: Path, name: str, text: str) -> str:
    place = directory / name
    place.mkdir(parents=True)
    (place / "__init__.py").write_text(text)
    return str(place)


def test_whole_run_on_packages_on_disk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = package(tmp_path / "old", "gantry", "def lift(): ...\ndef lower(): ...\n")
    new = package(tmp_path / "new", "gantry", "def lift(): ...\n")
    user = package(tmp_path / "use", "dock", "from gantry import lift, lower\n")
    other = package(tmp_path / "other", "shed", "import os\n")
    arguments = ["--output-format", "concise", "--known-good", old]
    assert main(["check", user, "--against", new, *arguments]) == 1
    assert "dock/__init__.py:1:26: DC102" in capsys.readouterr().out
    assert main(["check", user, "--against", old, *arguments]) == 0
    assert main(["check", other, "--against", new, *arguments]) == 0
    assert "never mentions" in capsys.readouterr().out
    assert main(["check", user, other, "--against", new, *arguments]) == 1
    assert "DC102" in capsys.readouterr().out


def test_nothing_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = package(tmp_path / "new", "gantry", "def lift(): ...\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["check", str(empty), "--against", new]) == 3
    assert main(["check", str(tmp_path / "none"), "--against", new]) in (2, 3)
    assert main(["check", new, "--against", str(empty)]) == 3
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 3
    assert all(line.startswith("driftcheck: error: ") for line in errors)
