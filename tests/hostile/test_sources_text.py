"""Source files that nobody would write: each is checked as far as it goes, in time, and never ends the run."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hostile.making import checked, codes, command, project, write

GOOD = "import gantry\n\ngantry.lift(1, slow=True)\n"

DEEP = {
    "brackets": "x = " + "(" * 10_000 + "1" + ")" * 10_000,
    "open brackets": "x = " + "[" * 10_000,
    "calls in calls": "gantry.turn(" * 3_000 + "1" + ")" * 3_000,
    "some brackets": "x = " + "(" * 180 + "gantry.turn(1)" + ")" * 180,
    "a chain of attributes": "x = gantry" + ".a" * 4_000,
    "a chain of calls": "x = gantry.turn(1)" + ".a()" * 3_000,
    "a long sum": "x = " + " + ".join(["gantry.LIMIT"] * 5_000),
    "a long condition": "x = " + " and ".join(["gantry.LIMIT"] * 5_000),
    "signs": "x = " + "-" * 4_000 + "gantry.LIMIT",
    "nots": "x = " + "not " * 4_000 + "gantry.LIMIT",
    "lambdas": "x = " + "lambda: " * 1_000 + "gantry.turn(1)",
    "a long choice": "x = " + "gantry.LIMIT if x else " * 2_000 + "1",
    "branches": "x = 1\nif x == 0: pass\n"
    + "".join(f"elif x == {n}: gantry.turn({n})\n" for n in range(800)),
    "blocks": "".join("    " * n + "if gantry.LIMIT:\n" for n in range(95))
    + "    " * 95
    + "gantry.turn(1)\n",
    "functions in functions": "".join("  " * n + f"def f{n}():\n" for n in range(90))
    + "  " * 90
    + "gantry.turn(1)\n",
    "classes in classes": "".join("  " * n + f"class C{n}:\n" for n in range(90))
    + "  " * 90
    + "x = gantry.turn(1)\n",
    "targets": "x = " * 3_000 + "gantry.LIMIT",
    "strings": "x = " + '"a" ' * 5_000 + "\ngantry.turn(1)",
    "newer grammar and depth": "type X = " + "list[" * 3_000 + "]" * 3_000 + "\ngantry.turn(1)\n",
    "a damaged file of many pieces": "def f(:\n" * 3_000 + "gantry.turn(1)\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_nesting(tmp_path: Path, name: str) -> None:
    text = f"import gantry\n{DEEP[name]}\n"
    arguments = project(tmp_path, {"dock/__init__.py": GOOD, "dock/deep.py": text})
    began = time.process_time()
    report = checked(*arguments)
    assert time.process_time() - began < 60
    assert [one["code"] for one in report["findings"] if one["path"] == "dock/__init__.py"] == ["DC201"]
    status, _, err = command("fix", *arguments, "--diff", "--unsafe-fixes")
    assert status == 1, err


@pytest.mark.parametrize("name", DEEP)
def test_nesting_in_the_provider(tmp_path: Path, name: str) -> None:
    text = "def turn(angle): ...\n" + DEEP[name].replace("gantry.turn", "turn").replace("gantry", "x")
    arguments = project(
        tmp_path,
        {"dock/__init__.py": GOOD + "from gantry import x\nfrom gantry.deep import x as y, turn\nturn()\n"},
    )
    for side in ("old", "new"):
        write(tmp_path / side, {"gantry/deep.py": text})
    assert "DC201" in codes(checked(*arguments))


def test_names_that_double(tmp_path: Path) -> None:
    lines = ["s0 = 'a'", "t0 = (1, 2)", "l0 = [1]", "f0 = 'a'"]
    for n in range(60):
        lines += [f"s{n + 1} = s{n} + s{n}", f"t{n + 1} = t{n} + t{n}", f"l{n + 1} = l{n} + l{n}"]
        lines += [f"f{n + 1} = f'{{f{n}}}{{f{n}}}'"]
    lines += ["w = '%9999999999d' % 1", "h = 1 << 10**9", "p = 10 ** 10 ** 10", "m = 'a' * 10**11"]
    lines += [f"getattr(gantry, {name})" for name in ("s60", "f60", "w", "m")]
    lines += [f"gantry.turn({name})" for name in ("t60", "l60", "h", "p")]
    arguments = project(tmp_path, {"dock/__init__.py": GOOD + "\n".join(lines)})
    assert codes(checked(*arguments)).count("DC201") == 1


def test_a_number_of_thousands_of_digits(tmp_path: Path) -> None:
    huge = "0x" + "f" * 4_000
    arguments = project(
        tmp_path, {"dock/__init__.py": GOOD, "dock/a.py": f"import gantry\ngantry.turn({huge})\n"}
    )
    write(tmp_path / "new", {"gantry/b.py": f"def turn(angle={huge}): ...\n"})
    write(tmp_path / "mine", {"dock/b.py": "from gantry.b import turn\nturn()\n"})
    found = checked(*arguments)["findings"]
    assert [(one["code"], one["path"]) for one in found if one["code"] == "DC903"] == [("DC903", "dock/a.py")]


ENCODINGS = {
    "latin-1 unannounced": (b"import gantry\n# \xe4\n", "DC903"),
    "latin-1": (
        b"# -*- coding: latin-1 -*-\nimport gantry\nx = '\xe4'; gantry.lift(1, slow=True)\n",
        "DC201",
    ),
    "utf-8 with a mark": (b"\xef\xbb\xbfimport gantry\ngantry.lift(1, slow=True)\n", "DC201"),
    "utf-16": ("import gantry\n".encode("utf-16"), "DC903"),
    "utf-16 without a mark": ("import gantry\n".encode("utf-16-le"), "DC903"),
    "unknown": (b"# coding: klingon\nimport gantry\n", "DC903"),
    "no text": (b"# coding: zlib_codec\nimport gantry\n", "DC903"),
    "a mark and another name": (
        b"\xef\xbb\xbf# coding: latin-1\nimport gantry\ngantry.lift(1, slow=True)\n",
        "",
    ),
    "NUL": (b"import gantry\n\0\n", "DC903"),
    "NUL in a string": (b"import gantry\nx = '\0'\n", "DC903"),
    "form feeds": (b"import gantry\n\x0c\ngantry.lift(1, slow=True)\n", "DC201"),
    "old line ends": (b"import gantry\rgantry.lift(1, slow=True)\r", "DC201"),
    "mixed line ends": (b"import gantry\r\n\rgantry.lift(1,\n slow=True)\r\n", "DC201"),
    "no end": (b"import gantry; gantry.lift(1, slow=True)", "DC201"),
    "a backslash at the end": (b"import gantry\ngantry.lift(1, slow=True)\n\\", ""),
    "tabs and blanks": (b"import gantry\nif 1:\n\tx = 1\n        gantry.turn(1)\n", "DC903"),
    "identifiers": ("import gantry as ｇ\nµ = 1\ng.lift(1, slow=True)\n".encode(), ""),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings(tmp_path: Path, name: str) -> None:
    data, expected = ENCODINGS[name]
    arguments = project(tmp_path, {"dock/__init__.py": GOOD, "dock/odd.py": data})
    found = checked(*arguments)["findings"]
    assert [one["code"] for one in found if one["path"] == "dock/__init__.py"] == ["DC201"]
    if expected:
        assert [one["code"] for one in found if one["path"] == "dock/odd.py"] == [expected]


@pytest.mark.parametrize("count", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_lines(tmp_path: Path, count: int) -> None:
    lines = [f"def f{n}(x): return gantry.LIMIT if x else {n}" for n in range(count)]
    lines[count // 2] = "gantry.lift(1, slow=True)"
    files: dict[str, str | bytes] = {"dock/__init__.py": "import gantry\n" + "\n".join(lines)}
    began = time.process_time()
    found = checked(*project(tmp_path, files, new="LIMIT = 1\ndef lift(weight): ...\n"))["findings"]
    assert [(one["code"], one["line"]) for one in found] == [("DC201", count // 2 + 2)]
    assert time.process_time() - began < 20 + count / 500  # in proportion to the lines


def test_a_file_beyond_the_limit(tmp_path: Path) -> None:
    arguments = project(
        tmp_path, {"dock/__init__.py": GOOD, "dock/large.py": b"import gantry\n" + b"#" * 17_000_000}
    )
    assert codes(checked(*arguments)) == ["DC201", "DC903"]
