"""Names, paths and texts with terminal escapes and bidirectional marks: shown as escapes, in every output."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hostile.making import command, project, write

ESC, BIDI, HTML = "\x1b[2J\x1b]0;owned\x07", "\u202egnp\u2066\u200b", "</script><img src=x onerror=alert(1)>"
NASTY = f"{ESC}{BIDI}{HTML}"
FILE = f"dock/a{ESC.replace('/', '')}{BIDI}.py"


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """A consumer with nasty characters in a path, a string, a comment, a message and an environment variable."""
    text = (
        "import gantry\n"
        f"gantry.lift(1, slow=True)  # {NASTY}\n"
        f"getattr(gantry, 'turn{BIDI}')\n"
        f"x = gantry.turn('{ESC}')  # drift: ignore[DC201] {NASTY}\n"
        f"import gantry.gone; y = '{NASTY}'\n"
    )
    new = f"from warnings import deprecated\n@deprecated('''{NASTY}''')\ndef lift(weight): ...\n"
    return project(tmp_path, {FILE: text, "dock/__init__.py": ""}, new=new)


def unsafe(text: str, allowed: str = "\n") -> set[str]:
    """The characters of a text that could steer whoever shows it."""
    return {
        one
        for one in text
        if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") and one not in allowed
    }


@pytest.mark.parametrize(
    "form", ["text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "markdown"]
)
def test_reports(arguments: list[str], tmp_path: Path, form: str) -> None:
    file = tmp_path / "report"
    status, out, err = command("check", *arguments, "--output-format", form, "--show-possible", "--output-file", f"{form}:{file}") \
        if form != "text" else command("check", *arguments, "--show-possible")  # fmt: skip
    assert status == 1, err
    for shown in (out, err, file.read_text() if file.exists() else ""):
        # JSON is data: what shows it decides; control characters are escaped there in any case.
        found = unsafe(shown) - (set(BIDI) if form in ("json", "json-lines", "sarif", "gitlab") else set())
        assert not found
        if form == "markdown":
            outside = re.sub(r"(`+).+?(?<!`)\1(?!`)", "", shown)  # a code span shows what is in it
            assert "<img" not in outside.replace("\\<", "")


def test_the_audit_page(arguments: list[str], tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        side = tmp_path / ("old" if version == "1.0" else "new")
        write(side, {"pyproject.toml": f'[project]\nname = "gantry"\nversion = "{version}"\n'})
    from driftcheck.report.audit_html import _text

    assert "<img" not in _text(NASTY) and not unsafe(_text(NASTY))


def test_fix_says_and_shows_escapes_only_on_a_terminal(arguments: list[str]) -> None:
    status, out, err = command("fix", *arguments, "--diff", "--unsafe-fixes")
    assert status == 1 and not unsafe(err), err
    assert ESC in out  # piped on it must stay a diff


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_diff_on_a_terminal(arguments: list[str]) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "driftcheck.cli", "fix", *arguments, "--diff", "--unsafe-fixes"],
        stdout=theirs, stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1", "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:  # Linux: the other end is closed
        pass
    os.close(ours)
    assert process.stderr is not None
    error = process.stderr.read().decode()
    assert process.wait() == 1, error
    assert "@@" in seen.decode() and not unsafe(seen.decode(), "\n\r")


@pytest.mark.parametrize(
    "words",
    [["check", f"nowhere{ESC}"], ["check", ".", "--against", f"./a{ESC}"], ["check", ".", "--against", f"gantry=={BIDI}"],
     ["check", ".", "--against", "gantry==1", "--fail-on", ESC], [f"che{ESC}"], ["config", f"/nowhere/{ESC}"]],
)  # fmt: skip
def test_error_messages(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = command(*words)
    assert status in (2, 3)
    assert not unsafe(out) and not unsafe(err) and len(err.strip().splitlines()) == 1


def test_a_configuration_full_of_them(tmp_path: Path) -> None:
    arguments = project(tmp_path)
    for text in (f'ignore = ["{ESC!a}"]'.replace("'", ""), '"a\\u001bb" = 1', 'exclude = ["\\u001b[31m"]'):
        write(tmp_path / "mine", {"pyproject.toml": f"[tool.driftcheck]\n{text}\n"})
        for words in (["check", *arguments], ["config", arguments[0]]):
            _, out, err = command(*words)
            assert not unsafe(out) and not unsafe(err)


def test_a_path_that_is_no_unicode(tmp_path: Path) -> None:
    arguments = project(tmp_path)
    try:
        with open(os.fsencode(tmp_path / "mine/dock") + b"/bad\xff.py", "wb") as file:
            file.write(b"import gantry\ngantry.lift(1, slow=True)\n")
    except OSError:
        pytest.skip("this file system has Unicode names only")
    for form in ("text", "json", "sarif", "markdown", "junit", "github", "gitlab", "concise", "json-lines"):
        status, out, err = command("check", *arguments, "--output-format", form)
        assert status == 1, err
        assert out.encode()
