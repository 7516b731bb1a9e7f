"""Spec strings: what each form asks for, and the one line that the wrong ones get."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from driftcheck.sources import SourceError
from driftcheck.sources.spec import (
    ArchiveSpec,
    InstalledSpec,
    PathSpec,
    ReleaseSpec,
    exact_version,
    parse_spec,
    release_text,
)


@pytest.mark.parametrize(
    ("text", "name", "specifiers"),
    [
        ("gantry==1.2", "gantry", "==1.2"),
        ("gantry == 1.2", "gantry", "==1.2"),
        ("Gantry_Crane.x>=1,<2", "gantry-crane-x", ">=1,<2"),
        ("gantry[extra]~=1.4", "gantry", "~=1.4"),
        ("gantry@latest", "gantry", ""),
        ("gantry @ latest", "gantry", ""),
        ("gantry===1.2+local", "gantry", "===1.2+local"),
    ],
)
def test_releases(text: str, name: str, specifiers: str) -> None:
    assert parse_spec(text) == ReleaseSpec(name, SpecifierSet(specifiers))


def test_a_bare_name_is_an_installed_distribution() -> None:
    assert parse_spec("Not_Here") == InstalledSpec("not-here")


def test_an_existing_path_wins_over_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gantry").mkdir()
    monkeypatch.chdir(tmp_path)
    assert parse_spec("gantry") == PathSpec(tmp_path / "gantry")


def test_files(tmp_path: Path) -> None:
    for name in ("one.py", "a-1.0-py3-none-any.whl", "a-1.0.tar.gz", "a.zip"):
        (tmp_path / name).write_bytes(b"")
    assert parse_spec(str(tmp_path / "one.py")) == PathSpec(tmp_path / "one.py")
    for name in ("a-1.0-py3-none-any.whl", "a-1.0.tar.gz", "a.zip"):
        assert parse_spec(str(tmp_path / name)) == ArchiveSpec(tmp_path / name)


@pytest.mark.parametrize(
    "text",
    ["", "  ", "two words", "gantry==", "gantry==one", "gantry@1.0", "==1.0", "a\0b", "gantry\n==1", "-x"],
)
def test_usage(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_spec(text)
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["./missing", "../missing/", "missing.whl", "missing.tar.gz", "missing.py", "~/no/such"]
)
def test_a_path_that_is_not_there(text: str) -> None:
    with pytest.raises(SourceError, match="no such file") as caught:
        parse_spec(text)
    assert caught.value.exit_status == 3


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(SourceError, match="neither a directory") as caught:
        parse_spec(str(tmp_path / "notes.txt"))
    assert caught.value.exit_status == 2


@given(st.text(max_size=60))
def test_any_text_gives_a_spec_or_a_source_error(text: str) -> None:
    try:
        parse_spec(text)
    except SourceError as error:
        assert error.exit_status in (2, 3)
        assert "\n" not in str(error)


def test_release_text() -> None:
    assert release_text("1.2", "gantry") == "gantry==1.2"
    assert release_text("gantry==1.2", "gantry") == "gantry==1.2"
    assert release_text("../gantry", "gantry") == "../gantry"


def test_exact_version() -> None:
    assert exact_version(SpecifierSet("==1.2")) == "1.2"
    assert exact_version(SpecifierSet("==1.*")) is None
    assert exact_version(SpecifierSet(">=1,<2")) is None
